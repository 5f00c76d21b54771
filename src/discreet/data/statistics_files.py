"""Files of SPSS, Stata and SAS, by pyreadstat. Values are codes and texts as the file has them; labels are for codebooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.data.extras import need_extra
from discreet.errors import DataError, FormatError
from discreet.model.schema_column import ColumnType

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_statistics", "statistics_metadata", "statistics_type"]

_READERS = {".sav": "read_sav", ".zsav": "read_sav", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat"}
_USER_MISSING = (".sav", ".zsav")
"""Kinds in which a code for a missing value is a number like any other; elsewhere it has no code that a table can hold."""
_DATE_FORMATS = ("DATE", "ADATE", "EDATE", "JDATE", "SDATE", "DATETIME", "%td", "%tc", "%d", "YYMMDD", "MMDDYY", "DDMMYY")
"""How the formats of dates begin in SPSS, Stata and SAS."""


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
        frame, said = _read(path, usecols=wanted)
        frames.append(frame.select(_typed(frame, name, said.readstat_variable_types[name]) for name in wanted))
    if any(_differ(frame.schema, other.schema) for other in frames for frame in frames[:1]):
        raise DataError("The files have different columns, or columns of different types. Give all of them the same.")
    return pl.concat(frames, how="vertical_relaxed")  # a column without any value has no type of its own


def statistics_metadata(path: Path, catalog: Path | None = None) -> Any:
    """What the file says about its columns: names, labels, types. No record is read. SAS has labels in a catalog."""
    labels = {} if catalog is None else {"catalog_file": str(catalog)}
    return _read(path, metadataonly=True, **labels)[1]


def statistics_type(said: Any, name: str) -> ColumnType:
    """The type of a column, by what the file says about it."""
    if said.readstat_variable_types[name] == "string":
        return ColumnType.STRING
    if str(said.original_variable_types[name]).startswith(_DATE_FORMATS):
        return ColumnType.DATE
    return ColumnType.INTEGER if said.readstat_variable_types[name].startswith("int") else ColumnType.NUMBER


def _typed(frame: pl.DataFrame, name: str, kind: str) -> pl.Expr:
    """A column with the type that the file declares. A gap would make floats of whole numbers."""
    import polars as pl

    own = {"float": pl.Float32, "string": pl.String}.get(kind, pl.Int64 if kind.startswith("int") else pl.Float64)
    plain = frame.schema[name].is_numeric() or own == pl.String  # others are dates and times
    return pl.col(name).cast(own) if plain else pl.col(name)


def _differ(one: pl.Schema, other: pl.Schema) -> bool:
    import polars as pl

    return list(one) != list(other) or any(
        one[name] != other[name] and pl.Null not in (one[name], other[name]) for name in one
    )


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
