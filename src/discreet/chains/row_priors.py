"""The Dirichlet parameters of the rows: declared, or learned with the tables.

Where they are learned, the rows of a family with K levels share the parameters a_k = s beta_k. The centre beta is Dirichlet,
the logarithm of s / K is normal. With u = ln a their density given tables N with row totals T is, up to a constant,

    sum_jk [lnG(N_jk + a_k) - lnG(a_k)] + sum_j [lnG(s) - lnG(T_j + s)]
        + b sum_k (u_k - ln s) - (ln (s / K) - mu)^2 / (2 tau^2).

A single row has nothing to learn from: its prior is Jeffreys'. In a row some levels may be declared impossible: sums over k
are then over the others, and s is the sum of their parameters in this row; rows that lack the same levels are of one kind.
The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.family_tables import FamilyTables
from discreet.chains.row_evidence import RowEvidence, RowKinds
from discreet.chains.row_margins import CLOSED
from discreet.chains.smooth_weights import tail_rates
from discreet.model.prior import Hierarchical, Prior

__all__ = ["FixedRows", "LearnedRows", "RowPriors", "SomePrior", "row_priors"]

_TARGET = 0.4
"""The share of steps to accept."""
_LARGEST_LOG = 14.0
"""Parameters between a millionth and a million: what is beyond cannot be told from what is at the ends."""
_LEAST_SPREAD = 1e-3
"""A strength that is believed to be nearer than this is known."""
_STRONGEST = 1e9
"""Dirichlet parameters beyond this hold probabilities as well as certainty would."""
_LEVELS_AT_A_TIME = 3
_STEPS = (0.01, 10.0)
"""The shortest and the longest step of a logarithm."""


@dataclass(frozen=True, slots=True, eq=False)
class SomePrior:
    """What is believed of some cells, and of the rows that they are in."""

    parameters: Floats
    """Dirichlet parameters of cells, with one's own records."""
    strengths: Floats
    """Their sum over all cells of each row."""
    rates: Floats
    """What stands for the parameters below half a record (``smooth_weights.py``)."""


def _some_prior(tables: FamilyTables, parameters: Floats, cells: Integers, rows: Integers) -> SomePrior:
    """What is believed of some cells, from the parameters of all."""
    parameters = np.minimum(parameters, _STRONGEST)
    strengths, parameters = tables.sum_rows(parameters), rows_at(parameters, cells)
    return SomePrior(parameters, rows_at(strengths, rows), tail_rates(parameters))


class FixedRows:
    """Parameters that were declared: the same in all chains."""

    def __init__(self, tables: FamilyTables) -> None:
        self._tables = tables
        self._lay_out(tables.prior[:, None])

    def _lay_out(self, cells: Floats) -> None:
        self.cells, self.rows = cells, self._tables.sum_rows(cells)

    def see(self, counts: Floats) -> None:
        """Take these tables of other records as seen beside the chain's own, in the place of what was seen before."""
        self._lay_out(self._tables.prior[:, None] + counts)

    def among(self, cells: Integers, rows: Integers) -> SomePrior:
        """What is known of some cells, and of the rows that they are in."""
        return _some_prior(self._tables, self.cells, cells, rows)


class LearnedRows:
    """Logarithms of the parameters of all families in all chains; exact records of one's own are part of the tables."""

    def __init__(self, tables: FamilyTables, prior: Hierarchical, chains: int, generator: np.random.Generator) -> None:
        self._tables, self._prior, self._generator = tables, prior, generator
        families = tables.families
        self._levels = np.array([family.levels for family in families])
        self._starts = np.concatenate([[0], np.cumsum(self._levels)[:-1]])
        configurations = np.array([family.configurations for family in families])
        self._single = (configurations == 1)[:, None]
        self.family_of_parameter = np.repeat(np.arange(len(families)), self._levels)
        level = np.arange(len(tables.row_of_cell)) - tables.row_starts[tables.row_of_cell]
        self.parameter_of_cell: Integers = self._starts[tables.family_of_cell] + level
        self._own = np.where(tables.possible, tables.prior, 0)[:, None]
        self._alone = not self._own.any()
        """Whether there are no records of one's own, so that all cells of a parameter are alike."""
        self.possible = tables.possible[:, None]
        self._all_possible = bool(tables.possible.all())
        self._kinds = RowKinds.of(tables, self.parameter_of_cell, len(self.family_of_parameter))
        shape = (len(families), chains)
        strength = np.log(prior.strength) + prior.spread * generator.standard_normal(shape)
        centre = generator.standard_normal((len(self.family_of_parameter), chains)) / 2
        alone = self._single[self.family_of_parameter]
        start = np.clip(strength[self.family_of_parameter] + centre, -_LARGEST_LOG, _LARGEST_LOG)
        self.log = np.where(alone, np.log(0.5), start)
        self._scale_step = np.full(len(families), 1.0)
        self._level_step = np.full(len(self.family_of_parameter), 1.0)
        self._lay_out()

    @property
    def free(self) -> npt.NDArray[np.bool_]:
        """Which parameters are learned."""
        return np.asarray(~self._single[self.family_of_parameter, 0])

    def put(self, log: Floats) -> None:
        """Take other logarithms everywhere."""
        self.log = log
        self._lay_out()

    def _lay_out(self) -> None:
        self.cells = self.cells_at(self.log)
        self.rows = self._tables.sum_rows(self.cells)

    def see(self, counts: Floats) -> None:
        """Take these tables of other records as seen beside the chain's own, in the place of what was seen before."""
        self._own = np.where(self._tables.possible, self._tables.prior, 0)[:, None] + counts
        self._alone = not self._own.any()
        self._lay_out()

    def cells_at(self, log: Floats) -> Floats:
        """The Dirichlet parameters of each cell, with one's own records, if the logarithms are these."""
        found = rows_at(np.exp(log), self.parameter_of_cell)
        found += self._own
        return found if self._all_possible else np.where(self.possible, found, CLOSED)

    def take(self, log: Floats, accepted: npt.NDArray[np.bool_]) -> None:
        """Take other logarithms in the families and chains where they were accepted."""
        self.put(np.where(rows_at(accepted, self.family_of_parameter), log, self.log))

    def learn(self, counts: Floats, rate: float) -> Floats:
        """New logarithms given these tables, by steps that can be taken back: all at once, level by level, all at once.

        The law of the parameters given the tables stays as it is, and the way there is as probable as the way back; the
        parameters themselves are not changed. With a rate, step lengths are learned.
        """
        told = RowEvidence.of(self._tables, counts + self._own, self.parameter_of_cell, self._kinds)
        log = self._step_together(self.log, told, rate)
        for _ in range(_LEVELS_AT_A_TIME):
            log = self._step_level(log, told, rate)
        return self._step_together(log, told, rate)

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

    def among(self, cells: Integers, rows: Integers) -> SomePrior:
        """What is believed of some cells, and of the rows that they are in."""
        if not self._alone:
            return _some_prior(self._tables, self.cells, cells, rows)
        levels, kind, parameter = self._kinds.levels, self._kinds.of_row[rows], self.parameter_of_cell[cells]
        parameters = np.exp(self.log)
        strengths = rows_at(levels @ parameters, kind)
        return SomePrior(rows_at(parameters, parameter), strengths, rows_at(tail_rates(parameters), parameter))

    def _log_density(self, log: Floats, told: RowEvidence) -> Floats:
        """Of each family's parameters given the tables."""
        from scipy.special import gammaln

        parameters, kinds = np.exp(log), self._kinds
        total = kinds.levels @ parameters
        found = np.add.reduceat(gammaln(told.counts + rows_at(parameters, told.parameter)), told.cell_starts, axis=0)
        found -= np.add.reduceat(gammaln(told.rows + rows_at(total, told.kind)), told.row_starts, axis=0)
        found += np.add.reduceat(told.rows_of_kind[:, None] * gammaln(total), kinds.starts, axis=0)
        found -= np.add.reduceat(told.cells_of_parameter[:, None] * gammaln(parameters), self._starts, axis=0)
        return np.asarray(found + self._log_prior(log))

    def _step_together(self, log: Floats, told: RowEvidence, rate: float) -> Floats:
        """All parameters of a family by the same factor: another strength, the same centre."""
        shape = (len(self._levels), log.shape[1])
        shift = self._scale_step[:, None] * self._generator.standard_normal(shape)
        changed = log + rows_at(shift, self.family_of_parameter)
        gain = self._log_density(changed, told) - self._log_density(log, told)
        accepted = (gain > -self._generator.standard_exponential(shape)) & ~self._single
        if rate:
            self._scale_step *= np.exp(rate * (accepted.mean(axis=1) - _TARGET))
            np.clip(self._scale_step, *_STEPS, out=self._scale_step)
        return np.where(rows_at(accepted, self.family_of_parameter), changed, log)

    def _step_level(self, log: Floats, told: RowEvidence, rate: float) -> Floats:
        """The parameter of one level of each family, drawn at random."""
        from scipy.special import gammaln

        kinds, shape = self._kinds, (len(self._levels), log.shape[1])
        level = self._generator.integers(0, self._levels)
        place = self._starts + level
        changed = log.copy()
        changed[place] += self._level_step[place][:, None] * self._generator.standard_normal(shape)
        old, new = np.exp(log[place]), np.exp(changed[place])
        before, after = kinds.levels @ np.exp(log), kinds.levels @ np.exp(changed)
        cells = np.flatnonzero(told.parameter == place[told.family])
        held, family = rows_at(told.counts, cells), told.family[cells]
        gain = np.zeros_like(told.counts)
        gain[cells] = gammaln(held + rows_at(new, family)) - gammaln(held + rows_at(old, family))
        change = np.add.reduceat(gain, told.cell_starts, axis=0)
        lost = gammaln(told.rows + rows_at(after, told.kind)) - gammaln(told.rows + rows_at(before, told.kind))
        change -= np.add.reduceat(lost, told.row_starts, axis=0)
        change += np.add.reduceat(told.rows_of_kind[:, None] * (gammaln(after) - gammaln(before)), kinds.starts, axis=0)
        change -= told.cells_of_parameter[place][:, None] * (gammaln(new) - gammaln(old))
        change += self._log_prior(changed) - self._log_prior(log)
        accepted: npt.NDArray[np.bool_] = (change > -self._generator.standard_exponential(shape)) & ~self._single
        if rate:
            longer = self._level_step[place] * np.exp(rate * (accepted.mean(axis=1) - _TARGET))
            self._level_step[place] = np.clip(longer, *_STEPS)
        return np.where(rows_at(accepted, self.family_of_parameter), changed, log)


RowPriors = FixedRows | LearnedRows


def row_priors(tables: FamilyTables, prior: Prior, chains: int, generator: np.random.Generator) -> RowPriors:
    """The parameters of the rows for so many chains: learned where the prior is one that learns."""
    return LearnedRows(tables, prior, chains, generator) if isinstance(prior, Hierarchical) else FixedRows(tables)
