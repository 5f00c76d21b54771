"""Exact discrete Laplace noise with a rational scale, many values at a time.

The law is P(k) proportional to exp(-|k| / scale) on the integers. A value is the difference of two geometric variables,
and the binary digits of a geometric variable are independent, so each value is a handful of exact coins. No floating point
takes part. All numbers have noise of one scale, or each its own: the larger a number's weight, the smaller its noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.arrays import Integers
from discreet.errors import BudgetError
from discreet.guarantee import PureDP
from discreet.kernel.bits import Bits
from discreet.kernel.exact import Probability, coins
from discreet.kernel.noise import check_room, is_exact

__all__ = ["DiscreteLaplace", "LARGEST_SCALE", "WeightedLaplace", "check_scale", "discrete_laplace"]

LARGEST_SCALE = 2**40
"""Above this scale a draw could leave 64-bit integers; below, that has probability less than exp(-2^20)."""
_LARGEST_COUNT = 2**62
"""Counts below this, plus noise, stay within 64-bit integers."""


@dataclass(frozen=True, slots=True)
class DiscreteLaplace:
    """Discrete Laplace noise of one scale on every number of a statistic that one record moves by at most ``sensitivity``.

    Claim:      publishing the statistic costs epsilon = sensitivity / scale. Proof: the noise of the cells is independent, so
                for outputs z and neighbours with tables c, c' the ratio of probabilities is
                exp(sum (|z - c'| - |z - c|) / scale) <= exp(sum |c - c'| / scale) <= exp(sensitivity / scale).
                                                                    [Paper, Corollary 1; GUARANTEES 1.1, 2.4]
    Requires:   neighbouring data sets give tables whose entries differ by at most ``sensitivity`` in total (the caller's
                claim, in ``counts``); shape and scale are public.
    Checked by: tests/audit/test_small_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/audit/test_consistent_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/unit/kernel/noise/test_laplace.py::test_the_cost_is_sensitivity_over_scale_exactly
    """

    scale: Fraction
    sensitivity: int

    @property
    def cost(self) -> PureDP:
        """Epsilon, exactly."""
        return PureDP(self.sensitivity / self.scale)

    def check(self, numbers: Integers) -> None:
        """Refuse what could not be published."""
        if type(self.sensitivity) is not int or self.sensitivity < 1:
            raise ValueError("A release needs a sensitivity of at least one, as a whole number.")
        if not is_exact(self.scale):
            raise ValueError("A release needs a scale greater than zero, as an exact fraction.")
        check_scale(self.scale)
        check_room(numbers, _LARGEST_COUNT)

    def draw(self, shape: tuple[int, ...], bits: Bits) -> Integers:
        """Independent noise for every number."""
        return discrete_laplace(self.scale, math.prod(shape), bits).reshape(shape)


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
                tests/unit/kernel/noise/test_laplace.py::test_weights_that_cannot_be_are_refused_before_the_charge
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
        if not is_exact(self.epsilon):
            raise ValueError("A release needs an epsilon greater than zero, as an exact fraction.")
        check_scale(self._scale(min(weights)))
        check_room(numbers, _LARGEST_COUNT)

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


def check_scale(scale: Fraction) -> None:
    """Refuse noise that could leave 64-bit integers.

    Claim:      below the limit a draw leaves them with a probability below exp(-2^20).
    Requires:   nothing.
    Checked by: tests/unit/kernel/noise/test_laplace.py::test_a_scale_out_of_range_is_refused
    """
    if not 0 < scale <= LARGEST_SCALE:
        raise BudgetError("The noise would be too large for 64-bit integers. Choose a larger epsilon.")


def discrete_laplace(scale: Fraction, count: int, bits: Bits) -> Integers:
    """Draw ``count`` independent integers k with P(k) = (1 - q) / (1 + q) * q^|k|, q = exp(-1 / scale).

    Claim:      the draws follow this law exactly, given uniform bits. Proof: let G = sum_i B_i 2^i with independent digits
                P(B_i = 1) = q^(2^i) / (1 + q^(2^i)). Then P(G = g) = q^g / prod_i (1 + q^(2^i)) = (1 - q) q^g, because
                prod_i (1 + x^(2^i)) = 1 / (1 - x): G is geometric. The digits from place I on are G' 2^I with G' geometric of
                ratio q^(2^I), drawn by counting successes. For independent G, H of this law, P(G - H = k) =
                (1 - q)^2 q^|k| sum_j q^(2j) = (1 - q) / (1 + q) q^|k|. The coins are exact by ``coins``.
                [Canonne, Kamath & Steinke 2020 for the law; GUARANTEES 2.4, 11]
    Requires:   0 < scale <= LARGEST_SCALE (checked here); uniform independent bytes (``kernel/bits.py``).
    Checked by: tests/statistical/test_discrete_laplace.py::test_draws_follow_the_exact_law
                tests/unit/kernel/test_coins.py::test_coins_agree_with_the_exact_probability_bit_by_bit
    """
    check_scale(scale)
    places = (12 * scale.numerator // scale.denominator).bit_length()  # q^(2^places) < exp(-12): hardly ever more digits
    digits = [Probability(1, 2**place / scale) for place in range(places)]
    rest = Probability(0, 2**places / scale)
    return _geometric(digits, rest, count, bits) - _geometric(digits, rest, count, bits)


def _geometric(digits: list[Probability], rest: Probability, count: int, bits: Bits) -> Integers:
    """Draw integers g >= 0 with P(g) = (1 - q) q^g, from the probabilities of their digits and of there being more."""
    total, places = np.zeros(count, dtype=np.int64), len(digits)
    for place, digit in enumerate(digits):
        total += coins(digit, count, bits).astype(np.int64) << place
    for index in np.flatnonzero(coins(rest, count, bits)):
        above = 1
        while coins(rest, 1, bits)[0]:
            above += 1
        total[index] += above << places
    return total
