"""Posteriors of questions: the same beliefs about a part of a network, or from longer chains, remembered by what they are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any, TypeVar

from discreet.chains.effort import Effort
from discreet.chains.surroundings import few_cells, full_cells, surrounding, visited_cells
from discreet.chains.visits import GoingVisits, Visits
from discreet.measure.published import Published
from discreet.model.network import Network

__all__ = ["cells_in_sight", "cells_to_visit", "go_on", "may_go_on", "nodes_to_visit", "pass_on", "recall", "without_parts"]

P = TypeVar("P")

_KEPT, _GOING = "_parts", "_going"
"""What a posterior remembers beside what it is: those of questions, and chains that can go on."""
_MOST = 8
"""Of so many questions the chains are kept in memory, the latest."""


def nodes_to_visit(network: Network, released: object, nodes: Collection[str]) -> frozenset[str] | None:
    """The nodes whose tables chains visit for a question that needs these; None where they visit all."""
    if not isinstance(released, Published) or not nodes:
        return None
    wanted = frozenset(surrounding(network, released, nodes))
    return None if len(wanted) == len(network.nodes) else wanted


def cells_to_visit(network: Network, released: object, nodes: Collection[str] | None) -> int:
    """Cells of the tables that chains visit which are about these nodes, or about all."""
    if nodes is None or not isinstance(released, Published):
        return network.cells
    return visited_cells(network, released, nodes)


def cells_in_sight(network: Network, released: object, nodes: Collection[str] | None) -> int:
    """How many of them stand out from noise, as far as that is known."""
    if not isinstance(released, Published):
        return network.cells
    return full_cells(network, released, network.nodes if nodes is None else nodes)


def may_go_on(network: Network, released: object, nodes: Collection[str] | None, effort: Effort | None) -> bool:
    """Whether chains may be longer than at first: not where somebody said how long they run, or they visit too much."""
    if effort is not None and effort.learning is None:
        return False
    if nodes is not None:
        return True
    return isinstance(released, Published) and visited_cells(network, released, network.nodes) <= few_cells(network)


def recall(whole: P, key: Hashable, make: Callable[[], P]) -> P:
    """The part of a posterior with this key, as it was made before if that is not long ago."""
    known: dict[Hashable, P] = whole.__dict__.setdefault(_KEPT, {})
    found = known.pop(key, None)
    known[key] = found = make() if found is None else found
    if len(known) > _MOST:
        known.pop(next(iter(known.copy())), None)
    return found


def go_on(
    posterior: object,
    begin: Callable[[], GoingVisits],
    effort: Effort,
    progress: Callable[[int], None],
    *,
    keep: bool,
) -> Visits:
    """Let chains go on that a shorter posterior passed on, or begin some, and keep them for a longer one.

    Whoever is interrupted leaves chains behind that cannot go on.
    """
    going: GoingVisits = posterior.__dict__.pop(_GOING, None) or begin()
    found = going.run(effort, progress, keep=keep)
    if keep:
        posterior.__dict__[_GOING] = going
    return found


def pass_on(shorter: object, longer: P) -> P:
    """The longer posterior, with the chains of the shorter one, if it has any."""
    if (going := shorter.__dict__.pop(_GOING, None)) is not None:
        longer.__dict__[_GOING] = going
    return longer


def without_parts(whole: object) -> dict[str, Any]:
    """What a copy of a posterior has: chains of questions can run again."""
    return {name: value for name, value in whole.__dict__.copy().items() if name not in (_KEPT, _GOING)}
