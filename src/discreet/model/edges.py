"""Which node has which parents: lists and pairs from outside, checked, and the order in which parents come first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from discreet.checks import items_of
from discreet.errors import ModelError, quoted, suggestion

__all__ = ["check_acyclic", "check_edges", "check_parents", "list_parents", "order_nodes"]

_EDGES = "Edges are a list of pairs (parent, child), such as [('smoke', 'lung')]."


def list_parents(parents: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """The parents of each node as they are given, in their order."""
    if not isinstance(parents, Mapping):
        advice = "Edges, as pairs (parent, child), are for Network.from_edges(variables, edges)."
        raise ModelError(f"parents maps each node to a list of its parents, such as {{'lung': ['smoke']}}. {advice}")
    listed: dict[str, tuple[str, ...]] = {}
    for node, given in parents.items():
        if isinstance(given, str):
            raise ModelError(f"The parents of {node!r} are one text; give a list such as [{given!r}].")
        if isinstance(given, (set, frozenset)):  # tables would differ from one run to the next
            raise ModelError(f"The parents of {node!r} are a set, which has no order; give a list.")
        try:
            listed[node] = tuple(given)
        except TypeError:
            raise ModelError(f"The parents of {node!r} are not a list; give a list of names.") from None
    return listed


def check_edges(edges: object) -> list[tuple[str, str]]:
    """Pairs of a parent and a child."""
    if isinstance(edges, Mapping):
        raise ModelError(
            "Edges are pairs (parent, child). A mapping from nodes to parents is for Network(variables, parents)."
        )
    listed = items_of(edges, _EDGES)
    if not all(
        isinstance(edge, tuple | list) and len(edge) == 2 and all(isinstance(end, str) for end in edge) for edge in listed
    ):
        raise ModelError(_EDGES)
    return cast("list[tuple[str, str]]", list(listed))


def check_parents(names: set[str], parents: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse nodes that are not declared, and a parent that is named twice."""
    for node, listed in parents.items():
        if node not in names:
            raise ModelError(f"Parents are given for {quoted(node)}, which is not declared.{suggestion(node, sorted(names))}")
        for parent in listed:
            if not isinstance(parent, str) or parent not in names:
                raise ModelError(
                    f"{node!r} has the parent {quoted(parent)}, which is not declared.{suggestion(parent, sorted(names))}"
                )
        if len(set(listed)) < len(listed):
            raise ModelError(f"{node!r} names a parent twice; keep each parent once.")


def order_nodes(parents: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Nodes in topological order; those on or behind a cycle are left out."""
    waiting = {node: len(given) for node, given in parents.items()}
    children: dict[str, list[str]] = {node: [] for node in parents}
    for node, given in parents.items():
        for parent in given:
            children[parent].append(node)
    order = [node for node, count in waiting.items() if count == 0]
    for node in order:  # grows while it is walked
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                order.append(child)
    return tuple(order)


def check_acyclic(parents: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse a cycle, and show it."""
    stuck = set(parents) - set(order_nodes(parents))
    if not stuck:
        return
    path = {min(stuck): 0}  # node -> when it was visited
    while True:  # walking to parents inside the stuck set must come back to where it has been
        step = next(parent for parent in parents[next(reversed(path))] if parent in stuck)
        if step in path:
            cycle = [*list(path)[path[step] :], step]
            shown = " <- ".join(cycle if len(cycle) <= 12 else [*cycle[:6], "...", *cycle[-5:]])
            raise ModelError(f"The graph has a cycle: {shown}. Remove or turn one of these edges.")
        path[step] = len(path)
