"""Numeric records on the declared grid: each value becomes a whole number of steps of 2^-resolution in [-1, 1].

A value is clipped to the declared bounds and rounded by itself: no other record, and no type that a column may have because of
another record, changes what it becomes. What is no finite number is an error that names the column, never the value. Columns
of a table that another engine holds and cannot add up are fetched batch by batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.data.engines import ask, engine_frame, numbered_columns
from discreet.data.matching import missing_column
from discreet.data.source import BATCH_ROWS, Source, batches, guard, open_table
from discreet.errors import DataError, DomainError
from discreet.model.variable import Column

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

__all__ = ["fixed_point_batches", "missing_values", "not_finite", "not_numeric"]

_ROWS = 2**16


def fixed_point_batches(
    data: Any, columns: Sequence[Column], resolution: int, *, progress: Callable[[int], None] | None = None
) -> Iterator[npt.NDArray[np.float64]]:
    """Read a table in batches: records x columns, whole numbers of at most 2^resolution in absolute value, held as floats.

    ``progress`` is told the rows so far.
    """
    rows = 0
    for source in _sources(data, columns):
        numbers = _numbers(_types(source, columns), columns)
        for batch in batches(source, numbers, BATCH_ROWS):
            if batch.height:
                yield _in_steps(_check(batch, columns, source.text_only), columns, resolution)
            rows += batch.height
            if progress is not None:
                progress(rows)
    if rows == 0:
        raise DataError("The table has no records. It needs at least one.")


def missing_values(column: Column, text_only: bool) -> DomainError:
    """A value is missing, or a text is no number."""
    what = "a missing value or something that is not a number" if text_only else "missing values"
    return DomainError(
        f"The column {column.name!r} has {what}. Put a declared number in its place, the same for every such record. Do not "
        "drop the records: their number is published, and would tell. In Polars: "
        f"frame.with_columns(pl.col({column.name!r}).fill_null(0))"
    )


def not_finite(column: Column) -> DomainError:
    """A value is NaN or infinite."""
    return DomainError(
        f"The column {column.name!r} holds NaN or infinity. Put a declared number there, the same for every such record."
    )


def not_numeric(name: str) -> DataError:
    """A column has a type that is not numeric."""
    return DataError(
        f"The column {name!r} is not numeric. Convert it to numbers, categories to columns of 0 and 1. "
        f"In Polars: frame.with_columns(pl.col({name!r}).cast(pl.Float64))"
    )


def _sources(data: Any, columns: Sequence[Column]) -> Iterator[Source]:
    """The table, or what an engine that holds it gives out batch by batch."""
    frame = engine_frame(data)
    names = [column.name for column in columns]
    if frame is None:
        yield open_table(data, names)
    else:
        yield from (Source(batch) for batch in _engine_batches(frame, names))


def _types(source: Source, columns: Sequence[Column]) -> list[pl.DataType]:
    damaged = "The table cannot be read: it is damaged or not of the kind that its name says."
    schema = guard(lambda: source.frame.collect_schema(), damaged)
    for column in columns:
        if column.name not in schema:
            raise missing_column(
                column.name,
                source.names or list(schema),
                "Its columns must be called like the features and the target of the model.",
                [each.name for each in columns],
            )
        dtype = schema[column.name]
        if not source.text_only and not (dtype.is_numeric() or dtype.base_type().__name__ == "Boolean"):
            raise not_numeric(column.name)
    return [schema[column.name] for column in columns]


def _numbers(types: Sequence[pl.DataType], columns: Sequence[Column]) -> list[pl.Expr]:
    """Columns as doubles: null for a missing value or a text that is no number."""
    import polars as pl

    numbers = []
    for place, (column, dtype) in enumerate(zip(columns, types, strict=True)):
        given = pl.col(column.name)
        if dtype.is_decimal():  # its digits depend on the other records; its text read as a number does not
            given = given.cast(pl.String)
        numbers.append(given.cast(pl.Float64, strict=False).alias(f"column_{place}"))
    return numbers


def _check(batch: pl.DataFrame, columns: Sequence[Column], text_only: bool) -> npt.NDArray[np.float64]:
    for place, column in enumerate(columns):
        if batch[f"column_{place}"].null_count():
            raise missing_values(column, text_only)
    values = batch.to_numpy(writable=True)
    for place, column in enumerate(columns):
        if not np.isfinite(values[:, place]).all():  # before the clip: after it, infinity would look like any large number
            raise not_finite(column)
    return values


def _in_steps(values: npt.NDArray[np.float64], columns: Sequence[Column], resolution: int) -> npt.NDArray[np.float64]:
    """Whole steps, in place of the values.

    NumPy's operations have one correct result for each value. Those of Polars have not: it divides by multiplying with a
    rounded reciprocal unless a batch has a single record, so the length of another record's text in a file would decide.
    """
    top = 2**resolution
    for place, column in enumerate(columns):
        each = values[:, place]
        np.clip(each, column.low, column.high, out=each)
        each -= column.centre
        each /= column.half_width
        each *= top
        each += 0.5
        np.floor(each, out=each)
        np.clip(each, -top, top, out=each)
    return values


def _engine_batches(frame: nw.LazyFrame[Any], columns: Sequence[str]) -> Iterator[pl.DataFrame]:
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
        raise not_numeric(name)
    try:
        return float(value)
    except OverflowError:
        return float("inf")
