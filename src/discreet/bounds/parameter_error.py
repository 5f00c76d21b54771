"""How far off the released conditional probabilities will be, from public quantities alone.

A probability is estimated by its posterior mean, which knows about the noise. It is wrong for two reasons: there are only so
many records, and their counts are noisy. Both weigh most where a parent configuration is rare, so how rare they are is drawn
from the prior, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.bounds.cell_noise import CellNoise
from discreet.model.network import Family, Network
from discreet.model.prior import UNIFORM, Table

__all__ = ["NodeError", "ParameterError", "node_error", "parameter_error", "prior_marginals", "simulated_counts"]

_SEED = 2016  # plans must be reproducible; this noise is never released
_WORLDS = 128
_WIDE = 2**14
"""Tables with more cells count as their mean when marginals are drawn: of so many rows the average hardly varies."""
_FEWEST_DRAWS, _MOST_DRAWS = 200, 4000
_WORK = 2**21
_LEAST = 1e-300


@dataclass(frozen=True, slots=True)
class NodeError:
    """Mean absolute error of one node's conditional probabilities."""

    released: float
    sampling: float
    """Without any noise: because there are only so many records."""


@dataclass(frozen=True, slots=True)
class ParameterError:
    """Mean absolute errors of the conditional probabilities of all nodes."""

    nodes: Mapping[str, NodeError] = field(repr=False)
    mean: float
    """Mean over all probabilities of all tables."""
    sampling: float
    """The same mean without any noise."""
    worst_node: str
    noise: float = 0.0
    """Root of the mean variance of the noise in a cell: what tells mechanisms apart whose errors are alike."""

    @property
    def worst(self) -> float:
        """The error of the node that suffers most."""
        return self.nodes[self.worst_node].released

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry."""
        return {
            "mean": self.mean,
            "sampling": self.sampling,
            "worst": self.worst,
            "worst_node": self.worst_node,
            "nodes": {node: {"error": each.released, "sampling": each.sampling} for node, each in self.nodes.items()},
        }


def parameter_error(network: Network, rows: int, noise: Mapping[str, CellNoise]) -> ParameterError:
    """Predict the errors of all conditional probabilities when family tables get noise of these variances.

    Claim:      for node i, E |p - theta_k|, p = (alpha_k + z_k) / sum_l (alpha_l + z_l), over all configurations j and levels
                k alike; where theta ~ Dirichlet(alpha), alpha = 1, records of the configuration ~ Binomial(rows, P(j)),
                counts ~ Multinomial(records, theta), and z is what counts + noise are worth to a posterior that knows about
                the noise, by the best linear estimate. P(j) is the product of the parents' marginals in a network drawn from
                the prior, which is exact where parents are independent. Noise is taken as normal, with the variances of cell
                and total that are given; without noise it is the mean absolute deviation of the posterior. What the tables of
                other families say about this one is in the variances if these are of fused tables, and left out otherwise.
                A prediction from fixed pseudo-random draws, no bound.
    Requires:   rows >= 1; a noise for every node.
    Checked by: tests/unit/bounds/test_parameter_error.py::test_the_prediction_is_what_happens
                tests/unit/bounds/test_parameter_error.py::test_without_noise_it_is_the_deviation_of_the_posterior
    """
    marginals, draws = prior_marginals(network), _draws(network)
    nodes = {family.node: node_error(family, rows, noise[family.node], marginals, draws) for family in network.families}
    cells = {family.node: family.cells for family in network.families}
    total = sum(cells.values())
    return ParameterError(
        nodes,
        math.fsum(cells[node] * error.released for node, error in nodes.items()) / total,
        math.fsum(cells[node] * error.sampling for node, error in nodes.items()) / total,
        max(nodes, key=lambda node: nodes[node].released),
        math.sqrt(math.fsum(cells[node] * noise[node].cell for node in nodes) / total),
    )


def node_error(
    family: Family, rows: int, noise: CellNoise, marginals: Mapping[str, Table], draws: int = _MOST_DRAWS
) -> NodeError:
    """Predict the error of one node's conditional probabilities, given draws of its parents' marginals from the prior.

    Claim:      as for ``parameter_error``; the same draws for the same number of parents' levels, whatever the noise, so that
                differences between mechanisms are not those of chance.
    Requires:   ``marginals`` of every parent: draws x levels.
    Checked by: tests/unit/bounds/test_parameter_error.py::test_more_noise_never_looks_better
    """
    generator, truth, counts = simulated_counts(family, rows, marginals, draws)
    noisy = counts + _normal(noise, counts.shape, generator)
    worth = _worth(noisy, noise, counts.sum(axis=1), rows)
    return NodeError(_distance(1.0 + worth, truth), _distance(1 + counts.astype(np.float64), truth))


def simulated_counts(
    family: Family, rows: int, marginals: Mapping[str, Table], draws: int
) -> tuple[np.random.Generator, Table, npt.NDArray[np.int64]]:
    """Worlds drawn from the uniform prior: the true probabilities of a row of the table, and the counts of its levels.

    Claim:      the same worlds for the same number of parents' levels, whatever is done with them afterwards by the generator.
    Requires:   ``marginals`` of every parent: draws x levels.
    Checked by: tests/unit/bounds/test_parameter_error.py::test_the_prediction_is_what_happens
    """
    generator = np.random.default_rng((_SEED, family.levels, family.configurations))
    table = UNIFORM.concentration(family)
    configuration = generator.integers(family.configurations, size=draws)
    chance = np.ones(draws)
    for parent, place in zip(family.parents, np.unravel_index(configuration, family.shape[:-1] or (1,)), strict=False):
        chance *= marginals[parent][generator.integers(len(marginals[parent]), size=draws), place]
    concentration = table[configuration]
    truth = _dirichlet(concentration, generator)
    counts = generator.multinomial(generator.binomial(rows, np.minimum(chance, 1)), truth)
    return generator, truth, counts


def _worth(noisy: Table, noise: CellNoise, totals: npt.NDArray[np.int64], rows: int) -> Table:
    """What noisy counts are worth: the exact counts that would say as much, were there no noise.

    The total moves towards its mean over all worlds, as far as noise hides it. Shares of n records that have a variance of v
    beside the sampling variance of u / n, u the mean of theta (1 - theta), are worth those of n / (1 + n v / u) records; noise
    of variance w in a count makes v = w / n^2. That is the best linear estimate but for two things: that no count is negative,
    which takes some noise away, and that the total is not known exactly.
    """
    levels = noisy.shape[1]
    found, expected, spread = noisy.sum(axis=1, keepdims=True), totals.mean(), totals.var()
    trust = spread / (spread + noise.total) if noise.total > 0 else 1.0
    records = np.clip(expected + trust * (found - expected), 0, rows)
    counts = np.maximum(noisy + (records - found) / levels, 0)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), _LEAST)
    apart = max(0.0, noise.cell - noise.total / levels**2)
    sampling = records * (levels - 1) / (levels * (levels + 1))
    return np.asarray(shares * records * sampling / np.maximum(sampling + apart, _LEAST))


def _distance(parameters: Table, truth: Table) -> float:
    mean = parameters / parameters.sum(axis=1, keepdims=True)
    return float(np.mean(np.abs(mean - truth)))


def _normal(noise: CellNoise, shape: tuple[int, ...], generator: np.random.Generator) -> Table:
    """Normal noise with the variance of a cell and of the total over the levels."""
    levels = shape[1]
    apart = generator.standard_normal(shape)
    common = generator.standard_normal((shape[0], 1))
    spread = max(0.0, noise.cell - noise.total / levels**2) * levels / (levels - 1)
    return np.asarray(
        math.sqrt(noise.total) / levels * common + math.sqrt(spread) * (apart - apart.mean(axis=1, keepdims=True))
    )


def _dirichlet(concentration: Table, generator: np.random.Generator) -> Table:
    # Tiny parameters give gammas that are zero in floating point; the added number keeps their ratio defined.
    drawn = generator.standard_gamma(concentration) + 1e-300
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


def _draws(network: Network) -> int:
    return max(_FEWEST_DRAWS, min(_MOST_DRAWS, _WORK // sum(family.levels for family in network.families)))


@lru_cache(maxsize=8)
def prior_marginals(network: Network) -> Mapping[str, npt.NDArray[np.float64]]:
    """The marginals of every node in networks drawn from the prior: draws x levels.

    Claim:      P(node = k) = sum_j P(j) theta_jk with theta from the uniform prior and P(j) the product of the parents'
                marginals: exact where parents are independent, as in trees and polytrees. Tables with very many cells count
                as their means.
    Requires:   nothing.
    Checked by: tests/unit/bounds/test_parameter_error.py::test_the_prediction_is_what_happens
    """
    generator = np.random.default_rng(_SEED)
    found: dict[str, npt.NDArray[np.float64]] = {}
    for node in network.topological_order:
        family = network.family(node)
        table = UNIFORM.concentration(family)
        chances = np.ones((_WORLDS, 1))
        for parent in family.parents:
            chances = (chances[:, :, None] * found[parent][:, None, :]).reshape(_WORLDS, -1)
        if family.cells > _WIDE:
            found[node] = chances @ (table / table.sum(axis=1, keepdims=True))
        else:
            drawn = _dirichlet(np.broadcast_to(table, (_WORLDS, *table.shape)), generator)
            found[node] = np.einsum("wj,wjk->wk", chances, drawn)
    return found
