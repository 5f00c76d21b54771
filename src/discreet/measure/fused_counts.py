"""What was published when only maximal families were measured: their noisy tables, and how all family tables follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.measure.agreement import nearest_agreeing
from discreet.measure.margins import margin_of
from discreet.measure.residuals import residual_space
from discreet.measure.strategies.fusion import split_variances
from discreet.model.network import Family, Network

__all__ = ["FusedCounts"]


@dataclass(frozen=True, eq=False)
class FusedCounts:
    """Counts of the maximal families of ``rows`` records, each plus a draw k with P(k) proportional to exp(-|k| / scale).

    The draws are independent; each table has a scale of its own. Tables are configurations x levels, by node.
    """

    network: Network = field(repr=False)
    tables: Mapping[str, Integers] = field(repr=False)
    scales: Mapping[str, Fraction] = field(repr=False)
    rows: int
    consistent: bool = True
    """Whether the tables are fused, so that they agree; otherwise each is used as it was measured, clamped to [0, rows]."""

    @property
    def scale(self) -> Fraction:
        """The largest scale of the noise on a count."""
        return max(self.scales.values())

    @cached_property
    def fused(self) -> dict[str, Floats]:
        """The maximal families' tables after fusion, one axis per member: unbiased, agreeing, perhaps negative."""
        space = residual_space(self.network)
        return space.tables(space.cells(space.fuse(space.line(self.tables), space.each(self._variances), self.rows)))

    @cached_property
    def _variances(self) -> dict[str, float]:
        return split_variances(self.scales)

    @cached_property
    def _repaired(self) -> dict[str, Floats]:
        if self.consistent:
            space = residual_space(self.network)
            return space.tables(nearest_agreeing(space, space.line(self.tables), space.each(self._variances), self.rows))
        return {
            family.node: self.tables[family.node].astype(np.float64).reshape(family.shape)
            for family in self.network.maximal_families
        }

    @cached_property
    def _sources(self) -> dict[str, Family]:
        """For each family the measured one that says most about it."""
        containing: dict[str, list[Family]] = {node: [] for node in self.network.nodes}
        for wider in sorted(self.network.maximal_families, key=lambda wider: self._variances[wider.node] * wider.cells):
            for member in wider.members:
                containing[member].append(wider)
        return {
            family.node: next(wider for wider in containing[family.node] if set(family.members) <= set(wider.members))
            for family in self.network.families
        }

    def update(self, family: Family) -> Floats:
        """What the release adds to the prior's parameters: configurations x levels, never negative."""
        source = self._sources[family.node]
        margin = margin_of(source, self._repaired[source.node], family)
        return np.asarray(np.clip(margin, 0, self.rows).reshape(-1, family.levels))
