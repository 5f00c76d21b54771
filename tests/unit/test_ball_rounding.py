"""Rounding out of ball arithmetic: never to the wrong side, and never further than the next place."""

from fractions import Fraction

import pytest
from flint import arb, ctx
from support.balls import certain

from discreet.balls import ball, rounded_down, rounded_up

NUMBERS = [Fraction(1, 3), Fraction(-1, 3), Fraction(22, 7), Fraction(-22, 7), Fraction(1, 10**9)]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("places", [1, 8, 64])
def test_a_number_lies_between_its_roundings(number, places):
    with ctx.workprec(192):
        low, high = rounded_down(ball(number), places), rounded_up(ball(number), places)
    assert low < number < high
    assert high - low == Fraction(1, 2**places)


def test_what_is_on_the_grid_stays():
    for number in (Fraction(3, 4), Fraction(-3, 4), Fraction(0), Fraction(5)):
        assert rounded_down(ball(number), 8) == rounded_up(ball(number), 8) == number


def test_all_of_a_wide_ball_is_between_its_roundings():
    wide = arb(2.5, 0.25)
    assert rounded_up(wide, 2) >= Fraction(11, 4)
    assert rounded_down(wide, 2) <= Fraction(9, 4)


def test_logarithms_are_rounded_to_the_safe_side():
    for number in (2, 3, 10):
        with ctx.workprec(1000):
            exact = certain(arb(number).log())
        with ctx.workprec(192):
            assert 0 < rounded_up(arb(number).log(), 64) - exact < Fraction(1, 2**63)
            assert 0 < exact - rounded_down(arb(number).log(), 64) < Fraction(1, 2**63)
