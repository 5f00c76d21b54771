"""Uniform numbers of which the first bits are known: every ball holds what any continuation of the bits would give."""

import itertools
import random
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from support.bits import ScriptedBits, SeededBits

from discreet.kernel.exact import Uniform, _half_unit, decide, draw_uniforms, gamma, nearest, normals

PLACES, MORE = 16, 200


def uniforms(digits, places):
    return iter([Uniform(digit, places) for digit in digits])


def number(value):
    return arb(fmpq(value.numerator, value.denominator))


@pytest.mark.parametrize("digit", [0, 1, 2**15, 2**15 - 1, 2**16 - 1, 12345])
def test_a_number_is_known_as_the_interval_of_its_continuations_and_no_more(digit):
    with ctx.workprec(80):
        plain, signed = Uniform(digit, PLACES).ball(), Uniform(digit, PLACES).signed()
    for end in (Fraction(digit, 2**PLACES), Fraction(digit + 1, 2**PLACES)):
        assert plain.contains(number(end))
        assert signed.contains(number(2 * end - 1))
    assert plain.rad() < 2 ** (-PLACES - 1) * 1.001
    assert signed.rad() < 2**-PLACES * 1.001


@pytest.mark.parametrize(
    "made",
    [
        lambda given: [next(given).ball()],
        lambda given: [next(given).signed()],
        lambda given: [gamma(3, given)],
        lambda given: normals(2, given),
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


THIRD, FIFTH = 2**PLACES // 3, 2**PLACES // 5


def middles(*digits):
    return [arb(2 * digit + 1) / 2 ** (PLACES + 1) for digit in digits]


def test_a_gamma_number_is_minus_the_log_of_a_product():
    with ctx.workprec(80):
        u, v = middles(THIRD, FIFTH)
        assert gamma(2, uniforms([THIRD, FIFTH], PLACES)).overlaps(-(u.log() + v.log()))
        assert not gamma(1, uniforms([THIRD, FIFTH], PLACES)).overlaps(-(u.log() + v.log()))


def test_normals_are_those_of_box_and_muller():
    with ctx.workprec(80):
        u, v = middles(THIRD, FIFTH)
        length = (-2 * u.log()).sqrt()
        expected = (length * (2 * v).sin_pi(), length * (2 * v).cos_pi())
        for found, value in zip(normals(2, uniforms([THIRD, FIFTH], PLACES)), expected, strict=True):
            assert found.overlaps(value)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_an_odd_number_of_normals_takes_one_uniform_number_more(count):
    left = uniforms([THIRD, FIFTH] * 3, PLACES)
    with ctx.workprec(80):
        assert len(normals(count, left)) == count
    assert len(list(left)) == 6 - count - count % 2


@pytest.mark.parametrize(("value", "expected"), [(0.49, 0), (0.51, 1), (-0.49, 0), (-0.51, -1), (7.4, 7), (-7.6, -8)])
def test_numbers_are_rounded_to_the_nearest(value, expected):
    assert nearest([arb(value)]) == [expected]
    assert nearest([arb(value), arb(value)]) == [expected] * 2


@pytest.mark.parametrize("doubtful", [arb(0.5, 0.001), arb(3, 2), arb("nan"), arb("inf")])
def test_a_ball_with_two_nearest_integers_has_none(doubtful):
    assert nearest([arb(1), doubtful, arb(2)]) is None


def test_every_number_has_bytes_of_its_own_lowest_first():
    first, second = draw_uniforms(2, ScriptedBits(bytes(range(32))))
    assert (first.known, second.known) == (128, 128)
    assert first.value == sum(place << (8 * place) for place in range(16))
    assert second.value == sum((16 + place) << (8 * place) for place in range(16))
    first.extend(ScriptedBits(bytes([5, *[0] * 7])))
    assert (first.known, first.value & (2**64 - 1)) == (192, 5)
    assert first.value >> 64 == sum(place << (8 * place) for place in range(16))


def test_an_open_matter_is_decided_by_more_bits_of_the_same_numbers():
    """Twice open: each number keeps its first bits and gets 64 more at a time, and the precision stays ahead of them."""
    seen = []

    def attempt(numbers):
        seen.append([(number.value, number.known, ctx.prec) for number in numbers])
        return "decided" if len(seen) == 3 else None

    bits = ScriptedBits(SeededBits(4).read(2 * (16 + 8 + 8)))
    assert decide(2, attempt, bits) == "decided"
    assert bits.used == len(bits.script)
    assert [[known for _, known, _ in numbers] for numbers in seen] == [[128, 128], [192, 192], [256, 256]]
    for before, after in itertools.pairwise(seen):
        assert [value >> 64 for value, *_ in after] == [value for value, *_ in before]
    assert all(precision >= known + 64 for numbers in seen for _, known, precision in numbers)


@pytest.mark.parametrize("answer", [0, False, ()])
def test_an_answer_that_counts_as_false_is_an_answer(answer):
    assert decide(1, lambda _: answer, ScriptedBits(bytes(16))) == answer


@pytest.mark.parametrize("known", [1, 16, 128, 4096])
def test_the_last_place_is_exact_at_any_precision(known):
    """It is kept for later draws: one that was rounded would stay so."""
    for precision in (2, 53, 4096):
        _half_unit.cache_clear()
        with ctx.workprec(precision):
            unit = _half_unit(known)
        assert unit.is_exact()
        assert unit == number(Fraction(1, 2 ** (known + 1)))


def test_what_is_known_of_a_number_is_not_printed():
    """Whoever knows the noise knows what was behind it."""
    assert "4711" not in repr(Uniform(4711, 128))


def test_a_number_reaches_a_probability_only_where_all_of_it_does():
    with ctx.workprec(192):
        half = Uniform(2**127, 128)  # [1/2, 1/2 + 2^-128)
        assert half.reaches(arb(0.5)) is True
        assert half.reaches(arb(0.25)) is True
        assert half.reaches(arb(0.75)) is False
        assert half.reaches(arb(0.5) + arb(2) ** -128) is False
        assert half.reaches(arb(0.5) + arb(2) ** -129) is None
        assert half.reaches(arb(0.5, 0.1)) is None
        assert half.finer_than(arb(0.5, 0.1))
        assert not half.finer_than(arb(0.5))
