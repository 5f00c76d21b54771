"""Readings as expressions over columns, which Polars, DuckDB, PostgreSQL and Spark understand alike.

A choice among many levels is a tree of few comparisons. Numbers are compared as doubles, and doubles are written as texts,
since engines read a decimal in a statement in ways of their own. Texts are matched by patterns that mean the same to all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.data.matching import float_levels
from discreet.model.exact_values import DATE_PATTERN, FIRST_DAY, LARGEST, LAST_DAY, NUMBER_PATTERN, SMALLEST
from discreet.model.read_value import MISFIT, points_of, read_value, scale_of
from discreet.model.reading import BLANKS, Reading, ValueKind, capitals_of, codes_of_texts
from discreet.model.variable import Variable

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["GAP", "Read", "is_text", "read_booleans", "read_floats", "read_numbers", "read_texts"]

GAP = -2
"""The code of a missing value for which no level is declared; MISFIT is that of a value that is not declared."""
_FOREIGN = "[^0-9eET:. +-]"
"""A character that stands in no number and in no date."""
_OUTER_BLANKS = rf"^[{BLANKS}]+|[{BLANKS}]+$"


@dataclass(frozen=True, slots=True)
class Read:
    """Columns to prepare, and the code of a value by what was prepared: an engine is asked for both, one after the other."""

    prepared: list[nw.Expr]
    code: nw.Expr


def is_text(dtype: nw.dtypes.DType) -> bool:
    """Whether a column holds texts."""
    import narwhals as nw

    return dtype in (nw.String, nw.Enum, nw.Categorical)


def read_texts(name: str, column: nw.Expr, variable: Variable, dtype: nw.dtypes.DType) -> Read:
    """Texts, and whole numbers as the texts that they are."""
    import narwhals as nw

    text = column.cast(nw.String)
    if _reading(variable).fold and is_text(dtype):
        text = _fold(text, variable)
    code = _choose_text(nw.col(name), _words(variable), nw.lit(_other(variable)))
    return Read([text.alias(name)], _unless_missing(nw.col(name).is_null(), variable, code))


def read_floats(name: str, column: nw.Expr, variable: Variable, dtype: nw.dtypes.DType) -> Read:
    """Floats in place of texts: those that are written like a declared one."""
    import narwhals as nw

    words = _words(variable)
    numbers = {number: words[text] for number, text in float_levels(words, str(dtype)).items()}
    code = _choose_point(nw.col(name), sorted(numbers.items()), nw.lit(_other(variable)))
    missing = nw.col(name).is_null() | nw.col(name).is_nan()
    return Read([column.cast(nw.Float64).alias(name)], _unless_missing(missing, variable, code))


def read_booleans(name: str, column: nw.Expr, variable: Variable, dtype: nw.dtypes.DType) -> Read:  # noqa: ARG001
    """Booleans in place of texts."""
    import narwhals as nw

    yes, no = (read_value(variable, value) for value in (True, False))
    code = nw.when(nw.col(name)).then(nw.lit(GAP if yes is None else yes)).otherwise(nw.lit(GAP if no is None else no))
    return Read([column.alias(name)], _unless_missing(nw.col(name).is_null(), variable, code))


def read_numbers(name: str, column: nw.Expr, variable: Variable, dtype: nw.dtypes.DType) -> Read:
    """Numbers and days, also those that are written as texts."""
    import narwhals as nw

    reading = _reading(variable)
    gap = (column.is_null() | column.is_nan()) if dtype.is_float() else column.is_null()
    other = nw.lit(_other(variable))
    number = nw.col(f"{name}_number")
    chosen = _choose_number(number, variable, dtype == nw.Float32, other)
    code = nw.when(number.is_null()).then(other).otherwise(chosen)
    prepared = [gap.alias(f"{name}_gap")]
    if is_text(dtype):
        text = _fold(column.cast(nw.String), variable) if reading.fold else column.cast(nw.String)
        prepared += [text.alias(f"{name}_text"), _written(text, reading.kind).alias(f"{name}_number")]
        words = {word: place for word, place in _words(variable).items() if reading.place(word) is None}
        code = _choose_text(nw.col(f"{name}_text"), words, code) if words else code
    else:
        typed = _day(column) if reading.kind is ValueKind.DATE else _double(column, dtype)
        prepared.append(_declarable(typed, reading.kind).alias(f"{name}_number"))
    return Read(prepared, _unless_missing(nw.col(f"{name}_gap"), variable, code))


def _reading(variable: Variable) -> Reading:
    return variable.reading or Reading()


def _other(variable: Variable) -> int:
    other = _reading(variable).other
    return MISFIT if other is None else variable.levels.index(other)


def _words(variable: Variable) -> dict[str, int]:
    """Texts with their codes."""
    codes = codes_of_texts(_reading(variable), variable.levels)
    return {text: GAP if code is None else code for text, code in codes.items()}


def _unless_missing(gap: nw.Expr, variable: Variable, code: nw.Expr) -> nw.Expr:
    import narwhals as nw

    missing = _reading(variable).missing
    return nw.when(gap).then(nw.lit(GAP if missing is None else variable.levels.index(missing))).otherwise(code)


def _fold(text: nw.Expr, variable: Variable) -> nw.Expr:
    """Texts without outer blanks, with small letters for those capitals that a declared text could be written with.

    Engines disagree on what the small letter of some capitals is, so they are told which to replace by which.
    """
    folded = text.str.replace_all(_OUTER_BLANKS, "")
    for small in sorted({letter for word in _words(variable) for letter in word}):
        for capital in sorted(capitals_of(small)):
            folded = folded.str.replace_all(capital, small, literal=True)
    return folded


def _written(text: nw.Expr, kind: ValueKind) -> nw.Expr:
    """The number that a text is, or that of its day; null where it is neither. What is no number never meets a conversion."""
    import narwhals as nw

    pattern = DATE_PATTERN if kind is ValueKind.DATE else NUMBER_PATTERN
    # In some engines the end of a pattern is also the place before a last line break, of which Java knows six.
    fits = text.str.contains(pattern) & ~text.str.contains(_FOREIGN)
    digits = text.str.slice(0, 10).str.replace_all("-", "", literal=True) if kind is ValueKind.DATE else text
    number = nw.when(fits).then(digits).otherwise(nw.lit("0")).cast(nw.Float64)
    return nw.when(fits & _is_declarable(number, kind)).then(number)


def _double(column: nw.Expr, dtype: nw.dtypes.DType) -> nw.Expr:
    import narwhals as nw

    if dtype.is_decimal():  # as text, which every engine turns into the nearest double
        return column.cast(nw.String).cast(nw.Float64)
    return column.cast(nw.Float64)


def _day(column: nw.Expr) -> nw.Expr:
    import narwhals as nw

    date = column.dt
    number = (date.year().cast(nw.Int64) * 100 + date.month().cast(nw.Int64)) * 100 + date.day().cast(nw.Int64)
    return number.cast(nw.Float64)


def _declarable(number: nw.Expr, kind: ValueKind) -> nw.Expr:
    import narwhals as nw

    return nw.when(_is_declarable(number, kind)).then(number)


def _is_declarable(number: nw.Expr, kind: ValueKind) -> nw.Expr:
    """Whether a number is of a size that a text may have, too."""
    if kind is ValueKind.DATE:
        return (number >= _exact(FIRST_DAY)) & (number <= _exact(LAST_DAY))
    small, large = _exact(SMALLEST), _exact(LARGEST)
    some = (number >= small) | (number <= _exact(-SMALLEST)) | (number == _exact(0))
    return some & (number < large) & (number > _exact(-LARGEST))


def _exact(number: float) -> nw.Expr:
    """A double, as the text that every engine reads as it."""
    import narwhals as nw

    return nw.lit(repr(float(number))).cast(nw.Float64)


def _choose_text(column: nw.Expr, words: Mapping[str, int], otherwise: nw.Expr) -> nw.Expr:
    """The code of a text that is one of the words. What it is otherwise stands here once, for it may be long itself."""
    import narwhals as nw

    grouped: dict[int, list[str]] = {}
    for word, code in words.items():
        grouped.setdefault(code, []).append(word)
    return nw.when(column.is_in(list(words))).then(_among(column, sorted(grouped.items()))).otherwise(otherwise)


def _among(column: nw.Expr, groups: Sequence[tuple[int, list[str]]]) -> nw.Expr:
    """The code of a text that is in one of the groups."""
    import narwhals as nw

    if len(groups) == 1:
        return nw.lit(groups[0][0])
    half = len(groups) // 2
    first = [word for _, words in groups[:half] for word in words]
    return nw.when(column.is_in(first)).then(_among(column, groups[:half])).otherwise(_among(column, groups[half:]))


def _choose_number(number: nw.Expr, variable: Variable, short: bool, other: nw.Expr) -> nw.Expr:
    """The bin of a number, unless it is one of the single numbers that are a level or mean that a value is missing."""
    import narwhals as nw

    reading = _reading(variable)
    chosen = other
    if reading.cuts:
        scale = scale_of(reading, short)
        chosen = _bin(number, scale.begins, 0)
        for end, outside in ((scale.low, "__lt__"), (scale.high, "__gt__")):
            if end is not None:
                chosen = nw.when(getattr(number, outside)(_exact(end))).then(other).otherwise(chosen)
    points = sorted(points_of(reading, variable.levels, short), key=lambda point: point[0])
    return _choose_point(number, [(value, GAP if code is None else code) for value, code in points], chosen)


def _bin(number: nw.Expr, begins: Sequence[float], first: int) -> nw.Expr:
    import narwhals as nw

    if not begins:
        return nw.lit(first)
    half = len(begins) // 2
    below, above = _bin(number, begins[:half], first), _bin(number, begins[half + 1 :], first + half + 1)
    return nw.when(number < _exact(begins[half])).then(below).otherwise(above)


def _choose_point(number: nw.Expr, points: Sequence[tuple[float, int]], otherwise: nw.Expr) -> nw.Expr:
    import narwhals as nw

    if not points:
        return otherwise
    if len(points) == 1:
        return nw.when(number == _exact(points[0][0])).then(nw.lit(points[0][1])).otherwise(otherwise)
    half = len(points) // 2
    below, above = _choose_point(number, points[:half], otherwise), _choose_point(number, points[half:], otherwise)
    return nw.when(number < _exact(points[half][0])).then(below).otherwise(above)
