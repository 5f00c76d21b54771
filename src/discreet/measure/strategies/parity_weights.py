"""Which odd counts deserve less noise: weights of the parities, and what they cost.

An odd count of weight w gets noise of scale sensitivity / (epsilon w), the sensitivity being the largest weight of sets that
one flip makes odd. Counts that many tables use can be measured sharply where others leave room: with a naive Bayes network the
class alone may have the weight of all features together, for nothing.

The best weights of parities, up to a proven gap: floating point that proposes and never decides.

To minimise sum_g v_g / a_g^2 over weights a > 0 with sum_{g : <g, z> odd} a_g <= 1 for all flips z, look at a random flip: let
c_g be the probability that it makes g odd. Averaging the constraints gives sum_g c_g a_g <= 1, and under this one constraint
the best weights are proportional to (v_g / c_g)^(1/3), with the value (sum_g v_g^(1/3) c_g^(2/3))^3. So every law of flips
gives a bound from below, the best law gives the optimum, and the law improves where it knows too little of the flip that its
weights break most: which ``largest_odd_weight`` finds. Bound and value close in on each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product

import numpy as np
import numpy.typing as npt

from discreet.errors import ModelError
from discreet.measure.laws import WeightedNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.needs import subsets
from discreet.measure.strategies.odd_weight import largest_odd_weight, parity_sensitivity
from discreet.model.min_fill import min_fill
from discreet.model.network import Family, Network

__all__ = ["ParityWeights", "Weights", "optimum", "parity_weights"]

_FINEST = 2**10
"""Weights are whole numbers up to this one: fine enough to lose nothing, coarse enough that many counts share a scale."""
_WORTH_IT = 0.98
"""Weights that do not bring the variance below this share of that with equal weights are not worth their explanation."""


class Weights(Enum):
    """How much noise each parity gets, relative to the others."""

    EQUAL = "equal"
    """The same for all: the paper's."""
    OPTIMAL = "optimal"
    """What makes the mean variance of all family cells smallest; equal where that gains less than two per cent."""


@dataclass(frozen=True, slots=True)
class ParityWeights:
    """Integer weights of the odd counts, and how much of them one record can move."""

    weights: Mapping[frozenset[str], int] = field(repr=False)
    sensitivity: int
    """No replaced record moves the odd counts by more than this, each move counted with its weight."""

    def certify(self, network: Network) -> None:
        """Prove that the sensitivity is large enough for these weights on this network, or refuse.

        A release does so last of all before it is charged, so that its privacy rests on this proof alone, whoever made the
        weights.
        """
        if largest_odd_weight(network, self.weights).bound > self.sensitivity:
            raise ModelError("The weights of the parities are more than their sensitivity covers. Nothing was released.")

    def scales(self, epsilon: Fraction) -> dict[frozenset[str], Fraction]:
        """The scale of the noise on every odd count."""
        return {gamma: self.sensitivity / (epsilon * weight) for gamma, weight in self.weights.items()}

    def measurements(self, network: Network, epsilon: Fraction) -> tuple[Measurement, ...]:
        """Every odd count with its noise, the sets in the order in which the network's maximal families have them."""
        order = {node: place for place, node in enumerate(network.nodes)}
        sets = {gamma: None for family in network.maximal_families for gamma in _in_order(family.members)}
        return tuple(
            Measurement(
                tuple(sorted(gamma, key=order.__getitem__)),
                Statistic.PARITY,
                WeightedNoise(self.weights[gamma], self.sensitivity, epsilon),
            )
            for gamma in sets
        )


@lru_cache(maxsize=64)
def parity_weights(network: Network, weights: Weights = Weights.OPTIMAL) -> ParityWeights:
    """Weights of all odd counts of a network, certified.

    Claim:      for every z, sum_{g : <g, z> odd} weight(g) <= sensitivity, in exact integers; hence sum_{g odd} 1 / scale(g)
                <= epsilon. The optimiser works in floating point and only proposes weights; the sensitivity is found for the
                integers that are used. Mean variance over all family cells: within about two per cent of the least
                possible on graphs that are not too entangled.                              [GUARANTEES 2.2]
    Requires:   variables of two levels.
    Checked by: tests/audit/test_fourier_worlds.py::test_no_output_is_likelier_than_epsilon_allows_with_weights
                tests/unit/measure/strategies/test_parity_weights.py::test_the_variances_reach_the_published_ones
    """
    sets = sorted((gamma for gamma in network.downward_closure if gamma), key=lambda gamma: (len(gamma), sorted(gamma)))
    equal = ParityWeights(dict.fromkeys(sets, 1), parity_sensitivity(network).value)
    if weights is Weights.EQUAL:
        return equal
    importance = _importance(network)
    proposed = optimum(network, {gamma: importance[gamma] for gamma in sets})
    candidates = [_certified(network, _rounded(proposed)), *_naive_bayes(network)]

    def variance(one: ParityWeights) -> float:
        return sum(importance[gamma] * (one.sensitivity / weight) ** 2 for gamma, weight in one.weights.items())

    best = min(candidates, key=variance)
    return best if variance(best) <= _WORTH_IT * variance(equal) else equal


def _in_order(members: tuple[str, ...]) -> Iterator[frozenset[str]]:
    """The non-empty sets of these nodes in the order of the cells of their table."""
    for chosen in islice(product((False, True), repeat=len(members)), 1, None):
        yield frozenset(node for node, inside in zip(members, chosen, strict=True) if inside)


def _importance(network: Network) -> dict[frozenset[str], float]:
    """How much the squared scale of each odd count adds to the mean variance of all family cells."""
    found = dict.fromkeys(network.downward_closure - {frozenset()}, 0.0)
    cells = network.cells
    for family in network.families:
        for gamma in subsets(family.members):
            found[gamma] += 8 / family.cells / cells  # 2^s cells, each with 4^-s of 4 (2 scale^2)
    return found


def _rounded(proposed: Mapping[frozenset[str], float]) -> dict[frozenset[str], int]:
    largest = max(proposed.values())
    whole = {gamma: max(1, round(_FINEST * weight / largest)) for gamma, weight in proposed.items()}
    common = math.gcd(*whole.values())
    return {gamma: weight // common for gamma, weight in whole.items()}


def _certified(network: Network, weights: dict[frozenset[str], int]) -> ParityWeights:
    return ParityWeights(weights, largest_odd_weight(network, weights).bound)


def _naive_bayes(network: Network) -> list[ParityWeights]:
    """The closed form where one node is the only parent of all others: it weighs as much as all of them together.

    With d others, a flip without the class makes at most all d others and d pairs odd; one with the class makes the class odd
    and, for each other node, either it or its pair: 2 d in both cases.
    """
    roots = [node for node in network.nodes if not network.parents[node]]
    others: list[Family] = [family for family in network.families if family.parents == (roots[0],)]
    if len(roots) > 1 or len(others) + 1 != len(network.nodes) or not others:
        return []
    weights = dict.fromkeys(network.downward_closure - {frozenset()}, 1)
    weights[frozenset(roots)] = len(others)
    return [_certified(network, weights)]


_ROUNDS = 80
_STEPS = 40
_GAP = 1.01
_FINE = 2**30
_WORK = 2**27
"""Cells that may be looked at in all rounds together: a limit on work, so that results do not depend on the clock."""

_Array = npt.NDArray[np.float64]


def optimum(network: Network, importance: Mapping[frozenset[str], float]) -> dict[frozenset[str], float]:
    """Weights that nearly minimise sum_g importance_g (sensitivity / weight_g)^2; they are only a proposal.

    Claim:      none about privacy. The value is within one per cent of the least possible if ``_ROUNDS`` and ``_WORK``
                were enough, as on all networks that were tried.
    Requires:   variables of two levels; importances > 0.
    Checked by: tests/unit/measure/strategies/test_parity_weights.py::test_no_other_weights_are_much_better
    """
    sets = list(importance)
    inside = np.array([[node in gamma for node in network.nodes] for gamma in sets], dtype=np.int64)
    values = np.array([importance[gamma] for gamma in sets])
    roots = np.cbrt(values)
    flips: _Array = np.full((1, len(sets)), 0.5)  # a fair coin for every node makes each set odd half of the time
    law: _Array = np.ones(1)
    best, least = np.cbrt(values), np.inf
    for _ in range(_rounds(network)):
        law = _improved(law, flips, roots)
        chances = law @ flips
        weights = roots / np.cbrt(chances)
        whole = np.maximum(np.rint(weights / weights.max() * _FINE), 1).astype(np.int64)
        found = largest_odd_weight(network, dict(zip(sets, whole.tolist(), strict=True)))
        value = float(values @ (found.bound / whole) ** 2)
        if value < least:
            best, least = weights, value
        if least <= _GAP * float(roots @ chances ** (2 / 3)) ** 3:
            break
        flipped = np.array([node in found.flipped for node in network.nodes], dtype=np.int64)
        kept = law > 1e-6
        kept[0] = True
        flips = np.vstack([flips[kept], inside @ flipped % 2])
        law = np.append(law[kept], 1 / len(flips))
    return dict(zip(sets, best.tolist(), strict=True))


def _rounds(network: Network) -> int:
    scopes = [frozenset(family.members) for family in network.maximal_families]
    cells = min_fill(scopes, (), dict.fromkeys(network.nodes, 2))[2]
    return max(1, min(_ROUNDS, _WORK // (cells + _ROUNDS * len(network.downward_closure))))


def _improved(law: _Array, flips: _Array, roots: _Array) -> _Array:
    """Give more probability to flips that make more weight odd than the average one does, in small steps."""
    law = law / law.sum()
    for _ in range(_STEPS):
        gains = flips @ (roots / np.cbrt(law @ flips))
        law = law * (gains / (law @ gains)) ** 1.5
        law = law / law.sum()
    return law
