"""All pairs of columns as they were published, and what they say: margins, tables of pairs, and how far noise moves these."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np

from discreet.arrays import Floats, WholeNumbers
from discreet.errors import ModelError
from discreet.guarantee import ZCDP, PureDP

__all__ = ["PairForm", "PairMoments", "PairTables", "pair_deviation"]


class PairTables(Protocol):
    """What a graph is grown from: noisy margins of all columns, and noisy tables of pairs, or of some of them."""

    @property
    def rows(self) -> int:
        """The public number of records."""
        ...

    @property
    def margins(self) -> Mapping[str, Floats]:
        """The probabilities of each column's levels, none of them zero."""
        ...

    def margin_spread(self, node: str) -> float:
        """How far noise moves the margin of a column, as a probability."""
        ...

    @property
    def picked(self) -> bool:
        """Whether there are only pairs that were picked, because of what they say."""
        ...

    def has(self, one: str, two: str) -> bool:
        """Whether the pair was measured."""
        ...

    def pair(self, one: str, two: str) -> Floats:
        """Noisy probabilities of the levels of two columns."""
        ...

    def spread(self, one: str, two: str) -> float:
        """How far noise moves a cell of the table of a pair, as a probability."""
        ...


class PairForm(Enum):
    """The law of the noise of all pairs."""

    WISHART = "wishart-pairs"
    """The difference of two Wishart matrices of density proportional to exp(-trace / scale), in units of h."""
    GAUSSIAN = "gaussian-pairs"
    """Independent, of variance scale in units of h."""


def _length(levels: tuple[int, ...]) -> Fraction:
    """The squared length of a record, as the kernel has it: one, and 1 - 1 / p for a column of p levels."""
    return 1 + sum((1 - Fraction(1, each) for each in levels), Fraction(0))


def _squared_change(levels: tuple[int, ...]) -> Fraction:
    """How far one record moves all pairs, as the kernel has it: the largest sum of squares, in units of h."""
    length, found, taken = _length(levels), Fraction(0), Fraction(0)
    for number, each in enumerate(sorted(each for each in levels if each > 1), start=1):
        taken += 1 - Fraction(2, each)
        found = max(found, length**2 - (length - number) ** 2 - taken)
    return found


def pair_deviation(levels: tuple[int, ...], budget: PureDP | ZCDP) -> float:
    """How far noise will move each contrast of a table of counts, if all pairs are measured with a budget.

    Claim:      ``PairMoments.deviation`` of what will be published.
    Requires:   columns of so many levels; public.
    Checked by: tests/unit/planning/test_graph_forms.py::test_the_noise_of_pairs_is_what_a_release_has
    """
    if isinstance(budget, PureDP):
        return _wishart_deviation(float(2 * _length(levels) / budget.epsilon), sum(each - 1 for each in levels))
    return math.sqrt(float(_squared_change(levels) / (2 * budget.rho)))


def _wishart_deviation(scale: float, contrasts: int) -> float:
    return scale * math.sqrt((contrasts + 2) / 2)


@dataclass(frozen=True, eq=False)
class PairMoments:
    """Noisy sums of products of contrasts (``kernel/noise/pairs.py`` says which) of columns with these levels."""

    sizes: Mapping[str, int]
    """How many levels each column has, in declared order."""
    form: PairForm
    scale: Fraction
    rows: int
    numbers: WholeNumbers = field(repr=False)

    def __post_init__(self) -> None:
        if self.numbers.shape != (len(self._places),):
            raise ModelError("The numbers of the pairs do not fit their columns: one is needed for each pair of contrasts.")

    @property
    def cost(self) -> Fraction:
        """Epsilon, or rho."""
        levels = tuple(self.sizes.values())
        if self.form is PairForm.WISHART:
            return 2 * _length(levels) / self.scale
        return _squared_change(levels) / (2 * self.scale)

    @cached_property
    def deviation(self) -> float:
        """Of the noise of every number, in units of h: how far it moves each contrast of a table of counts."""
        if self.form is PairForm.GAUSSIAN:
            return math.sqrt(float(self.scale))
        return _wishart_deviation(float(self.scale), len(self._owners) - 1)

    @cached_property
    def _owners(self) -> list[int]:
        return [-1] + [column for column, each in enumerate(self.sizes.values()) for _ in range(each - 1)]

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        owners = self._owners
        size = range(len(owners))
        return [(one, two) for one in size for two in size[one + 1 :] if owners[one] != owners[two]]

    @cached_property
    def _matrix(self) -> Floats:
        """The numbers in units of h, as a symmetric matrix with nothing in the blocks of single columns."""
        squares = [1] + [number * (number + 1) for each in self.sizes.values() for number in range(1, each)]
        found = np.zeros((len(squares), len(squares)))
        for (one, two), number in zip(self._places, self.numbers.tolist(), strict=True):
            found[one, two] = found[two, one] = number / math.sqrt(squares[one] * squares[two])
        return found

    @cached_property
    def _slices(self) -> dict[str, slice]:
        ends = np.cumsum([1, *(each - 1 for each in self.sizes.values())]).tolist()
        return {node: slice(first, last) for node, first, last in zip(self.sizes, ends, ends[1:], strict=False)}

    def _basis(self, node: str) -> Floats:
        """The orthonormal contrasts of a column: levels x (levels - 1)."""
        size = self.sizes[node]
        table = np.zeros((size, max(size - 1, 0)))
        for number in range(1, size):
            table[:number, number - 1] = 1
            table[number, number - 1] = -number
            table[:, number - 1] /= math.sqrt(number * (number + 1))
        return table

    @cached_property
    def margins(self) -> dict[str, Floats]:
        """The probabilities of each column's levels, none of them zero."""
        found, least = {}, 0.25 * self.deviation / self.rows
        for node, size in self.sizes.items():
            margin = 1 / size + self._basis(node) @ self._matrix[0, self._slices[node]] / self.rows
            kept = np.maximum(margin, least)
            found[node] = kept / kept.sum()
        return found

    def pair(self, one: str, two: str) -> Floats:
        """Noisy probabilities of the levels of two columns; the margins are those above, some cells may be negative."""
        block = self._matrix[self._slices[one], self._slices[two]]
        together = self._basis(one) @ block @ self._basis(two).T / self.rows
        sides = self.margins[one][:, None] / self.sizes[two] + self.margins[two] / self.sizes[one]
        return np.asarray(together + sides - 1 / (self.sizes[one] * self.sizes[two]))

    def margin_spread(self, node: str) -> float:  # noqa: ARG002
        """How far noise moves the margin of a column, as a probability: of every column as far."""
        return self.deviation / self.rows

    @property
    def picked(self) -> bool:
        """All pairs were measured, whatever they say."""
        return False

    def has(self, one: str, two: str) -> bool:
        """Whether the pair was measured: all were."""
        return one in self.sizes and two in self.sizes

    def spread(self, one: str, two: str) -> float:
        """How far noise moves a cell of the table of a pair, as a probability."""
        share = (1 - 1 / self.sizes[one]) * (1 - 1 / self.sizes[two])
        return self.deviation / self.rows * math.sqrt(share)
