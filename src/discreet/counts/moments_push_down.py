"""Moments of records that another engine holds, added up there: one query, and nothing but sums comes back.

The engine rounds each value as ``data.fixed_point`` does, by operations that have one correct result: a cast to a double,
minimum, maximum, subtraction, division, multiplication by a power of two, and the floor. What remains is whether it reads the
declared bounds as the same doubles, so bounds of many digits are not sent: then the records are fetched batch by batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.engines import ask, fetch, numbered_columns
from discreet.data.fixed_point import missing_values, not_finite, not_numeric
from discreet.errors import DataError
from discreet.model.linear import LinearModel
from discreet.model.variable import Column

if TYPE_CHECKING:
    import narwhals as nw

    from discreet.arrays import Integers

__all__ = ["can_push_down", "moments_in_engine"]

_MOST_COLUMNS = 40
"""PostgreSQL gives out at most 1664 columns; this many columns have fewer products."""


def can_push_down(frame: nw.LazyFrame[Any], model: LinearModel) -> bool:
    """Whether the engine can be trusted to find the same whole numbers as we do.

    Claim:      True only if every number sent is written in at most 15 significant digits, which every correct reader turns
                into the same double, the columns are few, and values have the type of their column (SQLite's do not).
    Requires:   nothing.
    Checked by: tests/engines/test_moments.py::test_bounds_of_many_digits_are_not_sent_to_an_engine
    """
    import narwhals as nw

    native = nw.to_native(frame)
    typed = not hasattr(native, "get_backend") or native.get_backend().name != "sqlite"
    return typed and len(model.columns) <= _MOST_COLUMNS and all(_is_plain(column) for column in model.columns)


def moments_in_engine(frame: nw.LazyFrame[Any], model: LinearModel) -> tuple[int, Integers, Integers]:
    """Number of records, sums and products, added up where the records are.

    Claim:      they are those of ``moments`` on the same records. Each record adds whole numbers of at most 4^resolution,
                whatever the engine does before the last minimum and maximum: the sensitivity does not rest on its rounding.
    Requires:   ``can_push_down``; the engine adds 64-bit integers exactly or fails (the caller checks that they have room).
    Checked by: tests/engines/test_moments.py::test_moments_equal_those_in_memory
    """
    import narwhals as nw

    records = numbered_columns(frame, [column.name for column in model.columns])
    schema = ask(lambda: records.collect_schema())
    for place, column in enumerate(model.columns):
        kind = schema[f"column_{place}"]
        if not (kind.is_numeric() or kind == nw.Boolean):
            raise not_numeric(column.name)
    steps = _steps(records, model, [schema[name] for name in schema.names()])
    answer = ask(lambda: fetch(nw.to_native(steps.select(*_sums(len(model.columns)))), {})).row(0, named=True)
    if not answer["records"]:
        raise DataError("The table has no records. It needs at least one.")
    for place, column in enumerate(model.columns):
        if answer[f"missing_{place}"]:
            raise missing_values(column, text_only=False)
        if answer[f"infinite_{place}"]:
            raise not_finite(column)
    return _gather(answer, len(model.columns))


def _is_plain(column: Column) -> bool:
    """Whether the numbers of a column are short decimals of a moderate size."""
    numbers = (column.low, column.high, column.centre, column.half_width)
    return all(number == 0 or (1e-7 < abs(number) < 1e15 and float(f"{number:.15g}") == number) for number in numbers)


def _steps(records: nw.LazyFrame[Any], model: LinearModel, kinds: Sequence[nw.dtypes.DType]) -> nw.LazyFrame[Any]:
    """Whole steps of each column, zero where there is no finite number, and one or zero for what is missing or not finite."""
    import narwhals as nw

    places = range(len(model.columns))
    top = 2**model.resolution
    numbers = records.select(_double(place, kinds[place]).alias(f"value_{place}") for place in places)
    values = [nw.col(f"value_{place}") for place in places]
    checked = numbers.select(
        *(nw.when(values[place].is_finite()).then(values[place]).otherwise(0.0).alias(f"value_{place}") for place in places),
        *(values[place].is_null().cast(nw.Int32).alias(f"missing_{place}") for place in places),
        *(
            nw.when(values[place].is_finite()).then(0).otherwise(1).cast(nw.Int32).alias(f"infinite_{place}")
            for place in places
        ),
    )
    kept = [nw.col(f"missing_{place}") for place in places] + [nw.col(f"infinite_{place}") for place in places]
    scaled = [
        (nw.col(f"value_{place}").clip(column.low, column.high) - column.centre) / column.half_width
        for place, column in enumerate(model.columns)
    ]
    rounded = checked.select(
        *((number * float(top) + 0.5).floor().cast(nw.Int64).alias(f"step_{place}") for place, number in enumerate(scaled)),
        *kept,
    )
    return rounded.select(*(nw.col(f"step_{place}").clip(-top, top).alias(f"step_{place}") for place in places), *kept)


def _double(place: int, kind: nw.dtypes.DType) -> nw.Expr:
    import narwhals as nw

    given = nw.col(f"column_{place}")
    if kind.is_decimal():  # as text, which every engine turns into the nearest double
        return given.cast(nw.String).cast(nw.Float64)
    if kind == nw.Boolean:  # PostgreSQL turns a boolean into an integer and into nothing else
        return given.cast(nw.Int32).cast(nw.Float64)
    return given.cast(nw.Float64)


def _sums(count: int) -> Iterator[nw.Expr]:
    import narwhals as nw

    yield nw.len().alias("records")
    for row in range(count):
        first = nw.col(f"step_{row}")
        yield nw.col(f"missing_{row}").cast(nw.Int64).sum().cast(nw.Int64).alias(f"missing_{row}")
        yield nw.col(f"infinite_{row}").cast(nw.Int64).sum().cast(nw.Int64).alias(f"infinite_{row}")
        yield first.sum().cast(nw.Int64).alias(f"sum_{row}")
        for column in range(row, count):
            product = first * nw.col(f"step_{column}")
            yield product.sum().cast(nw.Int64).alias(f"product_{row}_{column}")


def _gather(answer: dict[str, Any], count: int) -> tuple[int, Integers, Integers]:
    sums = np.array([int(answer[f"sum_{row}"]) for row in range(count)], dtype=np.int64)
    products = np.zeros((count, count), dtype=np.int64)
    for row in range(count):
        for column in range(row, count):
            products[row, column] = products[column, row] = int(answer[f"product_{row}_{column}"])
    return int(answer["records"]), sums, products
