"""The law of the tables with counts taken as real numbers: smooth, so that all of them can move along its slope at once.

A cell is empty or holds a count r > 0. Empty cells stay so here. For the others the weights of whole numbers are taken as a
density of r, which is cut off softly below a half: what is between N - 1/2 and N + 1/2 then weighs about as much as N, the
nearer the larger N is (the most it differs by is a tenth, at N = 1). The counts of a family are n times a softmax of y, so
that their sum is the number of records; the density is that of y. Shared margins are integrated out.

Noise that depends on magnitudes has a kink at zero. Here |g| is sqrt(g^2 + h^2); what is missing is ``cusp``, never negative.
The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats, Integers, add_up, rows_at
from discreet.chains.digamma import digamma
from discreet.chains.family_tables import FamilyTables
from discreet.chains.quick_matrices import Matrix, quick
from discreet.chains.row_priors import RowPriors

__all__ = ["Place", "RealCounts", "Slope"]

_LEAST, _WALL = 0.5, 5
"""Where counts are cut off, softly: by the fifth power of what they are less."""
_ROUNDED = 0.3
"""The share of the width of noise within which a kink is rounded."""
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
    def of(cls, place: Place, tables: FamilyTables, rows: int) -> _Counts:
        starts = tables.cell_starts
        free = rows - np.add.reduceat(place.held, starts, axis=0)
        moved = np.exp(place.logs)
        moved *= place.moving
        factor = free / np.maximum(np.add.reduceat(moved, starts, axis=0), _TINY)
        moved *= rows_at(factor, tables.family_of_cell)
        below = np.minimum(_LEAST / np.maximum(moved, _TINY), _STEEPEST)
        return cls(free, factor, moved, moved + place.held, np.square(np.square(below)) * below)


class RealCounts:
    """The density of all tables together, and of the learned parameters of their prior."""

    def __init__(self, tables: FamilyTables, prior: RowPriors, rows: int) -> None:
        self._tables, self._prior, self._rows = tables, prior, rows
        self.widths = tables.widths()[tables.family_of_cell]
        width_of_number = np.ones(len(tables.noisy))
        width_of_number[tables.coordinate] = self.widths
        self._rounding = np.square(_ROUNDED * width_of_number)[:, None]
        self._sums = _Sums.of(tables)

    def counts(self, place: Place) -> Floats:
        """The counts of all cells."""
        return _Counts.of(place, self._tables, self._rows).all

    def cusp(self, counts: Floats) -> Floats:
        """By how much the log density of the noise of each part is larger than what is taken for it: parts x chains."""
        tables = self._tables
        if tables.squared:
            return np.zeros((len(tables.family_of_part), counts.shape[1]))
        gaps = tables.noisy[:, None] - tables.numbers @ counts
        exact = self._tail(np.abs(gaps))[0]
        return np.maximum(exact - self._tail(np.sqrt(np.square(gaps) + self._rounding))[0], 0)

    def height(self, place: Place) -> Floats:
        """The log density of each chain."""
        from scipy.special import gammaln

        tables, prior, counts = self._tables, self._prior, _Counts.of(place, self._tables, self._rows)
        own = prior.cells_at(place.parameters)
        total = tables.sum_rows(counts.all)
        of_cells = gammaln(counts.all + own)
        logs = place.logs + rows_at(np.log(np.maximum(counts.factor, _TINY)), tables.family_of_cell)
        of_cells += place.moving * (logs - gammaln(counts.moved + 1) - np.log1p(counts.wall))
        of_rows = gammaln(total + tables.row_spread[:, None]) - gammaln(total + tables.sum_rows(own))
        gaps = self._sums.gaps(counts.all)
        height = add_up(of_cells) + add_up(of_rows) + add_up(self._noise(gaps)[0])
        height -= add_up(self._sums.precision * np.square(gaps[self._sums.numbers :])) / 2
        return np.asarray(height + prior.log_prior(place.parameters))

    def slope(self, place: Place) -> Slope:
        """The gradient of the log density."""
        tables, prior, counts = self._tables, self._prior, _Counts.of(place, self._tables, self._rows)
        own = prior.cells_at(place.parameters)
        total = tables.sum_rows(counts.all)
        of_cells, of_rows = digamma(counts.all + own), digamma(total + tables.sum_rows(own))
        of_cells -= rows_at(of_rows, tables.row_of_cell)
        rise = digamma(counts.moved + 1)
        np.subtract(of_cells, rise, out=rise)
        rise += rows_at(digamma(total + tables.row_spread[:, None]), tables.row_of_cell)
        rise += self._rise_of_counts(counts.all)
        rise *= counts.moved
        rise += place.moving * (1 + _WALL * (counts.wall / (1 + counts.wall)))
        mean = np.add.reduceat(rise, tables.cell_starts, axis=0) / np.maximum(counts.free, _TINY)
        rise -= counts.moved * rows_at(mean, tables.family_of_cell)
        return Slope(rise, prior.rise(place.parameters, of_cells))

    def _rise_of_counts(self, counts: Floats) -> Floats:
        """How what was measured, and what is known of sums, rises with the counts."""
        gaps, numbers = self._sums.gaps(counts), self._sums.numbers
        _, slope, direction = self._noise(gaps)
        gaps[:numbers] = rows_at(-slope, self._tables.part) * direction
        gaps[numbers:] *= self._sums.precision
        return np.asarray(self._sums.back @ gaps)

    def _noise(self, gaps: Floats) -> tuple[Floats, Floats, Floats]:
        """Log density of the noise of each part, its slope in the norm of the part, and that of the norm in each gap."""
        gaps = gaps[: self._sums.numbers]
        size = np.square(gaps) if self._tables.squared else np.sqrt(np.square(gaps) + self._rounding)
        height, slope = self._tail(size)
        return height, slope, 2 * gaps if self._tables.squared else gaps / size

    def _tail(self, magnitudes: Floats) -> tuple[Floats, Floats]:
        """Log density of the noise of each part, and its slope in the sum of the magnitudes."""
        tables = self._tables
        norms = np.add.reduceat(magnitudes, tables.part_starts, axis=0)
        if tables.tails.known:
            radius = tables.inverse_radius[:, None]
            height, slope = tables.tails.slopes(norms * radius)
            return height, slope * radius
        rate = (tables.inverse_variance / 2 if tables.squared else tables.inverse_scale)[:, None]
        return -rate * norms, np.broadcast_to(-rate, norms.shape)


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """What was published, the sums that are known besides, and the copies of shared margins: sums of cells, in this order."""

    matrix: Matrix
    back: Matrix
    """Its transpose, which brings what pulls at the sums back to the cells."""
    target: Floats
    """What was published or measured; zero for copies, which have their mean."""
    numbers: int
    """How many were published."""
    precision: Floats
    """Of the others."""
    first: int
    """The first copy of a margin; copies of one margin are next to one another."""
    starts: Integers
    margin: Integers
    copies: Floats
    """Where the copies of each margin begin, to which margin each belongs, and how many there are of each."""

    @classmethod
    def of(cls, tables: FamilyTables) -> _Sums:
        from scipy.sparse import csr_array, vstack

        sums = tables.sums
        known = np.flatnonzero((sums.margin < 0) & (sums.precision > 0))
        tied = sums.tied[np.argsort(sums.margin[sums.tied], kind="stable")]
        _, starts, margin, copies = np.unique(sums.margin[tied], return_index=True, return_inverse=True, return_counts=True)
        others = np.concatenate([known, tied])
        matrix = csr_array(vstack([tables.numbers, sums.matrix()[others]]))
        target = np.concatenate([tables.noisy, sums.measured[known], np.zeros(len(tied))])[:, None]
        numbers, precision = len(tables.noisy), sums.precision[others][:, None]
        places = (numbers + len(known), starts, margin, copies[:, None].astype(np.float64))
        return cls(quick(matrix), quick(csr_array(matrix.T)), target, numbers, precision, *places)

    def gaps(self, counts: Floats) -> Floats:
        """By how much the sums are less than what they should be."""
        found = self.target - self.matrix @ counts
        tied = found[self.first :]
        if len(tied):
            tied -= rows_at(np.add.reduceat(tied, self.starts, axis=0) / self.copies, self.margin)
        return np.asarray(found)
