"""All tables move at once, down the slope of their law and up again: Hamiltonian Monte Carlo over counts as real numbers.

Margins that many tables share, rows of wide tables, and cells that may be empty or full move only slowly record by record;
here they go where everything that is known pulls them, a good part of their width in one step. ``real_counts.py`` has the law,
in coordinates in which all of it is about one wide. Two devices keep it smooth and short, both of one kind: a factor is split
into two that sum to one, and a cell is on the first side, where it moves, with the chance that it has, or else stays:

- Where the density of noise has a kink, it is the rounded density times c >= 1. The cells of a part of noise move with chance
  1 / c, where the density is smooth.
- A cell of r records moves with chance r / (r + d), d far below one. Most empty cells of large tables are far below that
  (``tails.py``): they stay empty, and need not be looked at.
- The cells of a row of n records move with chance n^4 / (n^4 + c^4), c a few. However counts are measured, rows without
  records are far from those with some: they are left to ``rare_rows.py``, and need not be looked at either.

Counts are kept as real numbers from step to step, and rounded for everybody else. Cells of one or two records are not quite
as whole numbers would be, which is far less than noise hides: where noise is not wide against a record, or records are few,
there is no such step. The last axis of every array is the chain.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.family_tables import FamilyTables
from discreet.chains.real_counts import Frame, RealCounts, seen_share
from discreet.chains.row_priors import RowPriors, SomePrior
from discreet.chains.smooth_weights import HALF, RowWeights, moving_chance, smooth_cells
from discreet.chains.some_cells import AllCells
from discreet.chains.stiff_directions import Metric, find_directions, no_directions
from discreet.chains.tails import draw_tails

__all__ = ["Glides"]

Booleans = npt.NDArray[np.bool_]

_TARGET = 0.75
"""The share of steps to accept."""
_LEAST_WIDTH, _FEWEST_RECORDS = 1.2, 50
"""How many records wide noise must be, and how many there must be, for counts to be taken as real numbers."""
_REACH = 6.0
"""How far a step goes, in widths of the law."""
_FEWEST, _MOST = 4, 30
"""Along how many pieces, of two slopes each."""
_LONGEST = 0.45
"""Of half a piece."""
_OUTER = 0.2117
"""The share of a piece for which the slope at either end counts; the leapfrog has a quarter.

With this one the error of the energy is least (Blanes, Casas and Sanz-Serna 2014): in large networks pieces are twice as long.
"""
_RATE = 0.3
"""How fast the length of pieces is changed in the warm-up, as a share of the rate that is asked for."""
_DEEP = HALF * float(np.exp(-5))
_LEAST = _DEEP * float(np.exp(-4))
"""The count at which a cell moves every other time, and the one below which it is taken as zero."""
_LOOKED = (4, 12)
"""Steps of the warm-up before which stiff directions are looked for again."""
_LARGEST = 2**18
"""Cells of tables beyond which they are not looked for: noise hides most of so many, and directions would fill the memory."""
_WIDEST_SUM = 0.3
_MEMORY = 0.2
"""The share of the latest round in the mean tables of the warm-up."""
_WIDEST = 0.25
"""The largest width of a cell, as a share of all records."""


class Glides:
    """Steps of all tables together; how long they are is learned in the warm-up."""

    def __init__(self, tables: FamilyTables, rows: int, generator: np.random.Generator) -> None:
        self._tables, self._generator, self._rows = tables, generator, rows
        self._cells = AllCells(tables, rows)
        self.possible = bool((self._cells.widths >= _LEAST_WIDTH).all()) and rows >= _FEWEST_RECORDS
        """Whether counts may be taken as real numbers."""
        self._length = 0.15
        self._whole: Floats | None = None
        """The tables as they were handed out, and what was rounded to them."""
        self._real: Floats | None = None
        self._mean: Floats | None = None
        self._stiff = no_directions(self._cells)
        self._steps = 0

    def step(self, counts: Floats, prior: RowPriors, rate: float) -> Floats:
        """Move from these tables of whole numbers to others; with a rate, learn how far."""
        here = self._sum_up(self._take(counts))
        self._learn_mean(here, rate)
        if self._steps == 0 or (rate and self._steps in _LOOKED):
            self._learn_directions(prior)
        self._steps += 1
        rows = self._choose_rows(here)
        here = draw_tails(self._tables, here, rows, prior, _LEAST, self._generator)
        moving = rows_at(rows, self._tables.row_of_cell) & self._smooth(here)
        moving &= self._generator.random(here.shape) * (here + _DEEP) < here
        law, metric = self._law(here, moving, prior)
        taken = law.cells.cells
        start = law.place(rows_at(here, taken), self._generator)
        with np.errstate(all="ignore"):  # steps that run away are refused
            end, gain = self._glide(start, law, metric)
            found = law.counts(end)
        if rate:
            chance = float(np.exp(np.minimum(gain, 0)).mean())
            self._length = float(np.clip(self._length * np.exp(_RATE * rate * (chance - _TARGET)), 1e-3, _LONGEST))
        accepted = gain > -self._generator.standard_exponential(len(gain))
        here[taken] = np.where(accepted & rows_at(moving, taken), found, rows_at(here, taken))
        self._real = here
        kept = np.where(rows_at(rows, self._tables.row_of_cell), -1, counts)
        self._whole = _round(here, kept, self._tables, self._rows, self._generator)
        return self._whole.copy()

    def _take(self, counts: Floats) -> Floats:
        """Real numbers for whole ones: those that were rounded to them, with what other steps have changed since."""
        if self._real is None or self._whole is None:
            return self._unround(counts)
        found = np.where(self._whole > 0, np.maximum(self._real + (counts - self._whole), 0), self._unround(counts))
        found = np.where(counts == self._whole, self._real, found)
        return np.where((counts == 0) & (self._whole > 0), 0, found)

    def _unround(self, counts: Floats) -> Floats:
        return counts + (counts > 0) * (self._generator.random(counts.shape) - 0.5)

    def _choose_rows(self, counts: Floats) -> Booleans:
        """The rows that move this time."""
        chance = moving_chance(self._tables.sum_rows(counts * seen_share(counts)))
        return np.asarray(self._generator.random(chance.shape) < chance)

    def _sum_up(self, counts: Floats) -> Floats:
        """Counts of which what is seen sums to the records in each family."""
        tables = self._tables
        sums = np.add.reduceat(counts * seen_share(counts), tables.cell_starts, axis=0)
        return counts * rows_at(self._rows / sums, tables.family_of_cell)

    def _learn_mean(self, counts: Floats, rate: float) -> None:
        if self._mean is None:
            self._mean = counts.mean(axis=1)
        elif rate:
            self._mean += _MEMORY * (counts.mean(axis=1) - self._mean)

    def _smooth(self, counts: Floats) -> Booleans:
        """Cells of which the noise is on the smooth side of its kink this time."""
        tables, cusp = self._tables, self._cells.cusp(counts * seen_share(counts))
        luck = self._generator.random((len(tables.family_of_part) if tables.tails.known else len(cusp), cusp.shape[1]))
        smooth = (rows_at(luck, tables.part) if tables.tails.known else luck) <= np.exp(-cusp)
        smooth[0] = True  # cells without a number of their own
        return rows_at(smooth, tables.coordinate)

    def _law(self, here: Floats, moving: Booleans, prior: RowPriors) -> tuple[RealCounts, Metric]:
        """The law of cells that move while the others stay, and the metric of their steps."""
        staying = np.where(moving, 0, here * seen_share(here))
        cells = self._cells.taken(np.asarray(moving.any(axis=1)), staying)
        believed, free = prior.among(cells.cells, cells.rows), rows_at(moving, cells.cells).astype(np.float64)
        left = np.maximum(self._rows - np.add.reduceat(staying, self._tables.cell_starts, axis=0), 1e-9)
        widths, mean = self._widths(cells.cells, believed)
        spread = _spread(np.add.reduceat(free * np.square(mean / widths), cells.starts, axis=0))
        frame = Frame(free, left, widths, spread, _DEEP)
        of_rows = RowWeights(self._tables.row_spread[cells.rows][:, None] + np.zeros(here.shape[1]), believed.strengths)
        law = RealCounts(cells, smooth_cells(believed.parameters, believed.rates), of_rows, frame)
        return law, Metric(self._stiff, cells, free)

    def _widths(self, cells: Integers, believed: SomePrior) -> tuple[Floats, Floats]:
        """About how wide the law of each cell is where it is large, by noise and by the prior; and mean counts."""
        mean = np.zeros(0) if self._mean is None else self._mean[cells]
        noise = np.minimum(self._cells.widths[cells], _WIDEST * self._rows)[:, None]
        parameters = believed.parameters.mean(axis=1, keepdims=True)
        strong = (parameters / (1 + parameters)) ** 4  # weak priors leave a cell empty or full, whatever its mean
        known = strong / (1 + mean[:, None] * (1 + mean[:, None] / parameters))
        return 1 / np.sqrt(1 / np.square(noise) + known), mean[:, None]

    def _learn_directions(self, prior: RowPriors) -> None:
        """The stiff directions at the mean tables, which are those of the start at first; none of very large tables."""
        if len(self._tables.row_of_cell) > _LARGEST:
            return
        every = np.arange(len(self._tables.row_of_cell))
        widths, mean = self._widths(every, prior.among(every, np.arange(len(self._tables.family_of_row))))
        spread = _spread(np.add.reduceat(np.square(mean / widths), self._tables.cell_starts, axis=0))
        self._stiff = find_directions(self._cells, mean[:, 0], widths[:, 0], spread[:, 0], self._rows)

    def _glide(self, start: Floats, law: RealCounts, metric: Metric) -> tuple[Floats, Floats]:
        """Along the slope: where it ends, and the log of the chance to accept that."""
        generator = self._generator
        speed = metric.draw(generator)
        before = law.height(start) - metric.energy(speed)
        length = np.asarray(2 * self._length * generator.uniform(0.8, 1.2, size=start.shape[1]), dtype=speed.dtype)
        pieces = int(np.clip(np.rint(_REACH / self._length / 2 * generator.uniform(0.6, 1.4)), _FEWEST, _MOST))
        x = start
        speed += _OUTER * length * law.slope(x)
        for piece in range(pieces):
            x = x + length / 2 * metric.turn(speed)
            speed += (1 - 2 * _OUTER) * length * law.slope(x)
            x = x + length / 2 * metric.turn(speed)
            speed += (2 if piece < pieces - 1 else 1) * _OUTER * length * law.slope(x)
        gain = law.height(x) - metric.energy(speed) - before
        return x, np.where(np.isfinite(gain), gain, -np.inf)


def _spread(sizes: Floats) -> Floats:
    """The width of the logarithm of what sizes sum to, from the sum of their squares in units of their widths."""
    return np.asarray(np.minimum(_WIDEST_SUM, 1 / np.sqrt(1 + sizes)))


def _round(counts: Floats, kept: Floats, tables: FamilyTables, rows: int, generator: np.random.Generator) -> Floats:
    """Whole numbers: those that are kept, which are not below zero, and others.

    Other cells of more than one record share what a family is short of: in proportion, evenly, with some luck.
    """
    starts, family = tables.cell_starts, tables.family_of_cell
    whole = np.where(kept < 0, _round_cells(counts, tables), kept)
    missing = rows - np.add.reduceat(whole, starts, axis=0)
    room = np.where(kept < 0, np.maximum(whole - 1, 0), 0)
    rooms = np.add.reduceat(room, starts, axis=0)
    scarce = rooms < np.abs(missing)
    if scarce.any():
        room = np.where(rows_at(scarce, family), whole, room)
        rooms = np.add.reduceat(room, starts, axis=0)
    sums = np.cumsum(room * rows_at(missing / np.maximum(rooms, 1), family), axis=0)
    before = np.vstack([np.zeros((1, sums.shape[1])), sums[:-1]])[starts]
    luck = generator.uniform(0.01, 0.99, before.shape)
    reached = np.floor(sums - rows_at(before - luck, family) + 1e-6)
    earlier = np.vstack([np.zeros((1, sums.shape[1])), reached[:-1]])
    earlier[starts] = 0
    return np.asarray(whole + reached - earlier)


def _round_cells(counts: Floats, tables: FamilyTables) -> Floats:
    """Each cell by itself; a row that has a record, though none of its cells has, has it in the largest of them."""
    largest = rows_at(np.maximum.reduceat(counts, tables.row_starts, axis=0), tables.row_of_cell)
    rows = tables.sum_rows(counts * seen_share(counts))
    full = (counts >= HALF) | ((counts == largest) & rows_at(rows >= HALF, tables.row_of_cell) & (largest > 0))
    return np.where(full, np.maximum(np.rint(counts), 1), 0)
