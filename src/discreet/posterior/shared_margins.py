"""What all measurements together say about each family's table, by least squares: a normal likelihood, one family left out.

In the coordinates of the space of tables that agree (``residuals.py``) every measurement is a set of uncorrelated estimates
with known variances, so precisions add. For a family whose own numbers are used with their exact law, its own precisions are
taken off again, so that nothing is counted twice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from discreet.model.network import Family, Network
from discreet.model.prior import Table
from discreet.posterior.measurement import Measurement
from discreet.posterior.residuals import Places, number_coefficients, reflected

__all__ = ["SharedMargins", "shared_margins"]


@dataclass(frozen=True, slots=True, eq=False)
class _Estimates:
    """What one measurement says: coordinates, estimates, precisions."""

    place: Places
    value: Table
    precision: Table


@dataclass(frozen=True, slots=True, eq=False)
class SharedMargins:
    """Precisions of all coordinates, and precision-weighted sums of the estimates."""

    places: dict[str, Places] = field(repr=False)
    """The coordinates of each family's table."""
    precision: Table
    weighted: Table
    estimates: tuple[_Estimates, ...] = field(repr=False)

    def quadratic(self, family: Family, without: Sequence[int]) -> tuple[Table, Table] | None:
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
        turn = reflected(np.eye(family.cells).reshape(*family.shape, -1), range(len(family.shape)))
        matrix = turn.reshape(family.cells, -1)
        found = np.where(weight > 0, weighted[place] / np.where(precision[place] > 0, precision[place], 1) / root, 0)
        return (matrix * weight) @ matrix, matrix @ (weight * found)


def shared_margins(network: Network, measurements: Sequence[Measurement]) -> SharedMargins:
    """Number the coordinates of all families and add up what the measurements say."""
    order = {node: number for number, node in enumerate(network.nodes)}
    sizes = {variable.name: variable.size for variable in network.variables}
    starts: dict[tuple[str, ...], int] = {(): 0}
    dimension = 1
    places = {}
    for family in network.families:
        places[family.node], dimension = number_coefficients(family.members, family.shape, order, starts, dimension)
    estimates: list[_Estimates] = []
    for measurement in measurements:
        shape = tuple(sizes[member] for member in measurement.members)
        place, dimension = number_coefficients(measurement.members, shape, order, starts, dimension)
        estimates.append(_estimates(measurement, place, shape))
    precision, weighted = np.zeros(dimension), np.zeros(dimension)
    for estimate in estimates:
        np.add.at(precision, estimate.place, estimate.precision)
        np.add.at(weighted, estimate.place, estimate.precision * estimate.value)
    return SharedMargins(places, precision, weighted, tuple(estimates))


def _estimates(measurement: Measurement, place: Places, shape: tuple[int, ...]) -> _Estimates:
    table = np.array(measurement.noisy, dtype=np.float64)
    root = roots(shape)
    variance = measurement.law.variance
    if measurement.contrast:
        place, root = place[..., 1], root[..., 1]
        table /= math.sqrt(2)
        variance /= 2
    turned = reflected(table, range(table.ndim)) * root
    return _Estimates(place.ravel(), turned.ravel(), np.ravel(1 / (variance * root**2)))


def roots(shape: tuple[int, ...]) -> Table:
    """What a coefficient must be multiplied with to be an estimate of its coordinate."""
    return np.asarray(reduce(np.multiply.outer, [np.sqrt([size] + [1] * (size - 1)) for size in shape], np.ones(())))
