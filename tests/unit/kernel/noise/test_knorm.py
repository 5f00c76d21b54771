from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from support.bits import ScriptedBits, SeededBits

from discreet.errors import BudgetError
from discreet.kernel.noise import knorm
from discreet.kernel.noise.knorm import LARGEST_NOISE_SCALE, knorm_noise
from discreet.kernel.noise.knorm_bodies import Interval, Product, Sum, box, l1_ball, uniforms_of

NESTED = Product((Sum((box([Fraction(1), Fraction(2)]), l1_ball(3))), Interval(Fraction(1, 2)), Sum((Interval(), Interval()))))


def test_an_l1_ball_is_a_sum_of_intervals():
    assert l1_ball(3) == Sum((Interval(), Interval(), Interval()))
    assert l1_ball(1) == Interval()


def test_a_body_knows_its_dimension_and_reach():
    assert (NESTED.dimension, NESTED.reach) == (8, 2)


@pytest.mark.parametrize("make", [lambda: Interval(Fraction(0)), lambda: Interval(0.5), lambda: Product(()), lambda: Sum(())])
def test_a_body_without_an_exact_size_is_refused(make):
    with pytest.raises(ValueError, match="needs"):
        make()


def test_exactly_the_planned_bytes_are_read():
    needed = uniforms_of(NESTED) + NESTED.dimension + 1
    script = ScriptedBits(SeededBits(3).read(2 * 16 * needed))
    assert knorm_noise(NESTED, Fraction(50), 2, script).shape == (2, 8)
    assert script.used == len(script.script)


@pytest.mark.parametrize("body", [Interval(), l1_ball(4), NESTED])
def test_a_draw_lies_in_the_body_of_its_radius(body):
    """The radius is known from its digits, so the reach of every coordinate is."""
    script = SeededBits(8).read(16 * (uniforms_of(body) + body.dimension + 1))
    digits = [int.from_bytes(script[at : at + 16], "little") for at in range(0, 16 * (body.dimension + 1), 16)]
    radius = -sum(np.log((each + 0.5) / 2**128) for each in digits)
    noise = knorm_noise(body, Fraction(10**6), 1, ScriptedBits(script))[0]
    assert np.abs(noise).max() <= radius * 10**6 * body.reach + 1


@pytest.mark.parametrize(("more", "expected"), [(bytes(8), 0), (b"\xff" * 8, 1)])
def test_an_open_rounding_draws_more_bits_of_the_same_numbers(more, expected):
    """The first 128 bits put the noise on the boundary between 0 and 1; only the bits that follow decide."""
    first = [2**127 + 12345, 2**126 + 678]
    with ctx.workprec(600):
        radius = -(arb(first[0]) / 2**128).log() - (arb(first[1]) / 2**128).log()
        boundary = int(((1 + arb(1) / 2 / radius) * arb(2) ** 127).floor().unique_fmpz())
    script = b"".join(value.to_bytes(16, "little") for value in (*first, boundary))
    bits = ScriptedBits(script + bytes(16) + more)
    assert knorm_noise(Interval(), Fraction(1), 1, bits).tolist() == [[expected]]
    assert bits.used == len(bits.script)


@pytest.mark.parametrize("digit", [0, 2**128 - 1, 2**127])
def test_extreme_uniform_numbers_are_refined_until_they_decide(digit):
    """A zero has no logarithm and the middle no sign: nothing is returned before more bits come."""
    script = digit.to_bytes(16, "little") * 4
    bits = ScriptedBits(script + SeededBits(1).read(4 * 8))
    assert (
        np.abs(knorm_noise(l1_ball(2), Fraction(1, 2**50), 1, ScriptedBits(script * 2 + SeededBits(1).read(4096)))).max() == 0
    )
    assert np.abs(knorm_noise(Interval(), Fraction(3), 1, bits)).max() < 2000


def test_rounding_commutes_with_adding_a_count():
    """The same digits give the same noise whatever the count, and half a unit of the lattice is the largest rounding error."""
    script = SeededBits(9).read(16 * 3)
    fine = knorm_noise(Interval(Fraction(2**20)), Fraction(7), 1, ScriptedBits(script))[0, 0]
    coarse = knorm_noise(Interval(), Fraction(7), 1, ScriptedBits(script))[0, 0]
    assert abs(fine / 2**20 - coarse) <= 0.5 + 2**-20


def test_noise_out_of_range_is_refused(monkeypatch):
    for scale in (Fraction(0), Fraction(-1), Fraction(LARGEST_NOISE_SCALE + 1)):
        with pytest.raises(BudgetError, match="epsilon"):
            knorm_noise(Interval(), scale, 1, SeededBits(1))
    with pytest.raises(BudgetError, match="epsilon"):
        knorm_noise(Interval(Fraction(2)), Fraction(LARGEST_NOISE_SCALE), 1, SeededBits(1))
    monkeypatch.setattr(knorm, "LARGEST_DIMENSION", 3)
    with pytest.raises(BudgetError, match="coordinates"):
        knorm_noise(box([Fraction(1)] * 4), Fraction(1), 1, SeededBits(1))


def test_the_largest_scale_still_fits():
    assert np.abs(knorm_noise(Interval(), Fraction(LARGEST_NOISE_SCALE), 100, SeededBits(1))).mean() > 2**38
