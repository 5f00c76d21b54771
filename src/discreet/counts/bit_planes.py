"""Counting by bit planes: a column of r levels becomes r - 1 rows of bits, and a count is the population of their AND.

For each combination of levels other than the first that occurs in some family, the records that show it are counted: one
AND and one population count per combination, shared between families. The cells with a first level follow by subtraction,
in exact integers. The memory accesses do not depend on the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.model.network import Family

__all__ = ["BitPlanes", "Plane", "bit_planes"]


@dataclass(frozen=True, slots=True, order=True)
class Plane:
    """One row of bits: the records in which a node shows a level other than its first."""

    node: str
    level: int
    only: bool
    """Whether the node has no other plane: its codes are then bits already."""


Term: TypeAlias = tuple[Plane, ...]
"""Planes of different nodes that records show together, in a fixed order."""


@dataclass(frozen=True, slots=True)
class _Step:
    """Count one term: AND a plane to what the steps above have left at ``depth - 1``."""

    depth: int
    plane: int
    term: int


@dataclass(frozen=True, slots=True, eq=False)
class BitPlanes:
    """What to pack and what to count for some families; the order of steps walks the terms depth first."""

    families: tuple[Family, ...]
    planes: tuple[Plane, ...]
    steps: tuple[_Step, ...]
    places: Mapping[str, npt.NDArray[np.intp]]
    """For each family's table with "any level" in place of the first: where its counts stand among the terms."""

    @property
    def terms(self) -> int:
        """How many counts are kept; the last is the number of records."""
        return len(self.steps) + 1

    def count(self, batches: Sequence[Mapping[str, npt.NDArray[Any]]], rows: int) -> npt.NDArray[np.int64]:
        """Count all terms in some batches of records, ``rows`` in all."""
        packed = [_packed([codes[plane.node] for codes in batches], plane) for plane in self.planes]
        depth = max(step.depth for step in self.steps)
        spare = np.empty((depth, len(packed[0])), dtype=np.uint64)
        populations = np.empty(len(packed[0]), dtype=np.uint8)
        counted = np.empty(self.terms, dtype=np.int64)
        wide_enough = np.uint32 if rows < 2**32 else np.int64  # the narrower is faster, and no count exceeds the rows
        shown: list[npt.NDArray[np.uint64]] = [packed[0]] * (depth + 1)
        for step in self.steps:
            bits = packed[step.plane]
            if step.depth:
                bits = np.bitwise_and(shown[step.depth - 1], bits, out=spare[step.depth - 1])
            shown[step.depth] = bits
            counted[step.term] = np.add.reduce(np.bitwise_count(bits, out=populations), dtype=wide_enough)
        counted[-1] = rows
        return counted

    def tables(self, counted: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.int64]]:
        """Family tables from the counts of terms.

        Claim:      exact: along each axis the first level's count is "any level" less the others.
        Requires:   counts of all terms, summed over all chunks.
        Checked by: tests/property/test_counting.py::test_every_way_of_counting_equals_a_count_record_by_record
        """
        return {family.node: _cells(counted[self.places[family.node]]) for family in self.families}


@lru_cache(maxsize=64)
def bit_planes(families: tuple[Family, ...]) -> BitPlanes:
    """Work out what to count for some families.

    Claim:      the counts of the terms determine all tables. The terms of a family contain all their own parts, so in sorted
                order each term follows the one that it extends by a plane.
    Requires:   at least one family.
    Checked by: tests/property/test_counting.py::test_every_way_of_counting_equals_a_count_record_by_record
    """
    terms = sorted({term for family in families for term in _terms(family).values()} - {()})
    planes = tuple(sorted({plane for term in terms for plane in term}))
    plane_places = {plane: place for place, plane in enumerate(planes)}
    # Sorted terms are in depth-first order: each follows the term that it extends by one plane.
    steps = tuple(_Step(len(term) - 1, plane_places[term[-1]], place) for place, term in enumerate(terms))
    term_places = {term: place for place, term in enumerate(terms)} | {(): len(terms)}
    places = {}
    for family in families:
        table = np.empty(family.shape, dtype=np.intp)
        for cell, term in _terms(family).items():
            table[cell] = term_places[term]
        places[family.node] = table
    return BitPlanes(families, planes, steps, places)


def _terms(family: Family) -> dict[tuple[int, ...], Term]:
    """For each cell of the table, the planes that it asks for; a first level asks for none and stands for "any level"."""
    found: dict[tuple[int, ...], Term] = {}
    for cell in product(*(range(size) for size in family.shape)):
        shown = zip(family.members, cell, family.shape, strict=True)
        found[cell] = tuple(sorted(Plane(node, level, size == 2) for node, level, size in shown if level))
    return found


def _packed(columns: Sequence[npt.NDArray[Any]], plane: Plane) -> npt.NDArray[np.uint64]:
    """The bits of a plane. Each batch begins a new word: the bits that fill up the last one are zero and count for nothing."""
    words = np.zeros(sum(-(-len(column) // 64) for column in columns), dtype=np.uint64)
    octets, start = words.view(np.uint8), 0
    for column in columns:
        bits = np.packbits(column if plane.only else column == plane.level)
        octets[start : start + len(bits)] = bits
        start += 8 * -(-len(column) // 64)
    return words


def _cells(any_level: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Turn "any level" into the first level, one axis after the other."""
    cells = any_level.copy()
    for axis in range(cells.ndim):
        table = np.moveaxis(cells, axis, 0)
        table[0] -= table[1:].sum(axis=0)
    return cells.reshape(-1, cells.shape[-1])
