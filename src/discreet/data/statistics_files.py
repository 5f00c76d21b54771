"""Files of SPSS, Stata and SAS, by pyreadstat. Values are codes and texts as the file has them; labels are for codebooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.data.extras import need_extra
from discreet.errors import DataError, FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_statistics", "statistics_metadata"]

_READERS = {".sav": "read_sav", ".zsav": "read_sav", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat"}
_USER_MISSING = (".sav", ".zsav")
"""Kinds in which a code for a missing value is a number like any other; elsewhere it has no code that a table can hold."""


def read_statistics(paths: tuple[Path, ...], columns: tuple[str, ...]) -> pl.DataFrame:
    """The records of files of one table. They are held in memory.

    SPSS keeps codes such as -9 for a missing value: they stay, to be declared as levels or as missing.
    """
    import polars as pl

    frames: list[pl.DataFrame] = []
    for path in paths:
        held = set(statistics_metadata(path).column_names)
        wanted = [column for column in columns if column in held]
        if not wanted:  # all columns are missing: one is read, so that whoever looks for the others can say so
            wanted = sorted(held)[:1]
        frames.append(_read(path, usecols=wanted)[0].select(wanted))
    if any(frame.schema != frames[0].schema for frame in frames):
        raise DataError("The files have different columns, or columns of different types. Give all of them the same.")
    return pl.concat(frames)


def statistics_metadata(path: Path) -> Any:
    """What the file says about its columns: names, labels, types. No record is read."""
    return _read(path, metadataonly=True)[1]


def _read(path: Path, **options: Any) -> tuple[Any, Any]:
    need_extra("pyreadstat", "statistics")
    import pyreadstat

    kind = path.suffix.lower()
    if kind in _USER_MISSING:
        options["user_missing"] = True
    reader = getattr(pyreadstat, _READERS[kind])
    found: tuple[Any, Any] = reader(str(path), output_format="polars", **options)
    if not found[1].column_names:
        raise FormatError(f"{path.name!r} has no columns.")
    return found
