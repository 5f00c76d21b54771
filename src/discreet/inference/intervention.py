"""What if: the network after somebody sets nodes to levels, instead of seeing them there.

Seeing that someone does not smoke says something about what made them a non-smoker; making them stop does not. So a node that
is set loses its arrows from above: its family is dropped, its level is certain, and every other table stays as it is. The rest
is an ordinary question to the network that is left, with the same draws, so it is exact and has intervals like any other.

It means what happens in the world only where arrows are causes. Whoever declared the graph answers for that; a graph that was
learned from records says what goes with what, and is refused unless the caller answers for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from discreet.errors import QueryError, quoted, suggestion
from discreet.model.impossible import Combination, show_combinations
from discreet.model.network import Network

__all__ = ["check_causes", "check_set", "owner_of", "without_arrows_into"]


@lru_cache(maxsize=64)
def without_arrows_into(network: Network, nodes: frozenset[str]) -> Network:
    """The network whose given nodes have no parents. What is impossible stays so by the zeros of the tables that are left."""
    if not nodes:
        return network
    parents = {node: () if node in nodes else above for node, above in network.parents.items()}
    return Network(network.variables, parents, learned=network.learned)


def check_set(
    network: Network, do: Mapping[str, object], given: Mapping[str, int], targets: Collection[str]
) -> dict[str, int]:
    """The level numbers of the nodes that are set, or an error."""
    if not isinstance(do, Mapping):
        raise QueryError("Write what is set as a mapping from nodes to levels, such as do={'smoke': 'no'}.")
    for node in do:
        if node not in network.parents:
            raise QueryError(f"There is no node {quoted(node)} to set.{suggestion(node, network.nodes)}")
        if node in targets:
            raise QueryError(f"{node!r} is asked for and set at the same time, so its level is certain; remove it from one.")
        if node in given:
            raise QueryError(f"{node!r} is both given and set; a level is either seen or made: keep one of the two.")
    levels = {node: network.level_index(node, level) for node, level in do.items()}
    _check_possible(network, levels, given)
    return levels


def check_causes(network: Network, *, arrows_are_causes: bool) -> None:
    """Refuse to set nodes of a network whose arrows nobody has declared to be causes."""
    if network.learned and not arrows_are_causes:
        raise QueryError(
            "The arrows of this network were learned from records: they say what goes with what, not what causes what, so "
            "setting a level means nothing. Ask with given, or, if you know that the arrows are causes, say so: "
            "arrows_are_causes=True, or --arrows-are-causes of the command."
        )


def _check_possible(network: Network, levels: Mapping[str, int], given: Mapping[str, int]) -> None:
    """Refuse to make what is declared impossible: a table has nothing to say about rows that no record can have.

    The zero of a combination stands in the table of the one node that has the others as parents. Only where that node is set
    is the zero lost, unless what is given or set rules the combination out.
    """
    known = {**given, **levels}
    lost = [each for each in network.impossible if owner_of(network, each) in levels and _agrees(network, each, known)]
    if lost:
        raise QueryError(
            f"Setting this would make what is declared impossible in this network ({show_combinations(lost)}), and nothing is "
            "known about that. Give levels that rule it out."
        )


def owner_of(network: Network, combination: Combination) -> str:
    """The node of a combination that has all others as parents."""
    return next(node for node in combination if set(combination) - {node} <= set(network.parents[node]))


def _agrees(network: Network, combination: Combination, known: Mapping[str, int]) -> bool:
    """Whether nothing that is known contradicts the combination."""
    return all(network.variable(node).levels[known[node]] == level for node, level in combination.items() if node in known)
