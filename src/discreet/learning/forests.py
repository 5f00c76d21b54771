"""Trees of edges that are not directed yet: which edges may be added, and how a finished forest gets its arrows.

A required arrow says which way its edge points. In a tree every node has at most one parent, so all arrows point away from
one root: each tree has a set of nodes that can be its root, and an edge may be added only where one is left.
"""

from __future__ import annotations

from collections.abc import Iterable

from discreet.errors import ModelError

__all__ = ["Forest"]


class Forest:
    """Edges between nodes, without rings."""

    def __init__(self, nodes: Iterable[str], required: Iterable[tuple[str, str]] = ()) -> None:
        self._nodes = tuple(nodes)
        self._tree = {node: node for node in self._nodes}
        self._roots = {node: frozenset([node]) for node in self._nodes}
        self._edges: list[tuple[str, str]] = []
        self._arrows = frozenset(required)
        for parent, child in sorted(self._arrows):
            if self._tree[parent] == self._tree[child] or child not in self._roots[self._tree[child]]:
                raise ModelError("The required edges cannot be those of a tree: some node would have two parents.")
            self._join(parent, child, self._roots[self._tree[parent]])

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """In the order in which they were added; the direction means nothing."""
        return tuple(self._edges)

    @property
    def most(self) -> int:
        """How many edges can still be added, if nothing is forbidden."""
        return len(self._nodes) - 1 - len(self._edges)

    def allows(self, one: str, two: str) -> bool:
        """Whether the edge closes no ring and leaves a root."""
        return self._tree[one] != self._tree[two] and bool(self._joined_roots(one, two))

    def add(self, one: str, two: str) -> None:
        """Add an edge that is allowed."""
        self._join(one, two, self._joined_roots(one, two))

    def _joined_roots(self, one: str, two: str) -> frozenset[str]:
        first, second = self._roots[self._tree[one]], self._roots[self._tree[two]]
        return (first if two in second else frozenset()) | (second if one in first else frozenset())

    def _join(self, one: str, two: str, roots: frozenset[str]) -> None:
        kept, gone = self._tree[one], self._tree[two]
        for node in self._nodes:
            if self._tree[node] == gone:
                self._tree[node] = kept
        self._roots[kept] = roots
        self._edges.append((one, two))

    def parents(self) -> dict[str, str]:
        """The parent of each node that has one: arrows point away from the first possible root of each tree."""
        near: dict[str, list[str]] = {node: [] for node in self._nodes}
        for one, two in self._edges:
            near[one].append(two)
            near[two].append(one)
        found: dict[str, str] = {}
        for tree in dict.fromkeys(self._tree[node] for node in self._nodes):
            root = next(node for node in self._nodes if node in self._roots[tree])
            waiting, seen = [root], {root}
            for node in waiting:  # grows while it is walked
                for other in near[node]:
                    if other not in seen:
                        found[other] = node
                        seen.add(other)
                        waiting.append(other)
        return found
