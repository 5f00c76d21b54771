"""Draws of cut Beta variables follow their law, and the ways in which a sampler goes wrong are noticed."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta
from support.bits import SeededBits
from support.statistics import ALPHA, chi_square_p

from discreet.kernel.bits import OperatingSystemBits
from discreet.kernel.draws.truncated_beta import GRID, truncated_beta

CASES = [(Fraction(3), Fraction(5), 0.05), (Fraction(1), Fraction(51), 0.1), (Fraction(1, 2), Fraction(4, 3), 0.0)]
DRAWS, BINS = 400, 16


def shares(draws, first, second, floor):
    """How many draws fall between successive quantiles of the law; equal shares are expected."""
    untruncated = beta(float(first), float(second))
    low, high = untruncated.cdf(floor), untruncated.cdf(1 - floor)
    places = (untruncated.cdf(np.asarray(draws) / GRID) - low) / (high - low)
    return np.bincount(np.clip((places * BINS).astype(int), 0, BINS - 1), minlength=BINS)


def p_value(draws, case):
    return chi_square_p(shares(draws, *case), np.full(BINS, 1 / BINS))


def drawn(first, second, floor, bits, count=DRAWS):
    return [truncated_beta(first, second, int(floor * GRID), bits) for _ in range(count)]


@pytest.mark.fast("*51*", "*Fraction(3, 1)*")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_draws_follow_the_law(case):
    assert p_value(drawn(*case, OperatingSystemBits()), case) > ALPHA


def test_shapes_that_are_wrong_by_a_third_are_noticed_on_both_sides():
    case = CASES[0]
    for factor in (Fraction(2, 3), Fraction(3, 2)):
        wrong = (case[0] * factor, case[1] / factor, case[2])
        assert p_value(drawn(*wrong, SeededBits(2)), case) < ALPHA


def test_a_floor_that_is_not_applied_is_noticed():
    case = CASES[1]
    assert p_value(drawn(case[0], case[1], 0.0, SeededBits(3)), case) < ALPHA


def test_inverting_the_distribution_function_in_floating_point_would_fail():
    """None of a thousand cases, floor 0.4926: doubles see no mass at all, and would put every draw on the boundary."""
    untruncated = beta(1, 1001)
    assert untruncated.cdf(0.4926) == untruncated.cdf(1 - 0.4926) == 1.0
    floor = int(0.4926 * GRID)
    exact = np.array([truncated_beta(Fraction(1), Fraction(1001), floor, SeededBits(seed)) for seed in range(200)])
    # In the window the density falls as (1 - x)^1000: distances from the floor are nearly exponential with mean 0.000507.
    distances = (exact - floor) / GRID
    assert distances.mean() == pytest.approx(0.5074 / 1000, rel=0.4)
    assert len(set(exact.tolist())) == 200
