"""A categorical variable as a balanced binary tree of splits: which half of the levels, then which half of that, and so on.

A Dirichlet distribution of the levels is a product of independent Beta distributions of the splits. A variable with m levels
has m - 1 splits; each level is reached by at most ceil(log2 m) of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.model.network import Family

Number = TypeVar("Number", np.int64, np.float64)

__all__ = ["Split", "depth", "levels_from_splits", "sides", "splits", "touched"]


@dataclass(frozen=True, slots=True)
class Split:
    """The levels start .. end - 1, parted at middle. The split's probability is that of the first part."""

    start: int
    middle: int
    end: int


@lru_cache(maxsize=256)
def splits(levels: int) -> tuple[Split, ...]:
    """The splits of a variable with so many levels; each before those inside it."""
    found: list[Split] = []
    waiting = [(0, levels)]
    while waiting:
        start, end = waiting.pop()
        if end - start > 1:
            middle = (start + end + 1) // 2
            found.append(Split(start, middle, end))
            waiting += [(middle, end), (start, middle)]
    return tuple(found)


def depth(levels: int) -> int:
    """The most splits that lead to a level: ceil(log2 m)."""
    return (levels - 1).bit_length()


def touched(family: Family) -> int:
    """The most splits of a family's table that the old and the new record pass, those that both pass in one way left out.

    Records in different parent configurations pass different splits: the longest path twice. A node without parents has one
    configuration: there the two paths part at some split, which both pass; at worst at the first.
    """
    if family.configurations > 1:
        return 2 * depth(family.levels)
    first = splits(family.levels)[0]
    return 2 + depth(first.middle) + depth(first.end - first.middle)


def sides(table: npt.NDArray[Number]) -> tuple[npt.NDArray[Number], npt.NDArray[Number]]:
    """Sums of the levels on the first and on the second side of every split: configurations x splits each."""
    parted = splits(table.shape[-1])
    first = np.stack([table[..., split.start : split.middle].sum(axis=-1) for split in parted], axis=-1)
    second = np.stack([table[..., split.middle : split.end].sum(axis=-1) for split in parted], axis=-1)
    return first, second


def levels_from_splits(values: Floats) -> Floats:
    """Probabilities of the levels from those of the splits: last axis of length m - 1 to length m."""
    parted = splits(values.shape[-1] + 1)
    result = np.ones((*values.shape[:-1], values.shape[-1] + 1))
    for place, split in enumerate(parted):
        result[..., split.start : split.middle] *= values[..., place, None]
        result[..., split.middle : split.end] *= 1 - values[..., place, None]
    return result
