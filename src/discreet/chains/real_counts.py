"""The law of the tables with counts taken as real numbers: smooth, so that all of them can move along its slope at once.

A cell is empty or holds a count r > 0. Empty cells stay so here. For the others the weights of whole numbers are taken as a
density of r, which is cut off softly below a half: what is between N - 1/2 and N + 1/2 then weighs about as much as N, the
nearer the larger N is (the most it differs by is a tenth, at N = 1). The counts of a family are n times a softmax of y, so
that their sum is the number of records; the density is that of y. Shared margins are integrated out.

Noise that depends on magnitudes has a kink at zero, which is rounded here (``some_cells.py``). Cells that are empty in all
chains need not be among those that are looked at: they, and rows of which all cells are empty, add nothing that changes.
The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats, add_up, rows_at
from discreet.chains.digamma import digamma
from discreet.chains.prior_terms import PriorTerms
from discreet.chains.some_cells import SomeCells

__all__ = ["Place", "RealCounts", "Slope"]

_LEAST, _WALL = 0.5, 5
"""Where counts are cut off, softly: by the fifth power of what they are less."""
_TINY, _STEEPEST = 1e-300, 1e50


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where chains are. Cells that do not move are zero in ``moving``; what they hold is ``held``."""

    logs: Floats
    """y of each cell."""
    parameters: Floats
    """Logarithms of the learned parameters of the prior; of no length where nothing is learned."""
    moving: Floats
    held: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """The way in which the log density rises: with y, and with the logarithms of the prior's parameters."""

    logs: Floats
    parameters: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """What follows from a place."""

    free: Floats
    """Records of each family in cells that move."""
    factor: Floats
    """What the exponential of y is multiplied by, for each family."""
    moved: Floats
    all: Floats
    wall: Floats

    @classmethod
    def of(cls, place: Place, cells: SomeCells, rows: int) -> _Counts:
        starts = cells.starts
        free = rows - np.add.reduceat(place.held, starts, axis=0)
        moved = np.exp(place.logs)
        moved *= place.moving
        factor = free / np.maximum(np.add.reduceat(moved, starts, axis=0), _TINY)
        moved *= rows_at(factor, cells.family)
        below = np.minimum(_LEAST / np.maximum(moved, _TINY), _STEEPEST)
        return cls(free, factor, moved, moved + place.held, np.square(np.square(below)) * below)


class RealCounts:
    """The density of all tables together, and of the learned parameters of their prior."""

    def __init__(self, cells: SomeCells, prior: PriorTerms, rows: int) -> None:
        self._cells, self._prior, self._rows = cells, prior, rows

    def counts(self, place: Place) -> Floats:
        """The counts of all cells."""
        return _Counts.of(place, self._cells, self._rows).all

    def height(self, place: Place) -> Floats:
        """The log density of each chain."""
        from scipy.special import gammaln

        cells, prior, counts = self._cells, self._prior, _Counts.of(place, self._cells, self._rows)
        total = cells.sum_rows(counts.all)
        of_cells = gammaln(counts.all + prior.cells_at(place.parameters))
        logs = place.logs + rows_at(np.log(np.maximum(counts.factor, _TINY)), cells.family)
        of_cells += place.moving * (logs - gammaln(counts.moved + 1) - np.log1p(counts.wall))
        of_rows = gammaln(total + cells.spread) - gammaln(total + prior.rows_at(place.parameters))
        known = cells.known_log(counts.all)
        return np.asarray(add_up(of_cells) + add_up(of_rows) + known + prior.log_prior(place.parameters))

    def slope(self, place: Place) -> Slope:
        """The gradient of the log density."""
        cells, prior, counts = self._cells, self._prior, _Counts.of(place, self._cells, self._rows)
        total = cells.sum_rows(counts.all)
        of_cells = digamma(counts.all + prior.cells_at(place.parameters))
        of_rows = digamma(total + prior.rows_at(place.parameters))
        rise = digamma(counts.moved + 1)
        np.subtract(of_cells, rise, out=rise)
        rise += rows_at(digamma(total + cells.spread) - of_rows, cells.row)
        rise += cells.known_slope(counts.all)
        rise *= counts.moved
        rise += place.moving * (1 + _WALL * (counts.wall / (1 + counts.wall)))
        mean = np.add.reduceat(rise, cells.starts, axis=0) / np.maximum(counts.free, _TINY)
        rise -= counts.moved * rows_at(mean, cells.family)
        return Slope(rise, prior.rise(place.parameters, of_cells, of_rows))
