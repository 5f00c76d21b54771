"""Exact discrete Gaussian noise with a rational variance parameter, many values at a time.

The law is P(k) proportional to exp(-k^2 / (2 sigma^2)) on the integers. Candidates are discrete Laplace draws; an exact coin
accepts each with a probability that turns one law into the other. No floating point takes part.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.errors import BudgetError
from discreet.kernel.bits import Bits
from discreet.kernel.coins import Probability, toss
from discreet.kernel.noise.discrete_laplace import discrete_laplace

__all__ = ["LARGEST_VARIANCE", "check_variance", "discrete_gaussian"]

LARGEST_VARIANCE = 2**78
"""Above this parameter the candidates could leave 64-bit integers."""


def check_variance(variance: Fraction) -> None:
    """Refuse noise that could leave 64-bit integers.

    Claim:      below the limit candidates are discrete Laplace draws of a scale that ``discrete_laplace`` allows.
    Requires:   nothing.
    Checked by: tests/statistical/test_discrete_gaussian.py::test_a_variance_out_of_range_is_refused
    """
    if not 0 < variance <= LARGEST_VARIANCE:
        raise BudgetError("The noise would be too large for 64-bit integers. Choose a larger rho or epsilon.")


def discrete_gaussian(variance: Fraction, count: int, bits: Bits) -> npt.NDArray[np.int64]:
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
    kept: list[npt.NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    missing = count
    while missing:
        candidates = discrete_laplace(Fraction(steps), missing + missing // 2 + 8, bits)
        accepted = candidates[_accepted(candidates, variance, steps, bits)][:missing]
        kept.append(accepted)
        missing -= len(accepted)
    return np.concatenate(kept)


def _accepted(candidates: npt.NDArray[np.int64], variance: Fraction, steps: int, bits: Bits) -> npt.NDArray[np.bool_]:
    """Toss each candidate's coin; probability one needs none."""
    sizes, which = np.unique(np.abs(candidates), return_inverse=True)
    rates = [(int(size) - variance / steps) ** 2 / (2 * variance) for size in sizes]
    certain = np.array([rate == 0 for rate in rates])[which]
    tossed = [Probability(0, rate or Fraction(1)) for rate in rates]
    return certain | toss(tossed, which, bits)
