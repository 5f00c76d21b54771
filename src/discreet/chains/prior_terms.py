"""What a prior says of some cells and of their rows, as steps along the slope of a law need it.

A cell without records has the same factor above and below the line, and so has a row without any: they say nothing of the
parameters, and need not be among the cells. The last axis of every array is the chain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats, Integers, add_up, rows_at
from discreet.chains.digamma import digamma
from discreet.chains.quick_matrices import Matrix, quick

__all__ = ["FixedTerms", "LearnedTerms", "PriorTerms", "Strengths", "gather"]


@dataclass(frozen=True, slots=True, eq=False)
class FixedTerms:
    """Parameters that were declared."""

    cells: Floats
    rows: Floats

    def cells_at(self, _log: Floats) -> Floats:
        """The Dirichlet parameters of each cell, with one's own records: nothing is learned."""
        return self.cells

    def rows_at(self, _log: Floats) -> Floats:
        """Their sum over all cells of each row."""
        return self.rows

    def log_prior(self, _log: Floats) -> float:
        """Nothing that is learned has a density."""
        return 0.0

    def rise(self, log: Floats, _of_cells: Floats, _of_rows: Floats) -> Floats:
        """Nor does it rise: there are no logarithms."""
        return log


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """What is believed of the parameters of all families before any table is seen."""

    starts: Integers
    """The first parameter of each family."""
    family: Integers
    """Of each parameter."""
    levels: Floats
    single: Floats
    """Whether a family has a single row, which has nothing to learn from."""
    centre: float
    usual: Floats
    """The logarithm of the strength that is expected of each family, and how far from it the strength may be."""
    spread: float
    log_density: Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class LearnedTerms:
    """Parameters that are learned with the tables."""

    own: Floats
    """One's own records of each cell, and of each row."""
    own_of_row: Floats
    parameter: Integers
    """Of each cell, and the kind of each row."""
    kind: Integers
    by_parameter: Matrix
    """Sums over the cells of each parameter, and over the rows of each kind."""
    by_kind: Matrix
    cells_of_parameter: Floats
    rows_of_kind: Floats
    levels: Matrix
    """Kinds x parameters: one where rows of the kind have the level; and the same, parameters x kinds."""
    parameters: Matrix
    believed: Strengths

    def cells_at(self, log: Floats) -> Floats:
        """The Dirichlet parameters of each cell, with one's own records, if the logarithms are these."""
        found = rows_at(np.exp(log), self.parameter)
        found += self.own
        return found

    def rows_at(self, log: Floats) -> Floats:
        """Their sum over all cells of each row, also those that are not among these."""
        return rows_at(self.levels @ np.exp(log), self.kind) + self.own_of_row

    def log_prior(self, log: Floats) -> Floats:
        """Log density of the parameters, all families together, with what the density of tables has of them alone."""
        from scipy.special import gammaln

        parameters, believed = np.exp(log), self.believed
        found = add_up(np.where(believed.single, 0, believed.log_density(log)))
        found += self.rows_of_kind @ gammaln(self.levels @ parameters)
        return np.asarray(found - self.cells_of_parameter @ gammaln(parameters))

    def rise(self, log: Floats, of_cells: Floats, of_rows: Floats) -> Floats:
        """How the log density rises with the logarithms, if it rises so with parameters of cells and falls so with rows'."""
        parameters, believed = np.exp(log), self.believed
        total = np.add.reduceat(parameters, believed.starts, axis=0)
        strength = np.log(total) - believed.usual
        common = -believed.centre * believed.levels - strength / believed.spread**2
        found = self.by_parameter @ of_cells + rows_at(common / total, believed.family)
        alone = self.rows_of_kind[:, None] * digamma(self.levels @ parameters) - self.by_kind @ of_rows
        found += self.parameters @ alone
        found -= self.cells_of_parameter[:, None] * digamma(parameters)
        return np.where(rows_at(believed.single, believed.family), 0, parameters * found + believed.centre)


PriorTerms = FixedTerms | LearnedTerms


def gather(groups: Integers, size: int) -> Matrix:
    """Groups x members: one for the members of each group."""
    from scipy.sparse import csr_array

    places = (groups, np.arange(len(groups)))
    return quick(csr_array((np.ones(len(groups)), places), shape=(size, len(groups))))
