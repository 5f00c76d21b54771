"""A release before it is paid for. All that can fail has been tried; what is left is to charge, to draw and to wrap.

It is tried with a stand-in for what will be drawn: numbers that are public, and as long as drawn ones ever are. The stand-in
takes the whole way of the release, through the text of its file and back. So what cannot be saved costs nothing, and how much
room the file needs is known before the charge.

What goes with every release: the guarantee that was paid for, the proof of payment, and what to beware of.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Generic, TypeVar

from discreet.errors import FormatError, ModelError
from discreet.guarantee import ZCDP, ApproxDP, Caveat, Guarantee, Neighbours, Receipt
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.publish import after_charge, perhaps_charged
from discreet.model.files.strict_json import LARGEST_INTEGER
from discreet.release_file.document import release_text
from discreet.releases import MechanismRecord, Release, software

__all__ = ["PRIOR_RELEASE", "Prepared", "furthest"]

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
        return _wrap_release(value, self.mechanism, receipt, self.scripted, self.caveats, self.software)


def furthest(rows: int, scale: Fraction, dimension: int = 1) -> int:
    """A number as long as any that counts of so many records become with noise of this scale, and that 64 bits hold.

    Claim:      noise is further off with a probability below exp(-60) for Laplace and Gaussian noise, and for a coordinate of
                K-norm noise of this dimension: its radius r has P(r > x scale) <= 2^(dimension + 1) exp(-x / 2).
    Requires:   nothing; only the room for a file depends on it.
    Checked by: tests/unit/mechanisms/test_prepared.py::test_no_file_is_longer_than_its_room
    """
    return -min(rows + math.ceil(scale * (128 + 2 * dimension)), LARGEST_INTEGER - 1)


_PUBLIC_ROWS = Caveat("public-rows", "The number of records is published exactly; the guarantee does not hide it.")
_ONE_RECORD = "The guarantee protects one record. Someone with several records is protected less: "
_UNLIMITED = Caveat(
    "unlimited-ledger",
    "Made without a cap on the privacy budget, as for experiments on public data. Do not rely on it for private data.",
)
_SCRIPTED = Caveat("scripted-bits", "Made with scripted random bits, as in tests. It protects nobody.")
PRIOR_RELEASE = Caveat(
    "prior-release",
    "The prior is the posterior of an earlier release, whose noisy counts this one contains. Whoever has a record in both "
    "data sets is protected only by both guarantees together, whose budgets add up; records that are in both count twice.",
)


def _wrap_release(
    value: P, mechanism: MechanismRecord, receipt: Receipt, scripted: Bits | None, further: tuple[Caveat, ...], software: str
) -> Release[P]:
    """A value with all that must be said about it.

    Claim:      the release states the guarantee that the ledger was charged for, and no other. One without a cap, or with
                noise that is not from the operating system, says so. Nothing is looked up: this happens after the charge.
    Requires:   the value was made under that guarantee, and ``scripted`` are the bits that it was made with, if not the
                operating system's.
    Checked by: tests/unit/mechanisms/test_wrapping.py::test_a_release_states_what_was_charged
                tests/unit/mechanisms/test_pipeline.py::test_an_unlimited_ledger_is_mentioned_in_the_release
                tests/unit/mechanisms/test_pipeline.py::test_scripted_bits_are_mentioned_in_the_release
    """
    return Release(
        value=value,
        guarantee=receipt.guarantee,
        neighbours=Neighbours.REPLACE_ONE,
        mechanism=mechanism,
        caveats=(*_caveats(receipt, scripted), *further),
        receipts=(receipt,),
        software=software,
    )


def _caveats(receipt: Receipt, scripted: Bits | None) -> tuple[Caveat, ...]:
    """What must be said about every release: always, without a cap, and with scripted bits."""
    said = [_PUBLIC_ROWS, Caveat("one-record", _ONE_RECORD + _less(receipt.guarantee))]
    if receipt.unlimited:
        said.append(_UNLIMITED)
    if scripted is not None:
        said.append(_SCRIPTED)
    return tuple(said)


def _less(guarantee: Guarantee) -> str:
    """What protects someone with several records."""
    match guarantee:
        case ZCDP():
            return "rho times the square of the number of their records."
        case ApproxDP():  # k records: delta (1 + exp(epsilon) + ... + exp((k - 1) epsilon))
            return (
                "epsilon times the number of their records, and delta grows faster still: k exp((k - 1) epsilon) times for "
                "k records."
            )
    return "epsilon times the number of their records."
