"""Whose a record is: the share with which each record counts, so that every person counts as one.

A table is read once, all its files together, and what counts in it is held in memory: read twice, it could give its records in
another order, and a share would go to somebody else's record. For networks that is a small code for each value, for lines the
columns as they are; and the column that tells persons apart, until shares are found. Then the records are counted as always.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.data.columns import types_of
from discreet.data.encoding import Codes, keyed_code_batches
from discreet.data.engines import ask, engine_frame, fetch, is_sqlite, numbered_columns
from discreet.data.matching import EXACT_WHOLE, WHOSE, missing_column
from discreet.data.source import Source, batches, guard, open_table
from discreet.data.table_files import are_files, are_workbooks
from discreet.errors import DataError, ModelError
from discreet.model.tables import Countable
from discreet.unit import Unit

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PersonRecords", "RandomBytes", "read_person_codes", "read_persons"]

T = TypeVar("T")
H = TypeVar("H")

RandomBytes: TypeAlias = Callable[[int], bytes]
"""So many fresh bytes of the kernel's only source of randomness, which this room may not open itself."""

_ID, _TICKET, _HELD, _PLACE = "id", "ticket", "held", "place"
_TICKET_BYTES = 8
_BUCKET = 2**20
"""About how many records are shared out at a time, all of a person together: it takes room."""
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
_LONG_NUMBER = r"^-?[0-9]{16,}$"
_LONG = (
    "The column {!r} has numbers of more than 15 digits, and a workbook keeps no more: two persons could be taken for one. "
    "Give the records as CSV or Parquet, written by the program that the workbook comes from."
)


@dataclass(frozen=True, slots=True)
class PersonRecords(Generic[H]):
    """What is held of a table, and for each of its records, in order, how many records share the person.

    A record whose share is r counts 1 / r, one whose share is 0 does not count. Shares of one person's records that count sum
    to one. Private: never leaves here.
    """

    held: H = field(repr=False)
    shares: npt.NDArray[np.uint8] = field(repr=False)

    def with_shares(self, parts: Iterable[T], size: Callable[[T], int]) -> Iterator[tuple[T, npt.NDArray[np.uint8]]]:
        """All batches of the table, each with the shares of its records."""
        start = 0
        for part in parts:
            yield part, self.shares[start : start + size(part)]
            start += size(part)
        if start != len(self.shares):
            raise RuntimeError("Not every record of the table was read; this is a defect of discreet.")


def read_person_codes(
    data: Any,
    network: Countable,
    unit: Unit,
    random_bytes: RandomBytes,
    *,
    missing: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> PersonRecords[list[Codes]]:
    """Encode a table, hold the codes, and find the share of each record.

    Claim:      which records of a person count, and with which share, depends on that person's records alone and on fresh
                random bytes: at most ``unit.most`` of them, all sets of so many equally likely. So one person adds to every
                sum over records a point of the convex hull of what one record adds.               [GUARANTEES 13.1]
    Requires:   ``unit`` is a person. A missing value of the column, and a column of the model, are refused here.
    Checked by: tests/unit/data/test_persons.py::test_shares_of_every_person_sum_to_one
                tests/unit/data/test_persons.py::test_shares_of_a_person_do_not_depend_on_the_others
    """
    column = _column(data, unit, [variable.column for variable in network.variables])
    held: list[Codes] = []
    identities = []
    for whose, codes in keyed_code_batches(data, network, column, missing=missing, progress=progress):
        identities.append(_identities(whose, column, are_workbooks(data)))
        held.append(codes)
    return PersonRecords(held, _shares(identities, unit.most, random_bytes))


def read_persons(data: Any, columns: Sequence[str], unit: Unit, random_bytes: RandomBytes) -> PersonRecords[Source]:
    """Hold these columns of a table as they are, and find the share of each record.

    Claim:      as ``read_person_codes``.                                                          [GUARANTEES 13.1]
    Requires:   as ``read_person_codes``.
    Checked by: tests/unit/data/test_persons.py::test_tables_of_all_kinds_are_held_once
    """
    column = _column(data, unit, columns)
    table = _hold(data, columns, column)
    names = guard(lambda: table.frame.collect_schema().names())
    if column not in names:
        raise missing_column(column, table.names or names, WHOSE)
    identities = _identities(table.frame.lazy().select(column).collect()[column], column, are_workbooks(data))
    return PersonRecords(table, _shares([identities], unit.most, random_bytes))


def _column(data: Any, unit: Unit, columns: Sequence[str]) -> str:
    """The column that tells persons apart: none of the model's, and not of several types."""
    column = str(unit.column)
    if column in columns:
        raise ModelError(f"The column {column!r} says whose a record is, so it cannot be a column of the model as well.")
    if not are_files(data) and engine_frame(data) is None:
        _check_types(guard(lambda: types_of(data, column)), column)
    return column


def _hold(data: Any, columns: Sequence[str], column: str) -> Source:
    """The columns that are needed, read in one go: in which order does not matter then."""
    import polars as pl

    wanted = [*columns, column]
    frame = engine_frame(data)
    if frame is not None:
        return Source(_fetched(frame, wanted))
    source = open_table(data, wanted)
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


def _fetched(frame: Any, wanted: Sequence[str]) -> pl.DataFrame:
    """These columns of a table that another engine holds. SQLite's values come as texts, numbers too."""
    import narwhals as nw
    import polars as pl

    native = nw.to_native(numbered_columns(frame, wanted))
    held = ask(lambda: fetch(native, {})).rename({f"column_{place}": name for place, name in enumerate(wanted)})
    texts = [name for name in wanted[:-1] if held.schema[name] == pl.String and is_sqlite(native)]
    return held.with_columns(pl.col(texts).cast(pl.Float64, strict=False)) if texts else held


def _identities(given: pl.Series, column: str, workbook: bool) -> pl.Series:
    """Values that tell persons apart, each a number or a text; a missing or blank one is refused."""
    import polars as pl

    dtype = given.dtype
    if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
        raise DataError(_NESTED.format(column))
    found = given
    if dtype.is_float():
        found = given.fill_nan(None)
    elif not dtype.is_integer():
        found = guard(lambda: given.cast(pl.String), _NESTED.format(column))
        blank = found.str.strip_chars() == ""
        found = found if not blank.any() else found.set(blank, None)  # a blank is nobody
    if found.null_count():
        raise DataError(_MISSING.format(column))
    if dtype.is_float() and (found.abs() >= EXACT_WHOLE[str(dtype)]).any():
        raise DataError(_ROUNDED.format(column))
    if workbook and found.str.contains(_LONG_NUMBER).any():
        raise DataError(_LONG.format(column))
    nothing = pl.lit(0 if found.dtype.is_numeric() else "", dtype=found.dtype)
    return found.to_frame(_ID).select(pl.col(_ID) + nothing)[_ID]  # a copy: what an engine hands over holds all its columns


def _shares(parts: Sequence[pl.Series], most: int, random_bytes: RandomBytes) -> npt.NDArray[np.uint8]:
    """Each record draws a ticket; of each person the records with the lowest tickets count, so many at the most."""
    import polars as pl

    identities = pl.concat(parts)
    if not len(identities):
        raise DataError("The table has no records. It needs at least one.")
    buckets = -(-len(identities) // _BUCKET)
    bucket = (identities.hash() % buckets).cast(pl.UInt32)
    shares = np.zeros(len(identities), dtype=np.uint8)
    for number in range(buckets):
        places = (bucket == number).arg_true()
        tickets = np.frombuffer(random_bytes(_TICKET_BYTES * len(places)), dtype=np.uint64)
        shares[places.to_numpy()] = _share_out(pl.DataFrame({_ID: identities.gather(places), _TICKET: tickets}), most)
    return shares


def _share_out(records: pl.DataFrame, most: int) -> npt.NDArray[np.uint8]:
    import polars as pl

    found = records.select(pl.len().over(_ID).alias(_HELD), pl.col(_TICKET).rank("ordinal").over(_ID).alias(_PLACE))
    share = pl.when(pl.col(_PLACE) <= most).then(pl.min_horizontal(pl.col(_HELD), pl.lit(most))).otherwise(0)
    return found.select(share.cast(pl.UInt8))[:, 0].to_numpy()
