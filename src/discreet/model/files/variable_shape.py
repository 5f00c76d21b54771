"""How a variable stands in the file of a network or a release, with its reading, of which the usual is left out."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from discreet.model.files.plain_shapes import OneOf, Text, Truth
from discreet.model.files.shape import Entry, ListOf, Object, Shared
from discreet.model.reading import Includes, Reading, ValueKind
from discreet.model.variable import LENGTH_LIMIT, Variable

__all__ = ["VARIABLE", "variable_entries"]

_TEXT = Text(LENGTH_LIMIT)


def _make(**entries: Any) -> Reading:
    spellings = tuple((each["text"], each["level"]) for each in entries.pop("spellings", ()))
    labels = tuple((each["level"], each["label"]) for each in entries.pop("labels", ()))
    return Reading(spellings=spellings, labels=labels, **entries)


_READING = Shared(
    "reading",
    Object(
        {"kind": Entry(OneOf.of(ValueKind), "The kind of values of {}", "What the values are: texts, numbers or dates.")},
        _make,
        optional={
            "column": Entry(_TEXT, "The column of {}", "What tables call the column, where that is not the name."),
            "spellings": Entry(
                ListOf(Object({"text": Entry(_TEXT, "A spelling of {}"), "level": Entry(_TEXT, "A level of {}")})),
                "The spellings of {}",
                "Further texts that are read as a level.",
            ),
            "cuts": Entry(ListOf(Entry(_TEXT, "A cut of {}")), "The cuts of {}", "Exact decimals or dates; bins come first."),
            "includes": Entry(OneOf.of(Includes), "The included end of {}", "Which end belongs to a bin."),
            "minimum": Entry(_TEXT, "The minimum of {}"),
            "maximum": Entry(_TEXT, "The maximum of {}"),
            "fold": Entry(Truth(), "Folding of {}", "Whether capitals and outer blanks of texts count for nothing."),
            "other": Entry(_TEXT, "The other level of {}", "The level of whatever is not declared."),
            "missing": Entry(_TEXT, "The missing level of {}", "The level of missing values."),
            "missing_values": Entry(
                ListOf(Entry(_TEXT, "A missing value of {}")),
                "The missing values of {}",
                "Texts or numbers: a gap.",
            ),
            "receipt": Entry(_TEXT, "The receipt of {}", "Which charge paid for cuts that were chosen from records."),
            "title": Entry(Text(10 * LENGTH_LIMIT), "The title of {}", "What people call the variable."),
            "labels": Entry(
                ListOf(Object({"level": Entry(_TEXT, "A level of {}"), "label": Entry(_TEXT, "A label of {}")})),
                "The labels of {}",
                "What people call a level.",
            ),
        },
    ),
)
"""How raw values become levels of a variable."""


# That names are not empty and levels are two different ones at least is checked by who makes variables of them.
VARIABLE = Object(
    {
        "name": Entry(_TEXT, "The name of a variable", also={"minLength": 1}),
        "levels": Entry(
            ListOf(Entry(_TEXT, "A level of {}", also={"minLength": 1})),
            "The levels of {}",
            also={"minItems": 2, "uniqueItems": True},
        ),
    },
    named_by="name",
    optional={"reading": Entry(_READING, "The reading of {}", "How raw values of a table become levels.")},
)
"""A variable with its levels."""


def variable_entries(variable: Variable) -> dict[str, Any]:
    """What a file says of a variable. One without a reading is written as before there were readings."""
    reading = {} if variable.reading is None else {"reading": _reading_entries(variable.reading)}
    return {"name": variable.name, "levels": variable.levels, **reading}


def _reading_entries(reading: Reading) -> dict[str, Any]:
    """The kind of values, and all that is not as usual."""
    plain = Reading()
    said = {field.name: getattr(reading, field.name) for field in fields(reading)}
    kept = {name: value for name, value in said.items() if name == "kind" or value != getattr(plain, name)}
    if "labels" in kept:
        kept["labels"] = [{"level": level, "label": label} for level, label in kept["labels"]]
    if "spellings" in kept:
        kept["spellings"] = [{"text": text, "level": level} for text, level in kept["spellings"]]
    return kept
