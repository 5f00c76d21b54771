"""Rows of few records are drawn anew: how many records they have, and in which cells.

Without noise the count T of a row has the weight G(T + s) / T!, s its Dirichlet-multinomial parameter, and given T its cells
are as if T records were drawn from an urn. A row that has few records draws both from this law, cut off at what few means: no
more than noise hides. Rows of a family are divided into blocks by lot. In each a cell lends or takes back the records, so its
weight changes, and noise says what it thinks of it all: blocks are accepted by these alone, one by one (``sum_forms.py``).
Which cell that is, is drawn, large ones more often. Which share of its rare rows a family draws at a time is learned.

Two rows that have few records together also share these anew, as their law says that two rows do: then nobody has to lend.

A row that has many records in some tables and none in others, all of which are as likely, comes and goes by these steps alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.dirichlet import dirichlet_draws
from discreet.chains.family_state import FamilyState
from discreet.chains.family_tables import FamilyTables
from discreet.chains.row_changes import RowChanges, noise_of
from discreet.chains.row_margins import CLOSED
from discreet.chains.row_priors import RowPriors
from discreet.chains.sum_forms import SumForms

__all__ = ["RareRows"]

Booleans = npt.NDArray[np.bool_]

_FEW = 12
"""The most records that a rare row has, if it has no more levels than twice as many and noise hides no more."""
_HIDDEN = 0.5
_SHARE, _MOST = 0.25, 256
"""The most records that a rare row has, as a share of the width of noise and of all records; and however wide noise is."""
_TOGETHER = 4
"""The most records that two rows have together which share them anew, in widths of noise."""
_MANY_ROWS = 8
"""Rows of a family from which on they share their records in pairs: one of fewer has a large one in most pairs."""
_TARGET = 0.4
"""The share of steps to accept."""
_MEMORY = 0.2
"""The share of the latest tables in those that say which cells are large."""
_ANY = 0.05
"""How often a cell lends whatever its size, so that rows of all cells are drawn anew."""
_ODDS = (1e-3, 1e3)
"""The least and the largest odds that a rare row is drawn anew."""
_LARGE_ROWS = 3
"""How many large rows a block has, so that one can lend."""


class RareRows:
    """Steps of the rare rows of all families and chains at once. The last axis of every array is the chain."""

    def __init__(self, tables: FamilyTables, forms: SumForms, start: Floats, generator: np.random.Generator) -> None:
        self._tables, self._forms, self._generator = tables, forms, generator
        self._levels = np.bincount(tables.row_of_cell)
        records = float(start[tables.cells_of(0)][:, 0].sum())
        hidden = np.minimum(_HIDDEN * tables.widths(), min(_MOST, _SHARE * records))[tables.family_of_row]
        self._most = np.maximum(np.maximum(_FEW, self._levels // 2), hidden.astype(np.int64))
        self._together = np.maximum(_TOGETHER * tables.widths()[tables.family_of_row], self._most)
        many = np.bincount(tables.family_of_row)[tables.family_of_row] >= _MANY_ROWS
        self._paired = np.flatnonzero(many & (tables.row_spread > CLOSED))
        kinds = np.stack([tables.row_spread, self._most], axis=1)
        laws, law_of_row = np.unique(kinds, axis=0, return_inverse=True)
        self._law_of_row = law_of_row.reshape(-1)
        self._law_starts = np.cumsum(np.append(0, laws[:-1, 1].astype(np.int64) + 1))
        self._laws = _laws(laws[:, 0], laws[:, 1].astype(np.int64))
        self._odds = np.full(len(tables.families), 1.0)
        self._mean = start.mean(axis=1)

    def step(self, state: FamilyState, prior: RowPriors, rate: float) -> None:
        """Draw rare rows anew; with a rate, learn which cells are large and how many rows to draw."""
        block, lenders = self._divide()
        chosen = self._choose(state.rows, self._tables.row_of_cell[lenders])
        counts = np.where(chosen, self._draw_counts(chosen), state.rows)
        changes = self._draw(counts, chosen, block, len(lenders), state, prior)
        changes, change = self._lend(changes, lenders, state, prior)
        present, accepted = self._accept(changes, change, state)
        if rate:
            self._learn(state.counts, self._tables.family_of_cell[lenders], present, accepted, rate)

    def share(self, state: FamilyState, prior: RowPriors) -> None:
        """Rows of a family in pairs share their records anew, where both together have few."""
        if not len(self._paired):
            return
        pairs = self._pair()
        total = state.rows[pairs].sum(axis=0)
        few = (total > 0) & (total <= self._together[pairs].min(axis=0)[:, None])
        some = np.flatnonzero(few.any(axis=1))
        pairs, total, few = pairs[:, some], total[some], few[some]
        spread = np.broadcast_to(self._tables.row_spread[pairs][..., None], (2, *total.shape))
        ours = self._generator.binomial(total.astype(np.int64), self._generator.beta(*spread))
        counts, chosen = state.rows.copy(), np.zeros(state.rows.shape, dtype=np.bool_)
        counts[pairs], chosen[pairs] = np.where(few, np.stack([ours, total - ours]), counts[pairs]), few
        block = np.zeros(len(counts), dtype=np.int64)
        block[pairs] = np.arange(len(some))
        changes = self._draw(counts, chosen, block, len(some), state, prior)
        self._accept(changes, np.zeros(total.shape), state)

    def _accept(self, changes: RowChanges, change: Floats, state: FamilyState) -> tuple[Booleans, Booleans]:
        """Which blocks would change, and which do: by the log ratio of their weights and by what noise says."""
        noise = noise_of(self._tables, changes, state)
        change = change + noise.change + self._forms.block_logs(changes, state.counts)
        present = changes.present
        accepted = (change > -self._generator.standard_exponential(change.shape)) & present
        changes.apply(self._tables, accepted, state)
        noise.apply(accepted, state)
        return present, accepted

    def _pair(self) -> Integers:
        """Rows of each family in pairs, by lot; rows that are declared impossible are in none: 2 x pairs."""
        family, rows = self._tables.family_of_row[self._paired], self._paired
        rows = rows[np.lexsort((self._generator.random(len(rows)), family))]
        place = np.arange(len(rows)) - np.searchsorted(family, family)
        first = np.flatnonzero((place[:-1] % 2 == 0) & (family[1:] == family[:-1]))
        return np.stack([rows[first], rows[first + 1]])

    def _divide(self) -> tuple[Integers, Integers]:
        """The block of each row, and the cell of each block that lends records and takes them back, wherever chains are."""
        tables, chance = self._tables, self._chances()
        rows = np.add.reduceat(chance, tables.row_starts)
        # So many rows of one size would be as uneven as these are.
        large = np.square(np.add.reduceat(rows, tables.first_rows)) / np.add.reduceat(np.square(rows), tables.first_rows)
        blocks = np.maximum(1, (large / _LARGE_ROWS).astype(np.int64))
        luck = (self._generator.random(len(rows)) * blocks[tables.family_of_row]).astype(np.int64)
        block = (np.cumsum(blocks) - blocks)[tables.family_of_row] + luck
        # Of exponential numbers, each divided by its chance, the least is where it is with this chance.
        race = self._generator.standard_exponential(len(chance)) / np.maximum(chance, 1e-300)
        of_cell = block[tables.row_of_cell]
        order = np.lexsort((race, of_cell))
        present, first = np.unique(of_cell[order], return_index=True)
        return np.searchsorted(present, block), order[first]

    def _chances(self) -> Floats:
        """How often each cell of a family would lend, if there were one block."""
        tables, family = self._tables, self._tables.family_of_cell
        lending = tables.possible & (tables.row_spread > CLOSED)[tables.row_of_cell]
        wanted, possible = np.where(lending, self._mean, 0), lending.astype(np.float64)
        sums, sizes = (np.maximum(np.add.reduceat(each, tables.cell_starts), 1e-300) for each in (wanted, possible))
        return np.asarray((1 - _ANY) * wanted / sums[family] + _ANY * possible / sizes[family])

    def _choose(self, totals: Floats, kept: Integers) -> Booleans:
        """The rows that are drawn anew: some of those that are rare, but for those whose cells lend."""
        odds = self._odds[:, None] * np.exp(self._generator.standard_normal((len(self._odds), totals.shape[1])))
        rare = totals <= self._most[:, None]
        rare[kept] = False
        return np.asarray(
            rare & (self._generator.random(totals.shape) < rows_at(odds / (1 + odds), self._tables.family_of_row))
        )

    def _draw(
        self, counts: Floats, chosen: Booleans, block: Integers, blocks: int, state: FamilyState, prior: RowPriors
    ) -> RowChanges:
        """What changes if the rows that are chosen, rows x chains, have so many records, which their cells share anew."""
        changed = chosen & ((counts > 0) | (state.rows > 0))
        rows = np.flatnonzero(changed.any(axis=1))
        cells, sizes = [np.zeros(0, dtype=np.int64)], [np.zeros((0, counts.shape[1]))]
        for levels in np.unique(self._levels[rows]):
            alike = rows[self._levels[rows] == levels]
            cells.append((self._tables.row_starts[alike][:, None] + np.arange(levels)).ravel())
            wanted = np.where(rows_at(changed, alike), rows_at(counts, alike), -1).astype(np.int64)
            sizes.append(self._fill(wanted, cells[-1].reshape(-1, levels), state, prior).reshape(-1, counts.shape[1]))
        cell = np.concatenate(cells)
        return RowChanges(cell, block[self._tables.row_of_cell[cell]], np.concatenate(sizes), blocks)

    def _draw_counts(self, chosen: Booleans) -> Floats:
        """How many records rows have by their law alone, where they are chosen: rows x chains."""
        row, chain = np.nonzero(chosen)
        law = self._law_of_row[row]
        place = np.searchsorted(self._laws, law + self._generator.random(len(row)), side="right")
        found = np.zeros(chosen.shape)
        found[row, chain] = np.minimum(place - self._law_starts[law], self._most[row])
        return found

    def _fill(self, wanted: Integers, cell: Integers, state: FamilyState, prior: RowPriors) -> Floats:
        """What changes if rows have so many records, drawn by the urn of each; of rows of less than none nothing changes.

        ``wanted`` is rows x chains, ``cell`` rows x levels; found is rows x levels x chains.
        """
        drawn = state.counts[cell].transpose(0, 2, 1)
        before = drawn.copy()
        drawn[wanted == 0] = 0
        row, chain = np.nonzero(wanted > 0)
        if len(row):
            of_chain = np.minimum(chain, prior.cells.shape[1] - 1)[:, None]
            shares = dirichlet_draws(prior.cells[cell[row], of_chain], self._generator)
            drawn[row, chain] = self._generator.multinomial(wanted[row, chain], shares)
        return np.asarray((drawn - before).transpose(0, 2, 1))

    def _lend(self, changes: RowChanges, lenders: Integers, state: FamilyState, prior: RowPriors) -> tuple[RowChanges, Floats]:
        """The same where some cells lend what others have more; the log ratio of their weights, of none if it is too much."""
        from scipy.special import gammaln

        lent = -changes.add_up(changes.size)
        row, chain = self._tables.row_of_cell[lenders], np.minimum(np.arange(lent.shape[1]), prior.cells.shape[1] - 1)
        parameter, strength = prior.cells[lenders][:, chain], prior.rows[row][:, chain]
        spread = self._tables.row_spread[row][:, None]
        held, total = state.counts[lenders], state.rows[row]
        left = np.maximum(held + lent, 0)
        after = total + left - held
        change = gammaln(left + parameter) - gammaln(left + 1) - gammaln(held + parameter) + gammaln(held + 1)
        change += gammaln(after + spread) - gammaln(after + strength) - gammaln(total + spread) + gammaln(total + strength)
        change[held + lent < 0] = -np.inf
        return changes.with_more(lenders, np.arange(len(lenders)), lent), change

    def _learn(self, counts: Floats, family: Integers, present: Booleans, accepted: Booleans, rate: float) -> None:
        self._mean += _MEMORY * (counts.mean(axis=1) - self._mean)
        tried, taken = np.zeros((2, len(self._odds)))
        np.add.at(tried, family, present.sum(axis=1))
        np.add.at(taken, family, accepted.sum(axis=1))
        share = np.where(tried > 0, taken / np.maximum(tried, 1), 1)
        self._odds *= np.exp(2 * rate * (share - _TARGET))
        np.clip(self._odds, *_ODDS, out=self._odds)


def _laws(spreads: Floats, most: Integers) -> Floats:
    """One law after the other, each with its number before the point: the chances of at most 0, 1, 2, ... records."""
    from scipy.special import gammaln

    found = []
    for number, (spread, largest) in enumerate(zip(spreads, most, strict=True)):
        count = np.arange(largest + 1)
        logs = gammaln(count + spread) - gammaln(count + 1)
        sums = np.cumsum(np.exp(logs - logs.max()))
        sums /= sums[-1]
        sums[-1] = 1.0
        found.append(number + sums)
    return np.concatenate(found)
