"""Cuts of a numeric column that are chosen from private records, for a part of the budget."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from discreet.checks import check_reading, check_whole, is_table
from discreet.errors import BudgetError, ModelError, of_kind
from discreet.guarantee import BudgetLike, Guarantee, PureDP, Receipt, exact
from discreet.kernel.bits import Bits, OperatingSystemBits
from discreet.kernel.draws.cut_points import draw_cuts
from discreet.kernel.ledger import Ledger
from discreet.kernel.publish import after_charge, charge_and_draw, mention_charge, perhaps_charged
from discreet.learning.cut_grid import Grid, candidate_cuts
from discreet.mechanisms.arguments import as_ledger
from discreet.mechanisms.subject import FAMILY_COUNTS
from discreet.model.files.schema_file import check_schema_path, read_schema, schema_text
from discreet.model.files.strict_json import show_text
from discreet.model.network import Network
from discreet.model.schema import Schema
from discreet.model.schema_column import SchemaColumn
from discreet.output_file import OutputFile
from discreet.unit import RECORD, RowsPerPerson, Unit, choose_unit

__all__ = ["PreparedCuts", "cuts", "prepare_cuts"]

_MOST_PARTS = 100
_LONGEST_RECEIPT = 900
"""Characters: a schema holds a little more, and the number of a charge may grow until it is made."""
_RECEIPT_ROOM = 4096
"""Bytes by which a receipt can grow if others are charged in the meantime."""
_ORDER = "Write cuts(data, schema, column, parts=5, epsilon='0.05', ledger=...)."


def cuts(
    data: Any,
    schema: Schema | str | os.PathLike[str],
    column: str,
    *,
    parts: int,
    epsilon: BudgetLike,
    ledger: Ledger | str | os.PathLike[str],
    grid: Grid | None = None,
    rows: int | None = None,
    person: str | None = None,
    rows_per_person: RowsPerPerson | str | None = None,
    average_of: int | None = None,
    rows_at_most: int | None = None,
    progress: Callable[[int], None] | None = None,
    _bits: Bits | None = None,
) -> Schema:
    """Choose cuts of a column so that its parts hold about equally many records, for epsilon; the schema with these cuts.

    The column has a type and bounds, and no levels yet. ``grid`` declares where it may be cut: a step, whose multiples between
    the bounds are candidates, or a list of at most 1,000 candidates; without it a round step that makes at most 500.
    ``rows``, ``person`` and what belongs to it are what they are for ``release``. The column of the result names the charge
    that paid for its cuts, and a release of it says so; that release costs its own epsilon besides.

    Claim:      the cuts satisfy epsilon-differential privacy, and the ledger was charged for them before anything was drawn.
                All else in the result is as it was declared. Parts are held against equal shares of the records that
                are in some part, whose number is the public one unless the column has levels for others or missing values.
    Requires:   schema, grid, parts and epsilon are public and were chosen without looking at the records.
    Checked by: tests/audit/test_cut_worlds.py::test_no_cuts_are_likelier_than_epsilon_allows
                tests/unit/learning/test_cuts.py::test_cuts_are_charged_once_and_before_anything_is_drawn
    """
    unit = choose_unit(person, rows_per_person, average_of, rows_at_most)
    return prepare_cuts(
        data, schema, column, parts=parts, epsilon=epsilon, ledger=ledger, grid=grid, rows=rows, unit=unit, progress=progress,
        _bits=_bits,
    ).publish()  # fmt: skip


@dataclass(frozen=True, eq=False)
class PreparedCuts:
    """Cuts that are only to be paid for and drawn. It holds private counts: never publish it, only what it publishes.

    Claim:      ``publish`` charges only after the same schema was made of a stand-in; what fails after the charge names it.
    Requires:   ``table`` counts the whole data set under the ledger's name, between all candidates.
    Checked by: tests/unit/learning/test_cuts.py::test_cuts_are_charged_once_and_before_anything_is_drawn
    """

    schema: Schema
    column: SchemaColumn
    candidates: tuple[str, ...]
    parts: int
    guarantee: PureDP
    ledger: Ledger
    table: tuple[int, ...] = field(repr=False)
    bits: Bits | None = field(repr=False)

    @property
    def stand_in(self) -> Schema:
        """The schema as it could come out, made of public facts alone."""
        return self._wrap(tuple(range(1, self.parts)), self.ledger.check(self.guarantee))

    def publish(self) -> Schema:
        """Charge, draw and wrap. Every call is paid for."""
        with perhaps_charged(self.ledger):
            return self._publish()[0]

    def save(self, path: Path, *, overwrite: bool = False) -> Schema:
        """Take the room that the schema file needs, then ``publish`` and write it. What is paid for is not lost with the file.

        Claim:      what would keep the schema from its file is refused before the charge. Where it fails to be written all the
                    same, the error names the charge and the cuts, which are public by then.
        Requires:   nothing.
        Checked by: tests/unit/learning/test_cuts.py::test_cuts_that_cannot_be_written_are_told_or_cost_nothing
        """
        check_schema_path(path)
        room = len(schema_text(self.stand_in).encode()) + self.parts * max(map(len, self.candidates)) + _RECEIPT_ROOM
        with OutputFile(path, overwrite=overwrite, room=room) as file, perhaps_charged(self.ledger):
            made, receipt = self._publish()
            try:
                file.write(schema_text(made).encode())
            except BaseException as error:
                chosen = ", ".join(made.column(self.column.name).cuts)
                mention_charge(error, receipt, self.ledger, f"The cuts are not lost: write {chosen} into the schema.")
                raise
        return made

    def _publish(self) -> tuple[Schema, Receipt]:
        self.stand_in  # noqa: B018 - what fails, fails here
        draw = partial(draw_cuts, self.table, self.parts - 1, self.guarantee.epsilon, whole=self.ledger.unit.parts)
        places, receipt = charge_and_draw(draw, self.guarantee, self.ledger, _purpose(self.column), _bits=self.bits)
        with after_charge(receipt, self.ledger):
            return self._wrap(places, receipt), receipt

    def _wrap(self, places: tuple[int, ...], receipt: Receipt) -> Schema:
        """The schema whose column has the cuts at these places of the grid, and names the charge."""
        chosen = [self.candidates[place - 1] for place in places]
        made = replace(self.column, cuts=chosen, receipt=_name(receipt, self.ledger.unit, self.bits))
        columns = [made if each is self.column else each for each in self.schema.columns]
        return Schema(columns, title=self.schema.title, description=self.schema.description)


def prepare_cuts(
    data: Any,
    schema: Schema | str | os.PathLike[str],
    column: str,
    *,
    parts: int,
    epsilon: BudgetLike,
    ledger: Ledger | str | os.PathLike[str],
    grid: Grid | None = None,
    rows: int | None = None,
    unit: Unit = RECORD,
    progress: Callable[[int], None] | None = None,
    _bits: Bits | None = None,
) -> PreparedCuts:
    """All of ``cuts`` but its end: the records are counted between the candidates.

    Claim:      nothing is charged, and what ``cuts`` would refuse is refused.
    Requires:   as ``cuts``.
    Checked by: tests/unit/learning/test_bad_cuts.py::test_what_is_refused_costs_nothing
    """
    check_reading(None, rows, progress)
    declared = _as_schema(data, schema)
    whole = declared.column(column)
    candidates = candidate_cuts(whole, grid)
    _check_parts(parts, candidates, whole)
    counted = Network([replace(whole, cuts=candidates).variable()])  # a column with all cuts of the grid, counted as always
    guarantee, account = PureDP(exact(epsilon)), as_ledger(ledger)
    if unit != RECORD:  # a ledger may have a unit already
        account = account.for_unit(unit)
    _check_receipt(account, guarantee, _bits)  # before the long work; the binding check is the charge
    source = OperatingSystemBits() if _bits is None else _bits
    found = FAMILY_COUNTS.count(
        data, counted, missing=None, rows=rows, progress=progress, unit=account.unit, random_bytes=source.read
    )
    FAMILY_COUNTS.check(found, counted)
    table = tuple(found[whole.name][0, : len(candidates) + 1].tolist())  # not the levels of what is in no part
    return PreparedCuts(declared, whole, candidates, parts, guarantee, account, table, _bits)


def _as_schema(data: object, schema: object) -> Schema:
    """A schema, or the one in a file; a table in its place is never parsed as one."""
    frame = hasattr(schema, "__dataframe__") or hasattr(schema, "iloc")
    if frame or is_table(schema) or isinstance(data, Schema):
        raise ModelError(f"Records and schema are in each other's place. {_ORDER}")
    if isinstance(schema, str | os.PathLike):
        return read_schema(schema)
    if not isinstance(schema, Schema):
        raise ModelError(f"{of_kind(schema)} is no schema. {_ORDER}")
    return schema


def _check_parts(parts: object, candidates: tuple[str, ...], column: SchemaColumn) -> None:
    """Refuse a number of parts for which there are no cuts, and a level that could be taken for a part."""
    most = min(_MOST_PARTS, len(candidates) + 1)
    if not 2 <= check_whole(parts, "parts", 2, ModelError) <= most:
        raise ModelError(
            f"{show_text(column.name)} can be cut into 2 to {most} parts: its grid has {len(candidates):,} candidates, and "
            f"there are at most {_MOST_PARTS} parts. Ask for fewer, or declare a finer grid."
        )
    ends = {*candidates, column.minimum, column.maximum}
    other = column.other or ""
    bare = other.strip("[]()<>= ")
    if bare != other and set(bare.split(", ")) <= ends:
        raise ModelError(
            f"The level for other values of {show_text(column.name)} is called like a part; give it another name, such as "
            "'(other)'."
        )


def _check_receipt(ledger: Ledger, guarantee: Guarantee, scripted: Bits | None) -> None:
    """Refuse what would overspend, and an epsilon so long that a schema could not name the charge."""
    if len(_name(ledger.check(guarantee), ledger.unit, scripted)) > _LONGEST_RECEIPT:
        raise BudgetError('A schema cannot name a charge with so many digits. Give a short epsilon, such as "0.05".')


def _purpose(column: SchemaColumn) -> str:
    """What the ledger notes: the name of the column, as far as a line of a ledger has room for it."""
    name = "".join(letter for letter in column.name if letter.isprintable())[:60].strip()
    return f"cuts of {name}" if name else "cuts"


def _name(receipt: Receipt, unit: Unit, scripted: Bits | None) -> str:
    """Which charge it was, whom it protects where that is not one record, and what keeps it from protecting anybody."""
    said = [receipt.charge]
    if unit != RECORD:
        said.append(f"protects {unit}")
    if receipt.unlimited:
        said.append("from a ledger without a cap, as for experiments on public data")
    if scripted is not None:
        said.append("with scripted random bits, which protect nobody")
    return ", ".join(said)
