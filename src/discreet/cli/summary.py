"""What a release is, as plain values and as facts for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.guarantee import Guarantee, Receipt
    from discreet.posterior import Release

_NEIGHBOURS = {"replace-one": "one record is exchanged for any other; the number of records is public"}

__all__ = ["facts", "promise", "summary"]


def summary(release: Release[Any]) -> dict[str, Any]:
    """Describe the release without its tables, ready for JSON; budgets stay exact, as text."""
    from discreet.posterior.kinds import kind_of

    return {
        "guarantee": promise(release.guarantee),
        "neighbours": release.neighbours.value,
        "mechanism": {"name": release.mechanism.name, "parameters": dict(release.mechanism.parameters)},
        **kind_of(release.value).describe(release.value),
        "receipts": [_receipt(receipt) for receipt in release.receipts],
        "caveats": [{"name": caveat.name, "text": caveat.text} for caveat in release.caveats],
        "software": release.software,
    }


def promise(guarantee: Guarantee) -> dict[str, str]:
    """The kind of a guarantee and its budgets, as decimals where these are exact."""
    from fractions import Fraction

    from discreet.guarantee import decimal
    from discreet.posterior.guarantee_file import guarantee_to_json

    kind, *budgets = guarantee_to_json(guarantee).items()
    return dict([kind, *((name, decimal(Fraction(value))) for name, value in budgets)])


def facts(release: Release[Any]) -> Iterator[tuple[str, str]]:
    """Say the same for people, one fact at a time."""
    from discreet.posterior.kinds import kind_of

    yield "guarantee", str(release.guarantee)
    yield "neighbours", f"{release.neighbours.value}: {_NEIGHBOURS[release.neighbours.value]}"
    yield "mechanism", release.mechanism.name
    for name, fact in kind_of(release.value).describe(release.value).items():
        yield from _told(name, fact)
    for receipt in release.receipts:
        yield "receipt", str(receipt)
    for caveat in release.caveats:
        yield "beware", caveat.text
    yield "software", release.software


def _told(name: str, fact: Any) -> Iterator[tuple[str, str]]:
    """One fact in words; what says nothing is left out."""
    match name, fact:
        case "own_rows", int():
            if fact:
                yield "own rows", f"{fact:,} (added later, without noise)"
        case "noise_scale", _:  # the same as "noise", for programs
            return
        case _, dict():
            yield name, ", ".join(f"{value:,} {what}" for what, value in fact.items())
        case _, int():
            yield name.replace("_", " "), f"{fact:,}"
        case _:
            yield name.replace("_", " "), str(fact)


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
