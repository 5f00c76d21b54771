"""Draws from a Gaussian in a ball: each step against the same computation done otherwise."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from support.bits import FailingBits, ScriptedBits, SeededBits

from discreet.kernel.draws.ball_gaussian import PLACES, BallGaussian, _cholesky, best_tilt
from discreet.posterior import linear_draws as regression_draws

PRECISION = [[3, 1, 0], [1, 2, Fraction(-1, 2)], [0, Fraction(-1, 2), 4]]
LINEAR = [4, -1, 2]


def law(precision=PRECISION, linear=LINEAR, radius_squared=1, tilt=0):
    as_fractions = [[Fraction(entry) for entry in row] for row in precision]
    return BallGaussian(as_fractions, [Fraction(entry) for entry in linear], Fraction(radius_squared), Fraction(tilt))


def uniform(bits):
    return (int.from_bytes(bits.read(16), "little") + 0.5) / 2**128


def drawn_in_floats(given, bits):
    """The same draw from the same bytes, by other functions and in floating point."""
    size, tilt = len(given.linear), float(given.tilt)
    tilted = np.array(given.precision, dtype=float) + tilt * np.eye(size)
    mean = np.linalg.solve(tilted, np.array(given.linear, dtype=float))
    while True:
        uniforms = [uniform(bits) for _ in range(2 * ((size + 1) // 2))]
        judge = uniform(bits)
        normals = []
        for first, second in zip(uniforms[::2], uniforms[1::2], strict=True):
            length = math.sqrt(-2 * math.log(first))
            normals += [length * math.sin(2 * math.pi * second), length * math.cos(2 * math.pi * second)]
        weights = mean + np.linalg.solve(np.linalg.cholesky(tilted).T, np.array(normals[:size]))
        inside = float(given.radius_squared) - weights @ weights
        if inside >= 0 and judge <= math.exp(-tilt * inside / 2):
            return weights


@pytest.mark.parametrize("tilt", [0, Fraction(7, 3), 9])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_scripted_draw_equals_one_in_high_precision(size, tilt):
    given = law([row[:size] for row in PRECISION[:size]], LINEAR[:size], tilt=tilt)
    for seed in range(12):
        steps = given.draw(SeededBits(seed))
        np.testing.assert_allclose(np.array(steps) / 2**PLACES, drawn_in_floats(given, SeededBits(seed)), atol=1e-9)


def test_every_draw_lies_in_the_ball():
    given = law(radius_squared=Fraction(1, 9), tilt=15)
    bits = SeededBits(1)
    norms = [np.linalg.norm(np.array(given.draw(bits)) / 2**PLACES) for _ in range(200)]
    assert max(norms) <= 1 / 3 + 3 * 2.0**-PLACES


def test_where_the_first_bits_leave_a_matter_open_more_are_drawn():
    """Zeros as the leading bits of U leave log U without a bound: a second block of bits must decide."""
    zeros, middle, more = bytes(16), bytes([*[0] * 15, 128]), bytes([*[0] * 7, 128])
    given = law([[1]], [0], radius_squared=10_000)
    undecided = zeros + middle + middle  # U, V and the judge, 128 bits each
    script = ScriptedBits(undecided + more * 3)
    found = given.draw(script)
    assert script.used == len(script.script)
    first = (2**63 + 0.5) / 2**192
    assert found[0] / 2**PLACES == pytest.approx(0, abs=1e-9)  # sine of pi: V is one half
    assert math.sqrt(-2 * math.log(first)) < 100


def test_a_proposal_on_the_edge_of_the_ball_is_decided_by_more_bits():
    """With V = 1/4 and a continuation unknown, the norm is known to 2^-128 or so: a radius inside that is open at first."""
    middle, quarter = bytes([*[0] * 15, 128]), bytes([*[0] * 15, 64])
    length = math.sqrt(2 * math.log(2))
    from flint import arb, ctx

    with ctx.workprec(400):
        edge = int(((2 * arb(2).log()) * 2**126).floor().unique_fmpz())
    assert edge / 2**126 == pytest.approx(length**2)
    script = ScriptedBits((middle + quarter + middle) + bytes([255]) * 48 + bytes(10_000))
    given = law([[1]], [0], radius_squared=Fraction(edge, 2**126))
    given._propose(script)
    assert script.used > 48  # the first block of each uniform was not enough


def test_a_matrix_that_is_barely_definite_needs_precision_and_gets_it():
    large = 10**60
    given = law([[large, large - 1], [large - 1, large]], [1, 1], radius_squared=10_000)
    x, y = np.array(given.draw(SeededBits(3))) / 2**PLACES
    assert abs(x + y) < 1e-6  # along (1, 1) the precision is 10^60, along (1, -1) it is 1
    assert abs(x - y) > 1e-3


def test_a_matrix_whose_factor_cannot_be_inverted_at_first_gets_more_precision():
    """At 192 bits these have a Cholesky factor of certain signs whose entries are too wide to be inverted."""
    generator = random.Random(0)
    side = [Fraction(generator.randrange(-999, 1000), 1000) for _ in range(8)]
    for power in (183, 184):
        ridge = Fraction(1, 2**power)
        given = law([[a * b + (ridge if i == j else 0) for j, b in enumerate(side)] for i, a in enumerate(side)], [0] * 8)
        precision = np.array(given._factors[128].spread.mid().tolist(), dtype=float)
        assert np.isfinite(precision).all()


def test_a_law_does_not_show_what_it_was_made_from():
    """The best tilt depends on the records, as matrix and vector do."""
    shown = repr(law(tilt=Fraction(12345, 677)))
    assert "12345" not in shown
    assert "precision" not in shown


def test_what_is_no_law_is_refused_before_any_draw():
    for wrong in ({"tilt": -1}, {"radius_squared": 0}, {"linear": [1, 2]}):
        with pytest.raises(ValueError, match="positive radius"):
            law(**wrong)


def test_no_bits_are_read_before_a_draw():
    given = law(tilt=3)
    with pytest.raises(AssertionError, match="random bytes were drawn"):
        given.draw(FailingBits())


def test_there_is_no_tilt_where_the_gaussian_stays_in_the_ball():
    assert best_tilt([[Fraction(100)]], [Fraction(1)], Fraction(1)) == 0
    assert best_tilt([[Fraction(10**20)]], [Fraction(10**19)], Fraction(1)) == 0


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_the_tilt_puts_the_gaussian_on_the_edge_of_the_ball(scale):
    precision = [[Fraction(entry) * Fraction(scale) for entry in row] for row in PRECISION]
    linear = [Fraction(40 * entry) * Fraction(scale) for entry in LINEAR]
    tilt = float(best_tilt(precision, linear, Fraction(1)))
    inverse = np.linalg.inv(np.array(precision, dtype=float) + tilt * np.eye(3))
    mean = inverse @ np.array(linear, dtype=float)
    assert tilt > 0
    assert mean @ mean + np.trace(inverse) == pytest.approx(1)


def test_the_kernel_and_the_release_file_agree_about_the_grid():
    assert regression_draws.PLACES == PLACES


def test_the_parameters_of_the_law_are_not_printed():
    """They are prior plus moments; only the radius was declared."""
    shown = repr(law([[4711]], [815], 2, 1234))
    assert shown.startswith("BallGaussian(radius_squared=Fraction(2, 1)")
    assert not any(private in shown for private in ("4711", "815", "1234"))


@pytest.mark.parametrize("seed", range(20))
def test_a_coordinate_is_rounded_to_the_nearest_place(seed):
    """One coordinate, from the same bytes at 400 bits: half of all numbers would be rounded otherwise if they were cut."""
    script = random.Random(seed).randbytes(48)  # two uniform numbers, and the one that judges
    (found,) = law([[4]], [1], 100).draw(ScriptedBits(script))
    with ctx.workprec(400):
        first, second = (arb(2 * int.from_bytes(script[at : at + 16], "little") + 1) / 2**129 for at in (0, 16))
        normal = (-2 * first.log()).sqrt() * (2 * second).sin_pi()
        place = (arb(1) / 4 + normal / 2) * 2**PLACES
        assert abs(place - found) < 0.5


def test_a_pivot_that_may_not_be_positive_is_not_taken_for_one():
    """At a higher precision it may show; until then there is no factor."""
    assert _cholesky([[arb(4)]]) == [[arb(2)]]
    for pivot in (arb(0), arb(0, 1), arb(1, 2), arb(-1)):
        assert _cholesky([[pivot]]) is None
