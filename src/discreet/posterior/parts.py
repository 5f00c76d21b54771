"""Posteriors of questions: the same beliefs about a part of a network, or from longer chains, remembered by what they are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any, TypeVar

from discreet.chains.surroundings import few_cells, surrounding, visited_cells
from discreet.measure.published import Published
from discreet.model.network import Network

__all__ = ["is_visited_whole", "nodes_to_visit", "recall", "without_parts"]

P = TypeVar("P")

_KEPT = "_parts"
_MOST = 8
"""Of so many questions the chains are kept in memory, the latest."""


def nodes_to_visit(network: Network, released: object, nodes: Collection[str]) -> frozenset[str] | None:
    """The nodes whose tables chains visit for a question that needs these; None where they visit all."""
    if not isinstance(released, Published) or not nodes:
        return None
    wanted = frozenset(surrounding(network, released, nodes))
    return None if len(wanted) == len(network.nodes) else wanted


def is_visited_whole(network: Network, released: object) -> bool:
    """Whether a network is so small that chains visit all of its tables, whatever is asked."""
    return isinstance(released, Published) and visited_cells(network, released, network.nodes) <= few_cells(network)


def recall(whole: P, key: Hashable, make: Callable[[], P]) -> P:
    """The part of a posterior with this key, as it was made before if that is not long ago."""
    known: dict[Hashable, P] = whole.__dict__.setdefault(_KEPT, {})
    known[key] = known.pop(key) if key in known else make()
    if len(known) > _MOST:
        del known[next(iter(known))]
    return known[key]


def without_parts(whole: object) -> dict[str, Any]:
    """What a copy of a posterior has: chains of questions can run again."""
    return {name: value for name, value in whole.__dict__.items() if name != _KEPT}
