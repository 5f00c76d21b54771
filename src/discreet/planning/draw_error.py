"""How far released draws will be from the truth: predictions from the graph and the number of records, not bounds.

For choosing a law, one number for all split probabilities: records are taken to spread evenly over parent configurations and
levels, and true split probabilities to be anything between 0 and 1 alike. For plans, an error of every conditional probability
that is comparable with the prediction for noisy counts.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.arrays import Floats
from discreet.measure.strategies.draw_law import DrawLaw
from discreet.model.network import Family, Network
from discreet.model.probability import levels_from_splits, sides, splits
from discreet.planning.parameter_error import NodeError, ParameterError
from discreet.planning.worlds import prior_marginals, simulated_worlds

__all__ = ["draw_error", "draw_parameter_error"]

_TRUTHS = (np.arange(12) + 0.5) / 12
_PLACES = (np.arange(600) + 0.5) / 600
_DRAWS = 1000
_POINTS = 161
_REACH = 40.0
_SEPARATE = 16
"""Up to so many released draws are simulated one by one; of more, their average is taken to be normal."""


def draw_error(network: Network, rows: int, law: DrawLaw, draws: int = 1) -> float:
    """Predicted mean absolute error of a split probability, estimated by the average of the draws.

    Claim:      depends on public quantities alone.
    Requires:   rows >= 1, draws >= 1.
    Checked by: tests/unit/planning/test_draw_error.py::test_the_prediction_is_near_the_error_that_happens
    """
    sizes: Counter[Fraction] = Counter()
    for family in network.families:
        for split in splits(family.levels):
            share = Fraction(split.end - split.start, family.levels)
            sizes[rows * share / family.configurations] += family.configurations
    total = sum(sizes.values())
    return sum(count * _error(size, law, draws) for size, count in sizes.items()) / total


@lru_cache(maxsize=4096)
def _error(records: Fraction, law: DrawLaw, draws: int) -> float:
    """The error of one split that so many records pass, averaged over truths."""
    floor, strength = float(law.floor), float(law.temper) * float(records)
    places = floor + (1 - 2 * floor) * _PLACES
    truths = _TRUTHS[:, None]
    log_density = strength * (truths * np.log(places) + (1 - truths) * np.log1p(-places))
    weights = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    mean = weights @ places
    variance = weights @ places**2 - mean**2
    # Where the law is narrower than the places it is looked at, they see no variance; the asymptotic one is then right.
    variance = np.maximum(variance, 0) + np.where(variance < 1e-12, _TRUTHS * (1 - _TRUTHS) / (strength + 1), 0)
    sampling = _TRUTHS * (1 - _TRUTHS) / max(float(records), 1.0) * (strength / (strength + 2)) ** 2
    squared = (mean - _TRUTHS) ** 2 + variance / draws + sampling
    return float(np.sqrt(2 / math.pi * squared).mean())


def draw_parameter_error(network: Network, rows: int, law: DrawLaw, draws: int = 1) -> ParameterError:
    """Predict the errors of all conditional probabilities when they are the average of draws of this law.

    Claim:      E |p - theta_k| as in ``parameter_error``, over the same drawn worlds, with p the average of ``draws`` draws
                from prior x likelihood^temper, split probabilities kept in [floor, 1 - floor]. A prediction, no bound.
    Requires:   rows >= 1.
    Checked by: tests/unit/planning/test_draw_error.py::test_the_prediction_is_what_happens
    """
    nodes = {family.node: _node_error(network, family, rows, law, draws) for family in network.families}
    cells = {family.node: family.cells for family in network.families}
    return ParameterError(
        nodes,
        math.fsum(cells[node] * error.released for node, error in nodes.items()) / network.cells,
        math.fsum(cells[node] * error.sampling for node, error in nodes.items()) / network.cells,
        max(nodes, key=lambda node: nodes[node].released),
    )


def _node_error(network: Network, family: Family, rows: int, law: DrawLaw, draws: int) -> NodeError:
    worlds = simulated_worlds(family, rows, prior_marginals(network), _DRAWS)
    first, second = sides(worlds.counts.astype(np.float64))
    base_first, base_second = sides(np.ones((1, family.levels)))
    values = np.stack(
        [
            _averages(
                base_first[0, place], base_second[0, place], first[:, place], second[:, place], law, draws, worlds.generator
            )
            for place in range(family.levels - 1)
        ],
        axis=-1,
    )
    return NodeError(worlds.distance(levels_from_splits(values)), worlds.distance(worlds.posterior_mean))


def _averages(
    base_first: float,
    base_second: float,
    first: Floats,
    second: Floats,
    law: DrawLaw,
    draws: int,
    generator: np.random.Generator,
) -> Floats:
    """For each world the average of so many draws of a split, from the density around its highest point."""
    temper, low = float(law.temper), max(float(law.floor), 1e-9)
    a, b = (base_first - 1 + temper * first)[:, None], (base_second - 1 + temper * second)[:, None]
    mode = np.clip(np.where(a + b > 0, a / np.where(a + b > 0, a + b, 1), 0.5), low, 1 - low)
    slope = np.abs(a / mode - b / (1 - mode))
    curvature = a / mode**2 + b / (1 - mode) ** 2
    reach = 2 * _REACH / (slope + np.sqrt(slope**2 + 2 * _REACH * curvature) + 1e-12)
    start, end = np.maximum(low, mode - reach), np.minimum(1 - low, mode + reach)
    places = start + (end - start) * np.linspace(0, 1, _POINTS)
    logs = a * np.log(places) + b * np.log1p(-places)
    masses = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
    masses /= masses[:, -1:]
    if draws <= _SEPARATE:
        uniform = generator.random((len(masses), 1, draws))
        chosen = np.minimum((masses[:, :, None] < uniform).sum(axis=1), _POINTS - 1)
        return np.asarray(np.take_along_axis(places, chosen, axis=1).mean(axis=1))
    weights = np.diff(masses, axis=1, prepend=0.0)
    mean = (weights * places).sum(axis=1)
    variance = (weights * (places - mean[:, None]) ** 2).sum(axis=1)
    return np.asarray(np.clip(mean + np.sqrt(variance / draws) * generator.standard_normal(len(mean)), low, 1 - low))
