"""From zero-concentrated privacy to (epsilon, delta) and back, never in the reader's disfavour.

The order at which the formula is sharpest is searched in floating point; the formula is evaluated there in ball arithmetic.
Any order gives a true bound, so the search decides how good the bound is, not whether it holds.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from discreet.balls import ball, working_precision
from discreet.errors import BudgetError

__all__ = ["epsilon_of_rho", "rho_of_epsilon"]

_GRID = 10**9
"""Epsilons are multiples of 10^-9, rounded against ourselves."""
_EXTREME = 80.0
"""Orders lie between 1 + exp(-80) and 1 + exp(80), which is 1 and infinity for every budget that says anything."""


@lru_cache(maxsize=4096)
def epsilon_of_rho(rho: Fraction, delta: Fraction) -> Fraction:
    """An epsilon such that every rho-zCDP result is (epsilon, delta)-private.

    Claim:      for every order a > 1, epsilon = a rho + log(1 - 1/a) + (log(1/delta) - log a) / (a - 1) will do where it is
                not negative, and 0 where it is; the one returned is at least that, for a well-chosen a. Proof: let Z be the
                privacy loss. P(B) - exp(epsilon) P'(B) <= E max(0, 1 - exp(epsilon - Z)) <= c E exp((a - 1)(Z - epsilon)),
                as (1 - exp(-z)) exp(-(a - 1) z) is largest where exp(-z) = 1 - 1/a, and is c = (1 - 1/a)^a / (a - 1) there.
                As E exp((a - 1) Z) <= exp((a - 1) a rho), the right side is delta for the epsilon above.
                                                                          [Canonne, Kamath & Steinke 2020, Proposition 12]
    Requires:   rho > 0 and 0 < delta < 1 (checked).
    Checked by: tests/unit/test_conversion.py::test_epsilon_agrees_with_an_independent_accountant
                tests/unit/test_conversion.py::test_no_pair_of_normals_breaks_the_converted_guarantee
    """
    if not (rho > 0 and 0 < delta < 1):
        raise BudgetError("A conversion needs rho > 0 and a delta between 0 and 1, such as 1e-6.")
    bound = _epsilon_at(_sharpest_order(_log(rho), -_log(delta)), rho, delta)
    return Fraction(max(math.ceil(bound * _GRID), 1), _GRID)


@lru_cache(maxsize=1024)
def rho_of_epsilon(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest rho, to nine significant digits, whose zCDP implies (epsilon, delta)-privacy by ``epsilon_of_rho``.

    Claim:      epsilon_of_rho(result, delta) <= epsilon, which is evaluated, not deduced.
    Requires:   epsilon >= 10^-6 and 0 < delta < 1 (checked).
    Checked by: tests/unit/test_conversion.py::test_rho_and_epsilon_are_inverse_from_the_safe_side
    """
    if not (epsilon >= Fraction(1, 10**6) and 0 < delta < 1):
        raise BudgetError("A conversion needs an epsilon of at least 1e-6 and a delta between 0 and 1, such as 1e-6.")
    low, high = -1000, 1  # binary exponents; a rho of 2^-1000 costs no epsilon of 10^-6 at any delta that can be written
    while epsilon_of_rho(Fraction(2) ** high, delta) <= epsilon:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if epsilon_of_rho(Fraction(2) ** middle, delta) <= epsilon else (low, middle)
    unit = Fraction(10) ** (math.floor(low * math.log10(2)) - 9)
    # Whole numbers of units between 2^low, which will do, and 2^(low + 1), which will not.
    fits, fails = math.floor(Fraction(2) ** low / unit), math.ceil(Fraction(2) ** (low + 1) / unit)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        fits, fails = (middle, fails) if epsilon_of_rho(middle * unit, delta) <= epsilon else (fits, middle)
    while epsilon_of_rho(fits * unit, delta) > epsilon:  # hardly ever: the bound could jump by its rounding
        fits -= 1
    return fits * unit


def _epsilon_at(order: Fraction, rho: Fraction, delta: Fraction) -> Fraction:
    """The formula at one order, rounded up in ball arithmetic."""
    with working_precision(192):
        inner = ball(1 - 1 / order).log() - (ball(delta).log() + ball(order).log()) / ball(order - 1)
        mantissa, exponent = (ball(order * rho) + inner).upper().man_exp()
    return int(mantissa) * Fraction(2) ** int(exponent)


def _sharpest_order(log_rho: float, log_inverse_delta: float) -> Fraction:
    """Search the one place where the derivative, rho - (log(1/delta) - log a) / (a - 1)^2, changes its sign."""

    def rises(place: float) -> bool:
        rest = log_inverse_delta - math.log1p(math.exp(place))
        return rest <= 0 or log_rho + 2 * place > math.log(rest)

    low, high = -_EXTREME, _EXTREME  # of log(a - 1)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) else (middle, high)
    # A few digits of the order are enough, and make the result the same on every machine.
    return 1 + Fraction(f"{math.exp(low):.6g}")


def _log(value: Fraction) -> float:
    if Fraction(1, 2) < value < 2:
        return math.log1p(float(value - 1))
    return math.log(value.numerator) - math.log(value.denominator)
