"""Signed sums of cells over any nodes of one family, fused by least squares into the coordinates of a network's tables.

In the coordinates of the space of tables that agree (``residuals.py``) every measurement is a set of uncorrelated estimates
with known variances, so precisions add. A node of two levels that is contrasted has one coefficient instead of two: the
difference of its levels over the root of two. It says nothing of sets of nodes without it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats, Places
from discreet.measure.measurement import Asked, contrasts, number_shape
from discreet.measure.residuals import ResidualSpace, reflect, residual_space, roots
from discreet.model.network import Network

__all__ = ["Observations", "Observed", "observations"]


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

    def estimate(self, signed: Floats) -> Floats:
        """Estimates of the coordinates from signed numbers, leading axes carried along; one long last axis."""
        lead = signed.shape[: signed.ndim - len(self.shape)]
        turned = np.array(signed, dtype=np.float64)
        reflect(turned, len(self.shape))
        return np.asarray(turned.reshape((*lead, -1)) * self.root)


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """What was measured, with which variances: everything about the fusion but the numbers."""

    space: ResidualSpace
    observed: tuple[Observed, ...] = field(repr=False)
    precision: Floats = field(repr=False)
    """The information on each coordinate."""

    def fuse(self, signed: Sequence[Floats], rows: float) -> Floats:
        """The coordinates that fit best: signed numbers for each measurement, leading axes carried along."""
        sums = np.zeros((*signed[0].shape[: signed[0].ndim - len(self.observed[0].shape)], self.space.dimension))
        for each, numbers in zip(self.observed, signed, strict=True):
            sums[..., each.place] += each.estimate(numbers) * each.precision  # in one measurement coordinates occur once
        sums /= self.precision
        sums[..., 0] = rows
        return sums


def observations(network: Network, asked: Sequence[Asked], variances: Sequence[float]) -> Observations:
    """Prepare the fusion of measurements whose signed numbers have these variances."""
    space = residual_space(network)
    observed = tuple(_observed(network, space, each, variance) for each, variance in zip(asked, variances, strict=True))
    precision = np.zeros(space.dimension)
    for each in observed:
        precision[each.place] += each.precision
    precision[0] = 1.0  # the number of records is public
    return Observations(space, observed, precision)


def _observed(network: Network, space: ResidualSpace, asked: Asked, variance: float) -> Observed:
    shape = tuple(network.variable(node).size for node in asked.nodes)
    place, root = space.places(asked.nodes, shape), roots(shape)
    halves = contrasts(asked)
    for _ in range(halves):
        place, root = place[..., 1], root[..., 1]
    plain = root.ravel()
    scaled = plain / math.sqrt(2) ** halves
    return Observed(asked.nodes, number_shape(network, asked), place.ravel(), scaled, 2**halves / (variance * plain**2))
