"""Numbers and dates as everybody writes them, exactly: what a text means, and where a float stands towards a cut.

A number has one meaning whatever type it arrives with, because that type may depend on the other records: one word turns a
column of floats into texts. So every number is taken to the nearest double, and a double means the shortest decimal that is
read as it: 0.3 is three tenths, from a text as from a float. That decimal is compared exactly with the declared one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = [
    "DATE_PATTERN",
    "FIRST_DAY",
    "LARGEST",
    "LAST_DAY",
    "NUMBER_PATTERN",
    "SMALLEST",
    "day_number",
    "decimal_fraction",
    "is_exact",
    "largest_at_most",
    "smallest_at_least",
]

NUMBER_PATTERN = r"^[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][+-]?[0-2]?[0-9]{1,2})?$"
"""How a number is written: understood in the same way by Python, Rust, DuckDB, PostgreSQL and Java."""
LARGEST, SMALLEST = 1e300, 1e-299
"""Numbers lie strictly below the one and, unless they are zero, not below the other: databases refuse to read what is past."""
_LEAP = r"([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)-02-29"
_DAY = r"[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
DATE_PATTERN = rf"^({_DAY}|{_LEAP})([ T][0-2][0-9]:[0-5][0-9](:[0-5][0-9](\.[0-9]{{1,9}})?)?)?$"
"""How a date is written: the year first, perhaps with a time of day, never with a zone, which could make it another day."""
FIRST_DAY, LAST_DAY = 101_01, 9999_12_31
"""The first of January of the year 1 and the last day of 9999, as numbers."""

_NUMBER, _DATE = re.compile(NUMBER_PATTERN), re.compile(DATE_PATTERN)


def decimal_fraction(text: str) -> Fraction | None:
    """The number that a text is, exactly; None for whatever is none."""
    if "\n" in text or not _NUMBER.match(text):
        return None
    number = Fraction(text)
    return number if number == 0 or SMALLEST <= abs(number) < LARGEST else None


def day_number(value: str | date) -> int | None:
    """A day as a number such as 20240229, which is later for a later day; None for whatever is no date."""
    if isinstance(value, str):
        if "\n" in value or not _DATE.match(value):
            return None
        year, month, day = int(value[:4]), int(value[5:7]), int(value[8:10])
    else:
        year, month, day = value.year, value.month, value.day
    number = (year * 100 + month) * 100 + day
    return number if FIRST_DAY <= number <= LAST_DAY else None


def is_exact(number: Fraction, kind: type[Any] = float) -> bool:
    """Whether some float means exactly this number."""
    return _meaning(kind(float(number))) == number


def smallest_at_least(number: Fraction, kind: type[Any] = float) -> float:
    """The smallest float that means this number or a larger one: ``kind`` is float, or NumPy's type of shorter ones."""
    return _search(number, kind, math.inf, lambda meant: meant >= number)


def largest_at_most(number: Fraction, kind: type[Any] = float) -> float:
    """The largest float that means this number or a smaller one."""
    return _search(number, kind, -math.inf, lambda meant: meant <= number)


def _meaning(value: Any) -> Fraction | None:
    """The shortest decimal that is read as this float."""
    return Fraction(str(value)) if math.isfinite(value) else None


def _search(number: Fraction, kind: type[Any], inward: float, holds: Callable[[Fraction], bool]) -> float:
    """The first float that fits, coming from the other side. Meanings grow with the floats, so a few steps are enough."""
    step = np.nextafter if kind is not float else math.nextafter
    with np.errstate(over="ignore", under="ignore"):
        value = kind(float(number))
        before = step(value, kind(-inward))
        while (meant := _meaning(before)) is not None and holds(meant):
            value, before = before, step(before, kind(-inward))
        while (meant := _meaning(value)) is not None and not holds(meant):
            value = step(value, kind(inward))
    return float(value)
