"""Matching what a table has to what is declared: names of columns, and values to levels by their text, whatever their type.

The names that a table has are never shown: in a file without a header line they are somebody's record. They are compared with
the declared names, and a message holds declared names and nothing else.

The type of a column can depend on all of its records: one gap turns whole numbers into floats, one word turns numbers into
text. If it could change which level another record's value is matched to, one record would move every count. So a value
has the same level under every type that it may arrive with, or is refused; levels that would make this impossible, such
as "1" beside "1.0" or beside "true", are refused for all tables but text files.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError
from discreet.model.reading import Reading, ValueKind, codes_of_texts
from discreet.model.variable import Variable

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "EXACT_WHOLE",
    "WHOSE",
    "check_no_namesake",
    "check_unambiguous",
    "float_levels",
    "level_numbers",
    "missing_column",
    "no_column",
    "other_separator",
]

WHOSE = "It has to say whose each record is."
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "blanks", ",": "commas"}
_LONGEST_COMPARED, _MOST_COMPARED = 80, 2000
_CLOSE = 0.75
"""Two letters that have changed places in a word of four, and nothing further off."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]{0,300})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_COMPARED_TEXTS, _LONG, _ALIKE = 8, 2, 7
"""So many short texts take no longer to compare with than to be looked up. A long one takes as long as two, and as seven where
another has its length and its beginning: then the ends are compared, too."""
_VIEWED, _BEGINNING = 12, 4
"""Bytes of a text that Polars holds in one place with its length, and of a longer one's beginning."""
EXACT_WHOLE = {"Float16": 2**11, "Float32": 2**24, "Float64": 2**53}
"""Below these every whole number has a float of its own."""
_BOOLEAN = ("false", "true")
_BIT = ("0", "1")


def missing_column(name: str, found: Collection[str], called: str, declared: Collection[str] = ()) -> DataError:
    """An error about a declared column that is not among those found. ``called`` says how columns have to be called.

    Columns that are ``declared``, too, are not taken for this one misspelt.
    """
    cause = _alike(name, found) or other_separator([name], found) or _nearly(name, set(found).difference(declared))
    return DataError(f"The table has no column {name!r}. {cause or f'{called} A CSV file needs a header line.'}")


def check_no_namesake(names: Iterable[str], found: Collection[str], declared: Collection[str]) -> None:
    """Refuse a table that lacks one of ``names``, though it may, and has a column that nobody declared and that is alike.

    Whoever writes "Smoke" for "smoke" means the node; its values would be passed over without a word.
    """
    others = set(found).difference(declared)
    for name in names:
        if _alike(name, others) is not None:
            raise missing_column(name, others, "")


def no_column(names: Collection[str], found: Collection[str]) -> DataError:
    """An error about a table that has none of the declared columns."""
    alike = next((cause for name in names if (cause := _alike(name, found))), None)
    cause = alike or other_separator(names, found) or "A CSV file needs a header line."
    return DataError(f"None of the table's columns is called like a node of the network. {cause}")


def other_separator(names: Iterable[str], found: Collection[str]) -> str | None:
    """What to do about a table whose columns are separated by something else than was said, if it looks like one."""
    wanted = {_plain(name) for name in names}
    for separator, words in _SEPARATORS.items():
        if separator == " " and len(found) > 1:  # "sex at birth" beside other columns is a name
            continue
        parts = [{_plain(part) for part in one.split(separator)} for one in found if separator in one]
        if any(wanted & part for part in parts):
            written = "tab" if separator == "\t" else separator
            return f'Its columns seem to be separated by {words}. Say so: Csv(path, delimiter="{written}").'
    return None


def _alike(name: str, found: Iterable[str]) -> str | None:
    if any(_plain(one) == _plain(name) for one in found):
        return (
            f"It has one that differs from {name!r} only in capitals, or in blanks or quotation marks around it. Rename that "
            "column, or write the table without blanks after commas. In Polars: "
            f"frame.rename(lambda name: {name!r} if name.strip().casefold() == {name.strip().casefold()!r} else name)"
        )
    return None


def _nearly(name: str, found: Iterable[str]) -> str | None:
    """A hint at a slip of the pen. It does not say which column: in a file without a header line that is a record."""
    short = [_plain(one) for one in found if len(one) <= _LONGEST_COMPARED]  # comparing takes time
    if difflib.get_close_matches(_plain(name), short[:_MOST_COMPARED], n=1, cutoff=_CLOSE):
        return "One of its columns is nearly called so: check how it is spelled."
    return None


def _plain(name: str) -> str:
    """A name without capitals and without blanks and quotation marks around it, in one of the ways to write its accents."""
    return unicodedata.normalize("NFKC", name).strip("\ufeff'\"` \t\r\n").casefold()


def check_unambiguous(variable: Variable) -> None:
    """Refuse levels of which a number or a boolean could mean more than one.

    Claim:      afterwards ``level_numbers`` gives a value the same level, or none, under every type of its column.
    Requires:   called for every variable of a table whose columns have types of their own.
    Checked by: tests/property/test_encoding.py::test_a_value_has_the_same_level_whatever_the_other_records_are
    """
    if variable.reading is not None and variable.reading.kind is not ValueKind.TEXT:
        return  # a number is one number, whatever the type is
    codes = codes_of_texts(variable.reading or Reading(), variable.levels)
    seen: dict[Any, str] = {}
    for level in codes:
        folded = level.casefold()
        keys: list[Any] = [Fraction(level)] if _NUMBER.fullmatch(level) else []
        if folded in _BOOLEAN or folded in _BIT:
            keys.append(("boolean", folded in ("true", "1")))
        for key in keys:
            if key in seen and codes[seen[key]] != codes[level]:
                raise DataError(
                    f"The levels {seen[key]!r} and {level!r} of {variable.name!r} cannot be told apart in a column of numbers "
                    "or booleans. Rename one of them, or give the records as a CSV file, where every value is text."
                )
            seen[key] = level


def level_numbers(variable: Variable, column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """The number of each value's level; null, or a number past the last level, where no level has that text."""
    import polars as pl

    if dtype == pl.Boolean:
        return _lookup(column, _boolean_levels(variable)).cast(pl.UInt8)
    code_type = pl.UInt8 if variable.size < 255 else pl.UInt32
    if dtype.is_integer():
        if variable.levels == tuple(str(number) for number in range(variable.size)):
            return column.cast(code_type, strict=False)  # numbers are their own codes; the caller looks for too large ones
        whole = {int(level): code for code, level in enumerate(variable.levels) if _is_whole(level)}
        return _lookup(column.cast(pl.Int64, strict=False), whole).cast(code_type)
    if dtype.is_float():
        written = float_levels(variable.levels, dtype.base_type().__name__)
        floats = {number: variable.levels.index(level) for number, level in written.items()}
        return _lookup(column.cast(pl.Float64), floats).cast(code_type)
    if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
        kind = dtype.base_type().__name__  # not the whole type: the fields of a struct may be made of records
        mended = "list.join(' ')" if dtype == pl.List else "cast(pl.String)"
        raise DataError(
            f"The column {variable.name!r} has type {kind}, which has no levels. Convert it to text first. "
            f"In Polars: frame.with_columns(pl.col({variable.name!r}).{mended})"
        )
    if dtype == pl.String and _comparisons(variable.levels) <= _COMPARED_TEXTS:
        return pl.coalesce([pl.when(column == level).then(_code(number)) for number, level in enumerate(variable.levels)])
    text = column if dtype in (pl.String, pl.Enum, pl.Categorical) else column.cast(pl.String)
    codes = text.cast(pl.Enum(list(variable.levels)), strict=False).to_physical()
    return codes if code_type == pl.UInt8 else codes.cast(code_type)


def _comparisons(levels: Sequence[str]) -> int:
    """How many comparisons with a short text take as long as one with each of these."""
    texts = [level.encode() for level in levels]
    begins = Counter((len(text), text[:_BEGINNING]) for text in texts if len(text) > _VIEWED)
    return len(texts) - begins.total() + sum(_LONG if alike == 1 else _ALIKE * alike for alike in begins.values())


@lru_cache(maxsize=_COMPARED_TEXTS)
def _code(number: int) -> pl.Expr:
    """Kept, because a network of a thousand columns needs each a thousand times, and making one takes longer than using it."""
    import polars as pl

    return pl.lit(number, pl.UInt8)


def _lookup(column: pl.Expr, codes: dict[Any, int]) -> pl.Expr:
    import polars as pl

    if not codes:
        return pl.lit(None, pl.UInt32)
    return column.replace_strict(codes, default=None, return_dtype=pl.UInt32)


def _is_whole(level: str) -> bool:
    """Whether this is how an integer of 64 bits is written."""
    digits = level.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 19 and str(int(level)) == level


def float_levels(texts: Iterable[str], type_name: str) -> dict[float, str]:
    """Texts that are exactly how a float is written. Whole numbers with gaps often arrive as floats: 1.0 is the level "1".

    From the limit on a float stands for several whole numbers, and which one was meant is lost: those levels fit none.
    """
    limit = EXACT_WHOLE[type_name]
    return {
        float(text): text
        for text in texts
        if _NUMBER.fullmatch(text) and abs(float(text)) < limit and (repr(float(text)) == text or _is_whole(text))
    }


def _boolean_levels(variable: Variable) -> dict[bool, int]:
    """True and False in any case of letters, else 1 and 0."""
    folded = [level.casefold() for level in variable.levels]
    for no, yes in (_BOOLEAN, _BIT):
        if no in folded and yes in folded:
            return {False: folded.index(no), True: folded.index(yes)}
    return {}
