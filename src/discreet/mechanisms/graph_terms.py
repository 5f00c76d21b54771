"""What a graph that was learned, or assumed, means for the release that goes on from it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.errors import ModelError
from discreet.guarantee import ZCDP, Caveat, PureDP
from discreet.kernel.ledger import Ledger
from discreet.learned import Learned
from discreet.model.files.strict_json import show_text
from discreet.unit import RECORD

__all__ = ["assumed_caveats", "delta_after", "mechanism_after", "same_unit"]


def delta_after(ledger: Ledger, learned: Learned | None) -> Fraction | None:
    """The delta for choosing a mechanism: none after a pure graph, so that the whole stays pure.

    Claim:      a graph with pure privacy and the release that is chosen so have pure privacy together.
    Requires:   the ledger's delta, which is public.
    Checked by: tests/unit/mechanisms/test_graph_terms.py::test_what_follows_a_pure_graph_is_chosen_without_a_delta
    """
    return None if learned is not None and isinstance(learned.guarantee, PureDP) else ledger.delta


def mechanism_after(mechanism: Any, learned: Learned | None) -> Any:
    """After a graph that was learned by zero-concentrated privacy, the mechanism whose cost adds up with it.

    Claim:      where the mechanism is left open, graph and release have zero-concentrated privacy together.
    Requires:   nothing; a mechanism that was asked for is kept.
    Checked by: tests/unit/mechanisms/test_graph_terms.py::test_what_follows_a_zero_concentrated_graph_adds_up_with_it
    """
    automatic = isinstance(mechanism, str) and mechanism.strip().casefold() == "auto"
    return "gaussian" if automatic and learned is not None and isinstance(learned.guarantee, ZCDP) else mechanism


def same_unit(ledger: Ledger, learned: Learned) -> Ledger:
    """The ledger for the unit that the graph was learned for; whoever says another is told so.

    Claim:      graph and release protect the same unit, so their budgets add up.
    Requires:   a ledger for records, or for the unit of the graph; else it is refused.
    Checked by: tests/unit/mechanisms/test_graph_terms.py::test_graph_and_release_protect_the_same_unit
    """
    if ledger.unit not in (RECORD, learned.unit):
        raise ModelError(
            f"The graph was learned so that it protects {learned.unit}, and a release that goes on from it protects the same. "
            "Leave person and rows_at_most out."
        )
    return ledger.for_unit(learned.unit)


def assumed_caveats(target: str | None) -> tuple[Caveat, ...]:
    """What a reader must know of a graph that nobody has declared.

    Claim:      a release whose graph was taken for want of another says so.
    Requires:   the target that naive Bayes was made for; None where a graph was declared.
    Checked by: tests/unit/mechanisms/test_graph_terms.py::test_a_graph_that_was_assumed_is_told
    """
    if target is None:
        return ()
    said = (
        f"No graph was declared. This is naive Bayes: all other columns depend on {show_text(target)} and not on one another."
    )
    return (Caveat("assumed-graph", said),)
