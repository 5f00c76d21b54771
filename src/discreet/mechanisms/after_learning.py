"""How a release goes on from a graph that was learned: its kind of privacy, its delta and its unit are the graph's."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.errors import ModelError
from discreet.guarantee import ZCDP, PureDP
from discreet.kernel.ledger import Ledger
from discreet.learned import Learned
from discreet.unit import RECORD

__all__ = ["delta_after", "mechanism_after", "same_unit"]


def delta_after(ledger: Ledger, learned: Learned | None) -> Fraction | None:
    """The delta for choosing a mechanism: none after a pure graph, so that the whole stays pure."""
    return None if learned is not None and isinstance(learned.guarantee, PureDP) else ledger.delta


def mechanism_after(mechanism: Any, learned: Learned | None) -> Any:
    """After a graph that was learned by zero-concentrated privacy, the mechanism whose cost adds up with it."""
    automatic = isinstance(mechanism, str) and mechanism.strip().casefold() == "auto"
    return "gaussian" if automatic and learned is not None and isinstance(learned.guarantee, ZCDP) else mechanism


def same_unit(ledger: Ledger, learned: Learned) -> Ledger:
    """The ledger for the unit that the graph was learned for; whoever says another is told so."""
    if ledger.unit not in (RECORD, learned.unit):
        raise ModelError(
            f"The graph was learned so that it protects {learned.unit}, and a release that goes on from it protects the same. "
            "Leave person and rows_at_most out."
        )
    return ledger.for_unit(learned.unit)
