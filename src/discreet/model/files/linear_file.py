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
from discreet.model.column import Column
from discreet.model.files.json_parts import json_list, json_object, json_text
from discreet.model.files.strict_json import decode_text, read_limited, show_text
from discreet.model.linear import LinearModel
from discreet.model.variable import LENGTH_LIMIT

__all__ = ["linear_model_from_json", "linear_model_to_json", "read_linear_model"]

_FORMAT = "discreet-linear-model"
_VERSION = 1
_KEYS = ("format", "version", "features", "target", "precision", "radius", "noise", "intercept", "resolution")
_OPTIONS = ("precision", "radius", "noise", "intercept", "resolution")
_NUMBER_LIMIT = 140
_DECIMAL_LIMIT = 30
_TOML_START = re.compile(r"(\s|#[^\n]*(\n|$))*(\[|[\w\"'][\w\"'.-]*\s*=)")


def read_linear_model(path: str | os.PathLike[str]) -> LinearModel:
    """Read a declaration from a TOML file: tables ``[features]`` and ``[target]`` of bounds, and the options beside them."""
    content = read_limited(path)
    try:
        return _from_toml(_parse(Path(path), content))
    except (FormatError, ModelError) as error:
        raise FormatError(f"{path}: {error}") from None


def linear_model_to_json(model: LinearModel) -> dict[str, Any]:
    """Write the declaration as a JSON object. Numbers that the guarantee rests on are exact texts."""
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "features": [_column_to_json(column) for column in model.features],
        "target": _column_to_json(model.target),
        "precision": [_write_number(precision) for precision in model.precisions],
        "radius": None if model.radius is None else _write_number(model.radius),
        "noise": None if model.noise is None else _write_number(model.noise),
        "intercept": model.intercept,
        "resolution": model.resolution,
    }


def linear_model_from_json(content: object) -> LinearModel:
    """Check a JSON object and build the model; whatever is wrong is a FormatError."""
    fields = json_object(content, "The linear model", _KEYS)
    if fields["format"] != _FORMAT:
        raise FormatError(f"This is not a linear model: its format must be {_FORMAT!r}.")
    if type(fields["version"]) is not int or fields["version"] != _VERSION:
        raise FormatError(f"The version of this model is not {_VERSION}; a newer discreet may have written it: upgrade.")
    listed = [_column_from_json(entry) for entry in json_list(fields["features"], "The features")]
    features = dict(listed)
    precisions = [json_text(each, "A precision", _NUMBER_LIMIT) for each in json_list(fields["precision"], "The precisions")]
    numbers = {
        name: None if fields[name] is None else json_text(fields[name], f"The {name}", _NUMBER_LIMIT)
        for name in ("radius", "noise")
    }
    if len(features) < len(listed):
        raise FormatError("A feature is declared twice; keep one.")
    target, intercept, resolution = _column_from_json(fields["target"]), fields["intercept"], fields["resolution"]
    try:
        plain = LinearModel(features, target, intercept=intercept, resolution=resolution)
        if len(precisions) != len(plain.coordinates):
            raise FormatError("The precisions do not fit the coefficients: one for each is needed.")
        each = dict(zip(plain.coordinates, precisions, strict=True))
        return LinearModel(features, target, each, **numbers, intercept=intercept, resolution=resolution)
    except ModelError as error:
        raise FormatError(str(error)) from None


def _parse(path: Path, content: bytes) -> dict[str, Any]:
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


def _column_to_json(column: Column) -> dict[str, Any]:
    return {"name": column.name, "bounds": [column.low, column.high]}


def _column_from_json(entry: object) -> tuple[str, Any]:
    fields = json_object(entry, "A column", ("name", "bounds"))
    name = json_text(fields["name"], "The name of a column", LENGTH_LIMIT)
    return name, json_list(fields["bounds"], f"The bounds of {show_text(name)}")
