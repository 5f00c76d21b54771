"""Opening tables that are files: each kind by the reader that keeps every record of it."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.data.matching import other_separator
from discreet.data.statistics_files import read_statistics
from discreet.data.table_files import Csv, Excel, find_files, kind_of_files
from discreet.data.text_files import TextFile, check_csv, check_ndjson, common_header, text_file
from discreet.data.workbooks import read_workbooks
from discreet.errors import DataError, FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Opened", "csv_files", "open_files"]

_NUMBER = r"^[+-]?[0-9.,]*[0-9]([eE][+-]?[0-9]+)?$"


@dataclass(frozen=True, slots=True)
class Opened:
    """The records of files. ``text_only``: every value is text. ``parquet``: the files, where they are Parquet."""

    frame: pl.LazyFrame | pl.DataFrame
    text_only: bool
    parquet: tuple[Path, ...] = ()


def open_files(data: Any, columns: tuple[str, ...]) -> Opened:
    """Scan files of one kind. Only Parquet, Arrow and statistics files have types; elsewhere every value is text.

    A guess of types from the first rows would turn 007 into 7 and TRUE into a boolean.
    """
    import polars as pl

    if isinstance(data, Csv):
        return Opened(_open_csv(data, columns), text_only=True)
    paths = find_files(data.files if isinstance(data, Excel) else data)
    kind = "excel" if isinstance(data, Excel) else kind_of_files(paths)
    if kind == "csv":
        return Opened(_open_csv(Csv(list(paths)), columns), text_only=True)
    if kind == "excel":
        sheet = data.sheet if isinstance(data, Excel) else None
        return Opened(read_workbooks(paths, sheet, columns), text_only=True)
    if kind == "ndjson":
        for path in paths:
            check_ndjson(TextFile(path.name, path))
        places = [glob.escape(str(path)) for path in paths]  # Polars would take b[1] for a pattern, and read b1
        # A record may leave out what it does not know.
        return Opened(pl.scan_ndjson(places, schema=dict.fromkeys(columns, pl.String)), text_only=True)
    if kind == "statistics":
        return Opened(read_statistics(paths, columns), text_only=False)
    if kind == "arrow":
        for path in paths:
            _check_arrow(path)
        return Opened(pl.scan_ipc(list(paths), glob=False), text_only=False)
    return Opened(pl.scan_parquet(list(paths), glob=False), text_only=False, parquet=paths)


def _check_arrow(path: Path) -> None:
    """Refuse what has the name of an Arrow file and is a stream, or Feather of the first version."""
    with path.open("rb") as stream:
        begin = stream.read(6)
    if begin != b"ARROW1":
        raise FormatError(
            f"{path.name!r} is not an Arrow file, though its name says so. If it is an Arrow stream, convert it. In Polars: "
            f"pl.read_ipc_stream({path.name!r}).write_parquet('records.parquet')"
        )


def csv_files(data: Csv) -> list[TextFile]:
    """The files of a table of text, in UTF-8, with what separates their fields."""
    if data.content is not None:
        return [text_file(data.content, str(data.files), data.separator(""), data.encoding)]
    paths = find_files(data.files)
    if len({data.separator(path.name) for path in paths}) > 1:
        raise FormatError("Some of the files are .tsv and others are not. Say what separates the fields of all: delimiter=...")
    return [text_file(path, path.name, data.separator(path.name), data.encoding) for path in paths]


def _open_csv(data: Csv, columns: tuple[str, ...]) -> pl.LazyFrame:
    import polars as pl

    files = csv_files(data)
    header = common_header(files, columns)
    separated = None if set(columns) & set(header) else other_separator(columns, header)
    if separated is not None:  # before quotation marks are looked at: between semicolons all would be out of place
        raise DataError(f"The table has none of the declared columns. {separated}")
    for file in files:
        check_csv(file, len(header))
    scan = pl.scan_csv(
        [file.place for file in files],  # type: ignore[arg-type]
        separator=files[0].separator,
        infer_schema=False,
        glob=False,
        with_column_names=lambda names: _name(header, names),
    )
    return _with_decimal_points(scan, [name for name in columns if name in header]) if data.decimal == "," else scan


def _with_decimal_points(scan: pl.LazyFrame, columns: list[str]) -> pl.LazyFrame:
    """Values that look like numbers, with commas and points in each other's place: 1.234,5 is then no number, like 1,234.5.

    Whatever stays a number has the sign that was said, so a point between thousands is never read as one before decimals.
    """
    import polars as pl

    return scan.with_columns(
        pl.when(pl.col(name).str.contains(_NUMBER))
        .then(pl.col(name).str.replace_many([",", "."], [".", ","]))
        .otherwise(pl.col(name))
        .alias(name)
        for name in columns
    )


def _name(header: list[str], names: list[str]) -> list[str]:
    """The names as the header spells them; Polars leaves doubled quotation marks in. Repeated names keep Polars' spelling."""
    return header if len(header) == len(names) and len(set(header)) == len(header) else names
