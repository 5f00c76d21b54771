"""Tables in memory, column by column: frames that have no Arrow data, and dicts of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import DataError, of_kind

if TYPE_CHECKING:
    import polars as pl

__all__ = ["columns_of", "held_columns", "types_of", "with_index"]


def held_columns(frame: Any, columns: Sequence[str]) -> pl.DataFrame:
    """These columns of an eager frame of Narwhals. Works for pandas without PyArrow."""
    import polars as pl

    return pl.DataFrame([_column(frame[name], name) for name in frame.columns if name in columns])


def columns_of(table: Mapping[Any, Any], columns: Sequence[str]) -> pl.DataFrame:
    """These columns of a dict: lists, arrays or series, all of one length."""
    import polars as pl

    if not all(isinstance(name, str) for name in table):
        raise DataError('A dict of columns has names for them: {"smoke": ["yes", "no"], "age": [41, 67]}.')
    lengths = {_length(values) for values in table.values()}
    if len(lengths) > 1:
        raise DataError("The columns of the dict differ in length. Each must have one value for every record.")
    return pl.DataFrame([_given(values, name) for name, values in table.items() if name in columns])


def with_index(data: Any, columns: Sequence[str]) -> Any:
    """A pandas frame with those levels of its index as columns that are declared: an index is part of a table, too."""
    import narwhals as nw

    if not nw.dependencies.is_pandas_dataframe(data):
        return data
    named = [name for name in data.index.names if name in columns]
    for name in named:
        if name in data.columns:
            raise DataError(f"The table has {name!r} as a column and as its index. In pandas: frame.reset_index(drop=True)")
    return data.reset_index(level=named) if named else data


def types_of(data: Any, column: str) -> set[type]:
    """The types of the values of a column that has none of its own: a list, or objects. No type for any other column."""
    import narwhals as nw

    held = nw.from_native(with_index(data, [column]), pass_through=True)
    if isinstance(held, nw.DataFrame):
        values = held[column].to_list() if column in held.columns and held[column].dtype == nw.Object else []
    else:
        values = list(held[column]) if isinstance(held, dict) and column in held else []
    return {_kind(value) for value in values if not _is_gap(value)}


def _length(values: Any) -> int:
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__") or not hasattr(values, "__getitem__"):
        raise DataError(f"{of_kind(values)} is not a column. Give a list, an array or a series for each column.")
    return len(values)


def _given(values: Any, name: str) -> pl.Series:
    import narwhals as nw
    import polars as pl

    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _column(series, name)
    if hasattr(values, "dtype"):  # an array of NumPy
        if values.ndim != 1:
            raise DataError(f"The column {name!r} has more than one dimension. Give one value for each record.")
        if values.dtype.kind in "biufM" and values.dtype != np.float16:
            return pl.Series(name, values)
    return _series(list(values), name)


def _column(series: Any, name: str) -> pl.Series:
    """Copy a column of an eager frame."""
    import narwhals as nw
    import polars as pl

    whole = series.dtype.is_numeric() and not series.dtype.is_decimal()
    if whole and not series.is_null().any():
        return pl.Series(name, series.to_numpy())
    gaps = series.is_null().to_list()
    values = [None if gap else value for gap, value in zip(gaps, series.to_list(), strict=True)]
    if series.dtype == nw.Float32:  # a gap must not make long floats of the others, which mean other decimals
        return pl.Series(name, values, dtype=pl.Float32)
    return _series(values, name)


def _series(given: list[Any], name: str) -> pl.Series:
    import polars as pl

    # Before types are looked at: NaN beside numbers is a gap, and beside somebody else's word it would be the text "nan".
    values = [None if _is_gap(value) else value for value in given]
    kinds = {_kind(value) for value in values if value is not None}
    if len(kinds) > 1 and all(issubclass(kind, int | float) and kind is not bool for kind in kinds):
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    if len(kinds) > 1 or np.float16 in kinds:  # go by the text of each value
        return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
    return pl.Series(name, values)


class _Zoned(datetime):
    """Stands for the type of times that know their zone: beside others Polars would move them to another day."""


def _kind(value: Any) -> type:
    """The type of a value. Times with a zone and times without one are of two types."""
    return _Zoned if isinstance(value, datetime) and value.tzinfo is not None else type(value)


def _is_gap(value: Any) -> bool:
    """Whether a value stands for one that is missing: None, NaN, and what pandas and NumPy have for dates."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, float | Decimal | datetime | np.generic) and bool(value != value)
