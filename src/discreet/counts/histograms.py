"""Counting by histograms: each record has the number of its cell, in mixed radix, and NumPy counts the numbers.

Two shapes of it. Joint histograms count a group of families at once, for many records: counting a number takes far longer than
making it, and one joint number stands for several families. Stacked histograms make the numbers of all families in the same
few calls, for few records, where a call takes longer than its work. Which cells are added to depends on the records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.counts.groups import FamilyGroup, marginal
from discreet.model.network import Family

__all__ = ["JointHistograms", "StackedHistograms", "histogram", "stack_families"]

_BYTE = 256
_CHUNK_NUMBERS = 2**19
"""Numbers that stacked histograms make at a time: they bound the memory."""

Integers: TypeAlias = npt.NDArray[np.int64]


def histogram(family: Family, codes: Mapping[str, npt.NDArray[Any]]) -> Integers:
    """Count the cells of one family: configurations x levels.

    Claim:      cell (j, k) is the number of records with parent configuration j and level k.       [Paper, Example 1]
    Requires:   level numbers below the sizes of the family's shape (``data`` refuses others).
    Checked by: tests/property/test_counting.py::test_every_way_of_counting_equals_a_count_record_by_record
    """
    return _count_cells(family.members, family.shape, codes).reshape(-1, family.levels)


@dataclass(frozen=True, slots=True, eq=False)
class JointHistograms:
    """One histogram for each group of families."""

    groups: tuple[FamilyGroup, ...]

    @property
    def size(self) -> int:
        """How many counts are kept: the cells of all joint tables."""
        return sum(group.cells for group in self.groups)

    def count(self, codes: Mapping[str, npt.NDArray[Any]], rows: int) -> Integers:  # noqa: ARG002 - other ways need the rows
        """Count all joint tables, one after the other."""
        return np.concatenate([_count_cells(group.nodes, group.shape, codes) for group in self.groups])

    def tables(self, counted: Integers) -> dict[str, Integers]:
        """Family tables: sums over the nodes of a group that are not of the family."""
        found: dict[str, Integers] = {}
        start = 0
        for group in self.groups:
            joint = counted[start : start + group.cells]
            found |= {family.node: marginal(joint, group, family) for family in group.families}
            start += group.cells
        return found


@dataclass(frozen=True, slots=True, eq=False)
class StackedHistograms:
    """All families at once: a row of cell numbers for each. Those of most members come first: every step has a prefix."""

    nodes: tuple[str, ...]
    families: tuple[Family, ...]
    members: tuple[npt.NDArray[np.intp], ...]
    """For each place among the members, the places in ``nodes`` of those families that have a member there."""
    sizes: tuple[npt.NDArray[Any], ...]
    """The sizes of those members, one row each."""
    starts: Integers
    """Where the cells of each family begin among all, one row each; the last is the number of all cells."""

    @property
    def size(self) -> int:
        """How many counts are kept: the cells of all families."""
        return int(self.starts[-1, 0])

    def count(self, codes: Mapping[str, npt.NDArray[Any]], rows: int) -> Integers:
        """Count the cells of all families, some records after the others."""
        height = max(1, _CHUNK_NUMBERS // len(self.families))
        counted = self._count({node: codes[node][:height] for node in self.nodes})
        for start in range(height, rows, height):
            counted += self._count({node: codes[node][start : start + height] for node in self.nodes})
        return counted

    def _count(self, codes: Mapping[str, npt.NDArray[Any]]) -> Integers:
        """Number the cells of each record through over all families, and count the numbers."""
        columns = np.array(list(codes.values()), dtype=self.sizes[0].dtype)
        cells = columns.take(self.members[0], axis=0)
        for places, sizes in zip(self.members[1:], self.sizes[1:], strict=True):
            extended = cells[: len(places)]
            extended *= sizes
            extended += columns.take(places, axis=0)
        return np.bincount((cells + self.starts[:-1]).ravel(), minlength=self.size)

    def tables(self, counted: Integers) -> dict[str, Integers]:
        """Family tables: each has its own cells."""
        starts = self.starts[:, 0].tolist()
        return {
            family.node: counted[start:stop].reshape(-1, family.levels)
            for family, start, stop in zip(self.families, starts, starts[1:], strict=False)
        }


def stack_families(families: Sequence[Family]) -> StackedHistograms:
    """Work out how the cell numbers of all families are made together.

    Claim:      every family has cells of its own, and a number in the narrowest integers that hold all numbers on the way.
    Requires:   at least one family.
    Checked by: tests/property/test_counting.py::test_every_way_of_counting_equals_a_count_record_by_record
    """
    ordered = tuple(sorted(families, key=lambda family: -len(family.members)))
    nodes = {member: None for family in ordered for member in family.members}
    places = {node: place for place, node in enumerate(nodes)}
    integers = _integers(max(family.cells for family in ordered))
    members, sizes = [], []
    for step in range(len(ordered[0].members)):
        longer = [family for family in ordered if len(family.members) > step]
        members.append(np.array([places[family.members[step]] for family in longer], dtype=np.intp))
        sizes.append(np.array([[family.shape[step]] for family in longer], dtype=integers))
    starts = np.cumsum([0, *(family.cells for family in ordered)], dtype=np.int64)
    return StackedHistograms(tuple(nodes), ordered, tuple(members), tuple(sizes), starts[:, None])


def _count_cells(nodes: Sequence[str], shape: Sequence[int], codes: Mapping[str, npt.NDArray[Any]]) -> Integers:
    """How many records are in each cell of a table, the first node slowest.

    Nodes are put together in bytes as long as their cells fit one, and only then in wider integers: bytes take a third of the
    time.
    """
    cells = math.prod(shape)
    runs: list[tuple[npt.NDArray[Any], int]] = []
    run, run_size = codes[nodes[0]], shape[0]
    for node, levels in zip(nodes[1:], shape[1:], strict=True):
        if run_size * levels < _BYTE:
            run = np.multiply(run, np.uint8(levels), dtype=np.uint8)
            run += codes[node]
            run_size *= levels
        else:
            runs.append((run, run_size))
            run, run_size = codes[node], levels
    return np.bincount(_join([*runs, (run, run_size)], _integers(cells)), minlength=cells)


def _join(runs: Sequence[tuple[npt.NDArray[Any], int]], integers: type[Any]) -> npt.NDArray[Any]:
    """One number for each record from the numbers of runs of nodes, which have so many cells each."""
    (numbers, _), *others = runs
    if others:
        numbers = numbers.astype(integers)
    for run, cells in others:
        numbers *= integers(cells)
        numbers += run
    return numbers


def _integers(cells: int) -> type[np.integer[Any]]:
    """The narrowest integers that hold the number of cells, and so all numbers and sizes on the way to a cell's."""
    return np.uint16 if cells < 2**16 else np.uint32 if cells < 2**32 else np.int64
