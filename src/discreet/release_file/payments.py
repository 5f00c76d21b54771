"""What the receipts of a file have paid for: together its guarantee, and one by one its graph and its release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import Guarantee, Receipt

__all__ = ["check_payment", "compose", "divide_payment"]


def check_payment(receipts: tuple[Receipt, ...], guarantee: Guarantee) -> None:
    """The receipts must pay for the guarantee together."""
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
