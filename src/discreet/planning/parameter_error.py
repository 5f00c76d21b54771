"""How far off the released conditional probabilities will be, from public quantities alone.

A probability is estimated by its posterior mean, which knows about the noise. It is wrong for two reasons: there are only so
many records, and their counts are noisy. Both weigh most where a parent configuration is rare, so how rare they are is drawn
from the prior, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats, sum_last
from discreet.measure.needs import CellNoise
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior
from discreet.planning.worlds import Worlds, shared_worlds

__all__ = ["DIGITS", "NodeError", "ParameterError", "node_error", "parameter_error", "released_error"]

DIGITS = 4
"""Decimals in which errors of probabilities are shown."""
_LEAST = 1e-300


@dataclass(frozen=True, slots=True)
class NodeError:
    """Mean absolute error of one node's conditional probabilities."""

    released: float
    sampling: float
    """Without any noise: because there are only so many records."""
    unread: float = math.inf
    """If no record were read: that of the prior's means."""


@dataclass(frozen=True, slots=True)
class ParameterError:
    """Mean absolute errors of the conditional probabilities of all nodes."""

    nodes: Mapping[str, NodeError] = field(repr=False)
    mean: float
    """Mean over all probabilities of all tables."""
    sampling: float
    """The same mean without any noise."""
    worst_node: str
    noise: float = math.inf
    """Root of the mean variance of the noise in a cell: what tells mechanisms apart whose errors are alike. Draws have none
    in their cells, so that they never win by it."""
    unread: float = math.inf
    """The mean error that the prior has before any record is read."""

    @property
    def worst(self) -> float:
        """The error of the node that suffers most."""
        return self.nodes[self.worst_node].released

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry."""
        return {
            "mean": self.mean,
            "sampling": self.sampling,
            "prior": _finite(self.unread),
            "noise": _finite(self.noise),
            "worst": self.worst,
            "worst_node": self.worst_node,
            "nodes": {node: {"error": each.released, "sampling": each.sampling} for node, each in self.nodes.items()},
        }


def _finite(value: float) -> float | None:
    """What JSON can carry: null where there is no such number."""
    return value if math.isfinite(value) else None


def parameter_error(network: Network, rows: int, noise: Mapping[str, CellNoise], prior: Prior = UNIFORM) -> ParameterError:
    """Predict the errors of all conditional probabilities when family tables get noise of these variances.

    Claim:      for node i, E |p - theta_k|, p = (alpha_k + z_k) / sum_l (alpha_l + z_l), over all configurations j and levels
                k alike; where theta ~ Dirichlet(alpha), alpha the prior, records of the configuration ~ Binomial(rows, P(j)),
                counts ~ Multinomial(records, theta), and z is what counts + noise are worth to a posterior that knows about
                the noise, by a linear estimate. P(j) is the product of the parents' marginals in a network drawn from
                the prior, which is exact where parents are independent. Noise is taken as normal, with the variances of cell
                and total that are given; without noise it is the mean absolute deviation of the posterior. What the tables of
                other families say about this one is in the variances if these are of fused tables, and left out otherwise.
                A prediction from fixed pseudo-random draws, no bound.
    Requires:   rows >= 1; a noise for every node.
    Checked by: tests/unit/planning/test_parameter_error.py::test_the_prediction_is_what_happens
                tests/unit/planning/test_parameter_error.py::test_without_noise_it_is_the_deviation_of_the_posterior
    """
    shared = shared_worlds(network, rows, prior)
    nodes = {node: node_error(worlds, rows, noise[node]) for node, worlds in shared.items()}
    cells = {family.node: family.cells for family in network.families}
    total = network.cells
    return ParameterError(
        nodes,
        math.fsum(cells[node] * error.released for node, error in nodes.items()) / total,
        math.fsum(cells[node] * error.sampling for node, error in nodes.items()) / total,
        max(nodes, key=lambda node: nodes[node].released),
        math.sqrt(math.fsum(cells[node] * noise[node].cell for node in nodes) / total),
        math.fsum(cells[node] * error.unread for node, error in nodes.items()) / total,
    )


def node_error(worlds: Worlds, rows: int, noise: CellNoise) -> NodeError:
    """Predict the error of one node's conditional probabilities in the worlds of its family.

    Claim:      as for ``parameter_error``; the same numbers make the noise, whatever its variances, so that differences
                between mechanisms are not those of chance.
    Requires:   worlds of so many rows.
    Checked by: tests/unit/planning/test_parameter_error.py::test_more_noise_never_looks_better
    """
    return NodeError(released_error(worlds, rows, noise), worlds.sampling, worlds.unread)


def released_error(worlds: Worlds, rows: int, noise: CellNoise) -> float:
    """The first of the errors of ``node_error``."""
    return worlds.distance(_aware_mean(worlds, noise, rows))


def _aware_mean(worlds: Worlds, noise: CellNoise, rows: int) -> Floats:
    """What is expected of the probabilities given noisy counts and the variances of their noise.

    The total moves towards its mean over all worlds, as far as noise hides it. Shares of n records have the sampling variance
    u / n, u the mean of theta (1 - theta), and noise of variance w in a count adds w / n^2: together they are worth the shares
    of n / (1 + w / (n u)) records without noise. For a Dirichlet prior this is the best linear estimate but for two things:
    that no count is negative, which takes some noise away, and that the total is not known exactly.
    """
    prior, levels = worlds.concentration, worlds.counts.shape[1]
    possible = prior > 0  # of what is declared impossible the count is known
    noisy = worlds.counts + possible * _normal(noise, worlds)
    found = sum_last(noisy)[:, None]
    records = _records(found, noise.total, worlds, rows)
    counts = possible * np.maximum(noisy + (records - found) / levels, 0)
    shares = counts / np.maximum(sum_last(counts)[:, None], _LEAST)
    weight = prior.sum(axis=1, keepdims=True)
    uneven = prior * (weight - prior) / (weight * (weight + 1))
    apart = max(0.0, noise.cell - noise.total / levels**2)
    sampled = records * uneven
    worth = records * sampled / np.maximum(sampled + apart, _LEAST)
    mean = (prior + worth * shares) / (weight + worth)
    return np.asarray(mean / sum_last(mean)[:, None])


def _records(found: Floats, variance: float, worlds: Worlds, rows: int) -> Floats:
    """The number of records in a configuration, given a noisy one and those of all worlds."""
    mean, spread = worlds.total_moments
    trust = spread / (spread + variance) if variance > 0 else 1.0
    return np.asarray(np.clip(mean + trust * (found - mean), 0, rows))


def _normal(noise: CellNoise, worlds: Worlds) -> Floats:
    """Normal noise with the variance of a cell and of the total over the levels."""
    levels = worlds.counts.shape[1]
    spread = max(0.0, noise.cell - noise.total / levels**2) * levels / (levels - 1)
    return np.asarray(math.sqrt(noise.total) / levels * worlds.common + math.sqrt(spread) * worlds.apart)
