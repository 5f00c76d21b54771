"""Files of records: CSV, NDJSON and Parquet, plain or many at once. They are scanned, never loaded whole."""

from __future__ import annotations

import glob
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.data.column_names import other_separator
from discreet.data.text_files import check_csv, check_ndjson, common_header
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
        header = common_header(paths, columns)
        separated = None if set(columns) & set(header) else other_separator(columns, header)
        if separated is not None:  # before quotation marks are looked at: between semicolons all would be out of place
            raise DataError(f"The table has none of the declared columns. {separated}")
        for path in paths:
            check_csv(path, len(header))
        # Every column is text: a guess of types from the first rows would turn 007 into 7 and TRUE into a boolean.
        scan = pl.scan_csv(list(paths), infer_schema=False, glob=False, with_column_names=lambda names: _name(header, names))
        return scan, ()
    if kind == "ndjson":
        for path in paths:
            check_ndjson(path)
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


def _name(header: list[str], names: list[str]) -> list[str]:
    """The names as the header spells them; Polars leaves doubled quotation marks in. Repeated names keep Polars' spelling."""
    return header if len(header) == len(names) and len(set(header)) == len(header) else names
