"""Counts of many groupings of one table in few statements, so that an engine reads its records few times.

DuckDB and PostgreSQL count up to 48 groupings while they read the table once (GROUPING SETS). SQLite has no such thing: there
one statement (UNION ALL) reads the table once for each grouping, but sees a single snapshot. Spark could, by copying every
record for every grouping, and takes longer: there, and in engines that nobody has measured, a statement has one grouping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from discreet.data.engines import ask, fetch

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

__all__ = ["RECORDS", "Grouping", "count_groupings", "share_statements"]

RECORDS = "records"
"""The column of an answer that holds the counts."""

_MOST_GROUPINGS = 48
"""A thousand columns are read in 11 passes; more groupings in one take DuckDB more memory and not less time."""
_MOST_COLUMNS = 1000
"""PostgreSQL gives out at most 1664 columns, SQLite 2000."""
_MASK_BITS = 31
"""PostgreSQL's GROUPING takes fewer than 32 columns."""


class _Form(Enum):
    """How an engine is asked for several groupings."""

    SETS = auto()
    UNION = auto()
    SINGLE = auto()


_FORMS = {"duckdb": _Form.SETS, "postgres": _Form.SETS, "sqlite": _Form.UNION}


@dataclass(frozen=True, slots=True)
class Grouping:
    """Columns that are counted jointly, and how many distinct combinations of their values may be declared."""

    keys: tuple[str, ...]
    allowed: int


def share_statements(records: nw.LazyFrame[Any], groupings: Sequence[Grouping]) -> Iterator[tuple[Grouping, ...]]:
    """Divide groupings, in their order, into those that one statement counts."""
    most = 1 if ask(lambda: _form(records)) is _Form.SINGLE else _MOST_GROUPINGS
    held: list[Grouping] = []
    for grouping in groupings:
        if held and (len(held) == most or len(_columns([*held, grouping])) > _MOST_COLUMNS):
            yield tuple(held)
            held = []
        held.append(grouping)
    if held:
        yield tuple(held)


def count_groupings(
    records: nw.LazyFrame[Any], groupings: Sequence[Grouping], levels: Mapping[str, Sequence[str]]
) -> list[pl.DataFrame]:
    """Count groupings in one statement: for each its keys and the number of records that have them.

    One row more than the domain allows for all groupings together is asked for, so a column of names cannot fill the memory.
    If it comes, some grouping has more rows than it is allowed; if it does not, no row is missing.
    """
    limit = sum(grouping.allowed for grouping in groupings) + 1
    if len(groupings) == 1:
        return [ask(lambda: _counted(fetch(_single(records, groupings[0], limit), levels)))]
    columns = _columns(groupings)
    answer = ask(lambda: _counted(fetch(_together(records, groupings, limit), levels)))
    return _split(answer, groupings, columns)


def _form(records: nw.LazyFrame[Any]) -> _Form:
    import narwhals as nw

    native = nw.to_native(records)
    if not hasattr(native, "get_backend"):
        return _FORMS.get(str(records.implementation.value), _Form.SINGLE)
    from ibis.expr import operations

    # Ibis hands these over to the engine only with a query of its own making.
    if native.op().find((operations.InMemoryTable, operations.ScalarUDF, operations.AggUDF)):
        return _Form.SINGLE
    return _FORMS.get(native.get_backend().name, _Form.SINGLE)


def _columns(groupings: Sequence[Grouping]) -> list[str]:
    """The columns of all groupings, each once."""
    return list(dict.fromkeys(key for grouping in groupings for key in grouping.keys))


def _single(records: nw.LazyFrame[Any], grouping: Grouping, limit: int) -> Any:
    import narwhals as nw

    return nw.to_native(records.group_by(*grouping.keys).agg(nw.len().alias(RECORDS)).head(limit))


def _together(records: nw.LazyFrame[Any], groupings: Sequence[Grouping], limit: int) -> Any:
    """What the engine makes of the statement, before it is run. Columns have plain names, ``column_0`` and so on."""
    import narwhals as nw

    native = nw.to_native(records)
    columns = _columns(groupings)
    if not hasattr(native, "get_backend"):
        return native.aggregate(_chosen(columns), _sets(groupings)).limit(limit)
    backend = native.get_backend()
    held = f"({backend.compile(native.select(*columns))}) AS held"
    if _form(records) is _Form.UNION:
        query = " UNION ALL ".join(_arm(grouping, columns, held) for grouping in groupings)
    else:
        query = f"SELECT {_chosen(columns)} FROM {held} GROUP BY {_sets(groupings)}"  # noqa: S608 - our names
    types = {column: native.schema()[column](nullable=True) for column in columns}  # empty where a grouping has it not
    numbers = dict.fromkeys([*_mask_names(columns), RECORDS], "int64")
    return backend.sql(f"{query} LIMIT {limit}", schema={**types, **numbers})


def _chosen(columns: Sequence[str]) -> str:
    masks = [
        f"GROUPING({', '.join(part)}) AS {name}" for name, part in zip(_mask_names(columns), _parts(columns), strict=True)
    ]
    return ", ".join([*columns, *masks, f"count(*) AS {RECORDS}"])


def _sets(groupings: Sequence[Grouping]) -> str:
    return f"GROUPING SETS ({', '.join('(' + ', '.join(grouping.keys) + ')' for grouping in groupings)})"


def _arm(grouping: Grouping, columns: Sequence[str], held: str) -> str:
    """One grouping in the shape that GROUPING SETS would give it."""
    keys = [column if column in grouping.keys else f"NULL AS {column}" for column in columns]
    masks = [f"{value} AS {name}" for name, value in _masks(grouping, columns).items()]
    chosen = ", ".join([*keys, *masks, f"count(*) AS {RECORDS}"])
    return f"SELECT {chosen} FROM {held} GROUP BY {', '.join(grouping.keys)}"  # noqa: S608 - our names


def _parts(columns: Sequence[str]) -> list[Sequence[str]]:
    return [columns[start : start + _MASK_BITS] for start in range(0, len(columns), _MASK_BITS)]


def _mask_names(columns: Sequence[str]) -> list[str]:
    return [f"mask_{number}" for number in range(len(_parts(columns)))]


def _masks(grouping: Grouping, columns: Sequence[str]) -> dict[str, int]:
    """What GROUPING says in the rows of a grouping: a bit for each column, one if it is left out, the last column lowest.

    A null tells nothing: it may be a value of the column.
    """
    bits = ["".join("0" if column in grouping.keys else "1" for column in part) for part in _parts(columns)]
    return {name: int(digits, 2) for name, digits in zip(_mask_names(columns), bits, strict=True)}


def _counted(answer: pl.DataFrame) -> pl.DataFrame:
    """The answer with its numbers as integers: SQLite's come as text, PostgreSQL's as decimals at times."""
    import polars as pl

    return answer.with_columns(pl.col(rf"^{RECORDS}|mask_\d+$").cast(pl.Int64))


def _split(answer: pl.DataFrame, groupings: Sequence[Grouping], columns: Sequence[str]) -> list[pl.DataFrame]:
    import polars as pl

    found = []
    for grouping in groupings:
        own = [pl.col(name) == value for name, value in _masks(grouping, columns).items()]
        found.append(answer.filter(*own).select(*grouping.keys, RECORDS))
    if sum(part.height for part in found) != answer.height:
        raise RuntimeError("An engine answered for a grouping that was not asked for; this is a defect of it or of discreet.")
    return found
