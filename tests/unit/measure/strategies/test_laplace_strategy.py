import math
from fractions import Fraction

import pytest

from discreet import naive_bayes
from discreet.measure.laws import noise_variance
from discreet.measure.strategies.laplace import expected_absolute_noise, largest_noise
from discreet.theorems.printed.noise import printed_proposition_1

SCALES = [Fraction(1, 2), Fraction(1), Fraction(16), Fraction(37, 3), Fraction(74)]


def mass(scale, value):
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** abs(value)


@pytest.mark.parametrize("scale", SCALES)
def test_moments_equal_sums_over_the_law(scale):
    reach = range(-int(60 * scale) - 10, int(60 * scale) + 11)
    assert expected_absolute_noise(scale) == pytest.approx(sum(abs(k) * mass(scale, k) for k in reach), rel=1e-9)
    assert noise_variance(scale) == pytest.approx(sum(k * k * mass(scale, k) for k in reach), rel=1e-9)


def test_noise_vanishes_at_tiny_scales_without_overflow():
    assert expected_absolute_noise(Fraction(1, 10**6)) == 0
    assert noise_variance(Fraction(1, 10**6)) == 0


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("cells", [1, 36, 752])
@pytest.mark.parametrize("interval", [0.5, 0.95, 0.999])
def test_the_bound_holds_and_one_less_does_not(scale, cells, interval):
    def all_within(z):
        return (1 - 2 * math.exp(-(z + 1) / scale) / (1 + math.exp(-1 / scale))) ** cells

    z = largest_noise(scale, cells, interval)
    assert all_within(z) >= interval
    assert z == 0 or all_within(z - 1) < interval


@pytest.mark.parametrize("scale", SCALES)
def test_the_exact_bound_is_below_the_papers(scale):
    for cells in (36, 752):
        papers = float(scale) * math.log(cells / 0.05)  # a union bound over continuous noise
        assert largest_noise(scale, cells, 0.95) <= math.ceil(papers)


def test_the_papers_first_experiment_has_noise_of_scale_34():
    """Naive Bayes with 16 features, epsilon 1: 66 counts. The discrete bound is within one of the continuous exact one."""
    network = naive_bayes("y", [f"x{place}" for place in range(16)])
    assert printed_proposition_1(network, Fraction(1), 0.05).value == pytest.approx(244.303, abs=0.001)
    continuous = -34 * math.log(1 - 0.95 ** (1 / 66))
    assert abs(largest_noise(Fraction(34), 66, 0.95) - continuous) <= 1
