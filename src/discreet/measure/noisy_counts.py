"""What a perturbation mechanism published: noisy counts as integers, with the law of the noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.model.network import Family

__all__ = ["NoisyCounts"]


@dataclass(frozen=True, slots=True, eq=False)
class NoisyCounts:
    """Family counts of ``rows`` records, each plus an independent draw k with P(k) proportional to exp(-|k| / scale)."""

    tables: Mapping[str, Integers] = field(repr=False)
    scale: Fraction
    rows: int

    def update(self, family: Family) -> Floats:
        """What the release adds to the prior's parameters: configurations x levels, never negative."""
        return self.clamped(family.node).astype(np.float64)

    def clamped(self, node: str) -> Integers:
        """The noisy counts moved into [0, rows], where the true ones are: step 4 of the paper's Algorithm 1."""
        return np.clip(self.tables[node], 0, self.rows)
