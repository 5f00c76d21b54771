"""Guarantees and receipts in a release file."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import ZCDP, ApproxDP, Guarantee, PureDP, Receipt
from discreet.model.files.json_parts import json_fraction, json_integer, json_list, json_object, json_text

__all__ = ["guarantee_from_json", "guarantee_to_json", "receipt_to_json", "receipts_from_json"]

_LONGEST_TEXT = 2000
_BUDGETS = {"pure": (PureDP, ("epsilon",)), "zcdp": (ZCDP, ("rho",)), "approximate": (ApproxDP, ("epsilon", "delta"))}


def guarantee_to_json(guarantee: Guarantee) -> dict[str, str]:
    """The kind of the guarantee and its budgets, exactly."""
    for kind, (promise, names) in _BUDGETS.items():
        if type(guarantee) is promise:
            return {"kind": kind, **{name: str(getattr(guarantee, name)) for name in names}}
    raise FormatError("A guarantee of this type cannot be saved.")


def guarantee_from_json(content: object, what: str = "The guarantee") -> Guarantee:
    """Check the kind and the budgets."""
    kind = content.get("kind") if isinstance(content, dict) else None
    if not isinstance(kind, str) or kind not in _BUDGETS:
        raise FormatError(f"{what} is of a kind that is not known to this version. Update discreet.")
    promise, names = _BUDGETS[kind]
    entries = json_object(content, what, ("kind", *names))
    guarantee: Guarantee = promise(*(json_fraction(entries[name], what) for name in names))
    if isinstance(guarantee, ApproxDP) and guarantee.delta >= 1:
        raise FormatError(f"{what} must have a delta below 1.")
    return guarantee


def receipt_to_json(receipt: Receipt) -> dict[str, Any]:
    """What the ledger noted, exactly."""
    budgets = {"spent": receipt.spent, "cap": receipt.cap, "delta": receipt.delta}
    return {
        "dataset": receipt.dataset,
        "number": receipt.number,
        "guarantee": guarantee_to_json(receipt.guarantee),
        **{name: None if value is None else str(value) for name, value in budgets.items()},
        "at": receipt.at,
    }


def receipts_from_json(content: object, guarantee: Guarantee) -> tuple[Receipt, ...]:
    """Check the receipts, which must pay for the guarantee together."""
    receipts = tuple(_receipt(item) for item in json_list(content, "The receipts"))
    if not receipts or reduce(lambda one, two: one.compose(two), (each.guarantee for each in receipts)) != guarantee:
        raise FormatError("The receipts in the release file do not pay for its guarantee. Do not rely on it; ask the steward.")
    return receipts


def _receipt(content: object) -> Receipt:
    entries = json_object(content, "A receipt", ("dataset", "number", "guarantee", "spent", "cap", "delta", "at"))
    spent, cap, delta = (
        None if entries[name] is None else json_fraction(entries[name], "A receipt") for name in ("spent", "cap", "delta")
    )
    if cap is not None and (spent is None or spent > cap):
        raise FormatError("A receipt in the release file must say what was spent, and that it was within the cap.")
    guarantee = guarantee_from_json(entries["guarantee"], "A receipt")
    if not _can_be(guarantee, spent, cap, delta):
        raise FormatError("A receipt in the release file is not one that a ledger writes. Do not rely on it; ask the steward.")
    return Receipt(
        json_text(entries["dataset"], "A receipt", _LONGEST_TEXT),
        json_integer(entries["number"], "A receipt", 1),
        guarantee,
        spent,
        cap,
        delta,
        json_text(entries["at"], "A receipt", _LONGEST_TEXT),
    )


def _can_be(guarantee: Guarantee, spent: Fraction | None, cap: Fraction | None, delta: Fraction | None) -> bool:
    """Whether a ledger can have charged this: what it says was spent includes the charge.

    Conversions between kinds are not repeated: a later version may have sharper ones.
    """
    if delta is None:  # pure budgets add up; what is not pure has no total without a delta
        return spent is None if type(guarantee) is not PureDP else spent is None or spent >= guarantee.epsilon
    if cap is None or spent is None or delta >= 1:
        return False
    return type(guarantee) is not ApproxDP or (spent >= guarantee.epsilon and delta >= guarantee.delta)
