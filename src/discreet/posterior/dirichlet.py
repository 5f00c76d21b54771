"""The Dirichlet posterior of a network: prior + released counts + records of the holder's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet.checks import check_probability, check_whole
from discreet.display import Display, Displayed
from discreet.model.network import Family, Network, check_network
from discreet.model.prior import UNIFORM, Prior, Table, TablePrior, as_prior
from discreet.posterior.generators import GeneratorLike, as_generator
from discreet.posterior.noisy_counts import Counts
from discreet.posterior.posterior import Posterior, display_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DirichletPosterior", "OwnRecords", "Statistics", "dirichlet_draws"]


class Statistics(Protocol):
    """What a mechanism published about the counts of ``rows`` records."""

    @property
    def rows(self) -> int:
        """The public number of records."""
        ...

    @property
    def scale(self) -> Fraction:
        """The scale of the noise; the largest, where numbers have different ones."""
        ...

    def update(self, family: Family) -> Table:
        """What the release adds to the prior's parameters: configurations x levels, never negative."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class OwnRecords:
    """Counts of records that the holder of a posterior added: exact, protected by nothing."""

    tables: Mapping[str, Counts] = field(repr=False)
    rows: int

    def plus(self, other: OwnRecords | None) -> OwnRecords:
        """Both sets of records together."""
        if other is None:
            return self
        summed = {node: table + other.tables[node] for node, table in self.tables.items()}
        return OwnRecords(summed, self.rows + other.rows)


@dataclass(frozen=True, eq=False, repr=False)
class DirichletPosterior(Displayed, Posterior):
    """Independent Dirichlet distributions, one for each parent configuration of each node.

    The parameters are the prior's, plus the released counts, repaired where noise made them impossible, plus the counts of
    the holder's own records.
    """

    network: Network
    prior: Prior = UNIFORM
    released: Statistics | None = None
    own: OwnRecords | None = None

    def __post_init__(self) -> None:
        check_network(self.network)
        object.__setattr__(self, "prior", as_prior(self.prior))

    def _display(self) -> Display:
        return display_of(self, self.released, self.own)

    def concentration(self, node: str) -> Table:
        """Dirichlet parameters, configurations x levels, first parent slowest."""
        family = self.network.family(node)
        table = self.prior.concentration(family)
        if self.released is not None:
            table = table + self.released.update(family)
        if self.own is not None:
            table = table + self.own.tables[node]
        return table

    def mean(self, node: str) -> Table:
        """Expected conditional probabilities, configurations x levels."""
        table = self.concentration(node)
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def mode(self, node: str) -> Table:
        """Most probable conditional probabilities.

        A Dirichlet has a single interior mode only where its parameters exceed one: levels at or below one get zero, and a
        configuration none of whose parameters exceeds one gets its mean.
        """
        above = np.maximum(self.concentration(node) - 1, 0)
        total = above.sum(axis=1, keepdims=True)
        return np.where(total > 0, above / np.where(total > 0, total, 1), self.mean(node))

    def variance(self, node: str) -> Table:
        """Posterior variance of every conditional probability."""
        mean, total = self.mean(node), self.concentration(node).sum(axis=1, keepdims=True)
        return np.asarray(mean * (1 - mean) / (total + 1))

    def interval(self, node: str, level: float = 0.9) -> tuple[Table, Table]:
        """Central credible interval of every conditional probability: its lower and upper ends."""
        from scipy.special import betaincinv

        level = check_probability(level)
        table = self.concentration(node)
        rest = table.sum(axis=1, keepdims=True) - table
        tail = (1 - level) / 2
        return betaincinv(table, rest, tail), betaincinv(table, rest, 1 - tail)

    def draws(self, count: int, generator: GeneratorLike = None) -> dict[str, Table]:
        """Independent draws of all parameters: node -> array (count, configurations, levels)."""
        generator, count = as_generator(generator), check_whole(count, "The number of draws")
        return {node: dirichlet_draws(self.concentration(node), generator, count) for node in self.network.nodes}

    def update(
        self, data: Any, *, missing: str | None = None, progress: Callable[[int], None] | None = None
    ) -> DirichletPosterior:
        """The posterior after records of one's own: this posterior is their prior. They are counted exactly, without noise."""
        from discreet.queries.own_records import count_own_records

        return replace(self, own=count_own_records(data, self.network, missing, progress).plus(self.own))

    def kl(self, other: DirichletPosterior) -> float:
        """Kullback-Leibler divergence KL(self || other), in closed form."""
        from discreet.queries.compare import dirichlet_divergence

        return dirichlet_divergence(self, other)

    def as_prior(self) -> TablePrior:
        """The same beliefs as a prior for another release on the same network."""
        return TablePrior(self.network, {node: self.concentration(node) for node in self.network.nodes})


def dirichlet_draws(concentration: Table, generator: np.random.Generator, count: int | None = None) -> Table:
    """One draw for each row of parameters, or ``count`` draws along a new first axis.

    Gamma draws divided by their sum, on the log scale: parameters near zero would underflow otherwise.
    """
    shape = concentration.shape if count is None else (count, *concentration.shape)
    # Gamma(a) = Gamma(a + 1) * U^(1/a); the logarithm stays finite however small a is.
    log_gamma = np.log(generator.standard_gamma(concentration + 1, size=shape))
    log_gamma += np.log1p(-generator.random(shape)) / concentration
    log_gamma -= log_gamma.max(axis=-1, keepdims=True)
    weights = np.exp(log_gamma)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
