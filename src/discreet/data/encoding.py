"""Encoding records against the declared domain: each value becomes the place of its level in the declaration.

What is not declared is an error that names the column and the declared levels, never the value that was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

from discreet.data.source import batches, open_table
from discreet.errors import DataError, DomainError, FormatError
from discreet.model.network import Network
from discreet.model.variable import Variable

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Codes", "code_batches"]

Codes: TypeAlias = dict[str, npt.NDArray[Any]]


def code_batches(
    data: Any,
    network: Network,
    *,
    missing: str | None = None,
    partial: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Codes]:
    """Read a table in batches: node -> level numbers.

    A null becomes the level ``missing`` where a variable declares it. With ``partial``, columns may be absent and a null
    becomes the number of levels, one past the last; otherwise both are errors. ``progress`` is told the rows so far.
    """
    if missing is not None and not any(missing in variable.levels for variable in network.variables):
        raise DataError(f"No variable declares the level {missing!r} for missing values. Declare it in the network.")
    table = open_table(data, network.nodes)
    present = _present(table, network, partial)
    names = [f"column_{number}" for number in range(len(present))]  # a node may be called anything
    encoded = table.select(
        _codes(variable, dtype, missing).alias(name) for name, (variable, dtype) in zip(names, present, strict=True)
    )
    rows = 0
    for batch in batches(encoded):
        columns = (batch[name].to_numpy() for name in names)
        yield {
            variable.name: _checked(codes, variable, partial) for (variable, _), codes in zip(present, columns, strict=True)
        }
        rows += batch.height
        if progress is not None:
            progress(rows)
    if rows == 0 and not partial:
        raise DataError("The table has no records. It needs at least one.")


def _present(table: pl.LazyFrame, network: Network, partial: bool) -> list[tuple[Variable, pl.DataType]]:
    """The declared variables that the table has, with the type of their column."""
    import polars as pl

    schema: pl.Schema | None = None
    with suppress(pl.exceptions.PolarsError, OSError):  # the engine's own message may quote the table
        schema = table.collect_schema()
    if schema is None:
        raise FormatError("The table cannot be read: it is damaged or not of the kind that its name says.")
    present = [(variable, schema[variable.name]) for variable in network.variables if variable.name in schema]
    if not partial:
        for node in network.nodes:
            if node not in schema:
                # The columns that it does have are not listed: without a header line they would be a record.
                raise DataError(
                    f"The table has no column {node!r}. Its columns must be called like the nodes of the network; "
                    "a CSV file needs a header line."
                )
    if not present:
        raise DataError("None of the table's columns is called like a node of the network.")
    return present


def _codes(variable: Variable, dtype: pl.DataType, missing: str | None) -> pl.Expr:
    """Level numbers of one column; ``size`` stands for a null and ``size + 1`` for what is not declared."""
    import polars as pl

    column = pl.col(variable.name)
    code_type = pl.UInt8 if variable.size < 254 else pl.UInt32
    null = variable.levels.index(missing) if missing in variable.levels else variable.size
    outside = variable.size + 1
    if dtype.is_float():
        column = column.fill_nan(None)
    known = _known_codes(variable, column, dtype).cast(code_type).fill_null(outside)
    return pl.when(column.is_null()).then(pl.lit(null, code_type)).otherwise(known).cast(code_type)


def _known_codes(variable: Variable, column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Level numbers by the text of the values; null where no level has that text."""
    import polars as pl

    if dtype == pl.Boolean:
        return column.replace_strict(_boolean_levels(variable), default=None, return_dtype=pl.UInt32)
    if dtype.is_integer():
        whole = {int(level): code for code, level in enumerate(variable.levels) if _is_whole(level)}
        return _lookup(column.cast(pl.Int64, strict=False), whole)
    if dtype.is_float():
        return _lookup(column.cast(pl.Float64), _float_levels(variable))
    if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
        raise DataError(f"The column {variable.name!r} has type {dtype}, which has no levels. Convert it to text first.")
    text = column if dtype == pl.String else column.cast(pl.String)
    return text.cast(pl.Enum(list(variable.levels)), strict=False).to_physical()


def _lookup(column: pl.Expr, codes: dict[Any, int]) -> pl.Expr:
    import polars as pl

    if not codes:
        return pl.lit(None, pl.UInt32)
    return column.replace_strict(codes, default=None, return_dtype=pl.UInt32)


def _is_whole(level: str) -> bool:
    digits = level.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 19 and str(int(level)) == level


def _float_levels(variable: Variable) -> dict[float, int]:
    """Levels that are numbers. A column of whole numbers with gaps often arrives as floats, so 1.0 is the level "1"."""
    numbers: dict[float, int] = {}
    for code, level in enumerate(variable.levels):
        try:
            number = float(level)
        except ValueError:
            continue
        if math.isfinite(number):
            numbers.setdefault(number, code)
    return numbers


def _boolean_levels(variable: Variable) -> dict[bool, int]:
    """True and False in any case of letters, else 1 and 0."""
    folded = [level.casefold() for level in variable.levels]
    for words in (("false", "true"), ("0", "1")):
        if set(words) <= set(folded):
            return {False: folded.index(words[0]), True: folded.index(words[1])}
    return {}


def _checked(codes: npt.NDArray[Any], variable: Variable, partial: bool) -> npt.NDArray[Any]:
    worst = int(codes.max(initial=0))
    if worst == variable.size + 1:
        raise DomainError(
            f"The column {variable.name!r} holds a value that is not declared. Declared levels: {_shown(variable)}. "
            "Declare it, or correct the data; check spelling, capitals and spaces."
        )
    if worst == variable.size and not partial:
        raise DomainError(
            f"The column {variable.name!r} has missing values. Declared levels: {_shown(variable)}. "
            "Declare a level for them and name it with missing=..., or leave those records out."
        )
    return codes


def _shown(variable: Variable) -> str:
    more = f" and {variable.size - 12} more" if variable.size > 12 else ""
    return ", ".join(repr(level) for level in variable.levels[:12]) + more
