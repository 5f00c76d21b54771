"""Which rows of a table exchange records in a step: pairs that differ in the level of one parent, no row in two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Integers
from discreet.model.network import Family

__all__ = ["RowPairs", "row_pairs"]


@dataclass(frozen=True, slots=True, eq=False)
class RowPairs:
    """One kind of step: along one parent of each family. The pairs of a family follow one another."""

    family: Integers
    """Of each pair."""
    number: Integers
    """Of each pair among those of its family."""
    size: Integers = field(repr=False)
    """Levels of the parent, for each family."""
    stride: Integers = field(repr=False)
    """How many rows apart two neighbouring levels of it are."""
    first: Integers = field(repr=False)
    """The first row of each family."""

    def draw(self, generator: np.random.Generator) -> Integers:
        """The two rows of each pair, either first: 2 x pairs."""
        family, size, stride = self.family, self.size[self.family], self.stride[self.family]
        order = generator.random((len(self.size), int(self.size.max())))
        order[np.arange(order.shape[1]) >= self.size[:, None]] = 2  # behind all levels that there are
        shuffled = np.argsort(order, axis=1)
        line, pair = np.divmod(self.number, size // 2)
        row = self.first[family] + line // stride * stride * size + line % stride
        return np.asarray(row + stride * np.stack([shuffled[family, 2 * pair], shuffled[family, 2 * pair + 1]]))


def row_pairs(families: Sequence[Family]) -> list[RowPairs]:
    """Every kind of step, one for each parent. Families with fewer parents than others are paired along theirs in turn."""
    parents = max(len(family.parents) for family in families)
    kinds = [_pairs_along(families, number) for number in range(parents)]
    return [kind for kind in kinds if len(kind.family)]


def _pairs_along(families: Sequence[Family], number: int) -> RowPairs:
    size, stride, pairs = np.array([_axis(family, number) for family in families]).T
    rows = [family.configurations for family in families]
    return RowPairs(
        np.repeat(np.arange(len(families)), pairs),
        np.concatenate([np.arange(each) for each in pairs]),
        size,
        stride,
        np.concatenate([[0], np.cumsum(rows)[:-1]]),
    )


def _axis(family: Family, number: int) -> tuple[int, int, int]:
    """Levels and stride of the parent whose level changes, and how many disjoint pairs there are."""
    if not family.parents:
        return 1, 1, 0
    place = number % len(family.parents)
    sizes = family.shape[:-1]
    stride = int(np.prod(sizes[place + 1 :], dtype=np.int64))
    return sizes[place], stride, family.configurations // sizes[place] * (sizes[place] // 2)
