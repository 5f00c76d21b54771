"""The chain over true tables: records change rows and levels, are forgotten and filled in, and the prior is learned.

Every step leaves the law of the tables given the release as it is; together they reach every table. All families and chains
move at once. The last axis of every array is the chain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, rows_at
from discreet.chains.effort import Effort
from discreet.chains.exchanges import Exchanges
from discreet.chains.family_state import FamilyState, begin
from discreet.chains.family_tables import FamilyTables
from discreet.chains.glides import Glides
from discreet.chains.margin_shifts import MarginShifts
from discreet.chains.rare_rows import RareRows
from discreet.chains.refills import Refills
from discreet.chains.row_pairs import row_pairs
from discreet.chains.row_priors import LearnedRows, RowPriors
from discreet.chains.sum_forms import SumForms
from discreet.chains.trades import Trades

Booleans = npt.NDArray[np.bool_]

__all__ = ["Effort", "FamilyChain", "GoingChain", "Visited"]

_TARGET, _LEARNING_TARGET = 0.4, 0.3
"""The share of steps to accept: of rows that are filled in again, and of whole tables."""
_RATE = 0.5
"""How fast what decides the length of steps is changed during the warm-up."""
_SINGLE = 2**24
"""Records up to which single precision holds any number of them."""
_WIDE = 16
"""Levels of a node from which on its rows are wide."""
_LEARNED = 2
"""How often tables and prior are drawn together in a round in which tables glide: they are slower than the rest."""
_AT_ONCE = 2
"""Steps across rows and steps of whole margins in a round, where tables do not glide."""


@dataclass(frozen=True, slots=True, eq=False)
class Visited:
    """What the chains visited."""

    counts: npt.NDArray[np.floating[Any]]
    """Rounds, cells, chains. Whole numbers, in single precision where it holds them."""
    logs: Floats | None
    """Logarithms of the learned parameters: rounds, parameters, chains."""


class GoingChain:
    """Chains that can go on: those of a longer effort visit what they would have visited from the start."""

    def __init__(self, tables: FamilyTables, start: Floats, prior: RowPriors, generator: np.random.Generator) -> None:
        self._chain = FamilyChain(tables, start, prior, generator)
        self._kind = _kept_as(start)
        self._done = 0
        self._before: Visited | None = None

    def run(self, effort: Effort, progress: Callable[[int], None] | None = None, *, keep: bool = False) -> Visited:
        """What they visit in the last rounds of an effort, kept if they are to go on. ``progress`` is told the rounds done."""
        prior, done, first = self._chain.prior, self._done, max(self._done, effort.warm_up)
        learning = effort.warm_up if effort.learning is None else effort.learning
        counts = np.empty((effort.total - first, *self._chain.counts.shape), dtype=self._kind)
        logs = np.empty((len(counts), *prior.log.shape)) if isinstance(prior, LearnedRows) else None
        for number in range(done, effort.total):
            self._chain.round(number, _RATE if number < learning else 0.0)
            if number >= first:
                counts[number - first] = self._chain.counts
                if logs is not None and isinstance(prior, LearnedRows):
                    logs[number - first] = prior.log
            if progress is not None:
                progress(number + 1)
        self._done = effort.total
        found = _join(self._before, Visited(counts, logs), effort.rounds)
        self._before = found if keep else None
        return found


def _join(before: Visited | None, now: Visited, rounds: int) -> Visited:
    """The last rounds of what chains visited before and now."""
    wanted = rounds - len(now.counts)
    if before is None or not wanted:
        return now
    counts = np.concatenate([before.counts[-wanted:], now.counts])
    if before.logs is None or now.logs is None:
        return Visited(counts, None)
    return Visited(counts, np.concatenate([before.logs[-wanted:], now.logs]))


def _kept_as(tables: Floats) -> type[np.floating[Any]]:
    """Whole numbers that single precision holds take half the memory in it."""
    return np.float32 if tables.sum(axis=0).max(initial=0) < _SINGLE else np.float64


class FamilyChain:
    """Chains that start at some tables, cells x chains, and move round by round."""

    def __init__(self, tables: FamilyTables, start: Floats, prior: RowPriors, generator: np.random.Generator) -> None:
        self._state: FamilyState | None = begin(tables, start)
        self._counts = start
        self.prior = prior
        self._tables, self._generator = tables, generator
        self.forms = SumForms(tables, generator)
        self._pairs = row_pairs(tables.families)
        self._exchanges = Exchanges(tables, self.forms, generator)
        self._trades = Trades(tables, self.forms, generator)
        self._shifts = MarginShifts(tables, self.forms, generator)
        self._glides = Glides(tables, int(start[tables.cells_of(0)][:, 0].sum()), generator)
        self._wide = max(family.levels for family in tables.families) > _WIDE
        self._refills = Refills(tables, generator)
        self._rare = RareRows(tables, self.forms, start, generator)
        self._kept_of_row = np.full(len(tables.family_of_row), 0.1)
        """Odds that a record is kept when its row is filled in again."""
        self._kept_of_family = np.full(len(tables.families), 10.0)
        """Odds that a record is kept when its table is filled in again, rows and all."""
        self._kept_of_table = np.full(len(tables.families), 1e-3)
        """Chance that a record is kept when its table is filled in again, for each record of its row."""

    @property
    def state(self) -> FamilyState:
        """Where the chains are, with what steps record by record need to know; they change it."""
        if self._state is None:
            self._state = begin(self._tables, self._counts)
        return self._state

    @state.setter
    def state(self, state: FamilyState) -> None:
        self._state = state

    @property
    def counts(self) -> Floats:
        """The tables: cells x chains."""
        return self._counts if self._state is None else self._state.counts

    def round(self, number: int, rate: float) -> None:
        """One round; with a rate, step lengths are learned. Where tables glide, rare rows and the prior are left.

        In wide rows of few records the law of real numbers is less like that of whole ones, so there exact steps take turns.
        """
        if self._glides.possible:
            self.glide(rate)
            self.forms.pull(self.counts)
            self.redraw_rare(rate)
            if self._wide:
                self._set_right(number, rate)
            for _ in range(_LEARNED):
                self.learn_prior(rate)
            if isinstance(self.prior, LearnedRows):
                self.prior.put(self.prior.learn(self.counts, rate))
            return
        for turn in range(_AT_ONCE):
            self._shifts.step(_AT_ONCE * number + turn, self.state, self.prior, rate)
        self.forms.pull(self.state.counts)
        for turn in range(_AT_ONCE):
            self.exchange(_AT_ONCE * number + turn, rate)
        self.trade(rate)
        self.refill_rows(rate)
        self.refill_tables(rate)
        self.learn_prior(rate)

    def _set_right(self, number: int, rate: float) -> None:
        """A round of records that move, a round of records that are forgotten."""
        self.forms.pull(self.state.counts)
        if number % 2:
            self.refill_rows(rate)
            self.learn_prior(rate)
        else:
            self.exchange(number // 2, rate)
            self.trade(rate)

    def exchange(self, turn: int, rate: float = 0.0) -> None:
        """Records move across rows, one of the ways to pair these at a time."""
        if self._pairs:
            self._exchanges.step(self._pairs[turn % len(self._pairs)], self.state, self.prior, rate)

    def learn_prior(self, rate: float = 0.0) -> None:
        """Learn the prior, if it is to be learned."""
        if isinstance(self.prior, LearnedRows):
            self.learn(self.prior, rate)

    def glide(self, rate: float = 0.0) -> None:
        """All tables move at once, along the slope of their law."""
        self._counts, self._state = self._glides.step(self.counts, self.prior, rate), None

    def redraw_rare(self, rate: float = 0.0) -> None:
        """Rows of few records are drawn anew, then in pairs: accepted, block by block, by what noise says."""
        self._rare.step(self.state, self.prior, rate)
        self._rare.share(self.state, self.prior)

    def trade(self, rate: float = 0.0) -> None:
        """Records change their level within rows."""
        self._trades.round(self.state, self.prior, rate)

    def refill_rows(self, rate: float = 0.0) -> None:
        """Forget records of each row and fill it in again; row by row accepted by what noise says."""
        tables, state = self._tables, self.state
        odds = self._kept_of_row[:, None] * np.exp(self._generator.standard_normal(state.rows.shape))
        kept = self._refills.forget(state.counts, odds / (1 + odds))
        other = begin(tables, self._refills.fill(kept, state.rows, self.prior.cells))
        change = np.zeros_like(state.rows)
        np.add.at(change, tables.row_of_part, other.noise_logs - state.noise_logs)
        change += self._generator.standard_exponential(change.shape)
        accepted = self.forms.accept_rows(other.counts - state.counts, change, state.counts)
        state.take(tables, other, accepted)
        if rate:
            self._kept_of_row *= np.exp(-2 * rate * (accepted.mean(axis=1) - _TARGET))
            np.clip(self._kept_of_row, 1e-9, 1e9, out=self._kept_of_row)

    def refill_tables(self, rate: float = 0.0) -> None:
        """Forget records of each table and fill it in again, rows and all: accepted by what noise says."""
        tables, state = self._tables, self.state
        shape = (len(tables.families), state.counts.shape[1])
        odds = self._kept_of_family[:, None] * np.exp(self._generator.standard_normal(shape))
        kept = self._refills.forget(state.counts, rows_at(odds / (1 + odds), tables.family_of_row))
        rows = self._refills.fill_rows(kept, state.rows)
        accepted = self._accept_tables(begin(tables, self._refills.fill(kept, rows, self.prior.cells)), np.zeros(shape))
        if rate:
            self._kept_of_family *= np.exp(-2 * rate * (accepted.mean(axis=1) - _LEARNING_TARGET))
            np.clip(self._kept_of_family, 1e-9, 1e9, out=self._kept_of_family)

    def learn(self, prior: LearnedRows, rate: float = 0.0) -> None:
        """Forget most records of a table, learn parameters from those kept, fill in: accepted by what noise says."""
        tables, state = self._tables, self.state
        shape = (len(tables.families), state.counts.shape[1])
        chance = self._kept_of_table[:, None] * np.exp(2 * self._generator.standard_normal(shape))
        kept = self._refills.forget(state.counts, np.minimum(1, rows_at(chance, tables.family_of_row) * state.rows))
        log = prior.learn(kept, rate)
        accepted = self._accept_tables(
            begin(tables, self._refills.fill(kept, state.rows, prior.cells_at(log))), np.zeros(shape)
        )
        prior.take(log, accepted)
        if rate:
            self._kept_of_table *= np.exp(-2 * rate * (accepted.mean(axis=1) - _LEARNING_TARGET))
            np.clip(self._kept_of_table, 1e-9, 1e3, out=self._kept_of_table)

    def _accept_tables(self, other: FamilyState, change: Floats) -> Booleans:
        """Take other tables where they are accepted, by what noise says of them and this log ratio: families x chains."""
        tables, state = self._tables, self.state
        change = change + self.forms.logs(other.counts) - self.forms.logs(state.counts)
        np.add.at(change, tables.family_of_part, other.noise_logs - state.noise_logs)
        accepted = np.asarray(change > -self._generator.standard_exponential(change.shape))
        state.take(tables, other, rows_at(accepted, tables.family_of_row))
        return accepted
