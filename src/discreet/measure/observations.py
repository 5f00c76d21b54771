"""Noisy tables over any nodes of one family, fused by least squares into the coordinates of a network's tables.

A signed difference of a binary node, for each configuration of others, counts as a table whose two halves are plus and minus
half of it: it measures the contrasts in that node and says nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Places
from discreet.measure.needs import Measured
from discreet.measure.residuals import ResidualSpace, reflect, residual_space, roots
from discreet.model.network import Network

__all__ = ["Observations", "observations"]


@dataclass(frozen=True, slots=True, eq=False)
class _Observed:
    """One table: its shape, which of its coefficients count, what they measure and how well."""

    shape: tuple[int, ...]
    difference: bool
    chosen: npt.NDArray[np.bool_]
    place: Places
    root: Floats
    weight: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """Which tables were measured, with which variances: everything about the fusion but the numbers."""

    space: ResidualSpace
    tables: tuple[_Observed, ...] = field(repr=False)
    precision: Floats = field(repr=False)
    """The information on each coordinate, in units of that of a cell of the best table."""

    def fuse(self, values: Sequence[npt.NDArray[np.number]], rows: float) -> Floats:
        """The coordinates that fit best; an array of cells (or differences) for each table, leading axes carried along."""
        lead = values[0].shape[:-1]
        sums = np.zeros((*lead, self.space.dimension))
        for table, cells in zip(self.tables, values, strict=True):
            numbers = np.stack([cells, -cells], axis=-1) / 2 if table.difference else np.array(cells, dtype=np.float64)
            turned = numbers.reshape((*lead, *table.shape)).astype(np.float64)
            reflect(turned, len(table.shape))
            found = turned.reshape((*lead, -1))[..., table.chosen] * table.root * table.weight
            sums[..., table.place] += found  # within one table every coordinate occurs once
        sums /= self.precision
        sums[..., 0] = rows
        return sums


def observations(network: Network, tables: Sequence[Measured], variances: Sequence[float]) -> Observations:
    """Prepare the fusion of these tables, whose cells (or differences) have these variances."""
    space = residual_space(network)
    best = min(variances)
    observed = [_observed(network, space, table, best / variance) for table, variance in zip(tables, variances, strict=True)]
    precision = np.zeros(space.dimension)
    for table in observed:
        precision[table.place] += table.weight
    precision[0] = 1.0  # the number of records is public
    return Observations(space, tuple(observed), precision)


def _observed(network: Network, space: ResidualSpace, table: Measured, weight: float) -> _Observed:
    shape = tuple(network.variable(node).size for node in table.members)
    chosen = np.ones(shape, dtype=bool)
    if table.through is not None:
        # Half of a difference of variance v in each half of the table is what independent cells of variance v / 2 give.
        chosen[..., 0] = False
        weight *= 2
    kept = chosen.ravel()
    root = roots(shape).ravel()[kept]
    place = space.places(table.members, shape).ravel()[kept]
    return _Observed(shape, table.through is not None, kept, place, root, weight / root**2)
