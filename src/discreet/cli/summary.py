"""What a release is, as plain values and as facts for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.guarantee import Receipt
    from discreet.posterior import DirichletPosterior, Release

_NEIGHBOURS = {"replace-one": "one record is exchanged for any other; the number of records is public"}

__all__ = ["facts", "receipt_line", "summary"]


def summary(release: Release[DirichletPosterior]) -> dict[str, Any]:
    """Describe the release without its tables, ready for JSON; budgets stay exact, as text."""
    from discreet.guarantee import decimal

    posterior, network = release.posterior, release.posterior.network
    released, own = posterior.released, posterior.own
    return {
        "guarantee": {"kind": "pure", "epsilon": decimal(release.guarantee.epsilon)},
        "neighbours": release.neighbours.value,
        "mechanism": {"name": release.mechanism.name, "parameters": dict(release.mechanism.parameters)},
        "rows": released.rows if released else 0,
        "own_rows": own.rows if own else 0,
        "network": {"nodes": len(network.nodes), "edges": network.edges, "cells": network.cells},
        "noise_scale": decimal(released.scale) if released else None,
        "receipts": [_receipt(receipt) for receipt in release.receipts],
        "caveats": [{"name": caveat.name, "text": caveat.text} for caveat in release.caveats],
        "software": release.software,
    }


def facts(release: Release[DirichletPosterior]) -> Iterator[tuple[str, str]]:
    """Say the same for people, one fact at a time."""
    content = summary(release)
    network = content["network"]
    yield "guarantee", str(release.guarantee)
    yield "neighbours", f"{content['neighbours']}: {_NEIGHBOURS[content['neighbours']]}"
    yield "mechanism", content["mechanism"]["name"]
    yield "rows", f"{content['rows']:,}"
    if content["own_rows"]:
        yield "own rows", f"{content['own_rows']:,} (added later, without noise)"
    yield "network", f"{network['nodes']:,} nodes, {network['edges']:,} edges, {network['cells']:,} counts"
    yield "noise scale", _noise(release.posterior)
    for receipt in release.receipts:
        yield "receipt", receipt_line(receipt)
    for caveat in release.caveats:
        yield "beware", caveat.text
    yield "software", content["software"]


def _noise(posterior: DirichletPosterior) -> str:
    from discreet.posterior import FusedCounts

    if posterior.released is None:
        return "-"
    most = "at most " if isinstance(posterior.released, FusedCounts) else ""
    return f"{most}{float(posterior.released.scale):,.6g} on every released number"


def receipt_line(receipt: Receipt) -> str:
    """Say what was charged, and where it left the budget of the data set."""
    from discreet.guarantee import decimal

    spent = decimal(receipt.spent)
    if receipt.cap is None:
        left = f"{spent} spent, no cap"
    else:
        left = f"{spent} of {decimal(receipt.cap)} spent, {decimal(receipt.cap - receipt.spent)} remains"
    paid = decimal(receipt.guarantee.epsilon)
    return f"charge {receipt.number} of data set {receipt.dataset!r} at {receipt.at}: epsilon {paid}; {left}"


def _receipt(receipt: Receipt) -> dict[str, Any]:
    from discreet.guarantee import decimal

    return {
        "dataset": receipt.dataset,
        "number": receipt.number,
        "epsilon": decimal(receipt.guarantee.epsilon),
        "spent": decimal(receipt.spent),
        "cap": None if receipt.cap is None else decimal(receipt.cap),
        "remaining": None if receipt.cap is None else decimal(receipt.cap - receipt.spent),
        "at": receipt.at,
    }
