"""Dirichlet priors: what is believed before any record is seen. Public, so never taken from the private data.

A prior answers one question: the Dirichlet parameters of a family's table, one row per parent configuration. Those of levels
that the network declares impossible are numbers greater than zero like all others, and nobody looks at them; who writes a
table may write zero there.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from numbers import Real
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.display import Display, Displayed, counted
from discreet.errors import ModelError, of_kind, suggestion
from discreet.model.family import empty_cells
from discreet.model.network import Family, Network

__all__ = [
    "JEFFREYS", "LEARNED", "PRIORS", "UNIFORM", "BDeu", "Hierarchical", "Prior", "Symmetric", "TablePrior", "as_prior",
    "check_fixed_prior", "check_prior", "table_prior",
]  # fmt: skip


class Prior(Protocol):
    """Anything that gives Dirichlet parameters for a family."""

    def concentration(self, family: Family) -> Floats:
        """Dirichlet parameters, configurations x levels."""
        ...

    def __hash__(self) -> int:
        """What follows from a prior alone is computed once."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class Symmetric(Displayed):
    """The same pseudo-count in every cell: 1 is the uniform prior, 1/2 is Jeffreys'."""

    weight: float = 1.0

    def __post_init__(self) -> None:
        _check_positive(self.weight, "The weight of a symmetric prior")

    def concentration(self, family: Family) -> Floats:
        """Dirichlet parameters, configurations x levels."""
        return np.full((family.configurations, family.levels), float(self.weight))

    def _display(self) -> Display:
        return Display(repr(self), notes=(f"{self.weight} imagined records in every cell of every table",))

    def __repr__(self) -> str:
        return f"Symmetric({self.weight})"


@dataclass(frozen=True, slots=True, repr=False)
class BDeu(Displayed):
    """Bayesian Dirichlet equivalent uniform: an imagined sample of the given size, spread evenly over each table."""

    sample_size: float = 1.0

    def __post_init__(self) -> None:
        _check_positive(self.sample_size, "The equivalent sample size")

    def concentration(self, family: Family) -> Floats:
        """Dirichlet parameters, configurations x levels."""
        return np.full((family.configurations, family.levels), float(self.sample_size) / family.possible_cells)

    def _display(self) -> Display:
        return Display(repr(self), notes=(f"{self.sample_size} imagined records, spread evenly over each table",))

    def __repr__(self) -> str:
        return f"BDeu({self.sample_size})"


@dataclass(frozen=True, slots=True, repr=False)
class Hierarchical(Displayed):
    """A prior that learns: the rows of a node's table share a centre and a strength, both unknown and learned with the table.

    Where noise hides a row, it falls back to what the node's other rows say, as far as they say the same. ``centre`` is the
    Dirichlet parameter of the centre at each level; ``strength`` is a typical Dirichlet parameter of a row's level, and
    ``spread`` how far strengths may be from it, as the standard deviation of their logarithm. A node without parents has one
    row, which has nothing to learn from: its prior is Jeffreys'.

    Only a posterior that samples can learn. Wherever Dirichlet parameters must be numbers, they are those of ``UNIFORM``.
    """

    centre: float = 2.0
    strength: float = 0.4
    spread: float = 1.5

    def __post_init__(self) -> None:
        _check_positive(self.centre, "The Dirichlet parameter of the centre")
        _check_positive(self.strength, "The typical strength")
        _check_positive(self.spread, "The spread of strengths")

    def concentration(self, family: Family) -> Floats:
        """Dirichlet parameters where nothing can be learned: one in every cell."""
        return np.ones((family.configurations, family.levels))

    def _display(self) -> Display:
        return Display(repr(self), notes=("rows of one table share a centre and a strength that are learned with it",))

    def __repr__(self) -> str:
        return "Hierarchical()" if self == Hierarchical() else f"Hierarchical({self.centre}, {self.strength}, {self.spread})"


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class TablePrior(Displayed):
    """Dirichlet parameters written out for every node, or taken over from a posterior that is already public."""

    tables: Mapping[str, Floats] = field(repr=False)

    def __init__(self, network: Network, tables: Mapping[str, npt.ArrayLike]) -> None:
        if not isinstance(network, Network) or not isinstance(tables, Mapping):
            raise ModelError("Write TablePrior(network, tables): tables maps each node to its table, configurations x levels.")
        checked = {family.node: _checked_table(family, tables) for family in network.families}
        object.__setattr__(self, "tables", checked)

    def concentration(self, family: Family) -> Floats:
        """Dirichlet parameters, configurations x levels."""
        if family.node not in self.tables:
            raise ModelError(f"The prior has no table for {family.node!r}; it was made for another network.")
        table = self.tables[family.node]
        if table.shape != (family.configurations, family.levels):
            raise ModelError(f"The prior's table for {family.node!r} has another shape; it was made for another network.")
        return table.copy()

    def _display(self) -> Display:
        return Display(f"TablePrior: Dirichlet parameters written out for {counted(len(self.tables), 'node')}")


def table_prior(network: Network, tables: Mapping[str, Floats]) -> TablePrior:
    """Dirichlet parameters as a prior, where those of impossible levels are zero: it has ones there, which nobody looks at."""
    return TablePrior(network, {node: np.where(table > 0, table, 1.0) for node, table in tables.items()})


def _checked_table(family: Family, tables: Mapping[str, npt.ArrayLike]) -> Floats:
    if family.node not in tables:
        raise ModelError(f"The prior has no table for {family.node!r}; give one for every node.")
    shape = (family.configurations, family.levels)
    try:
        table = np.array(tables[family.node], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"The prior's table for {family.node!r} is not a table of numbers.") from None
    if table.shape == (family.levels,) and family.configurations == 1:
        table = table.reshape(shape)
    if table.shape != shape:
        raise ModelError(f"The prior's table for {family.node!r} has shape {table.shape}; it must be {shape}.")
    if family.impossible:  # zero is the natural thing to write there, and nobody looks at it
        table = np.where(empty_cells(family) & (table == 0), 1.0, table)
    if not (np.isfinite(table).all() and (table > 0).all()):
        raise ModelError(f"The prior's table for {family.node!r} must hold finite numbers greater than zero.")
    table.flags.writeable = False
    return table


def _check_positive(value: float, what: str) -> None:
    if not (isinstance(value, Real) and 0 < value <= sys.float_info.max):
        raise ModelError(f"{what} must be a finite number greater than zero.")


UNIFORM = Symmetric(1.0)
"""All probabilities of a row equally likely before the data: pseudo-counts of 1."""
JEFFREYS = Symmetric(0.5)
"""Jeffreys' prior, which favours probabilities near 0 and 1: pseudo-counts of 1/2."""
LEARNED = Hierarchical()

PRIORS = ("hierarchical", "uniform", "jeffreys", "bdeu:SIZE")
"""Words for priors."""


def check_prior(network: Network, prior: Prior) -> None:
    """Refuse a prior that does not fit the network, or that a release file cannot hold.

    Claim:      afterwards the prior is of a kind that can be saved, and has a table of finite numbers greater than zero for
                every family, configurations x levels, so that a posterior can be made of it.
    Requires:   nothing; called before the charge, so that no budget is spent on a release that nobody can use.
    Checked by: tests/unit/mechanisms/test_pipeline.py::test_a_mechanism_refuses_a_prior_that_does_not_fit_before_the_charge
                tests/unit/mechanisms/test_publish.py::test_a_prior_of_ones_own_making_costs_nothing
    """
    if not isinstance(prior, Symmetric | BDeu | Hierarchical | TablePrior):
        raise ModelError(f"A prior of type {type(prior).__name__} cannot be saved; turn it into a TablePrior.")
    TablePrior(network, {family.node: prior.concentration(family) for family in network.families})


def check_fixed_prior(network: Network, prior: Prior) -> None:
    """Refuse a prior that learns, and what ``check_prior`` refuses: for releases whose law is made of Dirichlet parameters.

    Claim:      afterwards the prior has Dirichlet parameters that are known before any record is seen.
    Requires:   nothing; called before the charge.
    Checked by: tests/unit/mechanisms/test_default_prior.py::test_draws_and_points_refuse_a_prior_that_learns_before_the_charge
    """
    if isinstance(prior, Hierarchical):
        raise ModelError(
            "The privacy of draws and points depends on fixed Dirichlet parameters, and Hierarchical() learns its own. Give "
            "another prior, such as 'uniform' or 'jeffreys', or release noisy counts, such as by Auto."
        )
    check_prior(network, prior)


def as_prior(given: object) -> Prior:
    """A prior as it is, or the one that a word names: ``hierarchical``, ``uniform``, ``jeffreys``, ``bdeu`` or ``bdeu:10``."""
    if isinstance(given, str):
        return _find_prior(given)
    if isinstance(given, type) or not callable(getattr(given, "concentration", None)):
        raise ModelError(
            f"{of_kind(given)} is not a prior. Give Hierarchical(), UNIFORM, JEFFREYS, BDeu(10), a TablePrior, or a word such "
            "as 'jeffreys'."
        )
    return cast("Prior", given)


def _find_prior(word: str) -> Prior:
    kind, colon, size = word.strip().casefold().partition(":")
    match kind:
        case "uniform" | "jeffreys" | "hierarchical" if not colon:
            return LEARNED if kind == "hierarchical" else UNIFORM if kind == "uniform" else JEFFREYS
        case "bdeu":
            with suppress(ValueError, ModelError):
                return BDeu(float(size)) if colon else BDeu()
            raise ModelError("Write bdeu:SIZE with a number greater than zero, such as bdeu:10.")
    if kind.endswith(".json"):
        raise ModelError(f"A file is not a prior, but its posterior can be: write prior=discreet.load({word!r}).posterior.")
    raise ModelError(f"There is no prior {word!r}.{suggestion(word, PRIORS)}")
