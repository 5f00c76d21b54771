"""The Dirichlet posterior of a network: prior + released counts + records of the holder's own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Floats
from discreet.chains.dirichlet import dirichlet_draws
from discreet.checks import check_probability, check_whole
from discreet.display import Display, Displayed
from discreet.inference.beliefs import DirichletBeliefs, GeneratorLike, MixedBeliefs, as_generator, dirichlet_divergence
from discreet.inference.own_counts import OwnRecords
from discreet.measure.published import Published
from discreet.measure.published_pairs import PublishedPairs
from discreet.measure.together import PublishedTogether
from discreet.model.family import zero_probabilities
from discreet.model.network import Network, check_network
from discreet.model.prior import UNIFORM, Prior, TablePrior, as_prior, table_prior
from discreet.posterior.posterior import Posterior, display_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DirichletPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class DirichletPosterior(Displayed, Posterior, DirichletBeliefs, MixedBeliefs):
    """Independent Dirichlet distributions, one for each parent configuration of each node.

    The parameters are the prior's, plus the released counts, repaired where noise made them impossible, plus the counts of
    the holder's own records.
    """

    network: Network
    prior: Prior = UNIFORM
    released: Published | PublishedTogether | PublishedPairs | None = None
    own: OwnRecords | None = None

    def __post_init__(self) -> None:
        check_network(self.network)
        object.__setattr__(self, "prior", as_prior(self.prior))

    def _display(self) -> Display:
        return display_of(self, self.released, self.own)

    def with_prior(self, prior: Prior | str) -> DirichletPosterior:
        """The same counts with another prior: these do not depend on it."""
        return replace(self, prior=as_prior(prior))

    def concentration(self, node: str) -> Floats:
        """Dirichlet parameters, configurations x levels, first parent slowest; zero where a level is declared impossible."""
        family = self.network.family(node)
        table = self.prior.concentration(family)
        if self.released is not None:
            table = table + self.released.update(family)
        if self.own is not None:
            table = table + self.own.tables[node]
        return np.where(zero_probabilities(family), 0.0, table) if family.impossible else table

    def concentrations(self, node: str) -> Floats:
        """The same as a mixture of one: tables, configurations, levels."""
        return self.concentration(node)[None]

    def mean(self, node: str) -> Floats:
        """Expected conditional probabilities, configurations x levels."""
        table = self.concentration(node)
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def mode(self, node: str) -> Floats:
        """Most probable conditional probabilities.

        A Dirichlet has a single interior mode only where its parameters exceed one: levels at or below one get zero, and a
        configuration none of whose parameters exceeds one gets its mean.
        """
        above = np.maximum(self.concentration(node) - 1, 0)
        total = above.sum(axis=1, keepdims=True)
        return np.where(total > 0, above / np.where(total > 0, total, 1), self.mean(node))

    def variance(self, node: str) -> Floats:
        """Posterior variance of every conditional probability."""
        mean, total = self.mean(node), self.concentration(node).sum(axis=1, keepdims=True)
        return np.asarray(mean * (1 - mean) / (total + 1))

    def interval(self, node: str, interval: float = 0.9) -> tuple[Floats, Floats]:
        """Central credible interval of every conditional probability: its lower and upper ends."""
        from scipy.special import betaincinv

        table = self.concentration(node)
        rest = table.sum(axis=1, keepdims=True) - table
        tail = (1 - check_probability(interval)) / 2
        known = (table == 0) | (rest == 0)  # what is impossible, and what is left alone by that
        one, other = (np.where(known, 1.0, part) for part in (table, rest))
        lower, upper = (np.where(known, self.mean(node), betaincinv(one, other, place)) for place in (tail, 1 - tail))
        return lower, upper

    def draws(self, count: int, generator: GeneratorLike = None) -> dict[str, Floats]:
        """Independent draws of all parameters: node -> array (count, configurations, levels)."""
        generator, count = as_generator(generator), check_whole(count, "The number of draws")
        return {node: dirichlet_draws(self.concentration(node), generator, count) for node in self.network.nodes}

    def update(
        self, data: Any, *, missing: str | None = None, progress: Callable[[int], None] | None = None
    ) -> DirichletPosterior:
        """The posterior after records of one's own: this posterior is their prior. They are counted exactly, without noise."""
        # Here and nowhere else in posteriors: only an update may reach for records, which tools/check_layers.py checks.
        from discreet.inference.own_records import count_own_records

        return replace(self, own=count_own_records(data, self.network, missing, progress).plus(self.own))

    def kl(self, other: DirichletPosterior) -> float:
        """Kullback-Leibler divergence KL(self || other), in closed form."""
        return dirichlet_divergence(self, other)

    def as_prior(self) -> TablePrior:
        """The same beliefs as a prior for another release on the same network."""
        return table_prior(self.network, {node: self.concentration(node) for node in self.network.nodes})
