"""The law of K-norm noise, against closed forms: the rounded law of a coordinate and the Gamma law of the norm."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import gammaincc
from scipy.stats import gamma, kstest
from support.bits import SeededBits
from support.statistics import ALPHA, chi_square_p

from discreet.kernel.bits import OperatingSystemBits
from discreet.kernel.noise import knorm, knorm_rows
from discreet.kernel.noise.knorm import knorm_noise
from discreet.kernel.noise.knorm_bodies import Interval, Product, Sum, box, l1_ball

DRAWS = 5_000


def beyond(distance, dimension, scale):
    """P(|z| > distance) for a coordinate of half width one in a box."""
    x = np.asarray(distance, dtype=float) / scale
    return gammaincc(dimension + 1, x) - x / dimension * gammaincc(dimension, x)


def box_law(dimension, scale, reach):
    """Exact probabilities of the rounded coordinate at -reach .. reach, the tails added to the ends."""
    edges = np.arange(reach + 1) - 0.5
    tail = np.concatenate(([1.0], beyond(edges[1:], dimension, scale), [0.0]))
    sides = tail[:-1] - tail[1:]
    return np.concatenate((sides[:0:-1] / 2, sides[:1], sides[1:] / 2))


def p_value(values, law):
    reach = (len(law) - 1) // 2
    return chi_square_p(np.bincount(np.clip(values, -reach, reach) + reach, minlength=len(law)), law)


def coordinate_p(noise, dimension, scale):
    """The p-value of the first coordinate, whose half width is one."""
    reach = int(6 * scale * (dimension + 1)) + 2
    return p_value(noise[:, 0], box_law(dimension, scale, reach))


CASES = [(1, Fraction(1, 2)), (1, Fraction(7, 3)), (3, Fraction(2)), (5, Fraction(5))]


@pytest.mark.fast("*all at a time", "1-scale0-value by value")
@pytest.mark.parametrize("few", [0, 10**9], ids=["all at a time", "value by value"])
@pytest.mark.parametrize(("dimension", "scale"), CASES)
def test_one_coordinate_has_the_exact_law(monkeypatch, dimension, scale, few):
    monkeypatch.setattr(knorm, "_FEW", few)
    noise = knorm_noise(box([Fraction(1)] * dimension), scale, DRAWS, OperatingSystemBits())
    assert coordinate_p(noise, dimension, float(scale)) > ALPHA


@pytest.mark.fast("1-scale0")
@pytest.mark.parametrize(("dimension", "scale"), CASES[1:3])
def test_a_wrong_shape_or_scale_is_noticed(monkeypatch, dimension, scale):
    """Planted: the scale wrong on both sides, 1 / epsilon for 2 / epsilon, shape m for m + 1, and m + 2."""
    body = box([Fraction(1)] * dimension)
    for factor in (Fraction(1, 2), Fraction(5, 6), Fraction(6, 5)):
        assert coordinate_p(knorm_noise(body, scale * factor, DRAWS, SeededBits(3)), dimension, float(scale)) < ALPHA
    right = knorm.gamma
    for wrong in (-1, 1):
        monkeypatch.setattr(knorm, "_FEW", 10**9)
        monkeypatch.setattr(knorm, "gamma", lambda shape, given, wrong=wrong: right(max(shape + wrong, 1), given))
        monkeypatch.setattr(knorm, "uniforms_of", lambda body: body.dimension + 1)
        assert coordinate_p(knorm_noise(body, scale, DRAWS, SeededBits(4)), dimension, float(scale)) < ALPHA
        monkeypatch.undo()


@pytest.mark.parametrize(("dimension", "scale"), CASES[1:3])
@pytest.mark.parametrize("wrong", [-1, 1])
def test_a_wrong_shape_is_noticed_where_all_coordinates_are_drawn_together(monkeypatch, dimension, scale, wrong):
    """Planted: the radius is a sum of m or of m + 2 exponentials, instead of m + 1."""
    right = knorm_rows._gamma

    def planted(digits):
        total, off = right(digits)
        first = right(digits.split(1)[0])[0]
        return total + wrong * first, off

    monkeypatch.setattr(knorm_rows, "_gamma", planted)
    noise = knorm_noise(box([Fraction(1)] * dimension), scale, DRAWS, SeededBits(4))
    assert coordinate_p(noise, dimension, float(scale)) < ALPHA


def test_rounding_towards_zero_is_noticed():
    """Planted: what truncation of a float would give, from noise on a lattice 1024 times finer."""
    fine = knorm_noise(Interval(Fraction(1024)), Fraction(2), DRAWS, SeededBits(5))
    assert coordinate_p(np.floor(fine / 1024 + 0.5).astype(int), 1, 2.0) > ALPHA
    assert coordinate_p(np.trunc(fine / 1024).astype(int), 1, 2.0) < ALPHA


def test_the_largest_coordinate_of_a_box_has_the_law_of_the_norm():
    """max |round z| <= k exactly if the norm is at most k + 1/2: the joint law, not only the margins."""
    noise = np.abs(knorm_noise(box([Fraction(1)] * 4), Fraction(3), DRAWS, OperatingSystemBits())).max(axis=1)
    edges = gamma.cdf(np.arange(60) + 0.5, 4, scale=3)
    law = np.diff(np.concatenate(([0.0], edges, [1.0])))
    assert chi_square_p(np.bincount(np.minimum(noise, 60), minlength=61), law) > ALPHA
    independent = np.abs(knorm_noise(Interval(), Fraction(3), 4 * DRAWS, SeededBits(2)).reshape(-1, 4)).max(axis=1)
    assert chi_square_p(np.bincount(np.minimum(independent, 60), minlength=61), law) < ALPHA


def test_an_l1_ball_gives_independent_laplace_coordinates():
    scale, reach = 4.0, 60
    noise = knorm_noise(l1_ball(3), Fraction(4), DRAWS, OperatingSystemBits())
    outer = 0.5 * np.exp(-(np.arange(1, reach + 1) - 0.5) / scale)
    sides = outer - np.append(outer[1:], 0.0)
    law = np.concatenate((sides[::-1], [1 - 2 * outer[0]], sides))
    for column in range(3):
        assert p_value(noise[:, column], law) > ALPHA
    sizes = np.corrcoef(np.abs(noise), rowvar=False)[np.triu_indices(3, 1)]
    assert np.abs(sizes).max() < 5 / np.sqrt(DRAWS)
    dependent = knorm_noise(box([Fraction(1)] * 3), Fraction(2), DRAWS, SeededBits(6))
    assert np.abs(np.corrcoef(np.abs(dependent), rowvar=False)[0, 1]) > 5 / np.sqrt(DRAWS)


def test_a_box_with_unequal_half_widths_has_the_exact_law():
    noise = knorm_noise(box([Fraction(1), Fraction(5, 2)]), Fraction(3), DRAWS, OperatingSystemBits())
    assert coordinate_p(noise, 2, 3.0) > ALPHA
    wide = box_law(2, 7.5, 200)
    assert p_value(noise[:, 1], wide) > ALPHA
    assert p_value(noise[:, 0], wide) < ALPHA


def test_the_norm_of_a_nested_body_is_gamma_and_its_point_is_uniform():
    """On a lattice so fine that rounding does not show: the norm has its Gamma law, independent of the direction."""
    body = Product((Sum((box([Fraction(1)] * 2), box([Fraction(1)] * 2))), Sum((l1_ball(2), Interval()))))
    noise = knorm_noise(body, Fraction(2**30), DRAWS, OperatingSystemBits()) / 2**30
    size = np.abs(noise)
    first = size[:, 0:2].max(axis=1) + size[:, 2:4].max(axis=1)
    second = size[:, 4:7].sum(axis=1)
    norm = np.maximum(first, second)
    assert kstest(norm, gamma(7).cdf).pvalue > ALPHA
    assert kstest(norm, gamma(8).cdf).pvalue < ALPHA  # a planted shape
    # In a product of parts of dimension a and b the norm is that of the first part with probability a / (a + b).
    assert abs((first > second).mean() - 4 / 7) < 5 * np.sqrt(12 / 49 / DRAWS)
    # Inside a sum the share of a part of dimension 2 of 4 is Beta(2, 2).
    share = size[:, 0:2].max(axis=1) / first
    assert kstest(share, "beta", args=(2, 2)).pvalue > ALPHA
    assert kstest(share, "beta", args=(3, 3)).pvalue < ALPHA
    assert abs(np.corrcoef(norm, share)[0, 1]) < 5 / np.sqrt(DRAWS)
