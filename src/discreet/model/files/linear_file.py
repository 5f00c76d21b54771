"""Linear models in files: TOML for people, a JSON object inside a release."""

from __future__ import annotations

import os
import re
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.errors import FormatError, ModelError
from discreet.guarantee import decimal
from discreet.model.files.plain_shapes import Constant, Integer, Number, Table, Text, Truth
from discreet.model.files.shape import Entry, ListOf, Object, OrNull, Shared
from discreet.model.files.strict_json import decode_text, json_object, read_limited
from discreet.model.linear import RESOLUTIONS, LinearModel
from discreet.model.variable import LENGTH_LIMIT, Column

__all__ = ["LINEAR_MODEL", "linear_model_from_json", "linear_model_to_json", "read_linear_model"]

_OPTIONS = ("precision", "radius", "noise", "intercept", "resolution")
_DECIMAL_LIMIT = 30
_TOML_START = re.compile(r"(\s|#[^\n]*(\n|$))*(\[|[\w\"'][\w\"'.-]*\s*=)")

_NUMBER = Text(140)
# Column checks that its name is not empty and that its bounds are two.
_COLUMN = Object(
    {
        "name": Entry(Text(LENGTH_LIMIT), "The name of a column", also={"minLength": 1}),
        "bounds": Entry(
            Table(Number(), 1),
            "The bounds of {}",
            "Values are mapped to [-1, 1] by these, and clipped.",
            also={"minItems": 2, "maxItems": 2},
        ),
    },
    named_by="name",
)
_COLUMN_ENTRY = Entry(Shared("column", _COLUMN), "A column")
LINEAR_MODEL = Object(
    {
        "features": Entry(ListOf(_COLUMN_ENTRY), "The features", also={"minItems": 1}),
        "target": _COLUMN_ENTRY,
        "precision": Entry(
            OrNull(ListOf(Entry(_NUMBER, "A precision"), least=1)),
            "The precisions",
            "Prior precision of each weight of the scaled problem, the intercept first; null where it is learned.",
        ),
        "radius": Entry(
            OrNull(_NUMBER), "The radius", "Largest norm of the scaled weights; null where the prior is not truncated."
        ),
        "noise": Entry(
            OrNull(_NUMBER), "The noise", "Standard deviation of the scaled target about the line; null where it is not known."
        ),
        "intercept": Entry(Truth(), "The intercept"),
        "resolution": Entry(
            Integer(RESOLUTIONS[0], RESOLUTIONS[-1]),
            "The resolution",
            "Values in [-1, 1] are rounded to steps of 2^-resolution.",
        ),
    },
    constants={
        "format": Constant("discreet-linear-model", "This is not a linear model: its format must be 'discreet-linear-model'."),
        "version": Constant(1, "The version of this model is not 1; a newer discreet may have written it: upgrade."),
    },
)
"""The declaration of a linear model inside a release."""


def read_linear_model(path: str | os.PathLike[str]) -> LinearModel:
    """Read a declaration from a TOML file: tables ``[features]`` and ``[target]`` of bounds, and the options beside them."""
    content = read_limited(path)
    try:
        return _from_toml(_parsed(Path(path), content))
    except (FormatError, ModelError) as error:
        raise FormatError(f"{path}: {error}") from None


def linear_model_to_json(model: LinearModel) -> dict[str, Any]:
    """Write the declaration as a JSON object. Numbers that the guarantee rests on are exact texts."""
    return LINEAR_MODEL.write(
        {
            "features": [_column_entries(column) for column in model.features],
            "target": _column_entries(model.target),
            "precision": None if model.learned else [_write_number(each) for each in model.precisions],
            "radius": None if model.radius is None else _write_number(model.radius),
            "noise": None if model.noise is None else _write_number(model.noise),
            "intercept": model.intercept,
            "resolution": model.resolution,
        }
    )


def linear_model_from_json(content: object) -> LinearModel:
    """Check a JSON object and build the model; whatever is wrong is a FormatError."""
    declared = LINEAR_MODEL.read(content, "The linear model")
    listed, precisions = declared.pop("features"), declared.pop("precision")
    declared["target"] = (declared["target"]["name"], declared["target"]["bounds"])
    features = {column["name"]: column["bounds"] for column in listed}
    if len(features) < len(listed):
        raise FormatError("A feature is declared twice; keep one.")
    try:
        if precisions is None:
            return LinearModel(features, **declared)
        plain = LinearModel(features, declared["target"], intercept=declared["intercept"])
        if len(precisions) != len(plain.coordinates):
            raise FormatError("The precisions do not fit the coefficients: one for each is needed.")
        each = dict(zip(plain.coordinates, precisions, strict=True))
        return LinearModel(features, precision=each, **declared)
    except ModelError as error:
        raise FormatError(str(error)) from None


def _parsed(path: Path, content: bytes) -> dict[str, Any]:
    if content.startswith((b"PAR1", b"{")) or path.suffix.lower() in (".csv", ".parquet", ".json", ".bif"):
        raise FormatError("this is no declaration of a linear model; that is a TOML file with [features] and [target].")
    text = decode_text(content)
    if not _TOML_START.match(text):  # perhaps somebody's records: no parser may quote from them
        raise FormatError("this is no TOML file; a linear model is declared by one with [features] and [target].")
    place = None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line \d+, column \d+|at end of document", str(error))
    except (RecursionError, ValueError):  # extreme nesting, integers of thousands of digits
        pass
    raise FormatError(f"this is not valid TOML{f' ({place[0]})' if place else ''}. Write names with other signs in quotes.")


def _from_toml(content: dict[str, Any]) -> LinearModel:
    fields = json_object(content, "The linear model", ("features", "target"), _OPTIONS)
    features, target = fields["features"], fields["target"]
    if not isinstance(features, dict):
        raise FormatError("[features] must be a table of bounds, such as age = [16, 90].")
    if not isinstance(target, dict) or len(target) != 1:
        raise FormatError("[target] must have one entry, its name and bounds, such as income = [0, 150000].")
    return LinearModel(features, next(iter(target.items())), **{name: fields[name] for name in _OPTIONS if name in fields})


def _write_number(number: Fraction) -> str:
    """A short decimal, or the fraction itself: what ``exact`` reads has at most 30 digits after the point."""
    text = decimal(number)
    return text if len(text) <= _DECIMAL_LIMIT else str(number)


def _column_entries(column: Column) -> dict[str, Any]:
    return {"name": column.name, "bounds": [column.low, column.high]}
