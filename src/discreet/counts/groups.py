"""Groups of families that are counted jointly: the joint table of a group answers for every family inside it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.model.network import Family
from discreet.model.tables import Countable

__all__ = ["GROUP_CELLS", "FamilyGroup", "family_groups", "marginal"]

GROUP_CELLS = 1024
"""Most cells of a merged table: small enough to fetch and to stay in an engine's cache, large enough to save passes."""
_SMALL = 1024
"""Cells of a table that is summed in one call."""


@dataclass(frozen=True, slots=True)
class FamilyGroup:
    """Nodes that are counted jointly, and the families whose tables follow from it. ``shape`` has one axis per node."""

    nodes: tuple[str, ...]
    shape: tuple[int, ...]
    families: tuple[Family, ...]

    @property
    def cells(self) -> int:
        """Number of counts in the joint table."""
        return math.prod(self.shape)


@lru_cache(maxsize=64)
def family_groups(network: Countable, cell_limit: int = GROUP_CELLS) -> tuple[FamilyGroup, ...]:
    """Merge families greedily while the joint table has at most ``cell_limit`` cells. A larger family is a group of its own.

    Claim:      every family is inside exactly one group, and equal networks give equal groups.
    Requires:   nothing: it looks at the network alone.
    Checked by: tests/unit/counts/test_push_down.py::test_every_family_is_in_exactly_one_group_that_contains_it
    """
    sizes = {variable.name: variable.size for variable in network.variables}
    sets: list[frozenset[str]] = []
    cells: list[int] = []
    held: list[list[Family]] = []
    # Large families first: they leave the least choice, and what they contain then costs nothing.
    for family in sorted(network.families, key=lambda family: -family.cells):
        members = frozenset(family.members)
        best = _cheapest(members, sets, cells, sizes, cell_limit)
        if best is None:
            sets.append(members)
            cells.append(family.cells)
            held.append([family])
        else:
            cells[best] *= _cells(members - sets[best], sizes)
            sets[best] |= members
            held[best].append(family)
    return tuple(_make_group(network, nodes, families) for nodes, families in zip(sets, held, strict=True))


def marginal(table: npt.NDArray[np.int64], group: FamilyGroup, family: Family) -> npt.NDArray[np.int64]:
    """Sum the joint table of a group down to one family: configurations x levels, first parent slowest.

    Claim:      the result is the family's own count of the records that the joint table counts.
    Requires:   the family's members are nodes of the group.
    Checked by: tests/unit/counts/test_push_down.py::test_a_marginal_of_the_joint_table_equals_counting_the_family
    """
    axes = [group.nodes.index(member) for member in family.members]
    others = [axis for axis in range(len(group.nodes)) if axis not in axes]
    summed: npt.NDArray[np.int64] = table.reshape(group.shape)
    # One axis after the other, the slowest first, is fast in a large table; all the others at once is, in a small one.
    while others and summed.size > _SMALL:
        summed = np.add.reduce(summed, axis=others.pop(0))
        others = [axis - 1 for axis in others]
    summed = np.add.reduce(summed, axis=tuple(others))
    kept = sorted(axes)
    return summed.transpose([kept.index(axis) for axis in axes]).reshape(-1, family.levels)


def _cheapest(
    members: frozenset[str], sets: list[frozenset[str]], cells: list[int], sizes: dict[str, int], cell_limit: int
) -> int | None:
    """The group that grows by the smallest factor when it takes these members in; None where none can."""
    best, smallest, apart = None, math.inf, _cells(members, sizes)
    for number, nodes in enumerate(sets):
        added = members - nodes
        if not added:
            return number
        growth = apart if len(added) == len(members) else _cells(added, sizes)
        if growth < smallest and growth * cells[number] <= cell_limit:
            best, smallest = number, growth
    return best


def _cells(nodes: Iterable[str], sizes: dict[str, int]) -> int:
    return math.prod(sizes[node] for node in nodes)


def _make_group(network: Countable, nodes: frozenset[str], families: list[Family]) -> FamilyGroup:
    kept = [variable for variable in network.variables if variable.name in nodes]
    return FamilyGroup(tuple(variable.name for variable in kept), tuple(variable.size for variable in kept), tuple(families))
