"""Records change their level within a row: so many leave one level for another.

Filling in a row again moves cells in proportion to their records, so small cells of wide rows would hardly move. Here any two
levels are as likely as any others. All families and chains move at once, one pair of levels in each row; in further turns only
rows that have more levels. The last axis of every array is the chain.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.chains.exchanges import draw_sizes, size_ratio
from discreet.chains.family_state import FamilyState, move_noise
from discreet.chains.family_tables import FamilyTables
from discreet.chains.row_priors import RowPriors
from discreet.chains.sum_forms import SumForms

__all__ = ["Trades"]

_TARGET = 0.4
_SHORTEST, _LONGEST = 0.5, 2.0**40
_SCALES = 2.0
_TURNS = 8
"""Most steps within a row in a round."""


class Trades:
    """Steps within rows; how many records move is learned row by row."""

    def __init__(self, tables: FamilyTables, forms: SumForms, generator: np.random.Generator) -> None:
        self._tables, self._forms, self._generator = tables, forms, generator
        self._levels = np.array([family.levels for family in tables.families])[tables.family_of_row]
        self._lengths = 2 * tables.widths()[tables.family_of_row]
        turns = min(_TURNS, int(self._levels.max()) // 2)
        self._rows = [np.flatnonzero(self._levels // 2 > turn) for turn in range(turns)]

    def round(self, state: FamilyState, prior: RowPriors, rate: float) -> None:
        """As many steps in each row as it has pairs of levels, up to a limit."""
        held = np.asarray(state.rows.any(axis=1))  # where a row is empty in all chains, nothing can move, and that stays so
        for rows in self._rows:
            self._step(rows[held[rows]], state, prior, rate)

    def _step(self, rows: Integers, state: FamilyState, prior: RowPriors, rate: float) -> None:
        """Move records between two levels of these rows; with a rate, learn how many."""
        cells = self._choose(rows, state.counts.shape[1])
        chain = np.arange(cells.shape[2])
        here, length = state.counts[cells, chain], self._lengths[rows, None]
        length = length * np.exp(-_SCALES * self._generator.random(here[0].shape))
        size = draw_sizes(here[0], length, self._generator)
        weight = np.broadcast_to(prior.cells, state.counts.shape)[cells, chain]
        change = size_ratio(here, size, length) + self._density(here, weight, size)
        after = move_noise(self._tables, state, cells, size)
        change += after.change + self._forms.move_logs(cells, size, state.counts)
        accepted = (change > -self._generator.standard_exponential(size.shape)) & (size > 0)
        after.apply(state, accepted)
        moved = np.where(accepted, size, 0)
        state.counts[cells[0], chain] -= moved
        state.counts[cells[1], chain] += moved
        if rate:
            possible = size > 0
            share = accepted.sum(axis=1) / np.maximum(possible.sum(axis=1), 1)
            grown = np.where(possible.any(axis=1), np.exp(rate * (share - _TARGET)), 1)
            self._lengths[rows] = np.clip(self._lengths[rows] * grown, _SHORTEST, _LONGEST)

    def _choose(self, rows: Integers, chains: int) -> Integers:
        """The cell that records leave and the one that they join, any two of a row: 2 x rows x chains."""
        levels = self._levels[rows, None]
        chance = self._generator.random((2, len(levels), chains))
        leave = (chance[0] * levels).astype(np.int64)
        join = (leave + 1 + (chance[1] * (levels - 1)).astype(np.int64)) % levels
        return np.asarray(self._tables.row_starts[rows, None] + np.stack([leave, join]))

    @staticmethod
    def _density(here: Floats, weight: Floats, size: Floats) -> Floats:
        """Log ratio of the densities of the tables after and before, without noise: the counts of rows stay."""
        from scipy.special import gammaln

        after = here + np.stack([-size, size])
        found = gammaln(after + weight) - gammaln(after + 1) - gammaln(here + weight) + gammaln(here + 1)
        return np.asarray(found[0] + found[1])
