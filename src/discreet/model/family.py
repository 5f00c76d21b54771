"""A node with its parents: the unit that tables are made of, and which of its cells are declared impossible."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats

__all__ = ["Booleans", "Family", "Pattern", "empty_cells", "leave_out_impossible", "zero_probabilities"]

Booleans = npt.NDArray[np.bool_]
Pattern: TypeAlias = tuple[tuple[int, int], ...]
"""Levels that cannot occur together: pairs of an axis of a family's table and the place of a level."""


@dataclass(frozen=True, slots=True)
class Family:
    """A node with its parents. Its table has one row per parent configuration (first parent slowest), one column per level."""

    node: str
    parents: tuple[str, ...]
    shape: tuple[int, ...]
    impossible: tuple[Pattern, ...] = ()
    """All that is declared impossible among the members, the node's own combinations and those of its parents."""

    @property
    def members(self) -> tuple[str, ...]:
        """Parents first, the node last: the order of the axes of the table."""
        return (*self.parents, self.node)

    @property
    def configurations(self) -> int:
        """Number of parent configurations: rows of the table."""
        return math.prod(self.shape[:-1])

    @property
    def levels(self) -> int:
        """Number of levels of the node: columns of the table."""
        return self.shape[-1]

    @property
    def cells(self) -> int:
        """Number of counts in the table."""
        return math.prod(self.shape)

    @property
    def possible_cells(self) -> int:
        """Number of counts that are not known to be zero before any record is read."""
        return self.cells - int(empty_cells(self).sum()) if self.impossible else self.cells

    @property
    def possible_configurations(self) -> int:
        """Number of parent configurations that are not known to have no record."""
        return int((~empty_cells(self)).any(axis=1).sum()) if self.impossible else self.configurations


@lru_cache(maxsize=256)
def empty_cells(family: Family) -> Booleans:
    """Which cells of the table hold no record because the declaration says so: configurations x levels."""
    return _matches(family, family.impossible)


@lru_cache(maxsize=256)
def zero_probabilities(family: Family) -> Booleans:
    """Which conditional probabilities are zero because the declaration says so: configurations x levels.

    Where the parents cannot occur as they are, and so no level can, nothing is said about the levels: their probabilities
    stay those of the prior, and nobody ever needs them.
    """
    node = len(family.shape) - 1
    found = _matches(family, [pattern for pattern in family.impossible if any(axis == node for axis, _ in pattern)])
    stuck = found.all(axis=1, keepdims=True)
    if not stuck.any():
        return found
    zero = found & ~stuck
    zero.flags.writeable = False
    return zero


def leave_out_impossible(family: Family, table: Floats) -> Floats:
    """Probabilities, configurations x levels behind any other axes, without the impossible ones; the rest sums to one.

    Of a Dirichlet draw this is a draw from the Dirichlet distribution of the levels that are left, with their parameters.
    """
    if not family.impossible:
        return table
    left = np.where(zero_probabilities(family), 0.0, table)
    return np.asarray(left / left.sum(axis=-1, keepdims=True))


def _matches(family: Family, patterns: tuple[Pattern, ...] | list[Pattern]) -> Booleans:
    if not patterns:  # takes no memory
        return np.broadcast_to(np.False_, (family.configurations, family.levels))
    found = np.zeros(family.shape, dtype=np.bool_)
    for pattern in patterns:
        place: list[slice | int] = [slice(None)] * len(family.shape)
        for axis, level in pattern:
            place[axis] = level
        found[tuple(place)] = True
    table = found.reshape(family.configurations, family.levels)
    table.flags.writeable = False
    return table
