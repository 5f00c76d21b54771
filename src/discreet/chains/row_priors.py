"""The Dirichlet parameters of the rows: declared, or learned with the tables.

Where they are learned, the rows of a family with K levels share the parameters a_k = s beta_k. The centre beta is Dirichlet,
the logarithm of s / K is normal. With u = ln a their density given tables N with row totals T is, up to a constant,

    sum_jk [lnG(N_jk + a_k) - lnG(a_k)] + sum_j [lnG(s) - lnG(T_j + s)]
        + b sum_k (u_k - ln s) - (ln (s / K) - mu)^2 / (2 tau^2).

A single row has nothing to learn from: its prior is Jeffreys'.
The last axis of every array is the chain.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.chains.family_tables import FamilyTables
from discreet.model.prior import Hierarchical

__all__ = ["FixedRows", "LearnedRows", "RowPriors"]

_TARGET = 0.4
"""The share of steps to accept."""
_LARGEST_LOG = 14.0
"""Parameters between a millionth and a million: what is beyond cannot be told from what is at the ends."""
_LEAST_SPREAD = 1e-3
"""A strength that is believed to be nearer than this is known."""
_LEVELS_AT_A_TIME = 3
_STEPS = (0.01, 10.0)
"""The shortest and the longest step of a logarithm."""


class FixedRows:
    """Parameters that were declared: the same in all chains."""

    def __init__(self, tables: FamilyTables) -> None:
        self.cells = tables.prior[:, None]
        self.rows = tables.sum_rows(self.cells)


class LearnedRows:
    """Logarithms of the parameters of all families in all chains; exact records of one's own are part of the tables."""

    def __init__(self, tables: FamilyTables, prior: Hierarchical, chains: int, generator: np.random.Generator) -> None:
        self._tables, self._prior, self._generator = tables, prior, generator
        families = tables.families
        self._levels = np.array([family.levels for family in families])
        self._starts = np.concatenate([[0], np.cumsum(self._levels)[:-1]])
        self._configurations = np.array([family.configurations for family in families])
        self._first_row = np.concatenate([[0], np.cumsum(self._configurations)[:-1]])
        self._single = (self._configurations == 1)[:, None]
        self.family_of_parameter = np.repeat(np.arange(len(families)), self._levels)
        level = np.arange(len(tables.row_of_cell)) - tables.row_starts[tables.row_of_cell]
        self.parameter_of_cell: Integers = self._starts[tables.family_of_cell] + level
        self._own = tables.prior[:, None]
        shape = (len(families), chains)
        strength = np.log(prior.strength) + prior.spread * generator.standard_normal(shape)
        centre = generator.standard_normal((len(self.family_of_parameter), chains)) / 2
        alone = self._single[self.family_of_parameter]
        start = np.clip(strength[self.family_of_parameter] + centre, -_LARGEST_LOG, _LARGEST_LOG)
        self.log = np.where(alone, np.log(0.5), start)
        self._scale_step = np.full(len(families), 1.0)
        self._level_step = np.full(len(self.family_of_parameter), 1.0)
        self._lay_out()

    def _lay_out(self) -> None:
        self.cells = self.cells_at(self.log)
        self.rows = self._tables.sum_rows(self.cells)

    def cells_at(self, log: Floats) -> Floats:
        """The Dirichlet parameters of each cell, with one's own records, if the logarithms are these."""
        return np.asarray(np.exp(log)[self.parameter_of_cell] + self._own)

    def take(self, log: Floats, accepted: npt.NDArray[np.bool_]) -> None:
        """Take other logarithms in the families and chains where they were accepted."""
        self.log = np.where(accepted[self.family_of_parameter], log, self.log)
        self._lay_out()

    def learn(self, counts: Floats, rate: float) -> Floats:
        """New logarithms given these tables, by steps that can be taken back: all at once, level by level, all at once.

        The law of the parameters given the tables stays as it is, and the way there is as probable as the way back; the
        parameters themselves are not changed. With a rate, step lengths are learned.
        """
        counts = counts + self._own
        rows = self._tables.sum_rows(counts)
        log = self._step_together(self.log, counts, rows, rate)
        for _ in range(_LEVELS_AT_A_TIME):
            log = self._step_level(log, counts, rows, rate)
        return self._step_together(log, counts, rows, rate)

    def _total(self, parameters: Floats) -> Floats:
        return np.add.reduceat(parameters, self._starts, axis=0)

    def _log_prior(self, log: Floats) -> Floats:
        """Of each family's parameters; minus infinity beyond the ends."""
        total = np.log(self._total(np.exp(log)))
        strength = total - np.log(self._prior.strength * self._levels)[:, None]
        centre = np.add.reduceat(log, self._starts, axis=0) - self._levels[:, None] * total
        beyond = np.logical_or.reduceat(np.abs(log) > _LARGEST_LOG, self._starts, axis=0)
        found = self._prior.centre * centre - np.square(strength / max(self._prior.spread, _LEAST_SPREAD)) / 2
        return np.where(beyond, -np.inf, found)

    def _log_density(self, log: Floats, counts: Floats, rows: Floats) -> Floats:
        """Of each family's parameters given the tables."""
        from scipy.special import gammaln

        parameters = np.exp(log)
        total = self._total(parameters)
        cells = gammaln(counts + parameters[self.parameter_of_cell])
        found = np.add.reduceat(cells, self._tables.cell_starts, axis=0)
        found -= np.add.reduceat(gammaln(rows + total[self._tables.family_of_row]), self._first_row, axis=0)
        alone = gammaln(total) - np.add.reduceat(gammaln(parameters), self._starts, axis=0)
        return np.asarray(found + self._configurations[:, None] * alone + self._log_prior(log))

    def _step_together(self, log: Floats, counts: Floats, rows: Floats, rate: float) -> Floats:
        """All parameters of a family by the same factor: another strength, the same centre."""
        shape = (len(self._levels), log.shape[1])
        shift = self._scale_step[:, None] * self._generator.standard_normal(shape)
        changed = log + shift[self.family_of_parameter]
        gain = self._log_density(changed, counts, rows) - self._log_density(log, counts, rows)
        accepted = (gain > -self._generator.standard_exponential(shape)) & ~self._single
        if rate:
            self._scale_step *= np.exp(rate * (accepted.mean(axis=1) - _TARGET))
            np.clip(self._scale_step, *_STEPS, out=self._scale_step)
        return np.where(accepted[self.family_of_parameter], changed, log)

    def _step_level(self, log: Floats, counts: Floats, rows: Floats, rate: float) -> Floats:
        """The parameter of one level of each family, drawn at random."""
        from scipy.special import gammaln

        tables, configurations = self._tables, self._configurations[:, None]
        shape = (len(self._levels), log.shape[1])
        level = self._generator.integers(0, self._levels)
        place = self._starts + level
        changed = log.copy()
        changed[place] += self._level_step[place][:, None] * self._generator.standard_normal(shape)
        old, new = np.exp(log[place]), np.exp(changed[place])
        before = self._total(np.exp(log))
        after = before - old + new
        family = tables.family_of_row
        here = counts[tables.row_starts + level[family]]
        gain = gammaln(here + new[family]) - gammaln(here + old[family])
        gain -= gammaln(rows + after[family]) - gammaln(rows + before[family])
        change = np.add.reduceat(gain, self._first_row, axis=0)
        change += configurations * (gammaln(after) - gammaln(before) - gammaln(new) + gammaln(old))
        change += self._log_prior(changed) - self._log_prior(log)
        accepted: npt.NDArray[np.bool_] = (change > -self._generator.standard_exponential(shape)) & ~self._single
        if rate:
            longer = self._level_step[place] * np.exp(rate * (accepted.mean(axis=1) - _TARGET))
            self._level_step[place] = np.clip(longer, *_STEPS)
        return np.where(accepted[self.family_of_parameter], changed, log)


RowPriors = FixedRows | LearnedRows
