"""The paper's sampler and its Algorithm 3 exactly as printed, for reproduction on data that are public already.

What comes out carries no guarantee, says how much it really reveals, and cannot be saved as a release. There is no ledger
here: never run it on private records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.errors import ModelError
from discreet.guarantee import exact
from discreet.measure.strategies.lipschitz import draw_privacy, floor_on_grid
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior
from discreet.theorems.printed.sampling import printed_naive_bayes_floor, printed_theorem_4_total_variation

__all__ = ["AsPrinted", "printed_map_point", "printed_sampler"]

_PLACES = 20_001


@dataclass(frozen=True, slots=True, eq=False)
class AsPrinted:
    """What a mechanism as printed gives. Not a release: it promises nothing."""

    tables: Mapping[str, Floats] = field(repr=False)
    """Node -> draws x configurations x levels."""
    claimed_epsilon: float
    true_epsilon: float
    """What was really revealed: at least this much by some pair of neighbours, or exactly, as ``why`` says."""
    why: str

    def __str__(self) -> str:
        return f"claimed epsilon {self.claimed_epsilon:.4g}, true epsilon {self.true_epsilon:.4g}: {self.why}. No guarantee."


def printed_sampler(
    counts: Mapping[str, Integers],
    network: Network,
    epsilon: float,
    draws: int,
    generator: np.random.Generator,
    prior: Prior = UNIFORM,
) -> AsPrinted:
    """Many draws from the posterior cut to [omega, 1 - omega], omega = exp(-epsilon / 2), as in the naive Bayes experiment."""
    floor = printed_naive_bayes_floor(epsilon).value
    if not floor < 0.5:
        raise ModelError(f"omega = {floor:.3g} leaves no parameters: this sampler needs an epsilon above 2 log 2 = 1.386.")
    _check_binary(network)
    tables = {}
    for family in network.families:
        shapes = prior.concentration(family) + counts[family.node]
        first = np.stack([_draw_truncated(a, b, floor, draws, generator) for a, b in shapes], axis=1)
        tables[family.node] = np.stack([first, 1 - first], axis=-1)
    one = float(draw_privacy(network, floor_on_grid(exact(floor, "floor"))).oscillation)
    why = f"{draws} draw(s), each of which costs 2 sum of log((1 - omega) / omega) = {one:.4g}, approached by many records"
    return AsPrinted(tables, epsilon, draws * one, why)


def printed_map_point(
    counts: Mapping[str, Integers], network: Network, epsilon: float, floor: float, generator: np.random.Generator
) -> AsPrinted:
    """Algorithm 3 with the posterior density as its score, for one node of two levels, uniform prior on [floor, 1 - floor]."""
    _check_binary(network)
    if len(network.nodes) > 1:
        raise ModelError("Algorithm 3 as printed is reproduced for a single node; with more it reveals even more.")
    node = network.nodes[0]
    first, second = (int(count) for count in counts[node][0])
    delta = printed_theorem_4_total_variation(math.log((1 - floor) / floor), 1.0).value
    places = np.linspace(floor, 1 - floor, _PLACES)
    law = _density_law(places, first, second, epsilon / (2 * delta))
    revealed = [
        float(np.abs(law - _density_law(places, *other, epsilon / (2 * delta))).max())
        for other in ((first + 1, second - 1), (first - 1, second + 1))
        if min(other) >= 0
    ]
    chosen = generator.choice(places, p=np.exp(law) / np.exp(law).sum())
    why = "by the neighbours of these data; the posterior density of neighbours differs by any amount"
    return AsPrinted({node: np.array([[[chosen, 1 - chosen]]])}, epsilon, max(revealed), why)


def _density_law(places: Floats, first: int, second: int, exponent: float) -> Floats:
    """Log density of a point that is scored by the posterior density, against a uniform base measure."""
    logs = first * np.log(places) + second * np.log1p(-places)
    width = places[1] - places[0]
    posterior = np.exp(logs - logs.max())
    score = exponent * posterior / (posterior.sum() * width)
    return np.asarray(score - score.max() - math.log(np.exp(score - score.max()).sum() * width))


def _draw_truncated(a: float, b: float, floor: float, count: int, generator: np.random.Generator) -> Floats:
    """Draws of a cut Beta variable in floating point, on the log scale so that far tails do not vanish."""
    places = np.linspace(floor, 1 - floor, _PLACES)
    logs = (a - 1) * np.log(places) + (b - 1) * np.log1p(-places)
    masses = np.cumsum(np.exp(logs - logs.max()))
    return np.asarray(places[np.minimum(np.searchsorted(masses, generator.random(count) * masses[-1]), _PLACES - 1)])


def _check_binary(network: Network) -> None:
    if any(variable.size != 2 for variable in network.variables):
        raise ModelError("The paper's sampler is reproduced for variables of two levels, as in its experiment.")
