"""Exact Gaussian noise for integers: of the discrete law, and of the normal law, rounded. No floating point takes part.

The discrete law is P(k) proportional to exp(-k^2 / (2 sigma^2)) on the integers, many values of one variance at a time.
Candidates are discrete Laplace draws; an exact coin accepts each with a probability that turns one law into the other.
Rounded normal draws have as many coordinates as wanted, each with a variance of its own and of any size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.balls import ball
from discreet.errors import BudgetError
from discreet.guarantee import ZCDP
from discreet.kernel.bits import Bits
from discreet.kernel.exact import Probability, Uniform, normals, rounded, toss
from discreet.kernel.noise import check_room, is_exact
from discreet.kernel.noise.laplace import discrete_laplace

if TYPE_CHECKING:
    from flint import arb

__all__ = ["DiscreteGaussian", "LARGEST_VARIANCE", "check_variance", "discrete_gaussian", "rounded_gaussian"]

LARGEST_VARIANCE = 2**78
"""Above this parameter the candidates could leave 64-bit integers."""
_LARGEST_NUMBER = 2**61


@dataclass(frozen=True, slots=True)
class DiscreteGaussian:
    """Discrete Gaussian noise on every number of a statistic that one record moves by at most a Euclidean distance.

    Claim:      publishing the statistic costs rho = squared_sensitivity / (2 variance). Proof: for one integer with noise of
                parameter v the Renyi divergence of order a between shifts by D is at most a D^2 / (2 v); divergences of
                independent numbers add, so the statistic has at most a squared_sensitivity / (2 v).
                                                           [Canonne, Kamath & Steinke 2020; GUARANTEES 7.2]
    Requires:   neighbouring data sets move the statistic by at most the root of ``squared_sensitivity`` (the caller's claim,
                in ``counts``); shape and variance are public.
    Checked by: tests/audit/test_gaussian_worlds.py::test_no_divergence_is_larger_than_rho_allows
                tests/unit/kernel/test_publish.py::test_costs_of_more_than_rho_are_refused_before_the_charge
    """

    variance: Fraction
    squared_sensitivity: int

    @property
    def cost(self) -> ZCDP:
        """Rho, exactly."""
        return ZCDP(self.squared_sensitivity / (2 * self.variance))

    def check(self, numbers: Integers) -> None:
        """Refuse what could not be published."""
        if type(self.squared_sensitivity) is not int or self.squared_sensitivity < 1:
            raise ValueError("A release needs a squared sensitivity of at least one, as a whole number.")
        if not is_exact(self.variance):
            raise ValueError("A release needs a variance greater than zero, as an exact fraction.")
        check_variance(self.variance)
        if not numbers.size:
            raise ValueError("A release needs 64-bit integers, and this statistic has none.")
        check_room(numbers, _LARGEST_NUMBER)

    def draw(self, shape: tuple[int, ...], bits: Bits) -> Integers:
        """Independent noise for every number."""
        return discrete_gaussian(self.variance, math.prod(shape), bits).reshape(shape)


def check_variance(variance: Fraction) -> None:
    """Refuse noise that could leave 64-bit integers.

    Claim:      below the limit candidates are discrete Laplace draws of a scale that ``discrete_laplace`` allows.
    Requires:   nothing.
    Checked by: tests/statistical/test_discrete_gaussian.py::test_a_variance_out_of_range_is_refused
    """
    if not 0 < variance <= LARGEST_VARIANCE:
        raise BudgetError("The noise would be too large for 64-bit integers. Choose a larger rho or epsilon.")


def discrete_gaussian(variance: Fraction, count: int, bits: Bits) -> Integers:
    """Draw ``count`` independent integers k with P(k) proportional to exp(-k^2 / (2 variance)).

    The variance of the draws is a little below ``variance``, and far below where that is small.

    Claim:      the draws follow this law exactly, given uniform bits. Proof: a candidate y has P(y) proportional to
                exp(-|y| / t) and is accepted with probability exp(-(|y| - variance / t)^2 / (2 variance)); the product is
                exp(-y^2 / (2 variance)) times a constant. Candidates are independent, and the accepted ones are kept in order.
                An integer statistic whose Euclidean norm neighbours change by at most D is then released with
                zero-concentrated privacy rho = D^2 / (2 variance), also on several coordinates with different variances:
                sum of D_i^2 / (2 variance_i). The time depends on the draws alone, never on the statistic.
                                                               [Canonne, Kamath & Steinke 2020; GUARANTEES 7.2]
    Requires:   0 < variance <= LARGEST_VARIANCE (checked here); uniform independent bytes (``kernel/bits.py``).
    Checked by: tests/statistical/test_discrete_gaussian.py::test_draws_follow_the_exact_law
                tests/statistical/test_discrete_gaussian.py::test_a_variance_wrong_by_a_tenth_is_noticed_on_both_sides
                tests/statistical/test_discrete_gaussian.py::test_draws_agree_with_opendp
    """
    check_variance(variance)
    steps = math.isqrt(variance.numerator // variance.denominator) + 1
    kept: list[Integers] = [np.empty(0, dtype=np.int64)]
    missing = count
    while missing:
        candidates = discrete_laplace(Fraction(steps), missing + missing // 2 + 8, bits)
        accepted = candidates[_accepted(candidates, variance, steps, bits)][:missing]
        kept.append(accepted)
        missing -= len(accepted)
    return np.concatenate(kept)


def _accepted(candidates: Integers, variance: Fraction, steps: int, bits: Bits) -> npt.NDArray[np.bool_]:
    """Toss each candidate's coin; probability one needs none."""
    sizes, which = np.unique(np.abs(candidates), return_inverse=True)
    rates = [(int(size) - variance / steps) ** 2 / (2 * variance) for size in sizes]
    certain = np.array([rate == 0 for rate in rates])[which]
    tossed = [Probability(0, rate or Fraction(1)) for rate in rates]
    return certain | toss(tossed, which, bits)


def rounded_gaussian(variances: Sequence[Fraction], bits: Bits) -> list[int]:
    """Draw round(z_i) for independent normal z_i of mean zero with the given variances.

    Claim:      the integers follow this law exactly, given uniform bits; added to integers they are the Gaussian mechanism,
                rounded. Integers that neighbours change by D_i are released with zero-concentrated privacy
                rho = sum D_i^2 / (2 variance_i), since the Renyi divergence of order a between N(x, V) and N(y, V) is
                a (x - y)^2 / (2 V), adds over independent coordinates, and rounding is post-processing. Unlike draws of the
                discrete Gaussian law, these take the same time whatever they are, and variances have no limit.
                                                                        [Bun & Steinke 2016; GUARANTEES 7.2, 11]
    Requires:   at least one variance, all greater than zero (checked here); uniform independent bytes (``kernel/bits.py``).
    Checked by: tests/statistical/test_rounded_gaussian.py::test_draws_follow_the_exact_law
                tests/statistical/test_rounded_gaussian.py::test_a_variance_wrong_by_a_fifth_is_noticed_on_both_sides
    """
    if not variances or min(variances) <= 0:
        raise ValueError("Gaussian noise needs variances greater than zero.")
    needed = len(variances) + len(variances) % 2
    return rounded(needed, lambda uniforms: _noise(variances, uniforms), bits)


def _noise(variances: Sequence[Fraction], uniforms: Iterator[Uniform]) -> list[arb]:
    deviations = {each: ball(each).sqrt() for each in set(variances)}
    drawn = normals(len(variances), uniforms)
    return [normal * deviations[variance] for normal, variance in zip(drawn, variances, strict=True)]
