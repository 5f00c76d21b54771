"""The order in which nodes are summed out: the heuristic that decides how large factors become."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

__all__ = ["min_fill"]


def min_fill(
    scopes: Sequence[frozenset[str]], targets: tuple[str, ...], sizes: Mapping[str, int]
) -> tuple[tuple[str, ...], int, int]:
    """Order all nodes but the targets, fewest new edges first, then the smallest product, then as ``sizes`` lists them.

    ``scopes`` are the nodes of each factor. Also returns the cells of the largest product and of all products together.
    """
    neighbours: dict[str, set[str]] = {node: set() for scope in scopes for node in sorted(scope)}
    for scope in scopes:
        for node in scope:
            neighbours[node] |= scope - {node}
    place = {node: number for number, node in enumerate(sizes)}

    def score(node: str) -> tuple[int, int, int]:
        around = neighbours[node]
        gaps = sum(len(around) - 1 - len(around & neighbours[other]) for other in around)
        return gaps, math.prod(sizes[other] for other in around) * sizes[node], place[node]

    scores = {node: score(node) for node in neighbours if node not in targets}
    order: list[str] = []
    total = 0
    largest = max((math.prod(sizes[node] for node in scope) for scope in [*scopes, targets]), default=1)
    while scores:
        node = min(scores, key=scores.__getitem__)
        gaps, cells, _ = scores.pop(node)
        largest, total = max(largest, cells), total + cells
        order.append(node)
        around = neighbours.pop(node)
        for other in around:
            neighbours[other] = (neighbours[other] | around) - {node, other}
        stale = around.union(*(neighbours[other] for other in around)) if gaps else around
        scores.update((other, score(other)) for other in stale if other in scores)
    return tuple(order), largest, total + largest
