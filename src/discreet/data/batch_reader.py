"""Reading one column of a table batch by batch: a value that occurs again and again is read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.data.reading import read_columns
from discreet.model.variable import Variable

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BatchReader"]

MOST_KNOWN = 2**16
"""Values that are remembered from one batch to the next, at the most."""
_VALUE, _CODE = "value", "code"


class BatchReader:
    """The codes of a column whose batches come one after the other, all of one type.

    To match the patterns of a number or a date takes far longer than to find a text that was met before. Floats are quickly
    read, and seldom alike. What is remembered changes no code, which depends on its value alone.
    """

    def __init__(self, variable: Variable) -> None:
        self._variable = variable
        self._known: pl.DataFrame | None = None

    def read(self, column: pl.Series) -> pl.Series:
        """The codes of a batch, called as its column is."""
        import polars as pl

        values = column.alias(_VALUE).to_frame()
        if column.dtype != pl.String and not column.dtype.is_integer():
            return self._read_each(values).alias(column.name)
        found = None if self._known is None else _look_up(values, self._known)
        strange = values if found is None else values.filter(found.is_null())
        if found is None or strange.height:
            new = strange.unique()
            if 2 * new.height > values.height:
                return self._read_each(values).alias(column.name)
            read = new.with_columns(self._read_each(new))
            known = read if self._known is None else pl.concat([self._known, read])
            self._known = known if known.height <= MOST_KNOWN else None
            found = _look_up(values, known)
        return found.alias(column.name)

    def _read_each(self, values: pl.DataFrame) -> pl.Series:
        import narwhals as nw

        read: pl.DataFrame = nw.to_native(read_columns(nw.from_native(values), {_VALUE: self._variable}))
        return read[_VALUE].alias(_CODE)


def _look_up(values: pl.DataFrame, known: pl.DataFrame) -> pl.Series:
    """The codes of values, null where one is not known."""
    return values.join(known, on=_VALUE, how="left", nulls_equal=True, maintain_order="left")[_CODE]
