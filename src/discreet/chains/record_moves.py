"""Which records move in one step of the chain: many pairs of cells at once, no two of them in the same row of a table.

In one kind of step every row has a pair of its own, two levels of the node. In the other kinds, one for each parent, rows are
paired that differ in this parent's level only, and the two cells have the same level of the node. Pairs are drawn without
looking at the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Integers
from discreet.model.network import Family

__all__ = ["RecordMoves", "record_moves"]


MOST_PAIRS = 32
"""Most pairs of one family in a step: every two of them have to be looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordMoves:
    """One kind of step. The pairs of a family follow one another."""

    within: bool
    """Whether the two cells of a pair are in one row."""
    family: Integers
    """Of each pair."""
    number: Integers
    """Of each pair among those of its family."""
    choices: Integers = field(repr=False)
    """For each family how many pairs there are to choose from."""
    size: Integers = field(repr=False)
    """Levels of the node or parent whose level changes, for each family."""
    stride: Integers = field(repr=False)
    """How many cells apart two neighbouring levels of it are."""
    levels: Integers = field(repr=False)
    """Levels of the node, for each family."""
    first: Integers = field(repr=False)
    """The first cell of each family."""

    def draw(self, generator: np.random.Generator) -> Integers:
        """The two cells of each pair: 2 x pairs."""
        family, size, stride = self.family, self.size[self.family], self.stride[self.family]
        offset = generator.integers(0, np.maximum(self.choices, 1))
        choice = (offset[family] + self.number) % self.choices[family]
        uniform = generator.random((2, len(family)))
        if self.within:
            one = (uniform[0] * size).astype(np.int64)
            two = (one + 1 + (uniform[1] * (size - 1)).astype(np.int64)) % size
            return np.asarray(self.first[family] + choice * size + np.stack([one, two]))
        order = generator.random((len(self.size), int(self.size.max())))
        order[np.arange(order.shape[1]) >= self.size[:, None]] = 2  # behind all levels that there are
        shuffled = np.argsort(order, axis=1)
        line, pair = np.divmod(choice, size // 2)
        rows = stride // self.levels[family]
        row = line // rows * rows * size + line % rows
        level = (uniform[0] * self.levels[family]).astype(np.int64)
        corner = self.first[family] + row * self.levels[family] + level
        return np.asarray(corner + stride * np.stack([shuffled[family, 2 * pair], shuffled[family, 2 * pair + 1]]))


def record_moves(families: Sequence[Family]) -> list[RecordMoves]:
    """Every kind of step: within rows, and across rows along each parent.

    Families with fewer parents than others are paired along their parents in turn.
    """
    parents = max(len(family.parents) for family in families)
    kinds = [_kind(families, None), *(_kind(families, number) for number in range(parents))]
    return [kind for kind in kinds if len(kind.family)]


def _kind(families: Sequence[Family], number: int | None) -> RecordMoves:
    size, stride, choices = np.array([_axis(family, number) for family in families]).T
    pairs = np.minimum(choices, MOST_PAIRS)
    cells = [family.cells for family in families]
    return RecordMoves(
        number is None,
        np.repeat(np.arange(len(families)), pairs),
        np.concatenate([np.arange(each) for each in pairs]),
        choices,
        size,
        stride,
        np.array([family.levels for family in families]),
        np.concatenate([[0], np.cumsum(cells)[:-1]]),
    )


def _axis(family: Family, number: int | None) -> tuple[int, int, int]:
    """Levels and stride of the node whose level changes, and how many disjoint pairs there are."""
    if number is None:
        return family.levels, 1, family.configurations if family.levels > 1 else 0
    if not family.parents:
        return 1, family.levels, 0
    place = number % len(family.parents)
    sizes = family.shape[:-1]
    stride = family.levels * int(np.prod(sizes[place + 1 :], dtype=np.int64))
    return sizes[place], stride, family.configurations // sizes[place] * (sizes[place] // 2)
