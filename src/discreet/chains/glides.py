"""All tables move at once, down the slope of their law and up again: Hamiltonian Monte Carlo over counts as real numbers.

Margins that many tables share, and rows of wide tables, move record by record only slowly; here they go where everything that
is known pulls them, a good part of their width in one step. ``real_counts.py`` has the law. Two devices keep it smooth:

- Empty cells stay empty. Whether a cell is empty is for the other steps.
- Where the density of noise has a kink, it is the rounded density times a cusp c >= 1 = 1 + (c - 1): a mixture. In each step
  the noise of a part is on the first side with chance 1 / c, where it is smooth; else the cells of that part stay.

A step starts at whole numbers plus or minus up to a half, and ends by rounding. In cells of one or two records that is not
quite the law of whole numbers (``real_counts.py``), and the other steps, which are exact, set it right. Where noise is not
wide against that, or records are few, there is no such step. The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, add_up, rows_at
from discreet.chains.family_tables import FamilyTables
from discreet.chains.real_counts import Place, RealCounts
from discreet.chains.row_priors import LearnedRows, RowPriors
from discreet.chains.some_cells import AllCells, SomeCells

__all__ = ["Glides"]

Booleans = npt.NDArray[np.bool_]

_TARGET = 0.75
"""The share of steps to accept."""
_LEAST_WIDTH, _FEWEST_RECORDS = 1.2, 50
"""How many records wide noise must be, and how many there must be, for counts to be taken as real numbers."""
_FEWEST, _MOST = 5, 12
"""Along how many pieces a step goes."""
_LONGEST = 3.0
"""How far a logarithm moves in one piece at the most."""
_PASSES = 8
"""How often cells are asked to give what rounding took too much."""
_SHARE = 0.4
"""The width of the prior of a logarithm, as a share of the width that chains show: given the tables it is narrower."""


class Glides:
    """Steps of all tables and of the prior's parameters together; the width of each direction is learned in the warm-up."""

    def __init__(self, tables: FamilyTables, prior: RowPriors, rows: int, generator: np.random.Generator) -> None:
        self._tables, self._generator, self._rows = tables, generator, rows
        self._cells = AllCells(tables)
        self.possible = bool((self._cells.widths >= _LEAST_WIDTH).all()) and rows >= _FEWEST_RECORDS
        """Whether counts may be taken as real numbers."""
        self._mean = np.zeros(len(self._cells.widths))
        self._parameters = _Spread(len(prior.log)) if isinstance(prior, LearnedRows) else None
        self._part_of_cell = tables.part[tables.coordinate]
        self._length, self._seen = 0.2, 0

    def step(self, counts: Floats, prior: RowPriors, rate: float) -> Floats:
        """Move; with a rate, learn how far. Takes the prior's parameters along, and returns the tables."""
        if rate:
            self._learn(counts, prior)
        cells = self._cells.occupied(((counts > 0).any(axis=1) | prior.seen()) & self._tables.possible)
        law = RealCounts(cells, prior.among(cells.cells, cells.rows), self._rows)
        here, logs = rows_at(counts, cells.cells), _logs(prior, counts.shape[1])
        place = self._begin(here, rows_at(self._stays(counts), cells.cells), logs)
        there, gain = self._glide(place, self._widths_of(cells, place, prior), law)
        if rate:
            chance = float(np.exp(np.minimum(gain, 0)).mean())
            self._length = float(np.clip(self._length * np.exp(rate * (chance - _TARGET) / 2), 1e-3, 2))
        rounded = _round(there, law, cells)
        accepted = (gain > -self._generator.standard_exponential(len(gain))) & (rounded.min(axis=0) >= 0)
        if isinstance(prior, LearnedRows):
            prior.put(np.where(accepted, there.parameters, logs))
        found = counts.copy()
        found[cells.cells] = np.where(accepted, rounded, here)
        return found

    def _learn(self, counts: Floats, prior: RowPriors) -> None:
        self._seen += 1
        self._mean += (counts.mean(axis=1) - self._mean) * min(1.0, 2 / self._seen)
        if self._parameters is not None and isinstance(prior, LearnedRows):
            self._parameters.see(prior.log)

    def _stays(self, counts: Floats) -> Booleans:
        """Cells whose noise is on the side of its kink this time."""
        cusp = self._cells.cusp(counts)
        stays = self._generator.random(cusp.shape) > np.exp(-cusp)
        stays[0] = False  # cells without a number of their own
        return rows_at(stays, self._part_of_cell)

    def _begin(self, counts: Floats, stays: Booleans, parameters: Floats) -> Place:
        """Whole numbers plus or minus a half; which cells move this time."""
        moving = (counts > 0) & ~stays
        logs = np.log(np.where(moving, np.maximum(counts + self._generator.random(counts.shape) - 0.5, 0.5), 1))
        return Place(logs, parameters, moving.astype(np.float64), np.where(moving, 0, counts))

    def _widths_of(self, some: SomeCells, place: Place, prior: RowPriors) -> _Widths:
        """How wide the law is in the direction of each cell and each parameter, about, and in which no family moves."""
        mean = self._mean[some.cells]
        cells = (1 / np.sqrt(2 + np.square(mean / self._cells.widths[some.cells] + 2)))[:, None] * place.moving
        normal = (mean + 1)[:, None] * cells
        length = np.sqrt(np.add.reduceat(np.square(normal), some.starts, axis=0))
        parameters = np.zeros((0, 1))
        if self._parameters is not None and isinstance(prior, LearnedRows):
            parameters = np.where(prior.free[:, None], _SHARE * self._parameters.width(), 0)
        return _Widths(cells, normal / rows_at(np.maximum(length, 1e-300), some.family), parameters, some)

    def _glide(self, place: Place, widths: _Widths, law: RealCounts) -> tuple[Place, Floats]:
        """Along the slope: where it ends, and the log of the chance to accept that."""
        generator = self._generator
        speed = widths.level(generator.standard_normal(place.logs.shape))
        drift = generator.standard_normal(place.parameters.shape) * (widths.parameters > 0)
        before = law.height(place) - _energy(speed, drift)
        length = self._length * generator.uniform(0.7, 1.3, size=place.logs.shape[1])
        pieces = int(generator.integers(_FEWEST, _MOST + 1))
        for piece in range(pieces + 1):
            slope, part = law.slope(place), length if 0 < piece < pieces else length / 2
            speed += part * widths.level(widths.cells * slope.logs)
            drift += part * widths.parameters * slope.parameters
            if piece < pieces:
                logs = place.logs + np.clip(length * widths.cells * speed, -_LONGEST, _LONGEST)
                parameters = place.parameters + np.clip(length * widths.parameters * drift, -_LONGEST, _LONGEST)
                place = replace(place, logs=logs, parameters=parameters)
        gain = law.height(place) - _energy(speed, drift) - before
        return place, np.where(np.isfinite(gain), gain, -np.inf)


class _Widths:
    """How wide the law is, about; no family moves in the direction in which its sum would grow."""

    def __init__(self, cells: Floats, normal: Floats, parameters: Floats, some: SomeCells) -> None:
        self.cells, self.parameters = cells, parameters
        self._normal, self._some = normal, some

    def level(self, values: Floats) -> Floats:
        """Speeds or forces without the part that is in that direction."""
        along = np.add.reduceat(self._normal * values, self._some.starts, axis=0)
        return np.asarray(values - self._normal * rows_at(along, self._some.family))


class _Spread:
    """The spread of parameters over chains and rounds, the latest counting most."""

    _MEMORY = 0.1

    def __init__(self, size: int) -> None:
        self._mean, self._square, self._weight = np.zeros(size), np.zeros(size), 0.0

    def see(self, values: Floats) -> None:
        """One more round."""
        self._weight += self._MEMORY * (1 - self._weight)
        self._mean += self._MEMORY * (values.mean(axis=1) - self._mean)
        self._square += self._MEMORY * (np.square(values).mean(axis=1) - self._square)

    def width(self) -> Floats:
        """Neither very small nor very large: few rounds say little."""
        weight = max(self._weight, 1e-9)
        variance = self._square / weight - np.square(self._mean / weight)
        return np.clip(np.sqrt(np.maximum(variance, 0)), 0.1, 3)[:, None]


def _logs(prior: RowPriors, chains: int) -> Floats:
    return prior.log if isinstance(prior, LearnedRows) else np.zeros((0, chains))


def _round(place: Place, law: RealCounts, cells: SomeCells) -> Floats:
    """Whole numbers, at least one where cells move; the largest cell that moves takes what a family is short of."""
    starts, family = cells.starts, cells.family
    moving, counts = place.moving > 0, law.counts(place)
    whole = _make_room(np.where(moving, np.maximum(np.rint(counts), 1), counts), counts, moving, cells)
    missing = np.rint(np.add.reduceat(counts - whole, starts, axis=0))
    largest = np.where(moving, whole, -1)
    top = (largest == rows_at(np.maximum.reduceat(largest, starts, axis=0), family)) & moving
    number = np.cumsum(top, axis=0)
    first = top & (number - rows_at(number[starts] - top[starts], family) == 1)
    return whole + np.where(first, rows_at(missing, family), 0)


def _make_room(whole: Floats, counts: Floats, moving: Booleans, cells: SomeCells) -> Floats:
    """Where more records were made of cells below one than the largest cell holds, all that hold more give in proportion."""
    for _ in range(_PASSES):
        excess = np.rint(np.add.reduceat(whole - counts, cells.starts, axis=0))
        room = np.where(moving, whole - 1, 0)
        largest = np.maximum.reduceat(room, cells.starts, axis=0)
        wanted = np.where(excess > largest, excess / np.maximum(np.add.reduceat(room, cells.starts, axis=0), 1), 0)
        if not wanted.any():
            break
        whole = whole - np.floor(room * rows_at(np.minimum(wanted, 1), cells.family))
    return whole


def _energy(speed: Floats, drift: Floats) -> Floats:
    return (add_up(np.square(speed)) + add_up(np.square(drift))) / 2
