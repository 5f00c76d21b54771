"""The law of the tables with counts taken as real numbers: smooth, so that all of them can move along its slope at once.

A cell is empty or holds a count r > 0. Empty cells stay so here. For the others the weights of whole numbers are taken as a
density of r, which is cut off softly below a half: what is between N - 1/2 and N + 1/2 then weighs about as much as N, the
nearer the larger N is (the most it differs by is a tenth, at N = 1). The counts of a family are n times a softmax of y, so
that their sum is the number of records; the density is that of y. Shared margins are integrated out.

Noise that depends on magnitudes has a kink at zero. Here |g| is sqrt(g^2 + h^2); what is missing is ``cusp``, never negative.
The last axis of every array is the chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.chains.family_tables import CLOSED, FamilyTables
from discreet.chains.log_gamma import digamma, log_gamma
from discreet.chains.row_priors import LearnedRows, RowPriors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Place", "RealCounts", "Slope"]

_LEAST_LOG = np.log(0.5)
_WALL = 0.2
"""How softly counts are cut off below a half, on the scale of logarithms."""
_ROUNDED = 0.3
"""The share of the width of noise within which a kink is rounded."""
_TINY, _STEEPEST = 1e-300, 600.0
_SMALL = 2**14
"""Entries up to which a matrix is small."""

Matrix = Any
"""Of sparse or full entries."""


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
    moved: Floats
    logs: Floats
    all: Floats
    wall: Floats

    @classmethod
    def of(cls, place: Place, tables: FamilyTables, rows: int) -> _Counts:
        starts, family = tables.cell_starts, tables.family_of_cell
        free = rows - np.add.reduceat(place.held, starts, axis=0)
        weights = np.exp(place.logs) * place.moving
        factor = free / np.maximum(np.add.reduceat(weights, starts, axis=0), _TINY)
        moved = weights * factor[family]
        logs = place.logs + np.log(np.maximum(factor, _TINY))[family]
        wall = np.exp(np.minimum((_LEAST_LOG - logs) / _WALL, _STEEPEST))
        return cls(free, moved, logs, moved + place.held, wall)


class RealCounts:
    """The density of all tables together, and of the learned parameters of their prior."""

    def __init__(self, tables: FamilyTables, prior: RowPriors, rows: int) -> None:
        self._tables, self._prior, self._rows = tables, prior, rows
        self.widths = tables.widths()[tables.family_of_cell]
        width_of_number = np.ones(len(tables.noisy))
        width_of_number[tables.coordinate] = self.widths
        self._rounding = _ROUNDED * width_of_number[:, None]
        self._numbers = _both_ways(tables.numbers)
        self._known = _known_sums(tables)
        self._tied = _tied_sums(tables)

    def counts(self, place: Place) -> Floats:
        """The counts of all cells."""
        return _Counts.of(place, self._tables, self._rows).all

    def cusp(self, counts: Floats) -> Floats:
        """By how much the log density of the noise of each part is larger than what is taken for it: parts x chains."""
        tables = self._tables
        if tables.squared:
            return np.zeros((len(tables.family_of_part), counts.shape[1]))
        gaps = tables.noisy[:, None] - self._numbers[0] @ counts
        exact = self._tail(np.abs(gaps))[0]
        return np.maximum(exact - self._tail(np.hypot(gaps, self._rounding))[0], 0)

    def height(self, place: Place) -> Floats:
        """The log density of each chain."""
        tables, counts = self._tables, _Counts.of(place, self._tables, self._rows)
        own = _parameters(self._prior, place.parameters)
        total = np.add.reduceat(counts.all, tables.row_starts, axis=0)
        of_cells = log_gamma(counts.all + own.cells) - log_gamma(own.learned)
        of_cells += place.moving * (counts.logs - log_gamma(counts.moved + 1) - np.log1p(counts.wall))
        of_rows = log_gamma(total + tables.row_spread[:, None]) - log_gamma(total + tables.sum_rows(own.cells))
        of_rows += log_gamma(tables.sum_rows(own.learned))
        height = of_cells.sum(axis=0) + of_rows.sum(axis=0) + self._noise(counts.all)[0].sum(axis=0)
        for gaps, precision, _ in self._gaps(counts.all):
            height -= (precision * np.square(gaps)).sum(axis=0) / 2
        return np.asarray(height) + (self._prior.log_prior(place.parameters) if isinstance(self._prior, LearnedRows) else 0)

    def slope(self, place: Place) -> Slope:
        """The gradient of the log density."""
        tables, counts = self._tables, _Counts.of(place, self._tables, self._rows)
        own = _parameters(self._prior, place.parameters)
        total = np.add.reduceat(counts.all, tables.row_starts, axis=0)
        of_cells, of_rows = digamma(counts.all + own.cells), digamma(total + tables.sum_rows(own.cells))
        rise = digamma(total + tables.row_spread[:, None])
        rise -= of_rows
        rise = self._rise_of_counts(counts.all) + rise[tables.row_of_cell]
        rise += of_cells - digamma(counts.moved + 1)
        rise *= counts.moved
        rise += place.moving * (1 + counts.wall / (1 + counts.wall) / _WALL)
        mean = np.add.reduceat(rise, tables.cell_starts, axis=0) / np.maximum(counts.free, _TINY)
        rise -= counts.moved * mean[tables.family_of_cell]
        if not isinstance(self._prior, LearnedRows):
            return Slope(rise, place.parameters)
        of_rows = digamma(tables.sum_rows(own.learned)) - of_rows
        of_cells += of_rows[tables.row_of_cell] - digamma(own.learned)
        return Slope(rise, self._prior.rise(place.parameters, np.where(tables.possible[:, None], of_cells, 0)))

    def _rise_of_counts(self, counts: Floats) -> Floats:
        """How what was measured, and what is known of sums, rises with the counts."""
        _, slope, direction = self._noise(counts)
        rise = -(self._numbers[1] @ (slope[self._tables.part] * direction))
        for gaps, precision, back in self._gaps(counts):
            rise -= back @ (precision * gaps)
        return np.asarray(rise)

    def _noise(self, counts: Floats) -> tuple[Floats, Floats, Floats]:
        """Log density of the noise of each part, its slope in the norm of the part, and that of the norm in each gap."""
        gaps = self._tables.noisy[:, None] - self._numbers[0] @ counts
        size = np.square(gaps) if self._tables.squared else np.hypot(gaps, self._rounding)
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

    def _gaps(self, counts: Floats) -> Iterator[tuple[Floats, Floats, Matrix]]:
        """By how much sums miss what is known of them, with the precisions, and what brings gaps back to cells."""
        if self._known is not None:
            yield self._known.matrix @ counts - self._known.target, self._known.precision, self._known.back
        if self._tied is not None:
            copies = self._tied.matrix @ counts
            yield copies - (self._tied.mean @ copies)[self._tied.margin], self._tied.precision, self._tied.back


@dataclass(frozen=True, slots=True, eq=False)
class _Parameters:
    """Dirichlet parameters of cells."""

    cells: Floats
    """With one's own records."""
    learned: Floats
    """What the prior itself has."""


def _parameters(prior: RowPriors, logs: Floats) -> _Parameters:
    """Parameters that are declared, or learned and have these logarithms."""
    if not isinstance(prior, LearnedRows):
        return _Parameters(prior.cells, np.ones_like(prior.cells))
    return _Parameters(prior.cells_at(logs), np.where(prior.possible, np.exp(logs)[prior.parameter_of_cell], CLOSED))


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """Sums of cells that were measured: a matrix, its transpose, the numbers and how precise they are."""

    matrix: Matrix
    back: Matrix
    target: Floats
    precision: Floats


def _known_sums(tables: FamilyTables) -> _Known | None:
    sums = tables.sums
    known = np.flatnonzero((sums.margin < 0) & (sums.precision > 0))
    if not len(known):
        return None
    return _Known(*_both_ways(sums.matrix()[known]), sums.measured[known][:, None], sums.precision[known][:, None])


@dataclass(frozen=True, slots=True, eq=False)
class _Tied:
    """Copies of shared margins: a matrix, its transpose, the mean of the copies, and how closely they are tied to it."""

    matrix: Matrix
    back: Matrix
    mean: Matrix
    margin: Integers
    precision: Floats


def _tied_sums(tables: FamilyTables) -> _Tied | None:
    from scipy.sparse import csr_array

    sums = tables.sums
    tied = sums.tied
    if not len(tied):
        return None
    margin = sums.margin[tied]
    places = (margin, np.arange(len(tied)))
    mean = csr_array((1 / sums.copies[margin], places), shape=(len(sums.copies), len(tied)))
    return _Tied(*_both_ways(sums.matrix()[tied]), _both_ways(mean)[0], margin, sums.precision[tied][:, None])


def _both_ways(matrix: csr_array) -> tuple[Matrix, Matrix]:
    """A matrix and its transpose; small ones in full, which is faster than to look for what is zero."""
    from scipy.sparse import csr_array

    if np.prod(matrix.shape) <= _SMALL:
        full = np.ascontiguousarray(matrix.toarray())
        return full, np.ascontiguousarray(full.T)
    return csr_array(matrix), csr_array(matrix.T)
