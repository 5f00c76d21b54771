"""What the records might be, before any is seen: probabilities drawn from the prior, and counts drawn from them.

Or records that are spread evenly over all parent configurations, for what Theorem 1 says without data.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, sum_last
from discreet.model.family import empty_cells, zero_probabilities
from discreet.model.network import Family, Network
from discreet.model.prior import UNIFORM, Prior
from discreet.theorems.of_true_counts import expected_divergence_bound

__all__ = [
    "Worlds",
    "divergence_at_even_counts",
    "prior_marginals",
    "shared_worlds",
    "simulated_worlds",
    "world_draws",
    "world_key",
]

WorldKey: TypeAlias = tuple[tuple[str, ...], tuple[int, ...], bytes, tuple[Any, ...]]

_SEED = 2016  # plans must be reproducible; this noise is never released
_WORLDS = 128
_FEWEST_DRAWS, _MOST_DRAWS = 200, 4000
_WORK = 2**21
_WIDE = 2**14
"""Tables with more cells count as their mean when marginals are drawn: of so many rows the average hardly varies."""


@dataclass(frozen=True, eq=False)
class Worlds:
    """Rows of a family's table in many worlds, draws x levels each, and standard normal numbers to make noise of."""

    concentration: Floats
    """The prior's Dirichlet parameters of the row: draws x levels, or 1 x levels where all rows have the same."""
    truth: Floats
    """The row's probabilities."""
    counts: npt.NDArray[np.int64]
    apart: Floats
    """A normal number for each level; those of one world sum to zero."""
    common: Floats
    """One normal number for all levels of a world: draws x 1."""

    @cached_property
    def total_moments(self) -> tuple[float, float]:
        """Mean and variance of the number of records of the row."""
        totals = self.counts.sum(axis=1)
        return float(totals.mean()), float(totals.var())

    @cached_property
    def sampling(self) -> float:
        """How far the means of the posterior given the counts are from the truth, on average."""
        return self.distance(_shares(self.concentration + self.counts))

    @cached_property
    def unread(self) -> float:
        """The same of the means of the prior."""
        return float(np.mean(np.abs(_shares(self.concentration) - self.truth)))

    def distance(self, mean: Floats) -> float:
        """How far estimates are from the truth, on average; of the first worlds, if there are no more estimates."""
        return float(np.mean(np.abs(mean - self.truth[: len(mean)])))


@lru_cache(maxsize=1)
def shared_worlds(network: Network, rows: int, prior: Prior) -> Mapping[str, Worlds]:
    """The worlds of every family, in which all mechanisms are tried: what tells these apart is then not chance.

    Claim:      as for ``simulated_worlds``. They are kept until others are asked for: 2^21 numbers of each kind, or 200 for
                each level in a network with more than ten thousand levels.
    Requires:   rows >= 1.
    Checked by: tests/unit/planning/test_worlds.py::test_all_mechanisms_of_a_plan_are_tried_in_the_same_worlds
    """
    marginals, draws = prior_marginals(network, prior), world_draws(network)
    known: dict[WorldKey, Worlds] = {}
    for family in network.families:
        key = world_key(family, prior)
        if key not in known:
            known[key] = simulated_worlds(family, rows, marginals, draws, prior)
    return {family.node: known[world_key(family, prior)] for family in network.families}


def world_key(family: Family, prior: Prior) -> WorldKey:
    """What the worlds of a family depend on, the marginals, rows and draws left aside: siblings may have the same ones."""
    return family.parents, family.shape, _parameters(family, prior).tobytes(), family.impossible


def world_draws(network: Network) -> int:
    """How many worlds are affordable for each family."""
    return max(_FEWEST_DRAWS, min(_MOST_DRAWS, _WORK // sum(family.levels for family in network.families)))


def simulated_worlds(
    family: Family, rows: int, marginals: Mapping[str, Floats], draws: int = _MOST_DRAWS, prior: Prior = UNIFORM
) -> Worlds:
    """Draw a configuration of the parents, its number of records, its probabilities and its counts.

    Claim:      all configurations that are possible alike; records ~ Binomial(rows, product of the parents' marginals),
                probabilities ~ the prior's Dirichlet, counts ~ Multinomial. The same worlds for the same number of parents'
                levels, whatever is done with them afterwards.
    Requires:   ``marginals`` of every parent: draws x levels.
    Checked by: tests/unit/planning/test_parameter_error.py::test_the_prediction_is_what_happens
    """
    generator = np.random.default_rng((_SEED, family.levels, family.configurations))
    table = _parameters(family, prior)
    configuration = np.flatnonzero((~empty_cells(family)).any(axis=1))[
        generator.integers(family.possible_configurations, size=draws)
    ]
    chance = np.ones(draws)
    for parent, place in zip(family.parents, np.unravel_index(configuration, family.shape[:-1] or (1,)), strict=False):
        chance *= marginals[parent][generator.integers(len(marginals[parent]), size=draws), place]
    concentration = table[configuration]
    truth = _dirichlet(concentration, generator)
    counts = generator.multinomial(generator.binomial(rows, np.minimum(chance, 1)), truth)
    normal, common = generator.standard_normal(truth.shape), generator.standard_normal((draws, 1))
    apart = normal - (sum_last(normal) / family.levels)[:, None]
    alike = bool((table == table[0]).all())
    return Worlds(table[:1] if alike else concentration, truth, counts, apart, common)


def _shares(parameters: Floats) -> Floats:
    return np.asarray(parameters / sum_last(parameters)[:, None])


@lru_cache(maxsize=8)
def prior_marginals(network: Network, prior: Prior) -> Mapping[str, npt.NDArray[np.float64]]:
    """The marginals of every node in networks drawn from the prior: draws x levels.

    Claim:      P(node = k) = sum_j P(j) theta_jk with theta from the prior and P(j) the product of the parents'
                marginals: exact where parents are independent, as in trees and polytrees. Tables with very many cells count
                as their means.
    Requires:   nothing.
    Checked by: tests/unit/planning/test_parameter_error.py::test_the_prediction_is_what_happens
    """
    generator = np.random.default_rng(_SEED)
    found: dict[str, npt.NDArray[np.float64]] = {}
    for node in network.topological_order:
        family = network.family(node)
        table = _parameters(family, prior)
        chances = np.ones((_WORLDS, 1))
        for parent in family.parents:
            chances = (chances[:, :, None] * found[parent][:, None, :]).reshape(_WORLDS, -1)
        if family.cells > _WIDE:
            found[node] = chances @ (table / table.sum(axis=1, keepdims=True))
        else:
            drawn = _dirichlet(np.broadcast_to(table, (_WORLDS, *table.shape)), generator)
            found[node] = np.einsum("wj,wjk->wk", chances, drawn)
    return found


def _parameters(family: Family, prior: Prior) -> Floats:
    """The prior's Dirichlet parameters; none for what is declared impossible."""
    return np.where(zero_probabilities(family), 0.0, prior.concentration(family))


def _dirichlet(concentration: Floats, generator: np.random.Generator) -> Floats:
    # Tiny parameters give gammas that are zero in floating point; the added number keeps their ratio defined.
    drawn = generator.standard_gamma(concentration) + 1e-300
    return np.asarray(drawn / sum_last(drawn)[..., None])


def divergence_at_even_counts(network: Network, rows: int, scale: Fraction) -> float:
    """A bound on the expected divergence of the released posterior from the exact one, at even counts; in nats.

    Claim:      ``expected_divergence_bound`` for a uniform prior and rows / cells records, rounded, in every cell of every
                family. A function of public quantities: it may be shown to anybody, and says little about uneven data.
                                                                                      [Paper, Theorem 1; GUARANTEES 1.4 (c)]
    Requires:   variables of two levels; noise of ``scale`` on every count, clamped to [0, rows].
    Checked by: tests/unit/planning/test_plan.py::test_the_divergence_of_even_counts_is_that_of_the_steward
    """
    alike: Counter[int] = Counter()
    for family in network.families:
        alike[family.cells] += family.configurations
    return math.fsum(
        repeats * expected_divergence_bound((1, 1), [[round(rows / cells)] * 2], scale, rows)
        for cells, repeats in alike.items()
    )
