"""What all measurements together say about each family's table, by least squares: a normal likelihood, one family left out.

In the coordinates of the space of tables that agree (``residuals.py``) every measurement is a set of uncorrelated estimates
with known variances, so precisions add. For a family whose own numbers are used with their exact law, its own precisions are
taken off again, so that nothing is counted twice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats, Places
from discreet.measure.measurement import Measurement
from discreet.measure.needs import too_wide
from discreet.measure.residuals import reflect, residual_space, roots
from discreet.model.network import Family, Network

__all__ = ["SharedMargins", "shared_margins"]

_LEAST_VARIANCE = 1e-6
"""Noise below this moves no count; what is far smaller would make sums of precisions lose their other parts."""


@dataclass(frozen=True, slots=True, eq=False)
class _Estimates:
    """What one measurement says: coordinates, estimates, precisions."""

    place: Places
    value: Floats
    precision: Floats


@dataclass(frozen=True, slots=True, eq=False)
class SharedMargins:
    """Precisions of all coordinates, and precision-weighted sums of the estimates."""

    places: dict[str, Places] = field(repr=False)
    """The coordinates of each family's table."""
    precision: Floats
    weighted: Floats
    estimates: tuple[_Estimates, ...] = field(repr=False)

    def quadratic(self, family: Family, without: Sequence[int]) -> tuple[Floats, Floats] | None:
        """Matrix Q and vector h of the likelihood exp(-N Q N / 2 + h N) of the family's cells, or None if there is none.

        ``without`` are the numbers of the measurements to leave out.
        """
        precision, weighted = self.precision.copy(), self.weighted.copy()
        for number in without:
            left = self.estimates[number]
            np.subtract.at(precision, left.place, left.precision)
            np.subtract.at(weighted, left.place, left.precision * left.value)
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


def shared_margins(network: Network, measurements: Sequence[Measurement]) -> SharedMargins | None:
    """Add up what the measurements say about each coordinate; None for families too wide to list their margins."""
    if too_wide(network):
        return None
    space = residual_space(network)
    places = {family.node: space.places(family.members, family.shape) for family in network.families}
    estimates: list[_Estimates] = []
    for measurement in measurements:
        shape = tuple(network.variable(member).size for member in measurement.members)
        estimates.append(_estimates(measurement, space.places(measurement.members, shape), shape))
    precision, weighted = np.zeros(space.dimension), np.zeros(space.dimension)
    for estimate in estimates:
        np.add.at(precision, estimate.place, estimate.precision)
        np.add.at(weighted, estimate.place, estimate.precision * estimate.value)
    return SharedMargins(places, precision, weighted, tuple(estimates))


def _estimates(measurement: Measurement, place: Places, shape: tuple[int, ...]) -> _Estimates:
    table = np.array(measurement.noisy, dtype=np.float64)
    root = roots(shape)
    variance = max(measurement.law.variance, _LEAST_VARIANCE)
    for _ in range(measurement.contrasts):
        place, root = place[..., 1], root[..., 1]
        table /= math.sqrt(2)
        variance /= 2
    reflect(table, table.ndim)
    return _Estimates(place.ravel(), (table * root).ravel(), np.ravel(1 / (variance * root**2)))
