from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from support.bits import ScriptedBits, SeededBits

from discreet.kernel.noise.knorm import knorm_noise, knorm_vector
from discreet.kernel.noise.knorm_bodies import box
from discreet.kernel.noise.wishart import wishart_difference


def normals_of(script):
    """The standard normals that the first 128 bits of uniform numbers lead to, in floating point."""
    uniforms = np.array([int.from_bytes(script[at : at + 16], "little") / 2**128 for at in range(0, len(script), 16)])
    length, angle = np.sqrt(-2 * np.log(uniforms[::2])), 2 * np.pi * uniforms[1::2]
    return np.column_stack([length * np.sin(angle), length * np.cos(angle)]).ravel()


@pytest.mark.parametrize("size", [1, 2, 4])
def test_the_noise_is_that_of_the_normals(size):
    script = SeededBits(size).read(16 * 2 * size * (size + 1))
    added, taken = normals_of(script).reshape(2, size, size + 1)
    expected = 10**9 / 2 * (added @ added.T - taken @ taken.T)[np.triu_indices(size)]
    bits = ScriptedBits(script)
    assert np.abs(np.array(wishart_difference(size, Fraction(10**9), bits)) - expected).max() < 0.6
    assert bits.used == len(script)


@pytest.mark.parametrize(("more", "expected"), [(bytes(8), 0), (b"\xff" * 8, 1)])
def test_an_open_rounding_draws_more_bits_of_the_same_numbers(more, expected):
    """For size one the noise is scale (log V - log U). The first 128 bits put it on the boundary between 0 and 1."""
    scale, first, angle = Fraction(3), 2**126 + 12345, 2**125 + 77
    with ctx.workprec(600):
        boundary = int((arb(first) * (arb(1) / 6).exp()).floor().unique_fmpz())
    script = b"".join(value.to_bytes(16, "little") for value in (first, angle, boundary, angle))
    bits = ScriptedBits(script + bytes(16) + more + bytes(8))
    assert wishart_difference(1, scale, bits) == [expected]
    assert bits.used == len(bits.script)


def test_a_uniform_number_of_zero_bits_is_refined_until_it_decides():
    script = bytes(16 * 4)
    assert abs(wishart_difference(1, Fraction(2), ScriptedBits(script + SeededBits(1).read(4096)))[0]) < 1000


def test_noise_of_any_size_is_an_integer():
    assert max(abs(value) for value in wishart_difference(2, Fraction(2**200), SeededBits(3))) > 2**190


@pytest.mark.parametrize(("size", "scale"), [(0, Fraction(1)), (2, Fraction(0)), (2, Fraction(-1))])
def test_noise_without_size_or_scale_is_refused(size, scale):
    with pytest.raises(ValueError, match="greater than zero"):
        wishart_difference(size, scale, SeededBits(1))


def test_one_vector_of_box_noise_is_a_row_of_many():
    body = box([Fraction(1), Fraction(2), Fraction(2)])
    many = knorm_noise(body, Fraction(1000), 1, SeededBits(4))
    assert knorm_vector(body, Fraction(1000), SeededBits(4)) == many[0].tolist()
    assert max(abs(value) for value in knorm_vector(body, Fraction(2**100), SeededBits(4))) > 2**90
    with pytest.raises(ValueError, match="greater than zero"):
        knorm_vector(body, Fraction(0), SeededBits(4))
