"""Turning whatever holds the records into batches of a few columns, without ever holding all of them.

Files are scanned where their kind allows it, and not loaded whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.data.columns import columns_of, held_columns, with_index
from discreet.data.open_files import open_files
from discreet.data.table_files import Csv, Excel, are_files, find_files, kind_of_files
from discreet.errors import DataError, DiscreetError, FormatError, of_kind

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BATCH_ROWS", "Source", "batches", "estimated_rows", "guard", "not_a_table", "open_table"]

T = TypeVar("T")

BATCH_ROWS = 2**17
"""Rows that are read from a file at a time, at the most: large enough to amortise calls, small enough to stay in the cache."""
BATCH_BYTES = 2**26
"""Memory that they take once they are decoded: of wide rows, fewer are read at a time."""
SLICE_ROWS = 2**20
"""Rows of a table in memory that are encoded at a time."""
RANGE_CELLS = 2**27
"""Values of a range of rows that is read from a wide Parquet file, some columns after the other."""
RANGE_ROWS = 2**18
"""Rows of such a range, at the most."""
BLOCK_CELLS = 2**23
"""Values of it that are read at a time."""
WIDE_ROW = 512
"""Bytes of a row, once it is decoded, from which on a Parquet file is wide."""

_LITTLE_AHEAD = {"POLARS_ROW_GROUP_PREFETCH_SIZE": "2", "POLARS_CSV_CHUNK_PREFETCH_LIMIT": "1"}
_UNREADABLE = (
    "The table could not be read to its end: it is damaged, or not of the kind that its name says; or, of text, its lines "
    "differ in their number of fields, or it is not UTF-8; or, of several files, their columns differ in type. Check it; its "
    "content is not shown here because it is private."
)
_CHANGED = "The file changed while it was being read. Take a copy that nobody writes to, and read that."


@dataclass(frozen=True, slots=True)
class Source:
    """A table that is read in batches. ``text_only``: every value is text, whatever the other records are.

    ``parquet``: the files that the frame scans, if they are of a kind of which any range of rows can be read on its own.
    ``names``: all columns of the table, where the frame has only those that are looked at.
    """

    frame: pl.LazyFrame | pl.DataFrame
    text_only: bool = False
    parquet: tuple[Path, ...] = ()
    names: tuple[str, ...] = ()


def guard(step: Callable[[], T], advice: str = _UNREADABLE) -> T:
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
    """Open files, a data frame, a dict of columns or an Arrow stream. Only those of ``columns`` that it has are looked at.

    A table that is open already stays as it is.
    """
    import polars as pl

    if isinstance(data, Source):
        return data

    wanted = tuple(columns)
    if are_files(data):
        opened = guard(lambda: open_files(data, wanted))
        return Source(opened.frame, text_only=opened.text_only, parquet=opened.parquet)
    if isinstance(data, pl.LazyFrame | pl.DataFrame):
        return Source(data)
    return guard(lambda: _open_frame(data, wanted))


def batches(source: Source, columns: Sequence[pl.Expr], slice_rows: int | None = None) -> Iterator[pl.DataFrame]:
    """Evaluate columns over the table, batch by batch: a table in memory by so many rows, a file by fewer."""
    import polars as pl

    frame = source.frame
    if isinstance(frame, pl.DataFrame):
        height = slice_rows or SLICE_ROWS
        for start in range(0, frame.height, height):
            yield guard(lambda start=start: frame.slice(start, height).select(columns))  # type: ignore[misc]
    elif source.parquet and _row_bytes(frame, columns) >= WIDE_ROW:
        yield from _ranges(frame, columns, source.parquet)
    else:
        rows = min(BATCH_ROWS, max(2**12, BATCH_BYTES // max(1, _row_bytes(frame, columns))))
        yield from _even(_stream(frame, columns, source.text_only), rows)


def _stream(frame: pl.LazyFrame, columns: Sequence[pl.Expr], text_only: bool) -> Iterator[pl.DataFrame]:
    """Read on while what was read before is worked on, in the portions in which it is decoded."""
    import polars as pl

    # Text files are parsed in full: with columns left out, a line with too many fields would go unnoticed.
    flags = pl.QueryOptFlags(projection_pushdown=not text_only)
    with _little_ahead():
        portions = guard(lambda: iter(frame.select(columns).collect_batches(optimizations=flags)))
        portion = guard(lambda: next(portions, None))
    while portion is not None:
        yield portion
        portion = guard(lambda: next(portions, None))


def _even(frames: Iterable[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """The same rows in the same order, at most so many at a time: small frames put together, large ones cut evenly.

    A frame that is neither stays in the memory into which it was decoded. Batches of a size of their own would begin in one
    row group and end in the next, and every column of them would be copied to be in one piece.
    """
    import polars as pl

    waiting: list[pl.DataFrame] = []
    height = 0
    for frame in frames:
        if waiting and height + frame.height > rows:
            yield from _cut(pl.concat(waiting), rows)
            waiting, height = [], 0
        waiting.append(frame)
        height += frame.height
    if waiting:
        yield from _cut(pl.concat(waiting), rows)


def _cut(frame: pl.DataFrame, rows: int) -> Iterator[pl.DataFrame]:
    """A frame in as few parts of even length as have at most so many rows; one without rows stays whole."""
    parts = max(1, -(-frame.height // rows))
    yield from frame.iter_slices(-(-frame.height // parts)) if parts > 1 else [frame]


def _ranges(frame: pl.LazyFrame, columns: Sequence[pl.Expr], files: Sequence[Path]) -> Iterator[pl.DataFrame]:
    """Read a range of rows after the other, and of each some columns after the others.

    A stream decodes whole row groups, all columns of them: of texts, or of a thousand columns, that is gigabytes.
    """
    rows = min(RANGE_ROWS, max(1, RANGE_CELLS // len(columns)))
    before, start, height = _stamps(files), 0, rows
    while height == rows:
        batch = guard(lambda start=start: _range(frame.slice(start, rows), columns, BLOCK_CELLS // rows))  # type: ignore[misc]
        if _stamps(files) != before:
            raise DataError(_CHANGED)
        height = batch.height
        start += height
        if height:
            yield batch


def _range(part: pl.LazyFrame, columns: Sequence[pl.Expr], width: int) -> pl.DataFrame:
    """Some columns after the others, evaluated once they are decoded: a query that does both may change the order of rows.

    Polars does so where all that is asked for is made by conditions, and then records would be made of parts of several.
    """
    import polars as pl

    blocks = [columns[first : first + width] for first in range(0, len(columns), width)]
    read = (part.select(_read_names(block)).collect(engine="in-memory").select(block) for block in blocks)
    return pl.concat(list(read), how="horizontal")


def _row_bytes(frame: pl.LazyFrame, columns: Sequence[pl.Expr]) -> int:
    """About how much memory a row takes: a text sixteen bytes, at the least, what fits a byte four, as Parquet holds it."""
    import polars as pl

    schema = guard(lambda: frame.collect_schema())
    sizes = {pl.String: 16, pl.Boolean: 4, pl.Int8: 4, pl.UInt8: 4}
    return sum(sizes.get(schema[name].base_type(), 8) for name in _read_names(columns))


def _read_names(columns: Sequence[pl.Expr]) -> list[str]:
    """The columns of the table that are read for these, each once."""
    return list(dict.fromkeys(name for column in columns for name in column.meta.root_names()))


def _stamps(files: Sequence[Path]) -> list[tuple[int, int, int]]:
    """What changes when somebody writes to a file or puts another in its place."""
    states = [guard(lambda path=path: path.stat()) for path in files]  # type: ignore[misc]
    return [(state.st_mtime_ns, state.st_size, state.st_ino) for state in states]


@contextmanager
def _little_ahead() -> Iterator[None]:
    """Start a query that decodes little of a file ahead of us: memory must not grow with the file.

    Polars reads these settings when a query starts; those that the user has made stay.
    """
    ours = {name: value for name, value in _LITTLE_AHEAD.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


def _open_frame(data: Any, columns: tuple[str, ...]) -> Source:
    import narwhals as nw
    import polars as pl

    if isinstance(data, dict):
        return Source(columns_of(data, columns), names=tuple(str(name) for name in data))
    if isinstance(nw.from_native(data, series_only=True, pass_through=True), nw.Series):
        raise not_a_table(data)
    data = with_index(data, columns)
    names = getattr(data, "column_names", getattr(data, "columns", ()))  # PyArrow's name for it, everybody else's
    found = [str(name) for name in names] if not callable(names) else []
    for column in columns:
        if found.count(column) > 1:
            raise DataError(f"The table has the column {column!r} more than once. Keep one of them.")
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.select([name for name in frame.collect_schema().names() if name in columns]).collect()
    if isinstance(frame, nw.DataFrame) and not frame.implementation.is_pyarrow():
        return Source(held_columns(frame, columns), names=tuple(found))
    if hasattr(data, "__arrow_c_stream__"):
        return Source(pl.DataFrame(data))
    raise not_a_table(data)


def not_a_table(data: Any) -> DataError:
    """An error about what is no table, with the line that makes one of it where there is one."""
    line = ""
    if isinstance(data, list | tuple) or hasattr(data, "ndim"):
        line = (
            " In Polars: pl.DataFrame(...) makes a table of rows or of an array, with schema=[...] for the names of columns."
        )
    elif hasattr(data, "read"):
        line = " Of a stream of CSV: Csv(stream)."
    return DataError(
        f"{of_kind(data)} is not a table. Use a path, a dict of columns, or a pandas, Polars or PyArrow table.{line}"
    )


def estimated_rows(data: Any) -> int | None:
    """About how many records there are, where that is quick to tell: for progress bars, never for a count."""
    import polars as pl

    if not are_files(data):
        return len(data) if hasattr(data, "__len__") and not isinstance(data, dict) else None
    with suppress(Exception):  # a progress bar is not worth an error
        paths = find_files(data.files if isinstance(data, Csv | Excel) else data)
        kind = "csv" if isinstance(data, Csv) else kind_of_files(paths)
        if kind == "parquet":
            return int(pl.scan_parquet(list(paths), glob=False).select(pl.len()).collect().item())
        if kind in ("csv", "ndjson") and not any(path.name.endswith(".gz") for path in paths):
            with paths[0].open("rb") as stream:
                start = stream.read(2**16)
            return sum(path.stat().st_size for path in paths) * max(1, start.count(b"\n")) // max(1, len(start))
    return None
