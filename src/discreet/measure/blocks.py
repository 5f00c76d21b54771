"""The layout of a K-norm release: which numbers are measured, which of them share a block, and which blocks share a radius.

Nodes with equal parent sets form a group. A record lies in one configuration of the parents; its statistic there is a block:
a one (the count of the configuration), a sign for each binary child (+1 for the first level, -1 for the second) and a vector
with a single one for each child of more levels. Blocks are summed over the records. Groups in one bundle share a radius.

A bundle's published integers are the true ones plus round(z), z a real vector with density proportional to exp(-norm(z) /
scale); norm(z) = max over groups g of sum over configurations j of max over parts p of the L1 norm of z[g, j, p].
Equivalently z = r u with r of the Gamma law of shape dimension + 1 and this scale, u uniform where norm(u) <= 1; given z, r
is norm(z) plus an exponential of mean scale. In a bundle of one group the blocks are independent, each such a draw of its own
with dimension = width. Bundles are independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers

__all__ = ["BLOCK_SENSITIVITY", "Bundle", "Group", "join_parts", "split_parts"]

Number = TypeVar("Number", np.int64, np.float64)

BLOCK_SENSITIVITY = 2
"""How far one record moves a group: the sum over its blocks of the largest L1 norm of a part.

If the configuration stays, one block changes, and each of its parts by at most 2 in L1 norm. If it moves, one block loses and
another gains one record's block, each of norm 1.
"""


@dataclass(frozen=True, slots=True)
class Group:
    """What is measured for each configuration of a set of parents."""

    parents: tuple[str, ...]
    """In the order of the network's nodes; the first is slowest in the numbering of configurations."""
    parent_levels: tuple[int, ...]
    counted: bool
    """Whether the number of records in each configuration is measured. Never without parents: it is public then."""
    children: tuple[str, ...]
    child_levels: tuple[int, ...]

    @property
    def configurations(self) -> int:
        """Number of blocks."""
        return math.prod(self.parent_levels)

    @property
    def parts(self) -> tuple[int, ...]:
        """Coordinates of each part of a block: the count first, if it is measured, then the children."""
        return (1,) * self.counted + tuple(1 if levels == 2 else levels for levels in self.child_levels)

    @property
    def width(self) -> int:
        """Coordinates of one block."""
        return sum(self.parts)

    @property
    def dimension(self) -> int:
        """Coordinates of all blocks."""
        return self.configurations * self.width


@dataclass(frozen=True, slots=True)
class Bundle:
    """Groups whose noise shares one radius, and what they get of epsilon.

    The noise z has density proportional to exp(-norm(z) / scale), where norm is the largest over the groups of the sum over
    the blocks of the largest over the parts of the L1 norm. Neighbours move the statistic by at most 2 in this norm.
    """

    groups: tuple[Group, ...]
    epsilon: Fraction
    dimension: int = field(init=False, repr=False, compare=False)
    """Coordinates of all groups: the radius has the Gamma law of shape dimension + 1."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", sum(group.dimension for group in self.groups))

    @property
    def scale(self) -> Fraction:
        """What the norm of the noise is measured in."""
        return BLOCK_SENSITIVITY / self.epsilon


def join_parts(group: Group, parts: Sequence[Integers]) -> Integers:
    """The numbers of all parts as one table of blocks, configurations x width."""
    return np.concatenate([each.reshape(group.configurations, -1) for each in parts], axis=1)


def split_parts(group: Group, blocks: npt.NDArray[Number]) -> list[npt.NDArray[Number]]:
    """The columns of each part in tables of blocks: the last axis is divided."""
    return np.split(blocks, np.cumsum(group.parts)[:-1], axis=-1)
