"""Rows of few records are drawn anew: how many records they have, and in which cells.

Without noise the count T of a row has the weight G(T + s) / T!, s its Dirichlet-multinomial parameter, and given T its cells
are as if T records were drawn from an urn. A row that has few records draws both from this law, cut off at what few means. One
cell of the family lends or takes back the records, so its weight changes, and noise says what it thinks of it all: families
are accepted by these alone. Which cell that is, is drawn, large ones more often. Which share of its rare rows a family draws
at a time is learned.

Where noise is wide against a record, that is nearly always accepted, and a row that is empty is so as often as it should be.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.dirichlet import dirichlet_draws
from discreet.chains.family_state import FamilyState
from discreet.chains.family_tables import FamilyTables
from discreet.chains.row_priors import RowPriors

__all__ = ["RareRows"]

Booleans = npt.NDArray[np.bool_]

_FEW = 12
"""The most records that a rare row has, if it has no more levels than twice as many."""
_TARGET = 0.4
"""The share of steps to accept."""
_MEMORY = 0.2
"""The share of the latest tables in those that say which cells are large."""
_ANY = 0.05
"""How often a cell lends whatever its size, so that rows of all cells are drawn anew."""
_ODDS = (1e-3, 1e3)
"""The least and the largest odds that a rare row is drawn anew."""


class RareRows:
    """Steps of the rare rows of all families and chains at once. The last axis of every array is the chain."""

    def __init__(self, tables: FamilyTables, start: Floats, generator: np.random.Generator) -> None:
        self._tables, self._generator = tables, generator
        self._levels = np.bincount(tables.row_of_cell)
        self._most = np.maximum(_FEW, self._levels // 2)
        kinds = np.stack([tables.row_spread, self._most], axis=1)
        laws, self._law_of_row = np.unique(kinds, axis=0, return_inverse=True)
        self._laws = _laws(laws[:, 0], laws[:, 1].astype(np.int64))
        self._odds = np.full(len(tables.families), 1.0)
        self._mean = start.mean(axis=1)

    def draw_lenders(self, chains: int) -> Integers:
        """The cell of each family in each chain that lends records and takes them back, wherever the chains are."""
        tables, families = self._tables, len(self._tables.families)
        wanted = np.where(tables.possible, self._mean, 0)
        sums, sizes = (np.add.reduceat(each, tables.cell_starts) for each in (wanted, tables.possible.astype(np.float64)))
        chance = (1 - _ANY) * wanted / np.maximum(sums, 1e-300)[tables.family_of_cell]
        chance += np.where(tables.possible, _ANY / np.maximum(sizes, 1)[tables.family_of_cell], 0)
        luck = np.arange(families)[:, None] + self._generator.random((families, chains))
        ends = np.cumsum(chance / np.add.reduceat(chance, tables.cell_starts)[tables.family_of_cell])
        found = np.searchsorted(ends, luck * (ends[-1] / families))
        last = np.append(tables.cell_starts[1:], len(chance)) - 1
        return np.asarray(np.clip(found, tables.cell_starts[:, None], last[:, None]))

    def learn(self, counts: Floats, accepted: Booleans, rate: float) -> None:
        """Which cells are large, and how many rows to draw, by which families were accepted."""
        self._mean += _MEMORY * (counts.mean(axis=1) - self._mean)
        self._odds *= np.exp(2 * rate * (accepted.mean(axis=1) - _TARGET))
        np.clip(self._odds, *_ODDS, out=self._odds)

    def propose(self, state: FamilyState, prior: RowPriors) -> tuple[Floats, Floats]:
        """Other tables, and by how much the weight of the cell that lends changes: families x chains."""
        tables, lenders = self._tables, self.draw_lenders(state.counts.shape[1])
        rows = self._choose(state.rows, tables.row_of_cell[lenders])
        totals = np.where(rows, 0, state.rows)
        counts = np.where(rows_at(rows, tables.row_of_cell), 0, state.counts)
        row, chain = np.nonzero(rows)
        count = self._draw_counts(row)
        some = count > 0
        self._fill(counts, row[some], chain[some], count[some], prior)
        totals[row, chain] = count
        lent = np.add.reduceat(state.rows - totals, tables.first_rows, axis=0)
        return counts, self._lend(counts, state, lenders, lent, prior)

    def _choose(self, totals: Floats, kept: Integers) -> Booleans:
        """The rows that are drawn anew: some of those that are rare, but for one that is kept in each family and chain."""
        odds = self._odds[:, None] * np.exp(self._generator.standard_normal((len(self._odds), totals.shape[1])))
        rare = totals <= self._most[:, None]
        rare[kept, np.arange(totals.shape[1])] = False
        return np.asarray(
            rare & (self._generator.random(totals.shape) < rows_at(odds / (1 + odds), self._tables.family_of_row))
        )

    def _draw_counts(self, row: Integers) -> Integers:
        """How many records rows have, by their law alone."""
        laws = rows_at(self._laws, self._law_of_row[row])
        return np.asarray((laws < self._generator.random((len(row), 1))).sum(axis=1))

    def _fill(self, counts: Floats, row: Integers, chain: Integers, count: Integers, prior: RowPriors) -> None:
        """So many records for some rows in some chains, as the urn of each draws them."""
        if not len(row):
            return
        place = np.arange(self._levels[row].max())
        there = place < self._levels[row][:, None]
        cell = np.where(there, self._tables.row_starts[row][:, None] + place, 0)
        of_chain = np.minimum(chain, prior.cells.shape[1] - 1)[:, None]
        shares = dirichlet_draws(np.where(there, prior.cells[cell, of_chain], 0), self._generator)
        drawn = self._generator.multinomial(count, shares)
        counts[cell[there], np.broadcast_to(chain[:, None], cell.shape)[there]] = drawn[there]

    def _lend(self, counts: Floats, state: FamilyState, lenders: Integers, lent: Floats, prior: RowPriors) -> Floats:
        """Take from some cells what other rows have more; the log ratio of their weights, of none if it is too much."""
        from scipy.special import gammaln

        row, chain = self._tables.row_of_cell[lenders], np.arange(lent.shape[1])
        of_prior = np.minimum(chain, prior.cells.shape[1] - 1)
        parameter, strength = prior.cells[lenders, of_prior], prior.rows[row, of_prior]
        spread = self._tables.row_spread[row]
        held, total = state.counts[lenders, chain], state.rows[row, chain]
        left = np.maximum(held + lent, 0)
        counts[lenders, chain] = left
        change = gammaln(left + parameter) - gammaln(left + 1) - gammaln(held + parameter) + gammaln(held + 1)
        after = total + left - held
        change += gammaln(after + spread) - gammaln(after + strength) - gammaln(total + spread) + gammaln(total + strength)
        return np.where(held + lent < 0, -np.inf, change)


def _laws(spreads: Floats, most: Integers) -> Floats:
    """For each spread the chances of at most 0, 1, 2, ... records, if there are no more than so many."""
    from scipy.special import gammaln

    count = np.arange(most.max(initial=0) + 1)
    logs = gammaln(count + spreads[:, None]) - gammaln(count + 1)
    weights = np.where(count <= most[:, None], np.exp(logs - logs.max(axis=1, keepdims=True)), 0)
    sums = np.cumsum(weights, axis=1)
    return np.asarray(np.where(count < most[:, None], sums / sums[:, -1:], 2.0))
