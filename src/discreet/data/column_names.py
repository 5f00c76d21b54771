"""Why a table lacks a declared column, as far as one may say.

The names that a table has are never shown: in a file without a header line they are somebody's record. They are compared with
the declared names, and a message holds declared names and nothing else.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable

from discreet.errors import DataError

__all__ = ["missing_column", "no_column", "other_separator"]

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "blanks"}


def missing_column(name: str, found: Collection[str], called: str) -> DataError:
    """An error about a declared column that is not among those found. ``called`` says how columns have to be called."""
    cause = _alike(name, found) or other_separator([name], found) or f"{called} A CSV file needs a header line."
    return DataError(f"The table has no column {name!r}. {cause}")


def no_column(names: Collection[str], found: Collection[str]) -> DataError:
    """An error about a table that has none of the declared columns."""
    alike = next((cause for name in names if (cause := _alike(name, found))), None)
    cause = alike or other_separator(names, found) or "A CSV file needs a header line."
    return DataError(f"None of the table's columns is called like a node of the network. {cause}")


def other_separator(names: Iterable[str], found: Collection[str]) -> str | None:
    """What to do about a table whose columns were not separated by commas, if it looks like one."""
    wanted = {_plain(name) for name in names}
    for separator, words in _SEPARATORS.items():
        if separator == " " and len(found) > 1:  # "sex at birth" beside other columns is a name
            continue
        parts = [{_plain(part) for part in one.split(separator)} for one in found if separator in one]
        if any(wanted & part for part in parts):
            return f"Its columns seem to be separated by {words}. Save it with commas between them, or as Parquet."
    return None


def _alike(name: str, found: Iterable[str]) -> str | None:
    if any(_plain(one) == _plain(name) for one in found):
        return (
            f"It has one that differs from {name!r} only in capitals, or in blanks or quotation marks around it. Rename that "
            "column, or write the table without blanks after commas."
        )
    return None


def _plain(name: str) -> str:
    """A name without capitals and without blanks and quotation marks around it, in one of the ways to write its accents."""
    return unicodedata.normalize("NFKC", name).strip("\ufeff'\"` \t\r\n").casefold()
