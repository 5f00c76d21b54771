"""What goes with every release: the guarantee that was paid for, the proof of payment, and what to beware of."""

from __future__ import annotations

from typing import TypeVar

from discreet.guarantee import ZCDP, ApproxDP, Caveat, Guarantee, Neighbours, Receipt
from discreet.kernel.bits import Bits
from discreet.releases import MechanismRecord, Release

__all__ = ["PRIOR_RELEASE", "wrap_release"]

P = TypeVar("P")

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


def wrap_release(
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
