"""Variables and columns: their names with their levels or bounds, declared, never read off the data.

Bounds map a numeric column to [-1, 1]: low to -1, high to 1, and what lies outside to the nearer end. That is all that a
record's value can do, so it is also all that a record can move.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real

import numpy as np
import numpy.typing as npt

from discreet.display import Display, Displayed, listed
from discreet.errors import ModelError
from discreet.model.files.strict_json import show_text
from discreet.model.reading import Reading
from discreet.model.reading_checks import check_reading_of

__all__ = ["Column", "LENGTH_LIMIT", "Variable"]

LENGTH_LIMIT = 1000
"""Most characters of a name or level: they are shown in messages, and may come from a hostile file."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Variable(Displayed):
    """A categorical variable with at least two levels, in the order in which tables list them.

    ``reading`` says how raw values become levels. Without it a value is the level that has its text.
    """

    name: str
    levels: tuple[str, ...]
    reading: Reading | None

    def __init__(self, name: str, levels: Iterable[object], reading: Reading | None = None) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError("A variable needs a name: a text that is not empty.")
        if not _is_writable(name):
            raise ModelError(
                f"The name {name[:30]!r}... is too long or not valid Unicode; give at most {LENGTH_LIMIT} characters."
            )
        texts = _level_texts(name, levels)
        if len(texts) < 2:
            raise ModelError(f"{name!r} has {len(texts)} level(s); declare at least two.")
        if any(not text.strip() for text in texts):
            raise ModelError(f"{name!r} has an empty level; give every level a name.")
        if not all(_is_writable(text) for text in texts):
            raise ModelError(
                f"{name!r} has a level that is too long or not valid Unicode; use at most {LENGTH_LIMIT} characters."
            )
        if len(set(texts)) < len(texts):
            twice = min(text for text, count in Counter(texts).items() if count > 1)
            raise ModelError(f"{name!r} declares level {twice!r} more than once; keep one.")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "levels", texts)
        if reading is not None:
            check_reading_of(name, texts, reading)
        object.__setattr__(self, "reading", reading)

    @property
    def column(self) -> str:
        """What tables call the column of this variable."""
        return self.name if self.reading is None or self.reading.column is None else self.reading.column

    @property
    def shown_levels(self) -> tuple[str, ...]:
        """The levels for people: each with its label, where it has another."""
        labels = {} if self.reading is None else dict(self.reading.labels)
        return tuple(level if labels.get(level, level) == level else f"{level} ({labels[level]})" for level in self.levels)

    @property
    def shown_name(self) -> str:
        """The name for people: with its title, where it has another."""
        title = None if self.reading is None else self.reading.title
        return self.name if title in (None, self.name) else f"{self.name} ({title})"

    @property
    def size(self) -> int:
        """How many levels there are."""
        return len(self.levels)

    def _display(self) -> Display:
        return Display(f"{self.name}: {listed(self.levels, 12)}")

    def __repr__(self) -> str:
        more = "" if self.size <= 12 else f", ... ({self.size:,} levels)"
        read = "" if self.reading is None else f", {self.reading!r}"
        return f"Variable({self.name!r}, [{', '.join(map(repr, self.levels[:12]))}{more}]{read})"


def _level_texts(name: str, levels: Iterable[object]) -> tuple[str, ...]:
    if isinstance(levels, (str, bytes)):
        raise ModelError(f"The levels of {name!r} are one text; give a list such as ['no', 'yes'].")
    if isinstance(levels, (set, frozenset)):  # tables would differ from one run to the next
        raise ModelError(f"The levels of {name!r} are a set, which has no order; give a list.")
    try:
        return tuple(str(level) for level in levels)
    except TypeError:
        raise ModelError(f"The levels of {name!r} are not a list; give one such as ['no', 'yes'].") from None


def _is_writable(text: str) -> bool:
    """Whether a file can hold the text: half a surrogate pair cannot be encoded."""
    try:
        return len(text) <= LENGTH_LIMIT and bool(text.encode("utf-8"))
    except UnicodeError:
        return False


@dataclass(frozen=True, slots=True, init=False)
class Column:
    """A numeric column with the range that everybody may know. Values outside are clipped to it."""

    name: str
    low: float
    high: float

    def __init__(self, name: str, bounds: object) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError("A column needs a name: a text that is not empty.")
        if not _is_writable(name):
            raise ModelError(f"The name {name[:30]!r}... is too long or not Unicode; give at most {LENGTH_LIMIT} characters.")
        low, high = _bounds(name, bounds)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def centre(self) -> float:
        """The value that is mapped to 0."""
        return self.low + self.half_width

    @property
    def half_width(self) -> float:
        """How far a value must move to move by 1 in [-1, 1]."""
        return self.high / 2 - self.low / 2

    def scale(self, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Values as numbers in [-1, 1], those outside the bounds as the nearer end. NaN is refused: it would pass any clip."""
        numbers = np.asarray(values, dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise ModelError(f"The column {self.name!r} holds a missing or infinite value. Give a number for every record.")
        inside = np.clip(numbers, self.low, self.high)
        scaled: npt.NDArray[np.float64] = np.clip((inside - self.centre) / self.half_width, -1.0, 1.0)
        return scaled


def _bounds(name: str, given: object) -> tuple[float, float]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ModelError(f"{show_text(name)} needs two bounds, such as (0, 100): the range that everybody may know.")
    if not all(isinstance(bound, Real) and not isinstance(bound, bool) for bound in given):
        raise ModelError(f"The bounds of {show_text(name)} must be numbers.")
    try:
        low, high = float(given[0]), float(given[1])
    except OverflowError:
        low, high = math.nan, math.nan
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ModelError(f"The bounds of {show_text(name)} must be finite numbers.")
    if low >= high:
        raise ModelError(f"The lower bound of {show_text(name)} must be below its upper bound.")
    half_width = high / 2 - low / 2
    # Widths at the ends of what a float can hold would turn the scale into zero or infinity.
    if not 1e-150 < half_width < 1e150 or low + half_width in (low, high):
        raise ModelError(f"The bounds of {show_text(name)} are too close together or too far apart for floating point.")
    return low, high
