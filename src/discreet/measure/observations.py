"""Signed sums of cells over any nodes of one family, fused by least squares into the coordinates of a network's tables.

In the coordinates of the space of tables that agree (``residuals.py``) every measurement is a set of uncorrelated estimates
with known variances, so precisions add. A node of two levels that is contrasted has one coefficient instead of two: the
difference of its levels over the root of two. It says nothing of sets of nodes without it. Cells that are declared impossible
are zero, which least squares are told as equations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats, Places
from discreet.measure.known_zeros import ZeroEquations, zero_equations
from discreet.measure.measurement import Asked, Measurement, contrasts, number_shape
from discreet.measure.needs import CellNoise, fused_cell_noise, too_wide
from discreet.measure.residuals import ResidualSpace, reflect, residual_space, roots
from discreet.model.family import Booleans, Family, empty_cells
from discreet.model.network import Network

__all__ = ["Observations", "Observed", "SharedMargins", "expected_cell_noise", "observations", "shared_margins"]


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """What one measurement says: about which coordinates, and how well."""

    nodes: tuple[str, ...]
    shape: tuple[int, ...]
    """Of its numbers."""
    place: Places
    root: Floats
    """What a coefficient of the numbers must be multiplied with to be an estimate of its coordinate."""
    precision: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """What was measured, with which variances: everything about the fusion but the numbers."""

    space: ResidualSpace
    observed: tuple[Observed, ...] = field(repr=False)
    precision: Floats = field(repr=False)
    """The information on each coordinate."""
    zeros: ZeroEquations | None = field(default=None, repr=False)
    """What is declared impossible."""

    def fuse(self, signed: Sequence[Floats], rows: float) -> Floats:
        """The coordinates that fit best: signed numbers for each measurement, leading axes carried along."""
        sums = np.zeros((*signed[0].shape[: signed[0].ndim - len(self.observed[0].shape)], self.space.dimension))
        for each, estimate in zip(self.observed, _estimates(self.observed, signed), strict=True):
            sums[..., each.place] += estimate * each.precision  # in one measurement coordinates occur once
        sums /= self.precision
        sums[..., 0] = rows
        return sums if self.zeros is None else self.zeros.hold(sums)


def _estimates(observed: Sequence[Observed], signed: Sequence[Floats]) -> list[Floats]:
    """Estimates of the coordinates from the signed numbers of each, leading axes carried along; one long last axis.

    Tables of the same shape are turned together: of hundreds of small ones, the calls would take longer than the work.
    """
    alike: dict[tuple[int, ...], list[int]] = {}
    for place, each in enumerate(observed):
        alike.setdefault(each.shape, []).append(place)
    found: dict[int, Floats] = {}
    for shape, places in alike.items():
        turned = np.array([signed[place] for place in places], dtype=np.float64)
        reflect(turned, len(shape))
        flat = turned.reshape((*turned.shape[: turned.ndim - len(shape)], -1))
        found |= {place: np.asarray(own * observed[place].root) for place, own in zip(places, flat, strict=True)}
    return [found[place] for place in range(len(observed))]


def observations(network: Network, asked: Sequence[Asked], variances: Sequence[float]) -> Observations:
    """Prepare the fusion of measurements whose signed numbers have these variances."""
    space = residual_space(network)
    observed = tuple(_observed(network, space, each, variance) for each, variance in zip(asked, variances, strict=True))
    precision = np.zeros(space.dimension)
    for each in observed:
        precision[each.place] += each.precision
    precision[0] = 1.0  # the number of records is public
    return Observations(space, observed, precision, zero_equations(space, precision))


def _observed(network: Network, space: ResidualSpace, asked: Asked, variance: float) -> Observed:
    halves, shape = contrasts(asked), number_shape(network, asked)
    place = space.places(asked.nodes, tuple(network.variable(node).size for node in asked.nodes), halves)
    root = roots(shape).ravel()
    scaled, precision = root / math.sqrt(2) ** halves, 2**halves / (variance * root**2)
    return Observed(asked.nodes, shape, place.ravel(), scaled, precision)


def expected_cell_noise(
    network: Network, measurements: Sequence[Measurement], node: str | None = None
) -> dict[str, CellNoise]:
    """The variances of cells and of totals of parent configurations after fusion, the zeros of the declaration known.

    Means over the cells and the configurations that are possible; without zeros all of a family's are alike. With ``node``
    only those of its family are computed, unless the declaration has zeros, which tie families together.
    """
    found = fused_cell_noise(network, measurements, None if network.impossible else node)
    if not network.impossible:
        return found
    together = observations(network, measurements, [each.variance for each in measurements])
    if together.zeros is None:
        return found
    known = together.zeros.known_cells(together.space)
    return {
        family.node: _less_noise(found[family.node], family, _of_family(known, together.space, family))
        for family in network.families
    }


def _of_family(known: Floats, space: ResidualSpace, family: Family) -> Floats:
    """What the equations say of a family's cells, from what they say of a maximal one's: equations x its table."""
    start = 0
    for wide in space.families:
        if set(family.members) <= set(wide.members):
            table = known[:, start : start + wide.cells].reshape(-1, *wide.shape)
            kept = [member for member in wide.members if member in family.members]
            table = table.sum(axis=tuple(1 + axis for axis, member in enumerate(wide.members) if member not in kept))
            return np.asarray(table.transpose(0, *(1 + kept.index(member) for member in family.members)))
        start += wide.cells
    raise AssertionError("Every family lies within a maximal one.")


def _less_noise(noise: CellNoise, family: Family, known: Floats) -> CellNoise:
    table = known.reshape(len(known), family.configurations, family.levels)
    possible: Booleans = ~empty_cells(family)
    return CellNoise(
        _mean_left(noise.cell, np.square(table).sum(axis=0), possible),
        _mean_left(noise.total, np.square(table.sum(axis=2)).sum(axis=0), np.asarray(possible.any(axis=1))),
    )


def _mean_left(variance: float, gained: Floats, possible: Booleans) -> float:
    return max(0.0, float((variance - gained[possible]).mean()))


_LEAST_VARIANCE = 1e-6
"""Noise below this moves no count; what is far smaller would make sums of precisions lose their other parts."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedMargins:
    """Precisions of all coordinates, and precision-weighted sums of the estimates."""

    space: ResidualSpace = field(repr=False)
    rows: int
    precision: Floats
    weighted: Floats
    observed: tuple[Observed, ...] = field(repr=False)
    estimates: tuple[Floats, ...] = field(repr=False)

    def margin(self, nodes: tuple[str, ...], shape: tuple[int, ...]) -> tuple[Floats, float]:
        """The table of these nodes that fits all measurements best, and the variance of its cells on average.

        The nodes belong to one family; the variance is infinite where some contrast was not measured.
        """
        place, root = self.space.places(nodes, shape).ravel(), roots(shape).ravel()
        known = self.precision[place] > 0
        precision = np.where(known, self.precision[place], 1)
        table = np.where(known, self.weighted[place] / precision, 0) / root
        table[0] = self.rows / root[0]
        variance = np.where(known, 1 / (precision * root**2), np.inf)[1:].sum() / place.size
        table = table.reshape(shape)
        reflect(table, len(shape))
        return table, float(variance)


def shared_margins(network: Network, measurements: Sequence[Measurement], rows: int) -> SharedMargins | None:
    """Add up what the measurements say about each coordinate; None for families too wide to list their margins."""
    if too_wide(network):
        return None
    together = observations(network, measurements, [max(each.variance, _LEAST_VARIANCE) for each in measurements])
    estimates = tuple(_estimates(together.observed, [each.signed(rows) for each in measurements]))
    weighted = np.zeros(together.space.dimension)
    for own, estimate in zip(together.observed, estimates, strict=True):
        weighted[own.place] += own.precision * estimate
    return SharedMargins(together.space, rows, together.precision, weighted, together.observed, estimates)
