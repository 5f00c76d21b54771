"""How far released draws will be from the truth: predictions from the graph and the number of records, not bounds.

For choosing a law, one number for all split probabilities: records are taken to spread evenly over parent configurations and
levels, and true split probabilities to be anything between 0 and 1 alike. For plans, an error of every conditional probability
that is comparable with the prediction for noisy counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.arrays import Floats, Places
from discreet.measure.strategies.draw_law import DrawLaw
from discreet.model.network import Network
from discreet.model.prior import UNIFORM
from discreet.model.probability import levels_from_splits, sides, splits
from discreet.planning.parameter_error import NodeError, ParameterError
from discreet.planning.worlds import Worlds, shared_worlds

__all__ = ["draw_error", "draw_parameter_error"]

_TRUTHS = (np.arange(12) + 0.5) / 12
_PLACES = (np.arange(600) + 0.5) / 600
_FEWEST_WORLDS, _MOST_WORLDS = 100, 500
_WORK = 2**16
"""Splits whose law is looked at, over all worlds."""
_TOGETHER = 2**12
"""Splits whose law is looked at together."""
_POINTS = 41
_STEPS = (32, 16, 8, 4, 2, 1)
"""They lead past any number of points that is smaller than 64."""
_REACH = 12.5
"""Where the density is smaller than at its highest point by a factor of exp(12.5), it is not looked at."""
_SEED = 2017  # plans must be reproducible; these draws are never released
_LEAST = 1e-300
_SEPARATE = 16
"""Up to so many released draws are simulated one by one; of more, their average is taken to be normal."""


def draw_error(network: Network, rows: int, law: DrawLaw, draws: int = 1) -> float:
    """Predicted mean absolute error of a split probability, estimated by the average of the draws.

    Claim:      depends on public quantities alone.
    Requires:   rows >= 1, draws >= 1.
    Checked by: tests/unit/planning/test_draw_error.py::test_the_prediction_is_near_the_error_that_happens
    """
    sizes = _sizes(network, rows)
    total = sum(sizes.values())
    return sum(count * _error(size, law, draws) for size, count in sizes.items()) / total


@lru_cache(maxsize=4)
def _sizes(network: Network, rows: int) -> Mapping[Fraction, int]:
    """How many splits are passed by so many records; the same for all laws that are compared."""
    sizes: Counter[Fraction] = Counter()
    shapes = Counter((family.configurations, family.levels) for family in network.families)
    for (configurations, levels), families in shapes.items():
        for split in splits(levels):
            sizes[Fraction(rows * (split.end - split.start), levels * configurations)] += families * configurations
    return sizes


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
    shared, looked_at = shared_worlds(network, rows, UNIFORM), _worlds(network)
    found: dict[str, NodeError] = {}
    for alike in _alike(network, looked_at):
        found |= zip(alike, _node_errors([shared[node] for node in alike], looked_at, law, draws), strict=True)
    nodes = {node: found[node] for node in shared}
    cells = {family.node: family.cells for family in network.families}
    return ParameterError(
        nodes,
        math.fsum(cells[node] * error.released for node, error in nodes.items()) / network.cells,
        math.fsum(cells[node] * error.sampling for node, error in nodes.items()) / network.cells,
        max(nodes, key=lambda node: nodes[node].released),
    )


def _worlds(network: Network) -> int:
    """How many worlds of each family are looked at."""
    splits = sum(family.levels - 1 for family in network.families)
    return max(_FEWEST_WORLDS, min(_MOST_WORLDS, _WORK // splits))


def _alike(network: Network, looked_at: int) -> Iterator[list[str]]:
    """Nodes of as many levels, some at a time: one by one, the calls would take longer than the work."""
    levels: dict[int, list[str]] = {}
    for family in network.families:
        levels.setdefault(family.levels, []).append(family.node)
    for number, nodes in levels.items():
        height = max(1, _TOGETHER // (looked_at * (number - 1)))
        yield from (nodes[start : start + height] for start in range(0, len(nodes), height))


def _node_errors(some: Sequence[Worlds], looked_at: int, law: DrawLaw, draws: int) -> list[NodeError]:
    """The error of the probabilities of nodes with as many levels, in the first of their families' worlds."""
    counts = np.array([worlds.counts[:looked_at] for worlds in some], dtype=np.float64)
    levels, temper = counts.shape[-1], float(law.temper)
    generator = np.random.default_rng((_SEED, levels))
    shape = looked_at * (levels - 1), draws if draws <= _SEPARATE else 1
    luck = generator.random(shape) if draws <= _SEPARATE else generator.standard_normal(shape)
    passed = [base - 1 + temper * side for side, base in zip(sides(counts), sides(np.ones((1, levels))), strict=True)]
    values = _averages(passed[0].ravel(), passed[1].ravel(), law, draws, np.tile(luck, (len(some), 1)))
    drawn = levels_from_splits(values.reshape(*counts.shape[:-1], levels - 1))
    parameters = [worlds.concentration[:looked_at] + each for worlds, each in zip(some, counts, strict=True)]
    return [
        NodeError(worlds.distance(each), worlds.distance(exact / exact.sum(axis=1, keepdims=True)))
        for worlds, each, exact in zip(some, drawn, parameters, strict=True)
    ]


def _averages(first: Floats, second: Floats, law: DrawLaw, draws: int, luck: Floats) -> Floats:
    """For each split the average of so many draws from p^a (1 - p)^b, by the density around its highest point.

    Where few records are, many splits have the same law, which is then looked at once.
    """
    laws, same = np.unique(first + 1j * second, return_inverse=True)
    a, b = laws.real, laws.imag
    low = max(float(law.floor), 1e-9)
    mode = np.clip(np.where(a + b > 0, a / np.where(a + b > 0, a + b, 1), 0.5), low, 1 - low)
    slope = np.abs(a / mode - b / (1 - mode))
    curvature = a / mode**2 + b / (1 - mode) ** 2
    reach = 2 * _REACH / (slope + np.sqrt(slope**2 + 2 * _REACH * curvature) + 1e-12)
    start, end = np.maximum(low, mode - reach), np.minimum(1 - low, mode + reach)
    places = start + (end - start) * np.linspace(0, 1, _POINTS)[:, None]  # places x laws, and so all that follows
    logs = a * np.log(places) + b * np.log(1 - places)
    density = np.exp(logs - logs.max(axis=0))
    weights = density[1:] + density[:-1]  # the masses between neighbouring places, by trapezoids
    weights /= weights.sum(axis=0)
    if draws <= _SEPARATE:
        shares = _reached(luck, weights, same)
        return np.asarray((start[same, None] + (end - start)[same, None] * shares).mean(axis=1))
    middle = (places[1:] + places[:-1]) / 2
    mean = (weights * middle).sum(axis=0)
    variance = (weights * (middle - mean) ** 2).sum(axis=0)
    return np.asarray(np.clip(mean[same] + np.sqrt(variance / draws)[same] * luck[:, 0], low, 1 - low))


def _reached(luck: Floats, weights: Floats, same: Places) -> Floats:
    """How far between its first place and its last each split has gathered so much mass; the place is found by halving."""
    masses, (most, laws) = np.cumsum(weights, axis=0).ravel(), weights.shape
    place, law = np.zeros(luck.shape, dtype=np.intp), same[:, None]
    for step in _STEPS:
        ahead = np.minimum(place + step, most)
        place = np.where(masses[law + laws * (ahead - 1)] < luck, ahead, place)
    place = np.minimum(place, most - 1)
    at = law + laws * place
    inside = 1 - (masses[at] - luck) / np.maximum(weights.ravel()[at], _LEAST)
    return np.asarray((place + np.clip(inside, 0, 1)) / most)
