"""What arguments must be, said once: whole numbers, probabilities, paths, modes. What is not is explained, not crashed on."""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import Enum
from itertools import chain
from numbers import Integral, Real
from typing import TypeVar

from discreet.errors import DataError, DiscreetError, FormatError, ModelError, QueryError, quoted, suggestion

__all__ = [
    "TABLE_ENDINGS",
    "check_path",
    "check_probability",
    "check_reading",
    "check_whole",
    "chosen_mode",
    "is_table",
    "items_of",
]

TABLE_ENDINGS = {
    "csv": (".csv", ".csv.gz", ".tsv", ".tsv.gz"),
    "ndjson": (".ndjson", ".ndjson.gz", ".jsonl", ".jsonl.gz"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".feather", ".arrow", ".ipc"),
    "excel": (".xlsx",),
    "statistics": (".sav", ".zsav", ".dta", ".sas7bdat"),
}
"""How the names of tables of records end, by what reads them."""
MOST = 2**61
"""Of whatever is counted: beyond, 64-bit integers end."""

Mode = TypeVar("Mode", bound=Enum)


def check_whole(value: object, what: str, least: int = 1, error: type[DiscreetError] = QueryError) -> int:
    """A whole number of at least ``least``. True and 3.0 are none: who writes them means something else."""
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else least - 1
    if number < least:
        raise error(f"{what} must be a whole number of at least {least}.")
    if number > MOST:
        raise error(f"{what} must be a whole number of at most 2^61.")
    return number


def check_probability(value: object) -> float:
    """A probability of an interval, strictly between zero and one."""
    probability = float(value) if isinstance(value, Real) and not isinstance(value, bool) else 0.0
    if not 0 < probability < 1:
        raise QueryError("The interval is a probability between 0 and 1, such as 0.9.")
    return probability


def check_path(path: object, error: type[DiscreetError] = FormatError) -> str:
    """The path of a file, as text."""
    if not isinstance(path, str | os.PathLike):
        raise error(f"The path of a file is a text, such as 'clinic.json'; a {type(path).__name__} was given.")
    text = os.fspath(path)
    return text if isinstance(text, str) else os.fsdecode(text)


def is_table(path: object) -> bool:
    """Whether a path has the name of a table of records."""
    return isinstance(path, str | os.PathLike) and os.fsdecode(path).lower().endswith(
        tuple(chain.from_iterable(TABLE_ENDINGS.values()))
    )


def check_reading(missing: object, rows: object, progress: object) -> None:
    """What is said about records to be counted: the level of gaps, how many there are, and who is told."""
    if missing is not None and not isinstance(missing, str):
        raise DataError("missing is the declared level that stands for missing values, such as missing='unknown'.")
    if rows is not None:
        check_whole(rows, "rows", error=ModelError)
    if progress is not None and not callable(progress):
        raise DataError("progress is a function that is told how many records are read, such as print; or None.")


def chosen_mode(kind: type[Mode], given: object, meaning: str) -> Mode:
    """One of the modes, or the word for it."""
    try:
        return kind(given)
    except (ValueError, TypeError):
        hint = suggestion(given, [str(each.value) for each in kind])
        raise ModelError(f"{meaning}; {quoted(given)} is not known.{hint}") from None


def items_of(given: object, meaning: str) -> tuple[object, ...]:
    """The items of a list; a text is no list of letters."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ModelError(meaning)
    return tuple(given)
