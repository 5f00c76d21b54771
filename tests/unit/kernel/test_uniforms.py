"""Uniform numbers of which the first bits are known: every ball holds what any continuation of the bits would give."""

import random
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq

from discreet.kernel.uniforms import Uniforms, rounded

PLACES, MORE = 16, 200


def uniforms(digits, places):
    with ctx.workprec(places + 64):
        return Uniforms(list(digits), places)


def number(value):
    return arb(fmpq(value.numerator, value.denominator))


@pytest.mark.parametrize("digit", [0, 1, 2**15, 2**15 - 1, 2**16 - 1, 12345])
def test_a_number_is_known_as_the_interval_of_its_continuations_and_no_more(digit):
    with ctx.workprec(80):
        plain, signed = uniforms([digit], PLACES).uniform(), uniforms([digit], PLACES).signed()
    for end in (Fraction(digit, 2**PLACES), Fraction(digit + 1, 2**PLACES)):
        assert plain.contains(number(end))
        assert signed.contains(number(2 * end - 1))
    assert plain.rad() < 2 ** (-PLACES - 1) * 1.001
    assert signed.rad() < 2**-PLACES * 1.001


@pytest.mark.parametrize(
    "made",
    [
        lambda given: [given.uniform()],
        lambda given: [given.signed()],
        lambda given: [given.gamma(3)],
        lambda given: list(given.normals()),
    ],
    ids=["uniform", "signed", "gamma", "normals"],
)
def test_more_bits_never_leave_the_ball(made):
    """The two ends, and random continuations: what they give lies in the ball that was known before."""
    generator = random.Random(3)
    for _ in range(40):
        first = [generator.randrange(1, 2**PLACES) for _ in range(3)]
        with ctx.workprec(PLACES + 64):
            known = made(uniforms(first, PLACES))
        for chosen in (0, 2**MORE - 1, generator.randrange(2**MORE)):
            with ctx.workprec(PLACES + MORE + 64):
                finer = made(uniforms([(digit << MORE) | chosen for digit in first], PLACES + MORE))
            assert all(ball.contains(value.mid()) for ball, value in zip(known, finer, strict=True))


def test_a_gamma_number_is_minus_the_log_of_a_product_and_normals_are_those_of_box_and_muller():
    third, fifth = ((2**PLACES) // 3, (2**PLACES) // 5)
    with ctx.workprec(80):
        u, v = (arb(2 * digit + 1) / 2 ** (PLACES + 1) for digit in (third, fifth))
        assert uniforms([third, fifth], PLACES).gamma(2).overlaps(-(u.log() + v.log()))
        length = (-2 * u.log()).sqrt()
        for found, expected in zip(
            uniforms([third, fifth], PLACES).normals(), (length * (2 * v).sin_pi(), length * (2 * v).cos_pi()), strict=True
        ):
            assert found.overlaps(expected)


@pytest.mark.parametrize(("value", "nearest"), [(0.49, 0), (0.51, 1), (-0.49, 0), (-0.51, -1), (7.4, 7), (-7.6, -8)])
def test_numbers_are_rounded_to_the_nearest(value, nearest):
    assert rounded(1, lambda _: [arb(value)], bytes(16), None) == [nearest]
