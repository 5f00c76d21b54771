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

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.family_tables import CLOSED, FamilyTables
from discreet.chains.prior_terms import FixedTerms, LearnedTerms, Strengths, gather
from discreet.chains.quick_matrices import Matrix, quick
from discreet.model.prior import Hierarchical, Prior

__all__ = ["FixedRows", "LearnedRows", "RowPriors", "row_priors"]

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
        self._tables = tables
        self.cells = tables.prior[:, None]
        self.rows = tables.sum_rows(self.cells)

    def see(self, counts: Floats) -> None:
        """Take these tables of other records as seen beside the chain's own, in the place of what was seen before."""
        self.cells = self._tables.prior[:, None] + counts
        self.rows = self._tables.sum_rows(self.cells)

    def among(self, cells: Integers, rows: Integers) -> FixedTerms:
        """What is known of some cells, and of the rows that they are in."""
        return FixedTerms(self.cells[cells], self.rows[rows])

    def seen(self) -> npt.NDArray[np.bool_]:
        """Cells that say something of the prior though the chain's own records are elsewhere: none, if nothing is learned."""
        return np.zeros(len(self.cells), dtype=np.bool_)


class LearnedRows:
    """Logarithms of the parameters of all families in all chains; exact records of one's own are part of the tables."""

    def __init__(self, tables: FamilyTables, prior: Hierarchical, chains: int, generator: np.random.Generator) -> None:
        self._tables, self._prior, self._generator = tables, prior, generator
        families = tables.families
        self._levels = np.array([family.levels for family in families])
        self._starts = np.concatenate([[0], np.cumsum(self._levels)[:-1]])
        configurations = np.array([family.configurations for family in families])
        self._first_row = np.concatenate([[0], np.cumsum(configurations)[:-1]])
        self._single = (configurations == 1)[:, None]
        self.family_of_parameter = np.repeat(np.arange(len(families)), self._levels)
        level = np.arange(len(tables.row_of_cell)) - tables.row_starts[tables.row_of_cell]
        self.parameter_of_cell: Integers = self._starts[tables.family_of_cell] + level
        self._own = np.where(tables.possible, tables.prior, 0)[:, None]
        self.possible = tables.possible[:, None]
        self._all_possible = bool(tables.possible.all())
        self._kinds = _row_kinds(tables, self.parameter_of_cell, len(self.family_of_parameter))
        shape = (len(families), chains)
        strength = np.log(prior.strength) + prior.spread * generator.standard_normal(shape)
        centre = generator.standard_normal((len(self.family_of_parameter), chains)) / 2
        alone = self._single[self.family_of_parameter]
        start = np.clip(strength[self.family_of_parameter] + centre, -_LARGEST_LOG, _LARGEST_LOG)
        self.log = np.where(alone, np.log(0.5), start)
        self._last: tuple[Integers, LearnedTerms] | None = None
        """Cells that were looked at last, and what is believed of them: all cells are looked at again and again."""
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

    def among(self, cells: Integers, rows: Integers) -> LearnedTerms:
        """What is believed of some possible cells, and of the rows that they are in."""
        if self._last is None or self._last[0] is not cells:
            self._last = (cells, self._lay_out_terms(cells, rows))
        return replace(self._last[1], own=self._own[cells], own_of_row=self._tables.sum_rows(self._own)[rows])

    def _lay_out_terms(self, cells: Integers, rows: Integers) -> LearnedTerms:
        kinds, size = self._kinds, len(self.family_of_parameter)
        parameter, kind = self.parameter_of_cell[cells], kinds.of_row[rows]
        return LearnedTerms(
            np.zeros((0, 1)),
            np.zeros((0, 1)),
            parameter,
            kind,
            gather(parameter, size),
            gather(kind, len(kinds.rows)),
            np.bincount(parameter, minlength=size).astype(np.float64),
            np.bincount(kind, minlength=len(kinds.rows)).astype(np.float64),
            kinds.levels,
            kinds.parameters,
            self._believed,
        )

    def seen(self) -> npt.NDArray[np.bool_]:
        """Cells in which one's own records are: they say something of the prior, wherever the chain's own records are."""
        return np.asarray((self._own > 0).any(axis=1))

    @cached_property
    def _believed(self) -> Strengths:
        levels = self._levels[:, None].astype(np.float64)
        usual, spread = np.log(self._prior.strength * levels), max(self._prior.spread, _LEAST_SPREAD)
        places = (self._starts, self.family_of_parameter, levels, self._single)
        return Strengths(*places, self._prior.centre, usual, spread, self._log_prior)

    def _log_density(self, log: Floats, counts: Floats, rows: Floats) -> Floats:
        """Of each family's parameters given the tables."""
        from scipy.special import gammaln

        parameters, kinds = np.exp(log), self._kinds
        total = kinds.levels @ parameters
        cells = gammaln(counts + rows_at(parameters, self.parameter_of_cell)) * self._tables.possible[:, None]
        found = np.add.reduceat(cells, self._tables.cell_starts, axis=0)
        found -= np.add.reduceat(gammaln(rows + rows_at(total, kinds.of_row)), self._first_row, axis=0)
        found += np.add.reduceat(kinds.rows[:, None] * gammaln(total), kinds.starts, axis=0)
        found -= np.add.reduceat(kinds.rows_of_parameter[:, None] * gammaln(parameters), self._starts, axis=0)
        return np.asarray(found + self._log_prior(log))

    def _step_together(self, log: Floats, counts: Floats, rows: Floats, rate: float) -> Floats:
        """All parameters of a family by the same factor: another strength, the same centre."""
        shape = (len(self._levels), log.shape[1])
        shift = self._scale_step[:, None] * self._generator.standard_normal(shape)
        changed = log + rows_at(shift, self.family_of_parameter)
        gain = self._log_density(changed, counts, rows) - self._log_density(log, counts, rows)
        accepted = (gain > -self._generator.standard_exponential(shape)) & ~self._single
        if rate:
            self._scale_step *= np.exp(rate * (accepted.mean(axis=1) - _TARGET))
            np.clip(self._scale_step, *_STEPS, out=self._scale_step)
        return np.where(rows_at(accepted, self.family_of_parameter), changed, log)

    def _step_level(self, log: Floats, counts: Floats, rows: Floats, rate: float) -> Floats:
        """The parameter of one level of each family, drawn at random."""
        from scipy.special import gammaln

        tables, kinds = self._tables, self._kinds
        shape = (len(self._levels), log.shape[1])
        level = self._generator.integers(0, self._levels)
        place = self._starts + level
        changed = log.copy()
        changed[place] += self._level_step[place][:, None] * self._generator.standard_normal(shape)
        old, new = np.exp(log[place]), np.exp(changed[place])
        before, after = kinds.levels @ np.exp(log), kinds.levels @ np.exp(changed)
        family, cell = tables.family_of_row, tables.row_starts + level[tables.family_of_row]
        held = rows_at(counts, cell)
        gain = gammaln(held + rows_at(new, family)) - gammaln(held + rows_at(old, family))
        gain *= tables.possible[cell][:, None]
        gain -= gammaln(rows + rows_at(after, kinds.of_row)) - gammaln(rows + rows_at(before, kinds.of_row))
        change = np.add.reduceat(gain, self._first_row, axis=0)
        change += np.add.reduceat(kinds.rows[:, None] * (gammaln(after) - gammaln(before)), kinds.starts, axis=0)
        change -= kinds.rows_of_parameter[place][:, None] * (gammaln(new) - gammaln(old))
        change += self._log_prior(changed) - self._log_prior(log)
        accepted: npt.NDArray[np.bool_] = (change > -self._generator.standard_exponential(shape)) & ~self._single
        if rate:
            longer = self._level_step[place] * np.exp(rate * (accepted.mean(axis=1) - _TARGET))
            self._level_step[place] = np.clip(longer, *_STEPS)
        return np.where(rows_at(accepted, self.family_of_parameter), changed, log)


@dataclass(frozen=True, slots=True, eq=False)
class _RowKinds:
    """Rows of one family that have the same levels are of one kind; where nothing is impossible, a family has one."""

    of_row: Integers
    rows: Integers
    """How many rows each kind has."""
    starts: Integers
    """The first kind of each family."""
    levels: Matrix
    """Kinds x parameters: one where rows of the kind have the level."""
    parameters: Matrix
    """The same, parameters x kinds."""
    rows_of_parameter: Integers
    """In how many rows the level of a parameter is possible."""


def _row_kinds(tables: FamilyTables, parameter_of_cell: Integers, parameters: int) -> _RowKinds:
    from scipy.sparse import csr_array

    seen: dict[tuple[int, bytes], int] = {}
    ends = np.append(tables.row_starts[1:], len(tables.row_of_cell))
    of_row = np.empty(len(ends), dtype=np.int64)
    for row, (family, start, end) in enumerate(zip(tables.family_of_row, tables.row_starts, ends, strict=True)):
        of_row[row] = seen.setdefault((int(family), tables.possible[start:end].tobytes()), len(seen))
    first = np.unique(of_row, return_index=True)[1]
    cells = [np.arange(tables.row_starts[row], ends[row]) for row in first]
    held = np.concatenate([each[tables.possible[each]] for each in cells])
    kind = of_row[tables.row_of_cell[held]]
    levels = csr_array((np.ones(len(held)), (kind, parameter_of_cell[held])), shape=(len(seen), parameters))
    rows_of_parameter = np.bincount(parameter_of_cell, tables.possible, parameters)
    starts = np.searchsorted([family for family, _ in seen], np.arange(len(tables.families)))
    return _RowKinds(of_row, np.bincount(of_row), starts, quick(levels), quick(csr_array(levels.T)), rows_of_parameter)


RowPriors = FixedRows | LearnedRows


def row_priors(tables: FamilyTables, prior: Prior, chains: int, generator: np.random.Generator) -> RowPriors:
    """The parameters of the rows for so many chains: learned where the prior is one that learns."""
    return LearnedRows(tables, prior, chains, generator) if isinstance(prior, Hierarchical) else FixedRows(tables)
