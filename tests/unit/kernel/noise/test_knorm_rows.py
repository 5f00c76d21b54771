"""K-norm noise by all coordinates at a time, against value by value in ball arithmetic, from the same bytes."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from support.bits import ScriptedBits, SeededBits

from discreet.kernel.digits import PLACES, first_digits
from discreet.kernel.exact import draw_uniforms
from discreet.kernel.noise import knorm, knorm_rows
from discreet.kernel.noise.knorm import knorm_noise, knorm_vector
from discreet.kernel.noise.knorm_bodies import Interval, Product, Sum, box, is_unit, l1_ball, runs, uniforms_of


def blocks(*groups):
    """The body of a bundle: for each group the sizes of the parts of a block, and how many blocks there are."""
    return Product(tuple(Sum((Product(tuple(l1_ball(size) for size in sizes)),) * count) for *sizes, count in groups))


BODIES = {
    "interval": Interval(),
    "L1 ball": l1_ball(4),
    "box": box([Fraction(1)] * 5),
    "bundle": blocks((1, 1, 3, 4), (5, 7), (1, 1), (2, 2, 2, 3)),
    "nested": Product((Sum((box([Fraction(1)] * 2), l1_ball(3), Interval())), Interval(), Sum((Interval(), Interval())))),
}
SCALES = [Fraction(1, 7), Fraction(3), Fraction(1000, 3), Fraction(2**24)]


def needed(body):
    return body.dimension + 1 + uniforms_of(body)


def rows(body, scale, count, seed):
    """Bytes for so many vectors, and what all coordinates at a time make of them."""
    script = SeededBits(seed).read(16 * needed(body) * count)
    return script, *knorm_rows.noise_rows(body, scale, first_digits(script, needed(body)))


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_all_at_a_time_and_value_by_value_give_the_same_integers(body, scale):
    script, found, sure = rows(body, scale, 40, 5)
    size = 16 * needed(body)
    parts = [script[start : start + size] for start in range(0, len(script), size)]
    wanted = np.array([knorm_vector(body, scale, ScriptedBits(part)) for part in parts])
    assert sure.mean() > 0.8
    assert (found[sure] == wanted[sure]).all()
    assert len(np.unique(wanted)) > 1


@pytest.mark.parametrize("few", [0, 10**9])
def test_a_large_vector_is_the_same_whichever_way_it_is_drawn(monkeypatch, few):
    body = blocks((21, 40), (1, 3, 20))
    wanted = knorm_vector(body, Fraction(200), SeededBits(6))
    monkeypatch.setattr(knorm, "_FEW", few)
    assert knorm_noise(body, Fraction(200), 1, SeededBits(6))[0].tolist() == wanted


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_bounds_hold_the_truth(body):
    """The real noise of every coordinate lies within the bound that the integers give for it, and not far within."""
    script = SeededBits(7).read(16 * needed(body) * 20)
    digits = first_digits(script, needed(body))
    ours, others = digits.split(body.dimension + 1)
    radius, off = knorm_rows._gamma(ours)
    point = knorm_rows._uniform_point(body, others)
    uniforms = draw_uniforms(20 * needed(body), ScriptedBits(script))
    shares = []
    with ctx.workprec(192):
        for row in range(20):
            left = iter(uniforms[row * needed(body) : (row + 1) * needed(body)])
            true_radius = knorm.gamma(body.dimension + 1, left) * 2**PLACES
            values, norm = knorm._uniform_point(body, left)
            assert abs(float(true_radius - radius[row])) <= off[row]
            assert abs(float(norm * 2**PLACES - point.norms[row])) <= point.errors[row]
            gaps = [abs(float(true * 2**PLACES - own)) for true, own in zip(values, point.values[row], strict=True)]
            shares.append(max(gaps) / point.errors[row])
    assert 0.001 < max(shares) <= 1


@pytest.mark.parametrize(("name", "body"), [("LOG_ERROR", "L1 ball"), ("SIGNED_ERROR", "box")])
def test_a_bound_that_is_too_small_is_noticed(monkeypatch, name, body):
    """Planted: bounds that leave out an error. Some coordinate is then further off than its row says."""
    monkeypatch.setattr(knorm_rows, name, 0)
    with pytest.raises(AssertionError):
        test_bounds_hold_the_truth(BODIES[body])


@pytest.mark.parametrize("name", ["_gamma", "_shrink", "_spread"])
def test_noise_of_another_law_is_noticed(monkeypatch, name):
    """Planted: in each step a result that is off by a part of a million, in the first row."""
    right = getattr(knorm_rows, name)

    def wrong(*given):
        found = right(*given)
        numbers = found[0] if isinstance(found, tuple) else found.values
        numbers[0] = numbers[0] + numbers[0] // 10**6
        return found

    monkeypatch.setattr(knorm_rows, name, wrong)
    with pytest.raises(AssertionError):
        test_all_at_a_time_and_value_by_value_give_the_same_integers(BODIES["bundle"], Fraction(2**24))


@pytest.mark.parametrize("digit", [0, 1, 2**64 - 1, 2**127, 2**127 - 1, 2**128 - 1])
@pytest.mark.parametrize("place", range(13))
def test_extreme_uniform_numbers_leave_a_row_open_or_right(monkeypatch, digit, place):
    body = blocks((2, 1, 1))
    assert needed(body) == 13
    script = bytearray(SeededBits(8).read(16 * 13))
    script[16 * place : 16 * place + 16] = digit.to_bytes(16, "little")
    more = SeededBits(9).read(8 * 13 * 8)
    monkeypatch.setattr(knorm, "_FEW", 0)
    found = knorm_noise(body, Fraction(10), 1, ScriptedBits(bytes(script) + more))
    assert found[0].tolist() == knorm_vector(body, Fraction(10), ScriptedBits(bytes(script) + more))


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(1, 2**150), Fraction(1, 2**400)], ids=["one", "2^-150", "2^-400"])
@pytest.mark.parametrize("place", [0, 3, 7])
def test_a_row_of_which_a_logarithm_is_not_known_is_open_however_small_the_scale(scale, place):
    """The logarithm of a number whose known bits are zero has no bound, so no scale makes its noise small for certain."""
    script = bytearray(SeededBits(12).read(16 * 8))
    script[16 * place : 16 * place + 16] = bytes(16)
    assert needed(l1_ball(3)) == 8
    assert knorm_rows.noise_rows(l1_ball(3), scale, first_digits(bytes(script), 8))[1].tolist() == [False]


@pytest.mark.parametrize(("more", "expected"), [(bytes(8), 0), (b"\xff" * 8, 1)])
def test_an_open_row_draws_more_bits_of_the_same_numbers(monkeypatch, more, expected):
    """The first 128 bits put the noise on the boundary between 0 and 1; only the bits that follow decide."""
    monkeypatch.setattr(knorm, "_FEW", 0)
    first = [2**127 + 12345, 2**126 + 678]
    with ctx.workprec(600):
        radius = -(arb(first[0]) / 2**128).log() - (arb(first[1]) / 2**128).log()
        boundary = int(((1 + arb(1) / 2 / radius) * arb(2) ** 127).floor().unique_fmpz())
    script = b"".join(value.to_bytes(16, "little") for value in (*first, boundary))
    bits = ScriptedBits(script + bytes(16) + more)
    assert knorm_noise(Interval(), Fraction(1), 1, bits).tolist() == [[expected]]
    assert bits.used == len(bits.script)


def test_only_open_rows_are_computed_again(monkeypatch):
    """A scale at which some rows stay open: they come from ball arithmetic, the others do not."""
    body, scale = BODIES["bundle"], Fraction(2**31)
    script, found, sure = rows(body, scale, 60, 11)
    assert 0 < sure.sum() < 60
    settled, right = [], knorm.settle
    monkeypatch.setattr(knorm, "settle", lambda uniforms, *others: (settled.append(1), right(uniforms, *others))[1])
    drawn = knorm_noise(body, scale, 60, ScriptedBits(script))
    assert len(settled) == (~sure).sum()
    assert (drawn[sure] == found[sure]).all()
    size = 16 * needed(body)
    for row in np.flatnonzero(~sure):
        part = script[row * size : (row + 1) * size]
        assert drawn[row].tolist() == knorm_vector(body, scale, ScriptedBits(part))


def test_a_body_is_its_runs():
    body = BODIES["bundle"]
    assert [part for part, count in runs(body) for _ in range(count)] == list(body.parts)
    assert [count for _, count in runs(l1_ball(6))] == [6]
    assert [count for _, count in runs(Product((l1_ball(3), l1_ball(3), Interval())))] == [2, 1]


def test_only_bodies_of_unit_intervals_are_drawn_together(monkeypatch):
    assert all(is_unit(body) for body in BODIES.values())
    wide = Product((Interval(), Sum((Interval(), Interval(Fraction(2))))))
    assert not is_unit(wide)
    monkeypatch.setattr(knorm, "_FEW", 0)
    monkeypatch.setattr(knorm, "noise_rows", lambda *_: pytest.fail("drawn together"))
    assert knorm_noise(wide, Fraction(5), 1, SeededBits(1))[0].tolist() == knorm_vector(wide, Fraction(5), SeededBits(1))
