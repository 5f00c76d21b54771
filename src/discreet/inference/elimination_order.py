"""How to answer a question by variable elimination: what is relevant, in which order nodes are summed out, how large it gets.

A plan depends on the network and on which nodes are asked for and observed, never on a probability or on an observed level.
It is made once and serves every parameter draw and every record.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from discreet.errors import QueryError
from discreet.model.min_fill import min_fill
from discreet.model.network import Family, Network

__all__ = ["FACTOR_LIMIT", "EliminationPlan", "PlannedFamily", "Step", "make_plan"]

FACTOR_LIMIT = 2**26
"""Most cells that one factor may have: half a gigabyte."""


@dataclass(frozen=True, slots=True)
class PlannedFamily:
    """How a family's table becomes a factor: its axes are reordered, free nodes first, and the observed ones are indexed."""

    node: str
    members: tuple[str, ...]
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    observed: tuple[str, ...]
    observed_shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """Multiply the operands, each spread over the axes of all; sum the first axis out unless this is the last step."""

    operands: tuple[int, ...]
    spread: tuple[tuple[slice | None, ...], ...]


@dataclass(frozen=True, slots=True)
class EliminationPlan:
    """Everything about a question that does not depend on probabilities.

    Factors are numbered: first one for each family, then one for each node in ``sometimes``, then the result of each step.
    The last step gives the joint of the targets and the evidence.
    """

    targets: tuple[str, ...]
    families: tuple[PlannedFamily, ...]
    sometimes: tuple[str, ...]
    """Nodes that some records have and others do not."""
    sometimes_sizes: tuple[int, ...]
    steps: tuple[Step, ...]
    largest: int
    """Cells of the largest factor, for one draw or record."""
    cells: int
    """Cells of all products together: the work for one draw or record."""


@lru_cache(maxsize=512)
def make_plan(
    network: Network,
    targets: tuple[str, ...],
    evidence: frozenset[str],
    sometimes: frozenset[str] = frozenset(),
    *,
    connected: bool = False,
) -> EliminationPlan:
    """Plan the joint distribution of the targets and the evidence; nodes in ``sometimes`` are evidence for some records only.

    With ``connected`` only what touches the targets is kept: the joint is then right up to a factor that does not depend on
    the targets, which is all that a conditional probability needs.
    """
    relevant = _ancestors(network, {*targets, *evidence, *sometimes})
    families = [network.family(node) for node in network.nodes if node in relevant]
    if connected:
        families = _touching(families, set(targets), evidence)
    sizes = {member: size for family in families for member, size in zip(family.members, family.shape, strict=True)}
    open_nodes = tuple(node for node in sizes if node in sometimes)
    scopes = [frozenset(family.members) - evidence for family in families]
    order, largest, cells = min_fill(scopes, targets, sizes)
    if largest > FACTOR_LIMIT:
        raise QueryError(
            f"This question needs a table of {largest:,} cells, more than {FACTOR_LIMIT:,}. "
            "Ask for fewer nodes at once, or give the levels of more nodes."
        )
    rank = {node: place for place, node in enumerate((*order, *targets))}
    planned = tuple(_plan_family(family, evidence, rank) for family in families)
    steps = _steps([*scopes, *(frozenset({node}) for node in open_nodes)], order, targets, rank, sizes)
    return EliminationPlan(targets, planned, open_nodes, tuple(sizes[node] for node in open_nodes), steps, largest, cells)


def _ancestors(network: Network, nodes: Iterable[str]) -> set[str]:
    """The nodes and all nodes above them; whatever is below is barren: it sums to one."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(network.parents[node])
    return found


def _touching(families: list[Family], targets: set[str], evidence: frozenset[str]) -> list[Family]:
    """Families that hang together with a target through nodes that are not observed."""
    holders: dict[str, list[Family]] = {}
    for family in families:
        for member in family.members:
            if member not in evidence:
                holders.setdefault(member, []).append(family)
    reached: set[str] = set()
    waiting = [member for member in targets if member in holders]
    kept: set[str] = set()
    while waiting:
        node = waiting.pop()
        if node in reached:
            continue
        reached.add(node)
        for family in holders[node]:
            kept.add(family.node)
            waiting.extend(member for member in family.members if member not in evidence)
    return [family for family in families if family.node in kept]


def _plan_family(family: Family, evidence: frozenset[str], rank: Mapping[str, int]) -> PlannedFamily:
    members = family.members
    free = sorted((axis for axis, member in enumerate(members) if member not in evidence), key=lambda a: rank[members[a]])
    seen = [axis for axis, member in enumerate(members) if member in evidence]
    return PlannedFamily(
        family.node,
        members,
        family.shape,
        (*free, *seen),
        tuple(members[axis] for axis in seen),
        tuple(family.shape[axis] for axis in seen),
    )


def _steps(
    scopes: list[frozenset[str]],
    order: tuple[str, ...],
    targets: tuple[str, ...],
    rank: Mapping[str, int],
    sizes: Mapping[str, int],
) -> tuple[Step, ...]:
    """Axes always stand in the order in which they are summed out, so that the next one is first and nothing is transposed."""
    factors = dict(enumerate(scopes))
    holders: dict[str, set[int]] = {node: set() for node in rank}
    for number, scope in factors.items():
        for node in scope:
            holders[node].add(number)
    steps: list[Step] = []
    for node in order:
        chosen = sorted(holders[node], key=lambda n: (math.prod(sizes[m] for m in factors[n]), n))
        union = frozenset[str]().union(*(factors[number] for number in chosen))
        axes = sorted(union, key=rank.__getitem__)
        steps.append(_step(chosen, axes, factors))
        result = len(scopes) + len(steps) - 1
        for number in chosen:
            for member in factors.pop(number):
                holders[member].discard(number)
        factors[result] = union - {node}
        for member in factors[result]:
            holders[member].add(result)
    steps.append(_step(sorted(factors), list(targets), factors))
    return tuple(steps)


def _step(chosen: list[int], axes: list[str], factors: Mapping[int, frozenset[str]]) -> Step:
    spread = (tuple(slice(None) if axis in factors[number] else None for axis in axes) for number in chosen)
    return Step(tuple(chosen), tuple(spread))
