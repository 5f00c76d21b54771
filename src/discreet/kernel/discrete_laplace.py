"""Exact discrete Laplace noise with a rational scale, many values at a time.

The law is P(k) proportional to exp(-|k| / scale) on the integers. A value is the difference of two geometric variables,
and the binary digits of a geometric variable are independent, so each value is a handful of biased coins. Each coin
compares a uniform number in [0, 1), revealed bit by bit, with the binary expansion of its exact probability: sixteen bits
decide nearly always, and where they do not, more bits are drawn. No floating point takes part.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.errors import BudgetError
from discreet.kernel.bits import Bits

__all__ = ["LARGEST_SCALE", "discrete_laplace"]

LARGEST_SCALE = 2**40
"""Above this scale a draw could leave 64-bit integers; below, that has probability less than exp(-2^20)."""

_FIRST_BITS = 16
_MORE_BITS = 64


def discrete_laplace(scale: Fraction, count: int, bits: Bits) -> npt.NDArray[np.int64]:
    """Draw ``count`` independent integers k with P(k) = (1 - q) / (1 + q) * q^|k|, q = exp(-1 / scale).

    Claim:      the draws follow this law exactly, given uniform bits. Proof: let G = sum_i B_i 2^i with independent digits
                P(B_i = 1) = q^(2^i) / (1 + q^(2^i)). Then P(G = g) = q^g / prod_i (1 + q^(2^i)) = (1 - q) q^g, because
                prod_i (1 + x^(2^i)) = 1 / (1 - x): G is geometric. The digits from place I on are G' 2^I with G' geometric of
                ratio q^(2^I), drawn by counting successes. For independent G, H of this law, P(G - H = k) =
                (1 - q)^2 q^|k| sum_j q^(2j) = (1 - q) / (1 + q) q^|k|. The coins are exact by ``_coins``.
                [Canonne, Kamath & Steinke 2020 for the law; GUARANTEES 2.4, 11]
    Requires:   0 < scale <= LARGEST_SCALE (checked here); uniform independent bytes (``kernel/bits.py``).
    Checked by: tests/statistical/test_discrete_laplace.py::test_draws_follow_the_exact_law
                tests/unit/kernel/test_discrete_laplace.py::test_coins_agree_with_the_exact_probability_bit_by_bit
    """
    if not 0 < scale <= LARGEST_SCALE:
        raise BudgetError("The noise scale is out of range; choose a larger epsilon.")
    return _geometric(scale, count, bits) - _geometric(scale, count, bits)


def _geometric(scale: Fraction, count: int, bits: Bits) -> npt.NDArray[np.int64]:
    """Draw integers g >= 0 with P(g) = (1 - q) q^g, q = exp(-1 / scale)."""
    places = (
        12 * scale.numerator // scale.denominator
    ).bit_length()  # leaves q^(2^places) < exp(-12): hardly ever more digits
    total = np.zeros(count, dtype=np.int64)
    for place in range(places):
        total += _coins(_Probability(1, 2**place / scale), count, bits).astype(np.int64) << place
    rest = _Probability(0, 2**places / scale)
    for index in np.flatnonzero(_coins(rest, count, bits)):
        above = 1
        while _coins(rest, 1, bits)[0]:
            above += 1
        total[index] += above << places
    return total


def _coins(probability: _Probability, count: int, bits: Bits) -> npt.NDArray[np.bool_]:
    """Toss ``count`` independent coins that show True with exactly the given probability p.

    A uniform U in [0, 1) is below p exactly if at the first place where their binary expansions differ U has the smaller
    digit. U is revealed in blocks; a block that equals p's leaves the matter open, and the next block decides.
    """
    blocks = np.frombuffer(bits.read(count * _FIRST_BITS // 8), dtype="<u2")
    first = probability.leading(_FIRST_BITS)
    heads = blocks < first
    for index in np.flatnonzero(blocks == first):
        heads[index] = _decide(probability, bits)
    return heads


def _decide(probability: _Probability, bits: Bits) -> bool:
    """Go on comparing where the first block of U equals that of p."""
    known = _FIRST_BITS
    while True:
        block = int.from_bytes(bits.read(_MORE_BITS // 8), "little")
        wanted = probability.leading(known + _MORE_BITS) - (probability.leading(known) << _MORE_BITS)
        if block != wanted:
            return block < wanted
        known += _MORE_BITS


@dataclass(frozen=True, slots=True)
class _Probability:
    """The number p = 1 / (plus + exp(rate)), known to as many binary places as are asked for."""

    plus: int
    rate: Fraction

    def leading(self, places: int) -> int:
        """The floor of p 2^places, certified: ball arithmetic at rising precision until the ball has one floor.

        It ends because exp of a rational other than zero is irrational, so p 2^places is never an integer.
        """
        from flint import arb, ctx, fmpq

        precision = places + 32
        while True:
            with ctx.workprec(precision):
                ball = 1 / (self.plus + arb(fmpq(self.rate.numerator, self.rate.denominator)).exp())
                floor = (ball * arb(2) ** places).floor().unique_fmpz()
            if floor is not None:
                return int(floor)
            precision *= 2
