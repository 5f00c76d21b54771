"""What each edge of a network costs: a node with fewer parents has fewer and fuller parent configurations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from discreet.measure.needs import CellNoise
from discreet.model.network import Network
from discreet.model.prior import UNIFORM
from discreet.planning.parameter_error import DIGITS, released_error
from discreet.planning.worlds import prior_marginals, shared_worlds, simulated_worlds, world_draws, world_key

__all__ = ["EdgeCost", "edge_costs"]

_WORK = 8_000
"""Edges that are looked at, times nodes of the network."""
_FEWEST = 12
"""Edges that are looked at however large the network is."""


@dataclass(frozen=True, slots=True)
class EdgeCost:
    """What an edge costs: the expected error of the child's probabilities with it, and without it."""

    parent: str
    child: str
    error: float
    without: float

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry."""
        return {"parent": self.parent, "child": self.child, "error": self.error, "without": self.without}

    @property
    def visible(self) -> bool:
        """Whether the error without the edge is smaller in the digits that are shown."""
        return round(self.without, DIGITS) < round(self.error, DIGITS)

    def __str__(self) -> str:
        error, without = (f"{each:.{DIGITS}f}" for each in (self.error, self.without))
        change = f"{'falls' if self.visible else 'grows'} from {error} to {without}" if error != without else f"stays {error}"
        return f"without {self.parent} -> {self.child} the error of {self.child} {change}"


def edge_costs(network: Network, rows: int, noise_of: Callable[[Network, str], CellNoise]) -> tuple[EdgeCost, ...]:
    """The expected error of every child's probabilities with and without each of its edges, the largest gain first.

    Claim:      both errors are those of ``node_error``, with the noise of the whole network with and without the edge. In
                networks of more than ninety nodes or so only the edges into the largest tables are looked at. Edges that a
                combination needs to be declared impossible are not: whoever left one out would take the declaration back.
    Requires:   rows >= 1; ``noise_of`` gives the noise of a node of a network.
    Checked by: tests/unit/planning/test_plan.py::test_an_edge_costs_what_the_plan_without_it_saves
                tests/unit/planning/test_impossible_plan.py::test_an_edge_that_a_combination_needs_is_not_said_to_cost_anything
    """
    marginals, shared = prior_marginals(network, UNIFORM), shared_worlds(network, rows, UNIFORM)
    draws = world_draws(network)
    edges = [(parent, family) for family in network.families for parent in family.parents]
    edges = [(parent, family) for parent, family in edges if not _needed(network, parent, family.node)]
    edges.sort(key=lambda edge: -edge[1].cells)
    edges = edges[: max(_FEWEST, _WORK // len(network.nodes))]
    children = dict.fromkeys(family.node for _, family in edges)
    present = {child: released_error(shared[child], rows, noise_of(network, child)) for child in children}
    known = {world_key(family, UNIFORM): shared[family.node] for family in network.families}
    found = []
    for parent, family in edges:
        fewer, child = _without(network, parent, family.node), family.node
        key = world_key(fewer.family(child), UNIFORM)
        worlds = known.get(key) or simulated_worlds(fewer.family(child), rows, marginals, draws)
        if not fewer.parents[child]:  # many edges lead here; others are not worth their memory
            known[key] = worlds
        found.append(EdgeCost(parent, child, present[child], released_error(worlds, rows, noise_of(fewer, child))))
    return tuple(sorted(found, key=lambda cost: cost.without - cost.error))


def _needed(network: Network, parent: str, child: str) -> bool:
    """Whether something that is declared impossible would have no place in the tables without the edge."""
    if not network.impossible:
        return False
    parents = _parents_without(network, parent, child)
    return not all(any(each.keys() - {node} <= set(parents[node]) for node in each) for each in network.impossible)


def _without(network: Network, parent: str, child: str) -> Network:
    return Network(network.variables, _parents_without(network, parent, child), impossible=network.impossible)


def _parents_without(network: Network, parent: str, child: str) -> dict[str, tuple[str, ...]]:
    return {**network.parents, child: tuple(node for node in network.parents[child] if node != parent)}
