"""Counting by bit planes: a column of r levels becomes r - 1 rows of bits, and a count is the population of their AND.

A plane marks the records with a certain level or a later one. For each combination of planes that some family needs, the
records in all of them are counted: one AND and one population count per combination, shared between families. The cells
follow by subtraction, in exact integers. The memory accesses do not depend on the data.
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

__all__ = ["BitPlanes", "Plane", "Term", "bit_planes", "terms_of"]


_TOGETHER = 32
"""Terms whose populations are added up in one call."""


@dataclass(frozen=True, slots=True)
class Plane:
    """One row of bits: the records in which a node shows this level or a later one, never the first level."""

    node: str
    level: int


Term: TypeAlias = tuple[int, ...]
"""The numbers of planes of different nodes that records show together, in ascending order."""


@dataclass(frozen=True, slots=True)
class _Step:
    """Count one term: AND a plane to what the steps above have left at ``depth - 1``."""

    depth: int
    plane: int


@dataclass(frozen=True, slots=True, eq=False)
class BitPlanes:
    """What to pack and what to count for some families; the order of steps walks the terms depth first."""

    families: tuple[Family, ...]
    planes: tuple[Plane, ...]
    steps: tuple[_Step, ...]
    places: Mapping[str, npt.NDArray[np.intp]]
    """For each family's table with "this level or a later one" for each level: where its counts stand among the terms."""

    @property
    def size(self) -> int:
        """How many counts are kept, one for each term; the last is the number of records."""
        return len(self.steps) + 1

    def count(self, codes: Mapping[str, npt.NDArray[Any]], rows: int) -> npt.NDArray[np.int64]:
        """Count all terms in so many records."""
        packed = _pack(codes, rows, self.planes)
        words = packed.shape[1]
        depth = max(step.depth for step in self.steps)
        spare = np.empty((depth, words), dtype=np.uint64)
        shown = [packed[0]] * (depth + 1)
        populations = np.empty((_TOGETHER, words), dtype=np.uint8)
        counted = np.empty(self.size, dtype=np.int64)
        wide_enough = np.uint32 if rows < 2**32 else np.int64  # the narrower is faster, and no count exceeds the rows
        for first in range(0, len(self.steps), _TOGETHER):
            steps = self.steps[first : first + _TOGETHER]
            for step, population in zip(steps, populations, strict=False):
                bits = packed[step.plane]
                if step.depth:
                    bits = np.bitwise_and(shown[step.depth - 1], bits, out=spare[step.depth - 1])
                shown[step.depth] = bits
                np.bitwise_count(bits, out=population)
            counted[first : first + len(steps)] = np.add.reduce(populations[: len(steps)], axis=1, dtype=wide_enough)
        counted[-1] = rows
        return counted

    def tables(self, counted: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.int64]]:
        """Family tables from the counts of terms.

        Claim:      exact: along each axis a level's count is "this or a later one" less "the next or a later one".
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
    planes = _planes(families)
    needed = terms_of(families)
    terms = sorted({term for one in needed.values() for term in one} - {()})
    # Sorted terms are in depth-first order: each follows the term that it extends by one plane.
    steps = tuple(_Step(len(term) - 1, term[-1]) for term in terms)
    term_places = {term: place for place, term in enumerate(terms)} | {(): len(terms)}
    places = {
        family.node: np.array([term_places[term] for term in needed[family.node]], dtype=np.intp).reshape(family.shape)
        for family in families
    }
    return BitPlanes(families, planes, steps, places)


def terms_of(families: Sequence[Family]) -> dict[str, list[Term]]:
    """For each family the terms of its cells, in order, in numbers of the planes that all these families have together.

    Claim:      two families have a term in common if they ask for the same levels.
    Requires:   nothing: it looks at the families alone.
    Checked by: tests/property/test_counting.py::test_every_way_of_counting_equals_a_count_record_by_record
    """
    numbers = {(plane.node, plane.level): number for number, plane in enumerate(_planes(families))}
    return {family.node: _terms(family, numbers) for family in families}


def _planes(families: Sequence[Family]) -> tuple[Plane, ...]:
    sizes = {member: size for family in families for member, size in zip(family.members, family.shape, strict=True)}
    return tuple(Plane(node, level) for node in sorted(sizes) for level in range(1, sizes[node]))


def _terms(family: Family, numbers: Mapping[tuple[str, int], int]) -> list[Term]:
    """For each cell of the table, in order, the planes that it asks for; a first level asks for none: all records show it."""
    choices = [
        ((), *((numbers[member, level],) for level in range(1, size)))
        for member, size in zip(family.members, family.shape, strict=True)
    ]
    return [tuple(sorted(sum(chosen, ()))) for chosen in product(*choices)]


def _pack(codes: Mapping[str, npt.NDArray[Any]], rows: int, planes: Sequence[Plane]) -> npt.NDArray[np.uint64]:
    """The bits of the planes. The bits that fill up the last word are zero and count for nothing.

    All are written into one array, and all comparisons into another: fresh memory for each would cost more than the work.
    """
    words = np.zeros((len(planes), -(-rows // 64)), dtype=np.uint64)
    octets = words.view(np.uint8)[:, : -(-rows // 8)]
    compared = np.empty(rows, dtype=np.bool_)
    for place, plane in enumerate(planes):
        column = codes[plane.node]
        # Packing takes any number but zero for one, which is "the second level or a later one" already.
        octets[place] = np.packbits(column if plane.level == 1 else np.greater_equal(column, plane.level, out=compared))
    return words


def _cells(at_least: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Turn "this level or a later one" into the level itself, one axis after the other."""
    cells, after = at_least.copy(), at_least.size
    for size in at_least.shape:
        after //= size
        table = cells.reshape(-1, size, after)
        table[:, :-1] -= table[:, 1:]
    return cells.reshape(-1, at_least.shape[-1])
