"""Encoding records against the declared domain: each value becomes the place of its level in the declaration.

What is not declared is an error that names the column and the declared levels, never the value that was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

from discreet.data.engines import ask, engine_frame, fetch, numbered_columns
from discreet.data.matching import check_no_namesake, check_unambiguous, level_numbers, missing_column, no_column
from discreet.data.reading import GAP, read_columns
from discreet.data.source import Source, batches, guard, open_table
from discreet.errors import DataError, DomainError
from discreet.model.reading import ValueKind
from discreet.model.tables import Countable
from discreet.model.variable import Variable

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

__all__ = ["Codes", "answer_codes", "code_batches"]

_DAMAGED = "The table cannot be read: it is damaged or not of the kind that its name says."

_CALLED = 'Its columns must be called like the nodes of the network, unless a schema says what the table calls one ("column").'

Codes: TypeAlias = dict[str, npt.NDArray[Any]]


def code_batches(
    data: Any,
    network: Countable,
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
    source, present, coded = _open(data, network, partial)
    return _encode(source, present, missing, partial, progress, coded=coded)


def answer_codes(answer: pl.DataFrame, variables: Sequence[Variable], missing: str | None) -> list[Codes]:
    """Encode what an engine has answered: columns called like the nodes, with raw values, or codes if there is a reading."""
    for variable in variables:
        check_unambiguous(variable)
    renamed = Source(answer.rename({variable.name: variable.column for variable in variables}))
    return list(_encode(renamed, variables, missing, False, None, coded=True))


def _encode(
    source: Source,
    present: Sequence[Variable],
    missing: str | None,
    partial: bool,
    progress: Callable[[int], None] | None,
    *,
    coded: bool,
) -> Iterator[Codes]:
    """Encode a table that has these columns. ``coded``: those with a reading hold codes already."""
    schema = guard(lambda: source.frame.collect_schema(), _DAMAGED)
    columns = [part for place, one in enumerate(present) for part in _columns(place, one, schema[one.column])]
    reads = {f"raw_{place}": variable for place, variable in enumerate(present) if variable.reading is not None}
    rows = 0
    for batch in batches(source, columns):
        # Not while Polars reads on: it hands out some batches in another order then, if expressions have conditions in them.
        found = _with_codes(batch, reads, coded) if reads else batch
        yield {
            variable.name: _check(found[f"codes_{place}"], found[f"gaps_{place}"], variable, missing, partial)
            for place, variable in enumerate(present)
        }
        rows += batch.height
        if progress is not None:
            progress(rows)
    if rows == 0 and not partial:
        raise DataError("The table has no records. It needs at least one.")


def _open(data: Any, network: Countable, partial: bool) -> tuple[Source, list[Variable], bool]:
    """The table, the declared variables that it has, and whether their readings are done."""
    frame = engine_frame(data)
    if frame is not None:
        return _fetch(frame, network, partial)
    source = open_table(data, [variable.column for variable in network.variables])
    held = guard(lambda: list(source.frame.collect_schema()), _DAMAGED)
    present = _present(source.names or held, held, network, partial)
    for variable in () if source.text_only else present:
        check_unambiguous(variable)
    return source, present, False


def _fetch(frame: nw.LazyFrame[Any], network: Countable, partial: bool) -> tuple[Source, list[Variable], bool]:
    """Columns of a table that another engine holds, each value by itself where it has a type of its own."""
    import narwhals as nw  # not before: a file needs none of it, and importing it takes as long as reading a million records

    names = ask(lambda: [str(name) for name in nw.to_native(frame).columns])
    present = _present(names, names, network, partial)
    for variable in present:
        check_unambiguous(variable)
    numbered = {f"column_{number}": variable for number, variable in enumerate(present)}
    columns = numbered_columns(frame, [variable.column for variable in present])
    read = ask(lambda: read_columns(columns, numbered))
    # Codes are what they are; a level is how SQLite's values are written.
    levels = {name: () if variable.reading else variable.levels for name, variable in numbered.items()}
    records = ask(lambda: fetch(nw.to_native(read), levels))
    return Source(records.rename({name: variable.column for name, variable in numbered.items()})), present, True


def _present(found: Sequence[str], held: Sequence[str], network: Countable, partial: bool) -> list[Variable]:
    """The declared variables that the table has."""
    present = [variable for variable in network.variables if variable.column in held]
    declared = [variable.column for variable in network.variables]
    absent = [column for column in declared if column not in held]
    if absent and not partial:
        raise missing_column(absent[0], found, _CALLED, declared)
    if not present:
        raise no_column(declared, found)
    check_no_namesake(absent, found, declared)
    return present


def _columns(place: int, variable: Variable, dtype: pl.DataType) -> tuple[pl.Expr, ...]:
    """Level numbers of one column, null where no level fits, and whether a value is missing; or the column, to be read.

    A node may be called anything, so the columns are called by its place.
    """
    import polars as pl

    values = pl.col(variable.column)
    if variable.reading is not None:  # a column of nothing but gaps has no type
        return ((values.cast(pl.String) if dtype == pl.Null else values).alias(f"raw_{place}"),)
    if dtype.is_float():
        values = values.fill_nan(None)
    return level_numbers(variable, values, dtype).alias(f"codes_{place}"), values.is_null().alias(f"gaps_{place}")


def _with_codes(batch: pl.DataFrame, reads: Mapping[str, Variable], coded: bool) -> pl.DataFrame:
    """A batch with level numbers in place of what is read, and whether a value is missing."""
    import polars as pl

    raw = batch.select(list(reads))
    read = raw if coded else guard(lambda: pl.concat([_read(raw.select(name), reads) for name in reads], how="horizontal"))
    found = []
    for name, variable in reads.items():
        code = pl.col(name).cast(pl.Int64)
        kind = pl.UInt8 if variable.size < 255 else pl.UInt32
        found += [
            pl.when(code >= 0).then(code).cast(kind).alias(name.replace("raw", "codes")),
            (code == GAP).alias(name.replace("raw", "gaps")),
        ]
    return pl.concat([batch.drop(list(reads)), read.select(found)], how="horizontal")


def _read(column: pl.DataFrame, reads: Mapping[str, Variable]) -> pl.DataFrame:
    """A column with codes in place of its values, each of which is read once where many are alike.

    To match the patterns of a number or a date takes far longer than to find out which texts are the same. Floats are quickly
    read, and seldom alike.
    """
    import narwhals as nw
    import polars as pl

    (name,) = column.columns
    values = column
    if column.dtypes[0] == pl.String or column.dtypes[0].is_integer():
        distinct = column.unique()
        values = distinct if 2 * distinct.height <= column.height else column
    read: pl.DataFrame = nw.to_native(read_columns(nw.from_native(values), {name: reads[name]}))
    if values is column:
        return read
    known = values.with_columns(read[name].alias(f"{name}_code"))
    found = column.join(known, on=name, how="left", nulls_equal=True, maintain_order="left")
    return found.select(pl.col(f"{name}_code").alias(name))


def _check(
    codes: pl.Series, missing_values: pl.Series, variable: Variable, missing: str | None, partial: bool
) -> npt.NDArray[Any]:
    """Level numbers without nulls, or an error that says what to do about the column, not what is in it."""
    nulls, largest = codes.null_count(), codes.max()
    gaps = int(missing_values.sum()) if nulls else 0  # what is missing has no level
    if nulls > gaps or (isinstance(largest, int) and largest >= variable.size):
        raise DomainError(
            f"The column {variable.column!r} holds a value that is not declared. Declared levels: {_show_levels(variable)}. "
            f"{_advice(variable)}"
        )
    if gaps and missing in variable.levels:
        codes = codes.fill_null(variable.levels.index(missing))
    elif gaps and partial:
        codes = codes.fill_null(variable.size)
    elif gaps:
        raise DomainError(
            f"The column {variable.column!r} has missing values. Declared levels: {_show_levels(variable)}. Declare a level "
            "for them and name it (missing=...). Do not drop the records: their number is published, and would tell. In a CSV "
            "file a blank or short line is a record with missing values. In Polars: "
            f"frame.with_columns(pl.col({variable.column!r}).fill_null('unknown'))"
        )
    return codes.to_numpy()


def _advice(variable: Variable) -> str:
    if variable.reading is None:
        return (
            "Check spelling, capitals and spaces; recode the value to a declared level, such as one for all others. "
            f"In Polars: frame.with_columns(pl.col({variable.column!r}).replace({{'as it is': 'as declared'}}))"
        )
    kind = variable.reading.kind
    cause = "" if kind is ValueKind.TEXT else f"It is no {kind.value}, or is none of those that are declared. "
    if kind is ValueKind.NUMBER:
        cause += 'In a text file a comma before decimals is said: decimal=",". '
    return f'{cause}Declare a level for all others in the schema ("other"), or how the value is read.'


def _show_levels(variable: Variable) -> str:
    more = f" and {variable.size - 12} more" if variable.size > 12 else ""
    return ", ".join(repr(level) for level in variable.levels[:12]) + more
