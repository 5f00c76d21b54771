"""How far off released draws of the conditional probabilities will be, comparable with the prediction for noisy counts."""

from __future__ import annotations

import math

import numpy as np

from discreet.arrays import Floats
from discreet.measure.strategies.draw_law import DrawLaw
from discreet.model.network import Family, Network
from discreet.model.splits import levels_from_splits, sides
from discreet.planning.parameter_error import NodeError, ParameterError
from discreet.planning.worlds import prior_marginals, simulated_worlds

__all__ = ["draw_parameter_error"]

_DRAWS = 1000
_PLACES = 161
_REACH = 40.0
_SEPARATE = 16
"""Up to so many released draws are simulated one by one; of more, their average is taken to be normal."""


def draw_parameter_error(network: Network, rows: int, law: DrawLaw, draws: int = 1) -> ParameterError:
    """Predict the errors of all conditional probabilities when they are the average of draws of this law.

    Claim:      E |p - theta_k| as in ``parameter_error``, over the same drawn worlds, with p the average of ``draws`` draws
                from prior x likelihood^temper, split probabilities kept in [floor, 1 - floor]. A prediction, no bound.
    Requires:   rows >= 1.
    Checked by: tests/unit/planning/test_draw_parameter_error.py::test_the_prediction_is_what_happens
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
    places = start + (end - start) * np.linspace(0, 1, _PLACES)
    logs = a * np.log(places) + b * np.log1p(-places)
    masses = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
    masses /= masses[:, -1:]
    if draws <= _SEPARATE:
        uniform = generator.random((len(masses), 1, draws))
        chosen = np.minimum((masses[:, :, None] < uniform).sum(axis=1), _PLACES - 1)
        return np.asarray(np.take_along_axis(places, chosen, axis=1).mean(axis=1))
    weights = np.diff(masses, axis=1, prepend=0.0)
    mean = (weights * places).sum(axis=1)
    variance = (weights * (places - mean[:, None]) ** 2).sum(axis=1)
    return np.asarray(np.clip(mean + np.sqrt(variance / draws) * generator.standard_normal(len(mean)), low, 1 - low))
