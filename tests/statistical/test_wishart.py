"""The law of the difference of two Wishart matrices, against closed forms."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest, kstest
from support.bits import SeededBits
from support.statistics import ALPHA, chi_square_p

from discreet.kernel.bits import OperatingSystemBits
from discreet.kernel.noise.wishart import wishart_difference

DRAWS = 2_500
FINE = Fraction(2**30)
"""A lattice so fine that rounding does not show."""


def matrices(size, count, bits, scale=FINE):
    """Draws as symmetric matrices, in units of FINE."""
    rows, columns = np.triu_indices(size)
    drawn = np.zeros((count, size, size))
    drawn[:, rows, columns] = [wishart_difference(size, scale, bits) for _ in range(count)]
    drawn[:, columns, rows] = drawn[:, rows, columns]
    return drawn / float(FINE)


def rounded_laplace_p(values, scale):
    reach = int(8 * scale) + 1
    outer = 0.5 * np.exp(-(np.arange(1, reach + 1) - 0.5) / float(scale))
    sides = outer - np.append(outer[1:], 0.0)
    law = np.concatenate((sides[::-1], [1 - 2 * outer[0]], sides))
    return chi_square_p(np.bincount(np.clip(values, -reach, reach) + reach, minlength=len(law)), law)


def test_noise_of_one_coordinate_is_laplace():
    scale = Fraction(7, 3)
    values = np.array([wishart_difference(1, scale, OperatingSystemBits())[0] for _ in range(DRAWS)])
    assert rounded_laplace_p(values, scale) > ALPHA


@pytest.mark.parametrize("factor", [Fraction(6, 7), Fraction(7, 6)])
def test_a_wrong_scale_is_noticed_on_both_sides(factor):
    scale = Fraction(7, 3)
    values = np.array([wishart_difference(1, scale * factor, SeededBits(2))[0] for _ in range(DRAWS)])
    assert rounded_laplace_p(values, scale) < ALPHA


def size_of_difference(x):
    """Distribution function of |G - H| for independent Gamma variables of shape two."""
    return 1 - (2 + x) * np.exp(-x) / 2


def direction_ps(drawn):
    """p-values of |a'(P - Q)a| for unit vectors a: in three dimensions a difference of Gammas of shape two."""
    directions = np.array([[1.0, 0, 0], [0, 0, 1], [0.6, 0.8, 0], [0, 0.6, -0.8], [2 / 3, 2 / 3, 1 / 3]])
    return [kstest(np.abs(np.einsum("i,nij,j->n", a, drawn, a)), size_of_difference).pvalue for a in directions]


def test_directions_have_the_exact_law():
    drawn = matrices(3, DRAWS, OperatingSystemBits())
    assert min(direction_ps(drawn)) > ALPHA
    signs = (np.einsum("nii->ni", drawn) > 0).sum(axis=0)
    assert min(binomtest(int(count), DRAWS, 0.5).pvalue for count in signs) > ALPHA
    off = np.corrcoef(drawn[:, *np.triu_indices(3)], rowvar=False)[np.triu_indices(6, 1)]
    assert np.abs(off).max() < 6 / np.sqrt(DRAWS)


@pytest.mark.parametrize("columns", [3, 5])
def test_wrong_degrees_of_freedom_would_be_noticed(columns):
    """Planted, in floating point: one normal vector too few, and one too many."""
    generator = np.random.default_rng(5)
    added, taken = generator.standard_normal((2, DRAWS, 3, columns))
    wrong = (added @ added.transpose(0, 2, 1) - taken @ taken.transpose(0, 2, 1)) / 2
    assert max(direction_ps(wrong)) < ALPHA


@pytest.mark.fast("factor0")
@pytest.mark.parametrize("factor", [Fraction(6, 7), Fraction(7, 6)])
def test_directions_show_a_wrong_scale(factor):
    assert min(direction_ps(matrices(3, DRAWS, SeededBits(6), FINE * factor))) < ALPHA


def test_the_noise_is_positive_definite_with_the_exact_probability():
    """The density is proportional to exp(-trace) on positive matrices, so the probability is 2^-k, k = size (size + 1) / 2."""
    for size, probability in ((1, 1 / 2), (2, 1 / 8)):
        signs = np.linalg.eigvalsh(matrices(size, DRAWS, OperatingSystemBits()))
        for positive in (signs[:, 0] > 0, signs[:, -1] < 0):
            assert binomtest(int(positive.sum()), DRAWS, probability).pvalue > ALPHA
