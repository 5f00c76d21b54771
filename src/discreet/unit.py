"""Whom a guarantee protects: one record, one person with all of that person's records, or somebody with at most so many.

A unit is public. It is declared by the steward, travels with the ledger through a release, and is named in the release file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from discreet.errors import BudgetError, ModelError
from discreet.guarantee import ZCDP, Guarantee, Neighbours, PureDP

__all__ = ["AVERAGE_OF", "LARGEST_AVERAGE", "RECORD", "RowsPerPerson", "Unit", "UnitKind", "choose_unit"]

AVERAGE_OF = 12
"""Of so many records of a person the average is taken, where nothing else is said."""
LARGEST_AVERAGE = 20
"""Counts in parts of lcm(1..20) = 232,792,560 of a person still leave room for ten billion persons in 64-bit integers."""
_LARGEST_GROUP = 1000
"""Records of one person that a guarantee may be multiplied for; beyond this nothing is protected."""


class UnitKind(Enum):
    """What is exchanged between neighbouring data sets."""

    RECORD = "record"
    PERSON = "person"
    ROWS_AT_MOST = "rows-at-most"


class RowsPerPerson(Enum):
    """How the records of one person become one contribution."""

    ONE = "one"
    """One of them, chosen at random."""
    AVERAGE = "average"
    """Their average: each of r records weighs 1 / r."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Whom a guarantee protects. ``RECORD``, ``Unit.person("patient_id")`` and ``Unit.rows_at_most(4)`` make one.

    ``most`` is how many records of a person count; a person with more is represented by so many, chosen at random. One record
    of each person is the average of at most one.
    """

    kind: UnitKind = UnitKind.RECORD
    column: str | None = None
    most: int = 1

    def __post_init__(self) -> None:
        """Refuse what is no unit: a charge is multiplied by what it says, and half a record would halve it."""
        largest = {UnitKind.RECORD: 1, UnitKind.PERSON: LARGEST_AVERAGE, UnitKind.ROWS_AT_MOST: _LARGEST_GROUP}
        whole = type(self.most) is int and 1 <= self.most <= largest.get(self.kind, 0)
        if not whole or (self.kind is UnitKind.PERSON) != bool(self.column):
            raise ModelError('There is no such unit. Write Unit.person("patient_id") or Unit.rows_at_most(4).')

    @classmethod
    def person(cls, column: str, rows: RowsPerPerson | str = RowsPerPerson.ONE, average_of: int = AVERAGE_OF) -> Unit:
        """One person: all records with one value in this column."""
        if not isinstance(column, str) or not column:
            raise ModelError('person is the name of the column that says whose a record is, such as person="patient_id".')
        try:
            each = RowsPerPerson(rows)
        except ValueError:
            raise ModelError('rows_per_person is "one" or "average".') from None
        if type(average_of) is not int or not 2 <= average_of <= LARGEST_AVERAGE:
            raise ModelError(
                f"An average is of at most so many records of a person: a whole number from 2 to {LARGEST_AVERAGE}."
            )
        return cls(UnitKind.PERSON, column, 1 if each is RowsPerPerson.ONE else average_of)

    @classmethod
    def rows_at_most(cls, rows: int) -> Unit:
        """Somebody with at most so many records, whichever these are: there is no column that says so."""
        if type(rows) is not int or not 2 <= rows <= _LARGEST_GROUP:
            raise ModelError(
                f"rows_at_most is how many records a person has at the most: a whole number from 2 to {_LARGEST_GROUP}."
            )
        return cls(UnitKind.ROWS_AT_MOST, None, rows)

    @property
    def rows(self) -> RowsPerPerson:
        """How the records of one person become one contribution."""
        return RowsPerPerson.ONE if self.most == 1 else RowsPerPerson.AVERAGE

    @property
    def parts(self) -> int:
        """In how many equal parts a person is counted: every share 1 / r, r <= most, is a whole number of them."""
        return math.lcm(*range(1, self.most + 1)) if self.kind is UnitKind.PERSON else 1

    @property
    def group(self) -> int:
        """How many records are exchanged at once."""
        return self.most if self.kind is UnitKind.ROWS_AT_MOST else 1

    @property
    def noun(self) -> str:
        """What the public number counts, in the singular."""
        return "person" if self.kind is UnitKind.PERSON else "record"

    @property
    def neighbours(self) -> Neighbours:
        """Which data sets the guarantee compares."""
        return {
            UnitKind.RECORD: Neighbours.REPLACE_ONE,
            UnitKind.PERSON: Neighbours.REPLACE_PERSON,
            UnitKind.ROWS_AT_MOST: Neighbours.REPLACE_ROWS,
        }[self.kind]

    def protect(self, guarantee: Guarantee) -> Guarantee:
        """What a guarantee for one contribution is worth for the unit: exact, by group privacy.

        Between data sets that differ in k records there are k steps of one record. Ratios of probabilities multiply, so
        epsilon becomes k epsilon; a Renyi divergence of rho a for all a becomes one of k^2 rho a (Bun & Steinke 2016). An
        approximate guarantee has no such exact fraction, and is refused.
        """
        return self._scale(guarantee, Fraction(self.group))

    def protect_one(self, guarantee: Guarantee) -> Guarantee:
        """The reverse: the guarantee for one contribution that this one was made of."""
        return self._scale(guarantee, Fraction(1, self.group))

    def _scale(self, guarantee: Guarantee, factor: Fraction) -> Guarantee:
        match guarantee:
            case _ if factor == 1:
                return guarantee
            case PureDP(epsilon):
                return PureDP(epsilon * factor)
            case ZCDP(rho):
                return ZCDP(rho * factor**2)
        raise BudgetError(
            "Several records of a person are protected exactly by guarantees that are pure or zero-concentrated. Choose a "
            "mechanism with one of these, or give the column that says whose a record is. Nothing was charged."
        )

    def __str__(self) -> str:
        match self.kind:
            case UnitKind.PERSON if self.most == 1:
                return "one person, represented by one record"
            case UnitKind.PERSON:
                return f"one person, represented by the average of at most {self.most} records"
            case UnitKind.ROWS_AT_MOST:
                return f"somebody with at most {self.most} records"
        return "one record"


RECORD = Unit()


def choose_unit(
    person: str | None, rows_per_person: RowsPerPerson | str | None, average_of: int | None, rows_at_most: int | None
) -> Unit:
    """The unit that these words declare. Words that do not belong together are refused."""
    if person is None and (rows_per_person is not None or average_of is not None):
        raise ModelError('Say whose a record is: person="patient_id", the column that tells persons apart.')
    if person is not None and rows_at_most is not None:
        raise ModelError("rows_at_most is for records without a column that tells persons apart. Leave it out beside person.")
    if rows_at_most is not None:
        return Unit.rows_at_most(rows_at_most)
    if person is None:
        return RECORD
    rows = RowsPerPerson.ONE if rows_per_person is None else rows_per_person
    if average_of is None:
        return Unit.person(person, rows)
    if rows in (RowsPerPerson.ONE, "one"):
        raise ModelError('average_of belongs to rows_per_person="average".')
    return Unit.person(person, rows, average_of)
