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

__all__ = ["BitPlanes", "bit_planes"]

Plane: TypeAlias = tuple[str, int]
"""A node and one of its levels, by number; never the first level."""
Term: TypeAlias = tuple[Plane, ...]
"""Levels that records show together, nodes in a fixed order."""


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

    def count(self, codes: Mapping[str, npt.NDArray[Any]], rows: int) -> npt.NDArray[np.int64]:
        """Count all terms in a chunk of records."""
        packed = [_pack(codes[node], level, rows) for node, level in self.planes]
        words = -(-rows // 64)
        left = np.empty((max((step.depth for step in self.steps), default=0) + 1, words), dtype=np.uint64)
        populations = np.empty(words, dtype=np.uint8)
        counted = np.empty(self.terms, dtype=np.int64)
        for step in self.steps:
            bits = packed[step.plane]
            if step.depth:
                above = left[step.depth - 1] if step.depth > 1 else packed[self._first[step.term]]
                bits = np.bitwise_and(above, bits, out=left[step.depth])
            np.bitwise_count(bits, out=populations)
            counted[step.term] = populations.sum(dtype=np.int64)
        counted[-1] = rows
        return counted

    def tables(self, counted: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.int64]]:
        """Family tables from the counts of terms.

        Claim:      exact: along each axis the first level's count is "any level" less the others.
        Requires:   counts of all terms, summed over all chunks.
        Checked by: tests/property/test_counting.py::test_every_way_of_counting_equals_a_count_record_by_record
        """
        return {family.node: _cells(counted[self.places[family.node]]) for family in self.families}
