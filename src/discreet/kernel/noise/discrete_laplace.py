"""Exact discrete Laplace noise with a rational scale, many values at a time.

The law is P(k) proportional to exp(-|k| / scale) on the integers. A value is the difference of two geometric variables,
and the binary digits of a geometric variable are independent, so each value is a handful of exact coins. No floating point
takes part.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.errors import BudgetError
from discreet.kernel.bits import Bits
from discreet.kernel.coins import Probability, coins

__all__ = ["LARGEST_SCALE", "check_scale", "discrete_laplace"]

LARGEST_SCALE = 2**40
"""Above this scale a draw could leave 64-bit integers; below, that has probability less than exp(-2^20)."""


def check_scale(scale: Fraction) -> None:
    """Refuse noise that could leave 64-bit integers.

    Claim:      below the limit a draw leaves them with a probability below exp(-2^20).
    Requires:   nothing.
    Checked by: tests/unit/kernel/noise/test_discrete_laplace.py::test_a_scale_out_of_range_is_refused
    """
    if not 0 < scale <= LARGEST_SCALE:
        raise BudgetError("The noise would be too large for 64-bit integers. Choose a larger epsilon.")


def discrete_laplace(scale: Fraction, count: int, bits: Bits) -> npt.NDArray[np.int64]:
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
    return _geometric(scale, count, bits) - _geometric(scale, count, bits)


def _geometric(scale: Fraction, count: int, bits: Bits) -> npt.NDArray[np.int64]:
    """Draw integers g >= 0 with P(g) = (1 - q) q^g, q = exp(-1 / scale)."""
    places = (
        12 * scale.numerator // scale.denominator
    ).bit_length()  # leaves q^(2^places) < exp(-12): hardly ever more digits
    total = np.zeros(count, dtype=np.int64)
    for place in range(places):
        total += coins(Probability(1, 2**place / scale), count, bits).astype(np.int64) << place
    rest = Probability(0, 2**places / scale)
    for index in np.flatnonzero(coins(rest, count, bits)):
        above = 1
        while coins(rest, 1, bits)[0]:
            above += 1
        total[index] += above << places
    return total
