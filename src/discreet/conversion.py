"""From zero-concentrated privacy to (epsilon, delta) and back, never in the reader's disfavour.

The order at which the formula is sharpest is searched in floating point; the formula is evaluated there in ball arithmetic.
Any order gives a true bound, so the search decides how good the bound is, not whether it holds.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from discreet.errors import BudgetError

__all__ = ["epsilon_of_rho", "rho_of_epsilon"]

_GRID = 10**9
"""Results are multiples of 10^-9, rounded against ourselves."""


@lru_cache(maxsize=1024)
def epsilon_of_rho(rho: Fraction, delta: Fraction) -> Fraction:
    """An epsilon such that every rho-zCDP result is (epsilon, delta)-private.

    Claim:      for every order a > 1, epsilon = a rho + log(1 - 1/a) + (log(1/delta) - log a) / (a - 1) will do; the one
                returned is at least that for a well-chosen a.            [Canonne, Kamath & Steinke 2020, Proposition 12]
    Requires:   rho > 0 and 0 < delta < 1 (checked).
    Checked by: tests/unit/test_conversion.py::test_epsilon_agrees_with_an_independent_accountant
    """
    if not (rho > 0 and 0 < delta < 1):
        raise BudgetError("A conversion needs rho > 0 and a delta between 0 and 1, such as 1e-6.")
    bound = _epsilon_at(_sharpest_order(float(rho), _log(delta)), rho, delta)
    return Fraction(max(math.ceil(bound * _GRID), 1), _GRID)


@lru_cache(maxsize=1024)
def rho_of_epsilon(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest rho, to nine decimal places of itself, whose zCDP implies (epsilon, delta)-privacy.

    Claim:      epsilon_of_rho(result, delta) <= epsilon.
    Requires:   epsilon > 0 and 0 < delta < 1; epsilon of at least 10^-6 (checked).
    Checked by: tests/unit/test_conversion.py::test_rho_and_epsilon_are_inverse_from_the_safe_side
    """
    if not (epsilon >= Fraction(1, 10**6) and 0 < delta < 1):
        raise BudgetError("A conversion needs an epsilon of at least 1e-6 and a delta between 0 and 1, such as 1e-6.")
    low, high = Fraction(0), epsilon  # pure epsilon of a rho is never below rho itself
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if epsilon_of_rho(middle, delta) <= epsilon else (low, middle)
    if not low:
        raise BudgetError("This epsilon and delta leave no room for noise. Choose larger ones.")
    digits = 9 - math.floor(math.log10(low))
    return Fraction(math.floor(low * 10**digits), 10**digits)


def _epsilon_at(order: Fraction, rho: Fraction, delta: Fraction) -> Fraction:
    """The formula at one order, rounded up in ball arithmetic."""
    from flint import arb, ctx, fmpq

    def ball(value: Fraction) -> arb:
        return arb(fmpq(value.numerator, value.denominator))

    with ctx.workprec(128):
        inner = (1 - 1 / ball(order)).log() + (-ball(delta).log() - ball(order).log()) / ball(order - 1)
        scaled = (ball(order * rho) + inner) * 2**64
        return Fraction(int(scaled.upper().ceil().fmpq().p), 2**64)


def _sharpest_order(rho: float, log_delta: float) -> Fraction:
    """Search the order, on the scale of log(order - 1), for the smallest epsilon: the formula has one valley."""

    def epsilon(place: float) -> float:
        order = 1 + math.exp(place)
        return order * rho - math.log1p(math.exp(-place)) + (-log_delta - math.log(order)) / (order - 1)

    low, high = -30.0, 30.0
    for _ in range(200):
        first, second = low + 0.382 * (high - low), low + 0.618 * (high - low)
        low, high = (low, second) if epsilon(first) <= epsilon(second) else (first, high)
    # A few digits of the order are enough, and make the result the same on every machine.
    return 1 + Fraction(f"{math.exp(low):.4g}")


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)
