"""Numeric columns of a table that another engine holds, fetched batch by batch where they cannot be added up in the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from discreet.data.engines import ask, numbered_columns
from discreet.errors import DataError

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

__all__ = ["engine_batches"]

_ROWS = 2**16


def engine_batches(frame: nw.LazyFrame[Any], columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Fetch these columns, one batch in memory at a time. The records come here; nothing of them is kept."""
    import narwhals as nw

    records = nw.to_native(numbered_columns(frame, columns))
    engine = str(frame.implementation.value)
    batches = ask(lambda: _open(records, engine, columns))
    while (batch := ask(lambda: next(batches, None))) is not None:
        yield batch


def _open(records: Any, engine: str, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    if engine == "duckdb":
        return _arrow(records.to_arrow_reader(_ROWS), columns)
    if engine.startswith("pyspark"):
        return _rows(map(tuple, records.toLocalIterator(prefetchPartitions=True)), columns)
    backend = records.get_backend()
    if backend.name == "sqlite":
        return _rows(iter(backend.con.execute(str(backend.compile(records)))), columns)
    return _arrow(records.to_pyarrow_batches(chunk_size=_ROWS), columns)


def _arrow(reader: Any, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    import polars as pl

    for batch in reader:
        frame = pl.from_arrow(batch)
        yield pl.DataFrame(frame).rename(dict(zip(frame.columns, columns, strict=True)))  # type: ignore[union-attr]


def _rows(rows: Iterator[tuple[Any, ...]], columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Rows of Python values. SQLite gives each value a type of its own, so each is looked at."""
    import polars as pl

    while part := list(islice(rows, _ROWS)):
        values = {
            name: [_number(value, name) for value in column]
            for name, column in zip(columns, zip(*part, strict=True), strict=True)
        }
        yield pl.DataFrame(values, schema=dict.fromkeys(columns, pl.Float64))


def _number(value: Any, name: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, str | bytes):
        raise DataError(f"The column {name!r} is not numeric. Convert it to numbers, categories to columns of 0 and 1.")
    try:
        return float(value)
    except OverflowError:
        return float("inf")
