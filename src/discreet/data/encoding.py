"""Encoding records against the declared domain: each value becomes the place of its level in the declaration.

What is not declared is an error that names the column and the declared levels, never the value that was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

from discreet.data.engines import ask, engine_frame, fetch, numbered_columns
from discreet.data.matching import check_no_namesake, check_unambiguous, level_numbers, missing_column, no_column
from discreet.data.source import Source, batches, guard, open_table
from discreet.errors import DataError, DomainError
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
    source = _open(data, network)
    present = _present(source, network, partial)
    rows = 0
    for batch in batches(source, [expression for place, one in enumerate(present) for expression in _columns(place, *one)]):
        yield {
            variable.name: _check(batch[f"codes_{place}"], batch[f"gaps_{place}"], variable, missing, partial)
            for place, (variable, _) in enumerate(present)
        }
        rows += batch.height
        if progress is not None:
            progress(rows)
    if rows == 0 and not partial:
        raise DataError("The table has no records. It needs at least one.")


def _open(data: Any, network: Network) -> Source:
    """The table; what another engine holds is fetched, each value by itself where it has a type of its own."""
    frame = engine_frame(data)
    if frame is None:
        return open_table(data, network.nodes)
    import narwhals as nw  # not before: a file needs none of it, and importing it takes as long as reading a million records

    names = ask(lambda: [str(name) for name in nw.to_native(frame).columns])
    held = [variable for variable in network.variables if variable.name in names]
    numbered = {f"column_{number}": variable for number, variable in enumerate(held)}
    if not held:
        raise no_column(network.nodes, names)
    columns = numbered_columns(frame, [variable.name for variable in held])
    levels = {name: variable.levels for name, variable in numbered.items()}
    records = ask(lambda: fetch(nw.to_native(columns), levels))
    return Source(records.rename({name: variable.name for name, variable in numbered.items()}), names=tuple(names))


def _present(source: Source, network: Network, partial: bool) -> list[tuple[Variable, pl.DataType]]:
    """The declared variables that the table has, with the type of their column."""
    damaged = "The table cannot be read: it is damaged or not of the kind that its name says."
    schema = guard(lambda: source.frame.collect_schema(), damaged)
    present = [(variable, schema[variable.name]) for variable in network.variables if variable.name in schema]
    found = source.names or list(schema)
    absent = [node for node in network.nodes if node not in schema]
    if absent and not partial:
        raise missing_column(absent[0], found, "Its columns must be called like the nodes of the network.", network.nodes)
    if not present:
        raise no_column(network.nodes, found)
    check_no_namesake(absent, found, network.nodes)
    for variable, _ in () if source.text_only else present:
        check_unambiguous(variable)
    return present


def _columns(place: int, variable: Variable, dtype: pl.DataType) -> tuple[pl.Expr, pl.Expr]:
    """Level numbers of one column, null where no level fits, and whether a value is missing.

    A node may be called anything, so the two columns are called by its place.
    """
    import polars as pl

    values = pl.col(variable.name)
    if dtype.is_float():
        values = values.fill_nan(None)
    return level_numbers(variable, values, dtype).alias(f"codes_{place}"), values.is_null().alias(f"gaps_{place}")


def _check(
    codes: pl.Series, missing_values: pl.Series, variable: Variable, missing: str | None, partial: bool
) -> npt.NDArray[Any]:
    """Level numbers without nulls, or an error that says what to do about the column, not what is in it."""
    gaps = int(missing_values.sum())
    largest = codes.max()
    if codes.null_count() > gaps or (isinstance(largest, int) and largest >= variable.size):
        raise DomainError(
            f"The column {variable.name!r} holds a value that is not declared. Declared levels: {_show_levels(variable)}. "
            "Check spelling, capitals and spaces; recode the value to a declared level, such as one for all others. "
            f"In Polars: frame.with_columns(pl.col({variable.name!r}).replace({{'as it is': 'as declared'}}))"
        )
    if gaps and missing in variable.levels:
        codes = codes.fill_null(variable.levels.index(missing))
    elif gaps and partial:
        codes = codes.fill_null(variable.size)
    elif gaps:
        raise DomainError(
            f"The column {variable.name!r} has missing values. Declared levels: {_show_levels(variable)}. Declare a level for "
            "them and name it (missing=...). Do not drop the records: their number is published, and would tell. In a CSV "
            "file a blank or short line is a record with missing values. In Polars: "
            f"frame.with_columns(pl.col({variable.name!r}).fill_null('unknown'))"
        )
    return codes.to_numpy()


def _show_levels(variable: Variable) -> str:
    more = f" and {variable.size - 12} more" if variable.size > 12 else ""
    return ", ".join(repr(level) for level in variable.levels[:12]) + more
