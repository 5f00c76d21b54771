"""What the Gaussian mechanism published: noisy margins, and how family tables follow from them.

The interface for whoever computes with the noise (all of it is public): ``margins[i].nodes`` are the nodes of the i-th margin
and ``tables[i]`` its noisy cells, one axis for each of these nodes; every cell is the true count plus an independent integer k
with P(k) proportional to exp(-k^2 / (2 margins[i].variance)).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from discreet.arrays import Integers
from discreet.measure.fused import Fused
from discreet.measure.needs import Measured
from discreet.measure.observations import Observations, observations
from discreet.measure.strategies.gaussian import Margin, gaussian_variance, standard_deviation
from discreet.model.network import Network

__all__ = ["NoisyMargins"]


@dataclass(frozen=True, eq=False)
class NoisyMargins(Fused):
    """Margins of ``rows`` records plus discrete Gaussian noise; see the module for the law."""

    network: Network = field(repr=False)
    margins: tuple[Margin, ...] = field(repr=False)
    tables: tuple[Integers, ...] = field(repr=False)
    rows: int

    @property
    def scale(self) -> Fraction:
        """The largest standard deviation of the noise, to three places."""
        return standard_deviation(max(margin.variance for margin in self.margins))

    @cached_property
    def _observations(self) -> Observations:
        tables = [Measured(margin.nodes) for margin in self.margins]
        return observations(self.network, tables, [gaussian_variance(margin.variance) for margin in self.margins])

    @property
    def _measured(self) -> list[Integers]:
        return [table.reshape(-1) for table in self.tables]
