"""Discrete Laplace noise for numbers of which some are worth more: the larger a number's weight, the smaller its noise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.arrays import Integers
from discreet.guarantee import PureDP
from discreet.kernel.bits import Bits
from discreet.kernel.noise import check_room
from discreet.kernel.noise.discrete_laplace import LARGEST_COUNT, check_scale, discrete_laplace

__all__ = ["WeightedLaplace"]


@dataclass(frozen=True, slots=True)
class WeightedLaplace:
    """Discrete Laplace noise of scale sensitivity / (epsilon weight) on each of a list of numbers.

    Claim:      publishing the numbers costs epsilon. Proof: as for ``DiscreteLaplace``, the ratio of probabilities is
                at most exp(sum_i |c_i - c'_i| / scale_i) = exp((epsilon / sensitivity) sum_i weight_i |c_i - c'_i|) <=
                exp(epsilon).                                                               [GUARANTEES 2.2, 2.4]
    Requires:   neighbouring data sets give numbers with sum_i weight_i |c_i - c'_i| <= ``sensitivity`` (the caller's claim,
                proved in ``measure/strategies/odd_weight.py``); how many there are, and their weights, are public. That the
                weights are positive integers, none above the sensitivity, is checked here, before the charge.
    Checked by: tests/audit/test_fourier_worlds.py::test_no_output_is_likelier_than_epsilon_allows_with_weights
                tests/unit/kernel/noise/test_weighted_laplace.py::test_weights_that_cannot_be_are_refused_before_the_charge
    """

    weights: tuple[int, ...]
    sensitivity: int
    epsilon: Fraction

    @property
    def cost(self) -> PureDP:
        """The given epsilon."""
        return PureDP(self.epsilon)

    @property
    def scales(self) -> tuple[Fraction, ...]:
        """The scale of each number's noise."""
        return tuple(self._scale(weight) for weight in self.weights)

    def check(self, numbers: Integers) -> None:
        """Refuse what could not be published."""
        weights = self.weights
        if not weights or numbers.shape != (len(weights),) or any(type(each) is not int or each < 1 for each in weights):
            raise ValueError("A release needs one positive whole weight for each number.")
        if type(self.sensitivity) is not int or self.sensitivity < max(weights):
            raise ValueError("A record that moves one number moves it by its weight: the sensitivity cannot be smaller.")
        if type(self.epsilon) is not Fraction or self.epsilon <= 0:
            raise ValueError("A release needs an epsilon greater than zero, as an exact fraction.")
        check_scale(self._scale(min(weights)))
        check_room(numbers, LARGEST_COUNT)

    def draw(self, shape: tuple[int, ...], bits: Bits) -> Integers:
        """Independent noise for every number; numbers of the same weight get theirs from one call."""
        alike: dict[int, list[int]] = {}
        for place, weight in enumerate(self.weights):
            alike.setdefault(weight, []).append(place)
        noise = np.empty(shape, dtype=np.int64)
        for weight, places in alike.items():
            noise[places] = discrete_laplace(self._scale(weight), len(places), bits)
        return noise

    def _scale(self, weight: int) -> Fraction:
        return self.sensitivity / (self.epsilon * weight)
