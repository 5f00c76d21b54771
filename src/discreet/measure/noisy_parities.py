"""What the Fourier mechanism published: noisy parities, and how family tables follow from them.

A table is a sum of characters, cell = 2^-s sum_g (-1)^<g, cell> phi_g, with phi_g = rows - 2 odd_g. Tables that share nodes
share their phi, so they agree on every common margin, whatever the noise: they are margins of one (signed) table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.arrays import Floats
from discreet.measure.projection import nearest_non_negative
from discreet.measure.strategies.laplace import noise_variance
from discreet.measure.strategies.parity_weights import ParityWeights
from discreet.measure.walsh_hadamard import walsh_hadamard
from discreet.model.network import Family, Network

__all__ = ["NoisyParities", "Repair"]


class Repair(Enum):
    """What is done about negative cells."""

    PROJECT = "project"
    """The nearest tables that are non-negative, consistent and sum to the number of records."""
    INCREMENT = "increment"
    """The paper's: a public increment makes all cells non-negative with the promised probability; the rest is clamped."""
    CLAMP = "clamp"
    """Negative cells become zero, and the tables no longer agree."""


@dataclass(frozen=True, eq=False)
class NoisyParities:
    """Odd counts of ``rows`` records, each plus an independent draw k with P(k) proportional to exp(-|k| / its scale)."""

    network: Network = field(repr=False)
    odd: Mapping[frozenset[str], int] = field(repr=False)
    weights: ParityWeights
    epsilon: Fraction
    rows: int
    repair: Repair = Repair.PROJECT
    increment: int = 0
    """What the mode INCREMENT adds to the number of records; depends on the noise alone."""

    @cached_property
    def scales(self) -> dict[frozenset[str], Fraction]:
        """The scale of the noise on every odd count."""
        return self.weights.scales(self.epsilon)

    @property
    def scale(self) -> Fraction:
        """The largest scale of the noise on an odd count."""
        return max(self.scales.values())

    def table(self, family: Family) -> Floats:
        """The noisy table of a family before any repair, with one axis per member. Exact: cells are multiples of 2^-s."""
        return _table({gamma: self.rows - 2 * odd for gamma, odd in self.odd.items()}, self.rows, family)

    @cached_property
    def _repaired(self) -> dict[str, Floats]:
        phi: Mapping[frozenset[str], float] = {gamma: self.rows - 2 * odd for gamma, odd in self.odd.items()}
        total = self.rows
        if self.repair is Repair.PROJECT:
            variances = {gamma: noise_variance(scale) for gamma, scale in self.scales.items()}
            phi = nearest_non_negative(self.network, phi, variances, self.rows)
        elif self.repair is Repair.INCREMENT:
            total += self.increment
        return {family.node: np.maximum(_table(phi, total, family), 0) for family in self.network.families}

    def update(self, family: Family) -> Floats:
        """What the release adds to the prior's parameters: configurations x levels, never negative."""
        return self._repaired[family.node].reshape(-1, family.levels)


def _table(phi: Mapping[frozenset[str], float], total: float, family: Family) -> Floats:
    coefficients = np.empty(family.shape)
    for place in np.ndindex(family.shape):
        gamma = frozenset(node for node, chosen in zip(family.members, place, strict=True) if chosen)
        coefficients[place] = phi[gamma] if gamma else total
    return np.asarray(walsh_hadamard(coefficients) / coefficients.size)
