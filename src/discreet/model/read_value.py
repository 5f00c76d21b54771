"""Reading one raw value: the meaning of a Reading, said once in plain Python. Engines do the same to whole columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from numbers import Integral
from typing import Any

import numpy as np

from discreet.model.exact_values import (
    LARGEST,
    SMALLEST,
    day_number,
    decimal_fraction,
    largest_at_most,
    smallest_at_least,
)
from discreet.model.reading import Includes, Reading, ValueKind, codes_of_texts, fold_text
from discreet.model.variable import Variable

__all__ = ["MISFIT", "Scale", "place_of", "points_of", "read_value", "scale_of"]

MISFIT = -1
"""The code of a value that is not declared."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Where the bins of a reading begin and end, as floats to compare with."""

    low: float | None
    high: float | None
    begins: tuple[float, ...]
    """The smallest number of each bin but the first."""


@lru_cache(maxsize=4096)
def scale_of(reading: Reading, short: bool = False) -> Scale:
    """The scale of a reading, for doubles or for floats of 32 bits."""
    kind: type[Any] = np.float32 if short else float
    cuts = [place for cut in reading.cuts if (place := reading.place(cut)) is not None]
    if reading.includes is Includes.LOWER:
        begins = [smallest_at_least(cut, kind) for cut in cuts]
    else:
        begins = [float(np.nextafter(kind(largest_at_most(cut, kind)), kind(math.inf))) for cut in cuts]
    low, high = (None if end is None else reading.place(end) for end in (reading.minimum, reading.maximum))
    return Scale(
        None if low is None else smallest_at_least(low, kind),
        None if high is None else largest_at_most(high, kind),
        tuple(begins),
    )


@lru_cache(maxsize=4096)
def points_of(reading: Reading, levels: tuple[str, ...], short: bool = False) -> tuple[tuple[float, int | None], ...]:
    """Single numbers that are a level, or mean that a value is missing: the float, and the code."""
    kind: type[Any] = np.float32 if short else float
    texts = [] if reading.cuts else [(level, place) for place, level in enumerate(levels)]
    missing = None if reading.missing is None else levels.index(reading.missing)
    found: dict[float, int | None] = {}
    for text, code in (*texts, *((text, missing) for text in reading.missing_values)):
        place = reading.place(text)
        if place is not None:
            found[smallest_at_least(place, kind)] = code
    return tuple(found.items())


def read_value(variable: Variable, value: object) -> int | None:
    """The number of the level that a value is read as; MISFIT where there is none, None where it is missing."""
    reading, levels = variable.reading or Reading(), variable.levels
    missing = None if reading.missing is None else levels.index(reading.missing)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return missing
    other = MISFIT if reading.other is None else levels.index(reading.other)
    if reading.kind is ValueKind.TEXT:
        texts = codes_of_texts(reading, levels)
        return texts.get(_text(value, texts, reading.fold), other)
    plain = (fold_text(value) if reading.fold else value) if isinstance(value, str) else value
    codes = codes_of_texts(reading, levels)
    if isinstance(plain, str) and plain in codes and reading.place(plain) is None:
        return codes[plain]
    number = _day(plain) if reading.kind is ValueKind.DATE else _number(plain)
    return other if number is None else _place(reading, levels, number, other)


def place_of(variable: Variable, value: object) -> int | None:
    """The place of a level, or of the one that a raw value is read as; None for others: those who ask mean a level.

    What is read as missing has to be a declared code for it: nothing at all is rather a slip.
    """
    if str(value) in variable.levels:
        return variable.levels.index(str(value))
    reading = variable.reading
    code = MISFIT if reading is None else read_value(variable, value)
    if reading is None or code is None or code == MISFIT or variable.levels[code] == reading.other:
        return None
    is_code = isinstance(value, str | Integral | float) and str(value).strip() not in ("", "nan")
    return code if is_code or variable.levels[code] != reading.missing else None


def _place(reading: Reading, levels: tuple[str, ...], number: float, other: int) -> int | None:
    points = dict(points_of(reading, levels))
    if number in points:
        return points[number]
    scale = scale_of(reading)
    if not reading.cuts or (scale.low is not None and number < scale.low) or (scale.high is not None and number > scale.high):
        return other
    return sum(number >= bound for bound in scale.begins)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | float | Integral | Decimal):
        return None
    if isinstance(value, str) and decimal_fraction(value) is None:
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if number == 0 or SMALLEST <= abs(number) < LARGEST else None


def _day(value: object) -> float | None:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return None
    number = day_number(value) if isinstance(value, str | date) else None
    return None if number is None else float(number)


def _text(value: object, texts: dict[str, int | None], fold: bool) -> str:
    """The text of one value. A whole float may be written like an integer; a boolean as its word, or as 0 or 1."""
    if isinstance(value, bool):
        word = str(value).casefold()
        return next((text for text in texts if text.casefold() == word), str(int(value)))
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 and repr(value) not in texts:
        return str(int(value))
    return fold_text(str(value)) if fold else str(value)
