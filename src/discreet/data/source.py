"""Turning whatever holds the records into batches of a few columns, without ever holding all of them."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.errors import DataError, DiscreetError, FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BATCH_ROWS", "Source", "batches", "guarded", "open_table"]

T = TypeVar("T")

BATCH_ROWS = 2**17
"""Rows held at a time: large enough to amortise calls, small enough to stay in the cache."""

_SUPPORTED = "Use .csv, .csv.gz or .parquet, or a pandas, Polars or PyArrow table."
_UNREADABLE = (
    "The table could not be read to its end: it is damaged, or its lines differ in their number of fields, or it is not "
    "UTF-8 text. Check it; its content is not shown here because it is private."
)


@dataclass(frozen=True, slots=True)
class Source:
    """A table that is read lazily. ``text_only``: the reader makes every value text, whatever the other records are."""

    frame: pl.LazyFrame
    text_only: bool = False


def guarded(step: Callable[[], T], advice: str = _UNREADABLE) -> T:
    """Run a step of somebody else's engine; replace its errors by one of ours.

    The text of a foreign error may quote a record, so ours is raised after the handler has ended: nothing is chained to it.
    """
    import polars as pl

    try:
        return step()
    except DiscreetError:
        raise
    except (Exception, pl.exceptions.PanicException):  # noqa: S110 - raised below, without the foreign error
        pass
    raise FormatError(advice)


def open_table(data: Any, columns: Iterable[str]) -> Source:
    """Open a path, a data frame or an Arrow stream. Only those of ``columns`` that it has are looked at."""
    import polars as pl

    wanted = tuple(columns)
    if isinstance(data, str | Path):
        return _open_file(Path(data), wanted)
    if isinstance(data, pl.LazyFrame):
        return Source(data)
    if isinstance(data, pl.DataFrame):
        return Source(data.lazy())
    return Source(guarded(lambda: _open_frame(data, wanted)).lazy())


def batches(table: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """Yield the table in batches of at most BATCH_ROWS rows."""
    rows = guarded(lambda: iter(table.collect_batches(chunk_size=BATCH_ROWS)))
    while (batch := guarded(lambda: next(rows, None))) is not None:
        yield batch


def _open_file(path: Path, columns: tuple[str, ...]) -> Source:
    import polars as pl

    if not path.is_file():
        raise FormatError(f"There is no file {str(path)!r}. Check the path. {_SUPPORTED}")
    name = path.name.lower()
    if name.endswith((".csv", ".csv.gz")):
        _check_header(path, columns)
        # Every column is text: a guess of types from the first rows would turn 007 into 7 and TRUE into a boolean.
        return Source(pl.scan_csv(path, infer_schema=False, glob=False), text_only=True)
    if name.endswith((".parquet", ".pq")):
        return Source(pl.scan_parquet(path, glob=False))
    raise FormatError(f"{path.name!r} is not a kind of table that can be read. {_SUPPORTED}")


def _check_header(path: Path, columns: tuple[str, ...]) -> None:
    """Refuse an empty file and a column that occurs twice; Polars would silently rename the second."""
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    header: list[str] | None = None
    quoting = (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error)  # their messages may quote the line
    with suppress(*quoting), opener(path, "rt", encoding="utf-8-sig", newline="") as lines:
        header = next(csv.reader(lines), [])
    if header is None:
        raise FormatError(f"{path.name!r} cannot be read as a CSV file in UTF-8. Check that it is one.")
    if not header:
        raise DataError(f"{path.name!r} is empty. It needs a header line and at least one record.")
    _check_once(header, columns)


def _check_once(names: Iterable[str], columns: tuple[str, ...]) -> None:
    found = list(names)
    for column in columns:
        if found.count(column) > 1:
            raise DataError(f"The table has the column {column!r} more than once. Keep one of them.")


def _open_frame(data: Any, columns: tuple[str, ...]) -> pl.DataFrame:
    import narwhals as nw
    import polars as pl

    names = getattr(data, "column_names", getattr(data, "columns", ()))  # PyArrow's name for it, everybody else's
    _check_once([str(name) for name in names] if not callable(names) else (), columns)
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.select([name for name in frame.collect_schema().names() if name in columns]).collect()
    if isinstance(frame, nw.DataFrame) and not frame.implementation.is_pyarrow():
        return pl.DataFrame([_column(frame[name], name) for name in frame.columns if name in columns])
    if hasattr(data, "__arrow_c_stream__"):
        return pl.DataFrame(data)
    raise DataError(f"A {type(data).__name__} is not a table. {_SUPPORTED}")


def _column(series: Any, name: str) -> pl.Series:
    """Copy a column of an eager frame. Works for pandas without PyArrow."""
    import polars as pl

    if series.dtype.is_numeric() and not series.is_null().any():
        return pl.Series(name, series.to_numpy())
    gaps = series.is_null().to_list()
    values = [None if gap else value for gap, value in zip(gaps, series.to_list(), strict=True)]
    if len({type(value) for value in values if value is not None}) > 1:  # go by the text of each value
        return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
    return pl.Series(name, values)
