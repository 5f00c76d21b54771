"""What all measurements together say about each family's table, by least squares: a normal likelihood, one family left out.

For a family whose own numbers are used with their exact law, its own precisions are taken off again, so that nothing is
counted twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats, Places
from discreet.measure.measurement import Measurement
from discreet.measure.needs import too_wide
from discreet.measure.observations import Observed, observations
from discreet.measure.residuals import reflect, roots
from discreet.model.network import Family, Network

__all__ = ["SharedMargins", "shared_margins"]

_LEAST_VARIANCE = 1e-6
"""Noise below this moves no count; what is far smaller would make sums of precisions lose their other parts."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedMargins:
    """Precisions of all coordinates, and precision-weighted sums of the estimates."""

    places: dict[str, Places] = field(repr=False)
    """The coordinates of each family's table."""
    precision: Floats
    weighted: Floats
    observed: tuple[Observed, ...] = field(repr=False)
    estimates: tuple[Floats, ...] = field(repr=False)

    def quadratic(self, family: Family, without: Sequence[int]) -> tuple[Floats, Floats] | None:
        """Matrix Q and vector h of the likelihood exp(-N Q N / 2 + h N) of the family's cells, or None if there is none.

        ``without`` are the numbers of the measurements to leave out.
        """
        precision, weighted = self.precision.copy(), self.weighted.copy()
        for number in without:
            left = self.observed[number]
            precision[left.place] -= left.precision
            weighted[left.place] -= left.precision * self.estimates[number]
        place = self.places[family.node].ravel()
        root = roots(family.shape).ravel()
        weight = np.where(precision[place] > 1e-9 * self.precision[place], precision[place], 0) * root**2
        weight[0] = 0  # the total is known and never moves
        if not weight.any():
            return None
        turn = np.eye(family.cells).reshape(-1, *family.shape)
        reflect(turn, len(family.shape))
        matrix = turn.reshape(family.cells, -1)  # symmetric: a reflection along every axis
        found = np.where(weight > 0, weighted[place] / np.where(precision[place] > 0, precision[place], 1) / root, 0)
        return (matrix * weight) @ matrix, matrix @ (weight * found)


def shared_margins(network: Network, measurements: Sequence[Measurement], rows: int) -> SharedMargins | None:
    """Add up what the measurements say about each coordinate; None for families too wide to list their margins."""
    if too_wide(network):
        return None
    together = observations(network, measurements, [max(each.variance, _LEAST_VARIANCE) for each in measurements])
    estimates = tuple(own.estimate(each.signed(rows)) for own, each in zip(together.observed, measurements, strict=True))
    weighted = np.zeros(together.space.dimension)
    for own, estimate in zip(together.observed, estimates, strict=True):
        weighted[own.place] += own.precision * estimate
    places = {family.node: together.space.places(family.members, family.shape) for family in network.families}
    return SharedMargins(places, together.precision, weighted, together.observed, estimates)
