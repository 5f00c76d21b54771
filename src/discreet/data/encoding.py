"""Encoding records against the declared domain: each value becomes the place of its level in the declaration.

What is not declared is an error that names the column and the declared levels, never the value that was found.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

from discreet.data.batch_reader import BatchReader
from discreet.data.engines import ask, engine_frame, fetch, fetch_batches, numbered_columns
from discreet.data.matching import WHOSE, check_no_namesake, check_unambiguous, level_numbers, missing_column, no_column
from discreet.data.reading import GAP, read_columns
from discreet.data.source import Source, batches, guard, open_table
from discreet.errors import DataError, DomainError
from discreet.model.reading import ValueKind
from discreet.model.tables import Countable
from discreet.model.variable import Variable

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

__all__ = ["Codes", "advise_on_gaps", "advise_on_misfits", "answer_codes", "code_batches", "keyed_code_batches"]

_DAMAGED = "The table cannot be read: it is damaged or not of the kind that its name says."

_CALLED = 'Its columns must be called like the nodes of the network, unless a schema says what the table calls one ("column").'

_KEY = "key"

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
    opened = _open(data, network, partial, None, missing)
    return (codes for _, codes in _encode(opened, missing, partial, progress))


def keyed_code_batches(
    data: Any, network: Countable, key: str, *, missing: str | None = None, progress: Callable[[int], None] | None = None
) -> Iterator[tuple[pl.Series, Codes]]:
    """As ``code_batches``, each batch with one more column of the same records, as it is in the table.

    What another engine holds is fetched batch by batch. Ask it nothing else before the end.
    """
    opened = _open(data, network, False, key, missing)
    with closing(opened.parts):
        yield from ((batch[_KEY], codes) for batch, codes in _encode(opened, missing, False, progress))


@dataclass(frozen=True, slots=True)
class _Opened:
    """A table, perhaps in several parts, and the declared variables that it has. ``coded``: their readings are done."""

    parts: Generator[Source]
    present: Sequence[Variable]
    coded: bool
    key: str | None = None


def answer_codes(answer: pl.DataFrame, variables: Sequence[Variable], missing: str | None) -> list[Codes]:
    """Encode what an engine has answered: columns called like the nodes, with raw values, or codes if there is a reading."""
    for variable in variables:
        check_unambiguous(variable)
    renamed = Source(answer.rename({variable.name: variable.column for variable in variables}))
    return [codes for _, codes in _encode(_Opened(_parts([renamed]), variables, coded=True), missing, False, None)]


def _encode(
    opened: _Opened, missing: str | None, partial: bool, progress: Callable[[int], None] | None
) -> Iterator[tuple[pl.DataFrame, Codes]]:
    """Encode a table batch by batch."""
    present = opened.present
    reads = {f"raw_{place}": variable for place, variable in enumerate(present) if variable.reading is not None}
    readers = {} if opened.coded else {name: BatchReader(variable) for name, variable in reads.items()}
    rows = 0
    for source in opened.parts:
        for batch in batches(source, _wanted(source, present, opened.key)):
            # Not while Polars reads on: it hands out some batches in another order then, if expressions have conditions.
            found = _with_codes(batch, reads, readers) if reads else batch
            yield (
                batch,
                {
                    variable.name: _check(found[f"codes_{place}"], found[f"gaps_{place}"], variable, missing, partial)
                    for place, variable in enumerate(present)
                },
            )
            rows += batch.height
            if progress is not None:
                progress(rows)
    if rows == 0 and not partial:
        raise DataError("The table has no records. It needs at least one.")


def _open(data: Any, network: Countable, partial: bool, key: str | None, missing: str | None) -> _Opened:
    if missing is not None and not any(missing in variable.levels for variable in network.variables):
        raise DataError(f"No variable declares the level {missing!r} for missing values. Declare it in the network.")
    frame = engine_frame(data)
    if frame is not None:
        return _fetch(frame, network, partial, key)
    keys = [] if key is None else [key]
    source = open_table(data, [*(variable.column for variable in network.variables), *keys])
    held = guard(lambda: list(source.frame.collect_schema()), _DAMAGED)
    present = _present(source.names or held, held, network, partial)
    for variable in () if source.text_only else present:
        check_unambiguous(variable)
    if key is not None and key not in held:
        raise missing_column(key, source.names or held, WHOSE)
    return _Opened(_parts([source]), present, coded=False, key=key)


def _fetch(frame: nw.LazyFrame[Any], network: Countable, partial: bool, key: str | None) -> _Opened:
    """Columns of a table that another engine holds, each value by itself where it has a type of its own."""
    import narwhals as nw  # not before: a file needs none of it, and importing it takes as long as reading a million records

    names = ask(lambda: [str(name) for name in nw.to_native(frame).columns])
    present = _present(names, names, network, partial)
    for variable in present:
        check_unambiguous(variable)
    numbered = {f"column_{number}": variable for number, variable in enumerate(present)}
    chosen = [variable.column for variable in present]
    columns = numbered_columns(frame, chosen if key is None else [*chosen, key])
    keys = [] if key is None else [f"column_{len(present)}"]
    read = ask(lambda: read_columns(columns, numbered, beside=keys))
    # Codes are what they are; a level is how SQLite's values are written.
    levels = {name: () if variable.reading else variable.levels for name, variable in numbered.items()}
    known = {name: variable.column for name, variable in numbered.items()} | {place: str(key) for place in keys}
    native = nw.to_native(read)
    records = [ask(lambda: fetch(native, levels))] if key is None else fetch_batches(native, levels)
    return _Opened(_parts(Source(part.rename(known)) for part in records), present, coded=True, key=key)


def _parts(sources: Iterable[Source]) -> Generator[Source]:
    yield from sources


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


def _wanted(source: Source, present: Sequence[Variable], key: str | None) -> list[pl.Expr]:
    """All that is asked of a table."""
    import polars as pl

    schema = guard(lambda: source.frame.collect_schema(), _DAMAGED)
    columns = [part for place, one in enumerate(present) for part in _columns(place, one, schema[one.column])]
    return columns if key is None else [*columns, pl.col(key).alias(_KEY)]


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


def _with_codes(batch: pl.DataFrame, reads: Mapping[str, Variable], readers: Mapping[str, BatchReader]) -> pl.DataFrame:
    """A batch with level numbers in place of what is read, and whether a value is missing. No reader: they are codes."""
    import polars as pl

    raw = batch.select(list(reads))
    read = guard(lambda: pl.DataFrame([readers[name].read(raw[name]) for name in reads])) if readers else raw
    found = []
    for name, variable in reads.items():
        code = pl.col(name).cast(pl.Int64)
        kind = pl.UInt8 if variable.size < 255 else pl.UInt32
        found += [
            pl.when(code >= 0).then(code).cast(kind).alias(name.replace("raw", "codes")),
            (code == GAP).alias(name.replace("raw", "gaps")),
        ]
    return pl.concat([batch.drop(list(reads)), read.select(found)], how="horizontal")


def _check(
    codes: pl.Series, missing_values: pl.Series, variable: Variable, missing: str | None, partial: bool
) -> npt.NDArray[Any]:
    """Level numbers without nulls, or an error that says what to do about the column, not what is in it."""
    nulls, largest = codes.null_count(), codes.max()
    gaps = int(missing_values.sum()) if nulls else 0  # what is missing has no level
    if nulls > gaps or (isinstance(largest, int) and largest >= variable.size):
        raise DomainError(
            f"The column {variable.column!r} holds a value that is not declared. Declared levels: {_show_levels(variable)}. "
            f"{advise_on_misfits(variable)}"
        )
    if gaps and missing in variable.levels:
        codes = codes.fill_null(variable.levels.index(missing))
    elif gaps and partial:
        codes = codes.fill_null(variable.size)
    elif gaps:
        raise DomainError(
            f"The column {variable.column!r} has missing values. Declared levels: {_show_levels(variable)}. "
            f"{advise_on_gaps(variable)} Do not drop the records: their number is published, and would tell. In a CSV file a "
            f"blank or short line is a record with missing values.{_fill_line(variable)}"
        )
    return codes.to_numpy()


def advise_on_misfits(variable: Variable) -> str:
    """What to do about values of a column that are not declared."""
    if variable.reading is None:
        return (
            "Check spelling, capitals and spaces; recode the value to a declared level, such as one for all others. "
            f"In Polars: frame.with_columns(pl.col({variable.column!r}).replace({{'as it is': 'as declared'}}))"
        )
    kind = variable.reading.kind
    cause = "" if kind is ValueKind.TEXT else f"It is no {kind.value}, or is none of those that are declared. "
    if kind is ValueKind.NUMBER:
        cause += 'In a text file a comma before decimals is said: decimal=",". '
    elif kind is ValueKind.DATE:
        written = f"frame.with_columns(pl.col({variable.column!r}).str.to_date('%d.%m.%Y'))"
        cause += f"A date is written 2024-02-29; of days written 29.02.2024, in Polars: {written} "
    return f'{cause}Declare a level for all others in the schema ("other"), or how the value is read.'


def advise_on_gaps(variable: Variable) -> str:
    """What to do about missing values of a column."""
    if variable.reading is not None:
        return 'Declare a level for them in the schema ("missing": "unknown").'
    return "Declare a level for them and name it (missing=...)."


def _fill_line(variable: Variable) -> str:
    line = f" In Polars: frame.with_columns(pl.col({variable.column!r}).fill_null('unknown'))"
    return line if variable.reading is None else ""


def _show_levels(variable: Variable) -> str:
    more = f" and {variable.size - 12} more" if variable.size > 12 else ""
    return ", ".join(repr(level) for level in variable.levels[:12]) + more
