from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm
from support.bits import ScriptedBits, SeededBits
from support.statistics import ALPHA, chi_square_p

from discreet.kernel.bits import OperatingSystemBits
from discreet.kernel.noise.gaussian import rounded_gaussian

DRAWS = 8_000
VARIANCES = [Fraction(1, 4), Fraction(2), Fraction(1000, 7)]


def p_value(values, variance):
    deviation = float(variance) ** 0.5
    reach = int(6 * deviation) + 2
    edges = norm.cdf((np.arange(-reach, reach + 2) - 0.5) / deviation)
    edges[0], edges[-1] = 0.0, 1.0
    return chi_square_p(np.bincount(np.clip(values, -reach, reach) + reach, minlength=2 * reach + 1), np.diff(edges))


@pytest.mark.parametrize("variance", VARIANCES)
def test_draws_follow_the_exact_law(variance):
    assert p_value(np.array(rounded_gaussian([variance] * DRAWS, OperatingSystemBits())), variance) > ALPHA


@pytest.mark.parametrize("factor", [Fraction(8, 10), Fraction(12, 10)])
@pytest.mark.parametrize("variance", VARIANCES[1:])
def test_a_variance_wrong_by_a_fifth_is_noticed_on_both_sides(variance, factor):
    assert p_value(np.array(rounded_gaussian([variance * factor] * DRAWS, SeededBits(3))), variance) < ALPHA


def test_every_coordinate_has_its_own_variance():
    drawn = np.array(rounded_gaussian([Fraction(4), Fraction(400)] * (DRAWS // 2), OperatingSystemBits()))
    assert p_value(drawn[::2], Fraction(4)) > ALPHA
    assert p_value(drawn[1::2], Fraction(400)) > ALPHA
    assert p_value(drawn[1::2], Fraction(4)) < ALPHA
    assert abs(np.corrcoef(drawn[::2], drawn[1::2])[0, 1]) < 6 / np.sqrt(DRAWS / 2)


def test_two_coordinates_come_from_two_uniform_numbers():
    script = SeededBits(9).read(32)
    bits = ScriptedBits(script)
    drawn = rounded_gaussian([Fraction(10**18)] * 2, bits)
    first, second = (int.from_bytes(script[at : at + 16], "little") / 2**128 for at in (0, 16))
    length = np.sqrt(-2 * np.log(first))
    assert np.allclose(drawn, 10**9 * length * np.array([np.sin(2 * np.pi * second), np.cos(2 * np.pi * second)]), rtol=1e-9)
    assert bits.used == 32


@pytest.mark.parametrize("variances", [[], [Fraction(1), Fraction(0)]])
def test_noise_without_a_variance_is_refused(variances):
    with pytest.raises(ValueError, match="greater than zero"):
        rounded_gaussian(variances, SeededBits(1))
