"""What fails after a charge says so: budget that is gone without a word would be looked for, or spent again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from discreet.errors import DiscreetError
from discreet.guarantee import Receipt
from discreet.kernel.ledger import Ledger

__all__ = ["ChargeNote", "after_charge", "mention_charge", "perhaps_charged"]


class ChargeNote(str):
    """A note on an exception that names a charge. It may be shown: unlike notes of others it says nothing about records."""

    __slots__ = ()


def mention_charge(error: BaseException, receipt: Receipt, ledger: Ledger, outcome: str) -> None:
    """Write on an exception which charge was made before it, and what became of the release.

    Claim:      the note consists of what the ledger noted, its path and the given words.
    Requires:   ``outcome`` says nothing about the records.
    Checked by: tests/unit/kernel/test_publish.py::test_a_draw_that_fails_says_what_was_charged
    """
    where = "" if ledger.path is None else f" It is in the ledger {str(ledger.path)!r} and cannot be taken back."
    error.add_note(ChargeNote(f"Budget was spent before this happened: {receipt}.{where} {outcome}"))


@contextmanager
def after_charge(receipt: Receipt, ledger: Ledger) -> Iterator[None]:
    """Whatever stops the block, an interruption too, names the charge that was made before it.

    Claim:      the exception stays what it is, and carries a ``ChargeNote``.
    Requires:   nothing leaves the block but by its end.
    Checked by: tests/unit/kernel/test_publish.py::test_a_draw_that_fails_says_what_was_charged
    """
    try:
        yield
    except BaseException as error:
        mention_charge(error, receipt, ledger, "Nothing was published for it: trying again is charged again.")
        raise


@contextmanager
def perhaps_charged(ledger: Ledger) -> Iterator[None]:
    """Whatever stops a block that charges, and does not say whether it did, says where to look.

    An interruption can come at any moment, also when the charge is on the disk and its receipt not yet in hand.

    Claim:      an exception that is no refusal leaves the block with a ``ChargeNote``.
    Requires:   refusals, which charge nothing, are errors of this package.
    Checked by: tests/unit/mechanisms/test_prepared.py::test_an_interruption_within_the_charge_says_where_to_look
    """
    try:
        yield
    except BaseException as error:
        told = any(isinstance(words, ChargeNote) for words in getattr(error, "__notes__", ()))
        if not told and not isinstance(error, DiscreetError):
            where = "the ledger" if ledger.path is None else f"the ledger {str(ledger.path)!r}"
            error.add_note(ChargeNote(f"Budget may have been spent before this happened: {where} lists all charges."))
        raise
