"""Sheets of workbooks. The text of each cell is taken, so that no cell decides how another one is read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.extras import need_extra
from discreet.errors import DataError, FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_workbooks", "sheet_header"]

_MIDNIGHT = r"^([0-9]{4}-[0-9]{2}-[0-9]{2}) 00:00:00$"
_BLANK_ROW = (
    "has a row in which every cell is blank. In a sheet nobody could tell such a record from none at the end, so a record has "
    "at least one value there, such as a number of its own. In Polars, where the row is no record: "
    "pl.read_excel({name}, infer_schema_length=0).write_parquet('records.parquet')"
)


def read_workbooks(paths: tuple[Path, ...], sheet: str | None, columns: tuple[str, ...]) -> pl.DataFrame:
    """The records of a sheet, or of sheets with the same header, each value as text. They are held in memory."""
    import polars as pl

    frames = [_read(path, sheet, columns) for path in paths]
    if any(frame.columns != frames[0].columns for frame in frames):
        raise DataError("The workbooks have different header rows. Give all of them the same columns in the same order.")
    return pl.concat(frames)


def sheet_header(path: Path, sheet: str | None) -> list[str]:
    """The names of the columns of a sheet."""
    return _header(_cells(path, sheet), path, ())


def _read(path: Path, sheet: str | None, columns: tuple[str, ...]) -> pl.DataFrame:
    import polars as pl

    cells = _cells(path, sheet)
    header = _header(cells, path, columns)
    records = cells.slice(1)
    if records.height and records.select(pl.all_horizontal(pl.all().is_null()).any()).item():
        raise FormatError(f"{path.name!r} {_BLANK_ROW.format(name=repr(path.name))}")
    named = records.rename(dict(zip(cells.columns, header, strict=True)))
    return named.with_columns(pl.all().str.replace(_MIDNIGHT, "${1}"))  # a day is a day, not its first second


def _cells(path: Path, sheet: str | None) -> pl.DataFrame:
    """All cells as text, the header row among them: Polars would give repeated names new ones."""
    import polars as pl

    need_extra("fastexcel", "excel")
    import fastexcel

    names = fastexcel.read_excel(path).sheet_names
    if sheet is None and len(names) > 1:
        raise FormatError(f"{path.name!r} has several sheets. Say which one holds the records: Excel(path, sheet=...).")
    if sheet is not None and sheet not in names:
        raise FormatError(f"{path.name!r} has no sheet {sheet!r}. Check how it is spelled.")
    return pl.read_excel(
        path,
        sheet_name=sheet or names[0],
        engine="calamine",
        has_header=False,
        infer_schema_length=0,
        drop_empty_rows=False,
        drop_empty_cols=False,
        raise_if_empty=False,
    )


def _header(cells: pl.DataFrame, path: Path, columns: tuple[str, ...]) -> list[str]:
    if not cells.height:
        raise DataError(f"{path.name!r} is empty. It needs a header row and at least one record.")
    header = ["" if name is None else str(name) for name in cells.row(0)]
    for column in columns:
        if header.count(column) > 1:
            raise DataError(f"The table has the column {column!r} more than once. Keep one of them.")
    seen: set[str] = set()
    for place, name in enumerate(header):  # columns that nobody declared may be called anything, and are called by place
        header[place] = name if name not in seen and name else f"column {place + 1} of the sheet"
        seen.add(header[place])
    return header
