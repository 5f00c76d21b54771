"""Fractions in and out of ball arithmetic: real numbers that carry a proven bound on their own error."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import arb

__all__ = ["ball", "rounded_down", "rounded_up"]


def ball(value: Fraction) -> arb:
    """The ball around an exact number, at the working precision."""
    from flint import arb, fmpq

    return arb(fmpq(value.numerator, value.denominator))


def rounded_up(value: arb, places: int) -> Fraction:
    """A multiple of 2^-places that no number of the ball exceeds."""
    return Fraction(int((value * 2**places).upper().ceil().unique_fmpz()), 2**places)


def rounded_down(value: arb, places: int) -> Fraction:
    """A multiple of 2^-places that exceeds no number of the ball."""
    return -rounded_up(-value, places)
