"""What a release is, as plain values for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.guarantee import Guarantee, Receipt
    from discreet.releases import Release

__all__ = ["promise", "summary"]


def summary(release: Release[Any]) -> dict[str, Any]:
    """Describe the release without its tables, ready for JSON; budgets stay exact, as text."""
    from discreet.release_file.kinds import kind_of

    return {
        "guarantee": promise(release.guarantee),
        "meaning": release.guarantee.meaning,
        "remark": release.guarantee.remark,
        "neighbours": release.neighbours.value,
        "mechanism": {"name": release.mechanism.name, "parameters": dict(release.mechanism.parameters)},
        **kind_of(release).describe(release.value),
        **release.value.model.kind.to_dict(release.value.model),
        "receipts": [_receipt(receipt) for receipt in release.receipts],
        "caveats": [{"name": caveat.name, "text": caveat.text} for caveat in release.caveats],
        "software": release.software,
    }


def promise(guarantee: Guarantee) -> dict[str, str]:
    """The kind of a guarantee and its budgets, as decimals where these are exact."""
    from fractions import Fraction

    from discreet.guarantee import decimal
    from discreet.release_file.common import guarantee_to_json

    kind, *budgets = guarantee_to_json(guarantee).items()
    return dict([kind, *((name, decimal(Fraction(value))) for name, value in budgets)])


def _receipt(receipt: Receipt) -> dict[str, Any]:
    from discreet.guarantee import decimal

    def text(value: Fraction | None) -> str | None:
        return None if value is None else decimal(value)

    return {
        "dataset": receipt.dataset,
        "number": receipt.number,
        "guarantee": promise(receipt.guarantee),
        "spent": text(receipt.spent),
        "cap": text(receipt.cap),
        "delta": text(receipt.delta),
        "remaining": None if receipt.cap is None or receipt.spent is None else decimal(receipt.cap - receipt.spent),
        "at": receipt.at,
    }
