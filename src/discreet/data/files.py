"""Files of records: CSV, NDJSON and Parquet, plain or many at once. They are scanned, never loaded whole."""

from __future__ import annotations

import csv
import glob
import gzip
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError, FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["estimated_rows", "open_files"]

_SUPPORTED = "Use .csv, .csv.gz, .ndjson or .parquet, or a pandas, Polars or PyArrow table."
_KINDS = {
    "csv": (".csv", ".csv.gz"),
    "ndjson": (".ndjson", ".jsonl", ".ndjson.gz", ".jsonl.gz"),
    "parquet": (".parquet", ".pq"),
}


def open_files(data: str | Path, columns: tuple[str, ...]) -> tuple[pl.LazyFrame, tuple[Path, ...]]:
    """Scan a file, or all files that a pattern with ``*`` matches. In those that are not Parquet every column is text.

    The second value is the Parquet files, none if they are of another kind.
    """
    import polars as pl

    paths = _matching(data)
    kind = _kind(paths)
    if kind == "csv":
        header = _common_header(paths, columns)
        # Every column is text: a guess of types from the first rows would turn 007 into 7 and TRUE into a boolean.
        scan = pl.scan_csv(list(paths), infer_schema=False, glob=False, with_column_names=lambda names: _named(header, names))
        return scan, ()
    if kind == "ndjson":
        # The text of a JSON value, for the same reason. A record may leave out what it does not know.
        return pl.scan_ndjson(list(paths), schema=dict.fromkeys(columns, pl.String)), ()
    return pl.scan_parquet(list(paths), glob=False), paths


def estimated_rows(data: Any) -> int | None:
    """About how many records there are, where that is quick to tell: for progress bars, never for a count."""
    import polars as pl

    if not isinstance(data, str | Path):
        return len(data) if hasattr(data, "__len__") else None
    with suppress(Exception):  # a progress bar is not worth an error
        paths = _matching(data)
        if _kind(paths) == "parquet":
            return int(pl.scan_parquet(list(paths), glob=False).select(pl.len()).collect().item())
        if not any(path.name.endswith(".gz") for path in paths):
            with paths[0].open("rb") as stream:
                start = stream.read(2**16)
            return sum(path.stat().st_size for path in paths) * max(1, start.count(b"\n")) // max(1, len(start))
    return None


def _matching(data: str | Path) -> tuple[Path, ...]:
    if Path(data).is_file():
        return (Path(data),)
    names = sorted(glob.glob(str(data), recursive=True))  # noqa: PTH207 - Path.glob refuses absolute patterns
    paths = tuple(Path(name) for name in names if Path(name).is_file())
    if not paths:
        raise FormatError(f"There is no file {str(data)!r}. Check the path. {_SUPPORTED}")
    return paths


def _kind(paths: tuple[Path, ...]) -> str:
    kinds = {next((kind for kind, ends in _KINDS.items() if path.name.lower().endswith(ends)), None) for path in paths}
    kind = kinds.pop()
    if kind is None or kinds:
        raise FormatError(f"{paths[0].name!r} is not a kind of table that can be read, or not all files are. {_SUPPORTED}")
    return kind


def _named(header: list[str], names: list[str]) -> list[str]:
    """The names as the header spells them; Polars leaves doubled quotation marks in. Repeated names keep Polars' spelling."""
    return header if len(header) == len(names) and len(set(header)) == len(header) else names


def _common_header(paths: Iterable[Path], columns: tuple[str, ...]) -> list[str]:
    """The header line that all files share: columns in another order would be mixed up silently."""
    first: list[str] | None = None
    for path in paths:
        header = _header(path, columns)
        if first is not None and header != first:
            raise DataError(
                f"{path.name!r} has another header line than the files before it. Give all files the same columns."
            )
        first = header
    return first or []


def _header(path: Path, columns: tuple[str, ...]) -> list[str]:
    """Read the header line; refuse an empty file and a column that occurs twice, which Polars would silently rename."""
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    header: list[str] | None = None
    quoting = (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error)  # their messages may quote the line
    with suppress(*quoting), opener(path, "rt", encoding="utf-8-sig", newline="") as lines:
        header = next(csv.reader(lines), [])
    if header is None:
        raise FormatError(f"{path.name!r} cannot be read as a CSV file in UTF-8. Check that it is one.")
    if not header:
        raise DataError(f"{path.name!r} is empty. It needs a header line and at least one record.")
    for column in columns:
        if header.count(column) > 1:
            raise DataError(f"The table has the column {column!r} more than once. Keep one of them.")
    return header
