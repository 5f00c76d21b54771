"""What differs between two networks, in words: tables of one mean nothing in the other."""

from __future__ import annotations

from dataclasses import fields

from discreet.display import listed
from discreet.model.network import Network
from discreet.model.variable import Variable

__all__ = ["difference_of_networks", "difference_of_tables"]

_NAMED = 6


def difference_of_tables(first: Network, second: Network) -> str | None:
    """Why a table of a node does not mean the same in both; None where all do."""
    for node in dict.fromkeys((*first.nodes, *second.nodes)):
        if node not in first.parents or node not in second.parents:
            return f"Only one of the two networks has a node {node!r}."
        one, two = first.variable(node).levels, second.variable(node).levels
        if one != two:
            return f"The two networks declare different levels of {node!r}: {_apart(one, two)}."
    for node in first.nodes:
        one, two = first.parents[node], second.parents[node]
        if one != two:
            return f"In the two networks {node!r} has different parents, or the same in another order: {_apart(one, two)}."
    return None


def difference_of_networks(first: Network, second: Network) -> str | None:
    """The same, where besides values must be read alike, and the same be possible: None for one and the same network."""
    found = difference_of_tables(first, second)
    if found is not None or first == second:
        return found
    for node in first.nodes:
        one, two = first.variable(node), second.variable(node)
        if one != two:
            return f"The two networks read the values of {node!r} differently: {_reading(one, two)}."
    if first.impossible != second.impossible:
        return "The two networks declare different combinations impossible."
    if first.learned != second.learned:
        return "The graph of one of the two networks was learned from records, that of the other was declared."
    return "The two networks list their nodes in different orders."


def _apart(one: tuple[str, ...], two: tuple[str, ...]) -> str:
    """What only one of them has, or their orders."""
    found = [[repr(name) for name in some if name not in others] for some, others in ((one, two), (two, one))]
    said = [
        f"only the {side} has {listed(names, _NAMED)}" for side, names in zip(("first", "second"), found, strict=True) if names
    ]
    orders = (listed([repr(name) for name in names], _NAMED) for names in (one, two))
    return " and ".join(said) or " against ".join(orders)


def _reading(one: Variable, two: Variable) -> str:
    """What of the reading differs."""
    if one.reading is None or two.reading is None:
        return "only one of them says how values become levels"
    names = [part.name for part in fields(one.reading)]
    changed = [name.replace("_", " ") for name in names if getattr(one.reading, name) != getattr(two.reading, name)]
    return f"its {' and its '.join(changed)}"
