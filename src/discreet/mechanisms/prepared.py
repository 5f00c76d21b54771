"""A release before it is paid for. All that can fail has been tried; what is left is to charge, to draw and to wrap.

It is tried with a stand-in for what will be drawn: numbers that are public, and as long as drawn ones ever are. The stand-in
takes the whole way of the release, through the text of its file and back. So what cannot be saved costs nothing, and how much
room the file needs is known before the charge.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Generic, TypeVar

from discreet.errors import FormatError, ModelError
from discreet.guarantee import Caveat, Guarantee, Receipt
from discreet.kernel.after_charge import after_charge, perhaps_charged
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.mechanisms.wrapping import wrap_release
from discreet.model.files.json_parts import LARGEST_INTEGER
from discreet.release_file.writer import release_text
from discreet.releases import MechanismRecord, Release, software

__all__ = ["Prepared", "furthest"]

S = TypeVar("S")
P = TypeVar("P")

_RECEIPT_ROOM = 8192
"""Bytes by which a receipt can grow if others are charged in the meantime: its numbers have at most 2000 digits each."""


@dataclass(frozen=True, eq=False, repr=False)
class Prepared(Generic[S, P]):
    """What is left to do for a release: ``charge`` and draw an S, ``make`` the posterior P of it, and wrap that.

    It holds the private counts, inside ``charge``: never publish it, only what it publishes.

    Claim:      ``publish`` charges only after the same release, made of ``stand_in``, was written as a file's text and read
                again. After the charge nothing is read or looked up; what fails then names the charge.
    Requires:   ``charge`` goes through the kernel, which charges before it draws; ``stand_in`` does not depend on the records,
                but for their number, and has the shape of what is drawn.
    Checked by: tests/unit/mechanisms/test_prepared.py::test_what_cannot_be_written_costs_nothing
                tests/unit/mechanisms/test_prepared.py::test_nothing_is_looked_up_after_the_charge
                tests/unit/mechanisms/test_prepared.py::test_a_stand_in_does_not_depend_on_the_records
    """

    mechanism: MechanismRecord
    guarantee: Guarantee
    ledger: Ledger
    charge: Callable[[], tuple[S, Receipt]]
    make: Callable[[S], P]
    stand_in: S
    scripted: Bits | None
    caveats: tuple[Caveat, ...] = ()
    software: str = field(default_factory=software)

    def beware(self, *caveats: Caveat) -> Prepared[S, P]:
        """The same release with more to be said about it."""
        return replace(self, caveats=(*self.caveats, *caveats))

    @cached_property
    def room(self) -> int:
        """How many bytes a file needs at the most. Finds what would keep it from being written."""
        receipt = self.ledger.check(self.guarantee)
        try:
            text = release_text(self._wrap(self.make(self.stand_in), receipt))
        except (FormatError, ModelError) as error:
            raise FormatError(f"This release could not be saved, so nothing was charged. {error}") from None
        return len(text) + len(text) // 8 + _RECEIPT_ROOM

    def publish(self) -> Release[P]:
        """Charge the ledger, draw and wrap. Every call is a release of its own."""
        self.room  # noqa: B018 - what fails, fails here
        with perhaps_charged(self.ledger):
            drawn, receipt = self.charge()
            with after_charge(receipt, self.ledger):
                return self._wrap(self.make(drawn), receipt)

    def _wrap(self, value: P, receipt: Receipt) -> Release[P]:
        return wrap_release(value, self.mechanism, receipt, self.scripted, self.caveats, self.software)


def furthest(rows: int, scale: Fraction, dimension: int = 1) -> int:
    """A number as long as any that counts of so many records become with noise of this scale, and that 64 bits hold.

    Claim:      noise is further off with a probability below exp(-60) for Laplace and Gaussian noise, and for a coordinate of
                K-norm noise of this dimension: its radius r has P(r > x scale) <= 2^(dimension + 1) exp(-x / 2).
    Requires:   nothing; only the room for a file depends on it.
    Checked by: tests/unit/mechanisms/test_prepared.py::test_no_file_is_longer_than_its_room
    """
    return -min(rows + math.ceil(scale * (128 + 2 * dimension)), LARGEST_INTEGER - 1)
