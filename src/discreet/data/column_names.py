"""Why a table lacks a declared column, as far as one may say.

The names that a table has are never shown: in a file without a header line they are somebody's record. They are compared with
the declared names, and a message holds declared names and nothing else.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Collection, Iterable

from discreet.errors import DataError

__all__ = ["check_no_namesake", "missing_column", "no_column", "other_separator"]

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "blanks"}
_LONGEST_COMPARED, _MOST_COMPARED = 80, 2000
_CLOSE = 0.75
"""Two letters that have changed places in a word of four, and nothing further off."""


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


def _nearly(name: str, found: Iterable[str]) -> str | None:
    """A hint at a slip of the pen. It does not say which column: in a file without a header line that is a record."""
    short = [_plain(one) for one in found if len(one) <= _LONGEST_COMPARED]  # comparing takes time
    if difflib.get_close_matches(_plain(name), short[:_MOST_COMPARED], n=1, cutoff=_CLOSE):
        return "One of its columns is nearly called so: check how it is spelled."
    return None


def _plain(name: str) -> str:
    """A name without capitals and without blanks and quotation marks around it, in one of the ways to write its accents."""
    return unicodedata.normalize("NFKC", name).strip("\ufeff'\"` \t\r\n").casefold()
