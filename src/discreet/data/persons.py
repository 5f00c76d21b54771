"""Whose a record is: the share with which each record counts, so that every person counts as one.

The declared columns and the one that tells persons apart are read once, all files of a table together, and held in memory:
read twice, a table could give its records in another order, and a share would go to somebody else's record. Of the column that
tells persons apart nothing is kept but a small number for each record. Then the records are counted as always.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.data.columns import types_of
from discreet.data.engines import ask, engine_frame, fetch, numbered_columns
from discreet.data.matching import EXACT_WHOLE, missing_column
from discreet.data.source import Source, batches, guard, open_table
from discreet.errors import DataError, ModelError
from discreet.unit import Unit

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PersonRecords", "RandomBytes", "read_persons"]

T = TypeVar("T")

RandomBytes: TypeAlias = Callable[[int], bytes]
"""So many fresh bytes of the kernel's only source of randomness, which this room may not open itself."""

_ID, _TICKET, _HELD, _PLACE = "id", "ticket", "held", "place"
_TICKET_BYTES = 8
_MISSING = (
    "A record does not say whose it is: the column {!r} has a missing or blank value. Put there who it is. Where that is not "
    "known, give every such record a value of its own, which counts it as one more person."
)
_NESTED = "The column {!r} does not tell persons apart: it holds lists or the like. Convert it to text or whole numbers first."
_MIXED = (
    "The column {!r} holds values of several types, so whether two of them are one person could depend on all others. "
    "Convert it to text or whole numbers first."
)
_ROUNDED = (
    "The column {!r} holds floats, and some are so large that several whole numbers are the same float: two persons could be "
    "taken for one. Keep the column as text or whole numbers where it comes from."
)


@dataclass(frozen=True, slots=True)
class PersonRecords:
    """A table, and for each of its records, in order, how many records share the person: 0 for one that does not count.

    A record whose share is r counts 1 / r. Shares of one person's records that count sum to one. Private: never leaves here.
    """

    table: Source
    shares: npt.NDArray[np.uint8] = field(repr=False)

    def with_shares(self, parts: Iterable[T], size: Callable[[T], int]) -> Iterator[tuple[T, npt.NDArray[np.uint8]]]:
        """All batches of the table, each with the shares of its records."""
        start = 0
        for part in parts:
            yield part, self.shares[start : start + size(part)]
            start += size(part)
        if start != len(self.shares):
            raise RuntimeError("Not every record of the table was read; this is a defect of discreet.")


def read_persons(
    data: Any, columns: Sequence[str], unit: Unit, random_bytes: RandomBytes, levels: Mapping[str, Sequence[str]] | None = None
) -> PersonRecords:
    """Open a table and find the share of each record.

    Claim:      which records of a person count, and with which share, depends on that person's records alone and on fresh
                random bytes: at most ``unit.most`` of them, all sets of so many equally likely. So one person adds to every
                sum over records a point of the convex hull of what one record adds.               [GUARANTEES 13.1]
    Requires:   ``unit`` is a person. A missing value of the column, and a column of the model, are refused here.
    Checked by: tests/unit/data/test_persons.py::test_shares_of_every_person_sum_to_one
                tests/unit/data/test_persons.py::test_shares_of_a_person_do_not_depend_on_the_others
    """
    column = str(unit.column)
    if column in columns:
        raise ModelError(f"The column {column!r} says whose a record is, so it cannot be a column of the model as well.")
    table = _hold(data, columns, column, levels)
    return PersonRecords(table, _shares(_identities(table, column), unit.most, random_bytes))


def _hold(data: Any, columns: Sequence[str], column: str, levels: Mapping[str, Sequence[str]] | None) -> Source:
    """The columns that are needed, read in one go: in which order does not matter then."""
    import polars as pl

    wanted = [*columns, column]
    frame = engine_frame(data)
    if frame is not None:
        return Source(_fetched(frame, wanted, levels))
    source = open_table(data, wanted)
    _check_types(guard(lambda: types_of(data, column)), column)
    names = guard(lambda: source.frame.collect_schema().names())
    parts = list(batches(source, [pl.col(name) for name in names if name in wanted]))
    if not parts:
        raise DataError("The table has no records. It needs at least one.")
    return Source(pl.concat(parts), source.text_only, names=source.names or tuple(names))


def _check_types(types: set[type], column: str) -> None:
    """Refuse a column of several types: beside a text 1 and 1.0 would be two persons, and without it they are one.

    Whole numbers beside texts are the texts that they are, whatever else there is.
    """
    plain = all(issubclass(each, int | np.integer | str) and each is not bool for each in types)
    if len(types) > 1 and not plain:
        raise DataError(_MIXED.format(column))


def _fetched(frame: Any, wanted: Sequence[str], levels: Mapping[str, Sequence[str]] | None) -> pl.DataFrame:
    """These columns of a table that another engine holds. SQLite's values come as texts, numbers too."""
    import narwhals as nw
    import polars as pl

    numbered = {f"column_{place}": name for place, name in enumerate(wanted)}
    asked = {place: levels[name] for place, name in numbered.items() if name in levels} if levels else {}
    native = nw.to_native(numbered_columns(frame, wanted))
    held = ask(lambda: fetch(native, asked)).rename(numbered)
    if levels is not None:
        return held
    texts = [name for name in wanted[:-1] if held.schema[name] == pl.String and _is_sqlite(native)]
    return held.with_columns(pl.col(texts).cast(pl.Float64, strict=False)) if texts else held


def _is_sqlite(native: Any) -> bool:
    return hasattr(native, "get_backend") and native.get_backend().name == "sqlite"


def _identities(source: Source, column: str) -> pl.Series:
    """The column that tells persons apart, each value a number or a text; a missing or blank one is refused."""
    import polars as pl

    schema = source.frame.collect_schema()
    if column not in schema:
        raise missing_column(column, source.names or list(schema), "It has to say whose each record is.")
    dtype = schema[column]
    if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
        raise DataError(_NESTED.format(column))
    given = pl.col(column)
    if dtype.is_float():
        given = given.fill_nan(None)
    elif not dtype.is_integer():
        given = given.cast(pl.String)
        given = pl.when(given.str.strip_chars() != "").then(given)  # a blank is nobody
    found = guard(lambda: source.frame.lazy().select(given.alias(_ID)).collect()[_ID], _NESTED.format(column))
    if found.null_count():
        raise DataError(_MISSING.format(column))
    if dtype.is_float() and (found.abs() >= EXACT_WHOLE[str(dtype)]).any():
        raise DataError(_ROUNDED.format(column))
    if not len(found):
        raise DataError("The table has no records. It needs at least one.")
    return found


def _shares(identities: pl.Series, most: int, random_bytes: RandomBytes) -> npt.NDArray[np.uint8]:
    """Each record draws a ticket; of each person the records with the lowest tickets count, so many at the most."""
    import polars as pl

    drawn = np.frombuffer(random_bytes(_TICKET_BYTES * len(identities)), dtype=np.uint64)
    records = pl.DataFrame({_ID: identities, _TICKET: drawn})
    found = records.select(pl.len().over(_ID).alias(_HELD), pl.col(_TICKET).rank("ordinal").over(_ID).alias(_PLACE))
    share = pl.when(pl.col(_PLACE) <= most).then(pl.min_horizontal(pl.col(_HELD), pl.lit(most))).otherwise(0)
    return found.select(share.cast(pl.UInt8))[:, 0].to_numpy()
