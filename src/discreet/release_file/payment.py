"""What a release promises and what was paid for it: guarantees and receipts as files hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import ZCDP, ApproxDP, Guarantee, PureDP, Receipt
from discreet.model.files.plain_shapes import Constant, Integer, Text
from discreet.model.files.shape import FRACTION, Entry, ListOf, Object, OrNull, Shared, Tagged
from discreet.releases import Release

__all__ = ["GUARANTEE", "RECEIPTS", "check_payment", "compose", "divide_payment", "guarantee_to_json"]


def _approximate(epsilon: Fraction, delta: Fraction) -> ApproxDP:
    if delta >= 1:
        raise FormatError("The guarantee must have a delta below 1.")
    return ApproxDP(epsilon, delta)


def _receipt(**entries: Any) -> Receipt:
    receipt = Receipt(**entries)
    if receipt.cap is not None and (receipt.spent is None or receipt.spent > receipt.cap):
        raise FormatError("A receipt in the release file must say what was spent, and that it was within the cap.")
    if not _can_be(receipt.guarantee, receipt.spent, receipt.cap, receipt.delta):
        raise FormatError("A receipt in the release file is not one that a ledger writes. Do not rely on it; ask the steward.")
    return receipt


GUARANTEE = Shared(
    "guarantee",
    Tagged(
        "kind",
        (
            Object({"epsilon": FRACTION}, PureDP, {"kind": Constant("pure")}),
            Object({"rho": FRACTION}, ZCDP, {"kind": Constant("zcdp")}),
            Object({"epsilon": FRACTION, "delta": FRACTION}, _approximate, {"kind": Constant("approximate")}, ApproxDP),
        ),
        "{} is of a kind that is not known to this version. Update discreet.",
    ),
)
_SPENT = "The epsilon of all charges so far, at the ledger's delta; null where a ledger without cap cannot say."
_DELTA = "The delta at which the cap holds; null where it is a cap on pure epsilon."
_RECEIPT = Object(
    {
        "dataset": Text(),
        "number": Integer(1),
        "guarantee": Entry(GUARANTEE, says="What was charged."),
        "spent": Entry(OrNull(FRACTION), says=_SPENT),
        "cap": Entry(OrNull(FRACTION), says="null where the ledger had no cap."),
        "delta": Entry(OrNull(FRACTION), says=_DELTA),
        "at": Entry(Text(), says="When the charge was made, in UTC."),
    },
    _receipt,
)
RECEIPTS = ListOf(Entry(_RECEIPT, "A receipt"), least=1)


def guarantee_to_json(guarantee: Guarantee) -> dict[str, str]:
    """The kind of the guarantee and its budgets, exactly."""
    written: dict[str, str] = GUARANTEE.write(guarantee)
    return written


def check_payment(receipts: tuple[Receipt, ...], guarantee: Guarantee, parts: tuple[Release[Any], ...]) -> None:
    """The receipts must pay for the guarantee together; those of parts each paid for one, and are all there."""
    if parts:
        if receipts != tuple(receipt for part in parts for receipt in part.receipts):
            raise FormatError("The receipts in the release file are not those of its parts. Do not rely on it.")
        return
    if compose(receipts) != guarantee:
        raise FormatError("The receipts in the release file do not pay for its guarantee. Do not rely on it; ask the steward.")


def divide_payment(said: Mapping[str, Any], learned: bool) -> tuple[Guarantee, Guarantee | None]:
    """What was paid for the release itself, and before it for its graph: the last receipt, and all others."""
    *before, last = said["receipts"]
    if not learned:
        return said["guarantee"], None
    if not before:
        raise FormatError("The release file has no receipt for its learned graph. Do not rely on it; ask the steward.")
    return last.guarantee, compose(before)


def compose(receipts: Sequence[Receipt]) -> Guarantee:
    """What several charges guarantee together."""
    return reduce(lambda one, two: one.compose(two), (each.guarantee for each in receipts))


def _can_be(guarantee: Guarantee, spent: Fraction | None, cap: Fraction | None, delta: Fraction | None) -> bool:
    """Whether a ledger can have charged this: what it says was spent includes the charge.

    Conversions between kinds are not repeated: a later version may have sharper ones.
    """
    if delta is None:  # pure budgets add up; what is not pure has no total without a delta
        return spent is None if type(guarantee) is not PureDP else spent is None or spent >= guarantee.epsilon
    if cap is None or spent is None or delta >= 1:
        return False
    return type(guarantee) is not ApproxDP or (spent >= guarantee.epsilon and delta >= guarantee.delta)
