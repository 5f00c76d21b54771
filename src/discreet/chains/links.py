"""Tables that share nodes agree: every copy of a shared margin is tied to one unknown margin.

Given the unknown margins, the families are independent of one another, so all of them move at once. Given the tables, each
unknown margin is normal around the mean of its copies. A tie lets a copy differ from its margin by a part of what noise hides
anyway: tighter ties would hold the chain, looser ones would keep from a table what others know.
The last axis of every array is the chain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.measure.observations import SharedMargins
from discreet.model.network import Family

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Links", "make_links"]

_SHARE = 0.5
"""A copy's variance around its margin, as a share of the margin's variance under noise."""
_LEAST_VARIANCE = 0.25
_LARGEST_MARGIN = 2**8
"""Cells of the largest margins that are tied."""


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """All ties of all families."""

    copies: csr_array = field(repr=False)
    """Sums of cells: one line for each cell of each copy."""
    margin: Integers = field(repr=False)
    """The cell of an unknown margin that each line is a copy of."""
    count: Floats = field(repr=False)
    """How many copies each cell of a margin has."""
    variance: Floats = field(repr=False)
    """Of the copies, for each cell of a margin."""
    nodes: tuple[tuple[str, ...], ...] = field(repr=False)
    """Of each margin, and how many cells it has."""
    sizes: Integers = field(repr=False)
    matrices: Mapping[int, Floats] = field(repr=False)
    """What the ties add to the quadratic form of each family."""

    def tension(self, counts: Floats) -> Floats:
        """Minus the log density of the copies around one another, for each cell of a margin: cells of margins x chains."""
        tables = self.copies @ counts
        sums, squares = np.zeros((2, len(self.count), counts.shape[1]))
        np.add.at(sums, self.margin, tables)
        np.add.at(squares, self.margin, np.square(tables))
        return np.asarray((squares - np.square(sums) / self.count[:, None]) / (2 * self.variance[:, None]))

    def pull(self, counts: Floats, generator: np.random.Generator) -> Floats:
        """Draw the unknown margins given the tables; what they add to the linear form of each cell: cells x chains."""
        tables = self.copies @ counts
        mean = np.zeros((len(self.count), counts.shape[1]))
        np.add.at(mean, self.margin, tables)
        count, variance = self.count[:, None], self.variance[:, None]
        drawn = mean / count + np.sqrt(variance / count) * generator.standard_normal(mean.shape)
        return np.asarray(self.copies.T @ (drawn / variance)[self.margin])


def make_links(families: Mapping[int, Family], starts: Integers, margins: SharedMargins) -> Links | None:
    """Tie the margins that families share; ``families`` by their number, whose cells begin at ``starts``."""
    lines: list[Integers] = []
    which: list[Integers] = []
    variances: list[Floats] = []
    counts: list[Floats] = []
    matrices: dict[int, Floats] = {}
    cells, first_line, first_margin = [], 0, 0
    shared = _shared(families)
    for nodes, numbers in shared.items():
        shape = tuple(families[numbers[0]].shape[families[numbers[0]].members.index(node)] for node in nodes)
        size = int(np.prod(shape))
        known = margins.margin(nodes, shape)[1]
        variance = np.clip(_SHARE * known, _LEAST_VARIANCE, (1 + margins.rows) ** 2)
        for number in numbers:
            place = _places(families[number], nodes, shape)
            lines.append(first_line + place)
            cells.append(starts[number] + np.arange(families[number].cells))
            which.append(first_margin + np.arange(size))
            add = (place[:, None] == place) / variance
            matrices[number] = matrices[number] + add if number in matrices else add
            first_line += size
        variances.append(np.full(size, variance))
        counts.append(np.full(size, float(len(numbers))))
        first_margin += size
    if not lines:
        return None
    return Links(
        _sums(np.concatenate(lines), np.concatenate(cells), first_line, int(starts[-1])),
        np.concatenate(which),
        np.concatenate(counts),
        np.concatenate(variances),
        tuple(shared),
        np.array([len(each) for each in counts]),
        matrices,
    )


def _sums(lines: Integers, cells: Integers, height: int, width: int) -> csr_array:
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(lines)), (lines, cells)), shape=(height, width))


def _shared(families: Mapping[int, Family]) -> dict[tuple[str, ...], tuple[int, ...]]:
    """Sets of nodes that several families have in common, with the families; none within another of the same families."""
    holders: dict[str, list[int]] = {}
    for number, family in families.items():
        for node in family.members:
            holders.setdefault(node, []).append(number)
    neighbours = {pair for numbers in holders.values() for pair in combinations(numbers, 2)}
    common = {frozenset(families[one].members) & frozenset(families[two].members) for one, two in neighbours}
    common |= {frozenset([node]) for node, numbers in holders.items() if len(numbers) > 1}
    found: dict[tuple[int, ...], frozenset[str]] = {}
    for nodes in sorted(common, key=lambda nodes: (len(nodes), sorted(nodes))):
        numbers = tuple(sorted(set.intersection(*(set(holders[node]) for node in nodes))))
        size = np.prod([families[numbers[0]].shape[families[numbers[0]].members.index(node)] for node in nodes])
        if size <= _LARGEST_MARGIN:
            found[numbers] = nodes  # a larger set of the same families comes later, and says more
    return {tuple(sorted(nodes)): numbers for numbers, nodes in found.items()}


def _places(family: Family, nodes: tuple[str, ...], shape: tuple[int, ...]) -> Integers:
    """For each cell of a family the cell of the margin that it counts into."""
    levels = np.unravel_index(np.arange(family.cells), family.shape)
    return np.ravel_multi_index([levels[family.members.index(node)] for node in nodes], shape).astype(np.int64)
