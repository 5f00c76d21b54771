"""What a declaration of impossible combinations tells about measurements before they are made.

A cell that is declared impossible is zero. Where every number of a measurement has noise of its own, such a cell is not
measured: zero is written in its place. And wherever tables are fused by least squares, the zeros are equations that hold
exactly: what noise says against them is taken back, and the other cells become better known.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats
from discreet.measure.laws import GaussianNoise, LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic, number_shape
from discreet.measure.residuals import ResidualSpace
from discreet.model.family import Booleans, Family, empty_cells
from discreet.model.network import Network

__all__ = ["ZeroEquations", "empty_of_all", "known_numbers", "zero_equations"]

_MOST_ENTRIES, _MOST_WORK = 2**25, 2**34
"""Of the matrix of the equations, and of its products: beyond, fusion goes without them."""
_DEPENDENT = 1e-10
"""Equations that follow from others, up to rounding, as a share of the largest."""


def known_numbers(network: Network, measurement: Measurement) -> Booleans:
    """Which numbers of a measurement are not measured, because the declaration says that they are zero.

    Only where each has noise of its own; elsewhere all are measured, and the posterior knows better.
    """
    found = np.zeros(number_shape(network, measurement), dtype=np.bool_)
    alone = isinstance(measurement.law, LaplaceNoise | GaussianNoise) and measurement.statistic is Statistic.COUNTS
    for family in network.families if network.impossible and alone else ():
        if family.impossible and set(measurement.nodes) <= set(family.members):
            found |= _margin(family, measurement.nodes)
    return found


def _margin(family: Family, nodes: tuple[str, ...]) -> Booleans:
    """Which cells of a margin count only what is impossible."""
    left_out = tuple(axis for axis, member in enumerate(family.members) if member not in nodes)
    kept = [member for member in family.members if member in nodes]
    table = np.asarray(empty_cells(family).reshape(family.shape).all(axis=left_out))
    return table.transpose([kept.index(node) for node in nodes])


@dataclass(frozen=True, slots=True, eq=False)
class ZeroEquations:
    """That some cells are zero, for coordinates whose estimates have independent errors of known variances.

    With S the diagonal matrix of the variances and C x the cells, the best estimate that keeps C x = 0 is
    x - S C' (C S C')^-1 C x, and its errors have the covariance S - W W' with W = S C' (C S C')^-1/2.
    """

    undo: Floats = field(repr=False)
    """W: coordinates x equations."""
    excess: Floats = field(repr=False)
    """(C S C')^-1/2 C: equations x coordinates."""

    def hold(self, coordinates: Floats) -> Floats:
        """The coordinates nearest to these at which the equations hold; leading axes are carried along."""
        return np.asarray(coordinates - (coordinates @ self.excess.T) @ self.undo.T)

    def take_back(self, moved: Floats, forces: Floats) -> Floats:
        """What is left of a move that forces cause, where the equations go on to hold."""
        return np.asarray(moved - self.undo @ (self.undo.T @ forces))

    def known_cells(self, space: ResidualSpace) -> Floats:
        """Equations x cells of the maximal families: the sums of products are what covariances of cells become smaller by."""
        return space.cells(self.undo.T)


def empty_of_all(space: ResidualSpace) -> Booleans:
    """Which cells of the maximal families, one after the other, are declared impossible."""
    return np.concatenate([empty_cells(family).ravel() for family in space.families])


def zero_equations(space: ResidualSpace, precision: Floats) -> ZeroEquations | None:
    """The equations of a network's zeros; None where there are none, or too many to be solved."""
    cells = np.flatnonzero(empty_of_all(space))
    if not len(cells) or len(cells) * space.dimension > _MOST_ENTRIES or len(cells) ** 2 * space.dimension > _MOST_WORK:
        return None
    matrix = np.empty((len(cells), space.dimension))
    for row, cell in enumerate(cells):
        one = np.zeros(len(space.place))
        one[cell] = 1
        matrix[row] = space.spread(one)
    deviation = 1 / np.sqrt(precision)
    deviation[0] = 0  # the number of records is known
    scaled = matrix * deviation
    squares, turned = np.linalg.eigh(scaled @ scaled.T)
    kept = squares > _DEPENDENT * squares.max()
    root = turned[:, kept] / np.sqrt(squares[kept])
    return ZeroEquations(deviation[:, None] * (scaled.T @ root), root.T @ matrix)
