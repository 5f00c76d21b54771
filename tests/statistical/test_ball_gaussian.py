"""The law of draws from a Gaussian in a ball, against quadrature in one, two and three dimensions."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from support.bits import SeededBits
from support.statistics import ALPHA, chi_square_p

from discreet.kernel.draws.ball_gaussian import PLACES, BallGaussian, best_tilt

PRECISION = np.array([[12, 4, 1], [4, 8, -2], [1, -2, 6]])
LINEAR = {"inside": np.array([3, -3, 1]), "outside": np.array([15, -2, 7])}
DRAWS = 1500
POINTS, CELLS = {1: 6000, 2: 600, 3: 90}, {1: 40, 2: 12, 3: 6}


def law(size, place, tilt=None):
    precision = [[Fraction(int(entry)) for entry in row[:size]] for row in PRECISION[:size]]
    linear = [Fraction(int(entry)) for entry in LINEAR[place][:size]]
    return BallGaussian(precision, linear, Fraction(1), best_tilt(precision, linear, Fraction(1)) if tilt is None else tilt)


def probabilities(size, place, scale=1.0, extra=0.0):
    """Probability of every cell of a grid over the ball's box, by summing the density over many points in each."""
    points = POINTS[size]
    axis = (np.arange(points) + 0.5) * 2 / points - 1
    grid = np.stack(np.meshgrid(*[axis] * size, indexing="ij"), axis=-1)
    precision = PRECISION[:size, :size] * scale + extra * np.eye(size)
    exponent = grid @ (LINEAR[place][:size] * scale) - 0.5 * np.einsum("...i,ij,...j->...", grid, precision, grid)
    density = np.where((grid**2).sum(axis=-1) <= 1, np.exp(exponent - exponent.max()), 0.0)
    cells, per = CELLS[size], points // CELLS[size]
    summed = density.reshape([part for _ in range(size) for part in (cells, per)]).sum(axis=tuple(range(1, 2 * size, 2)))
    return (summed / summed.sum()).ravel()


@cache
def observed(size, place, tilt=None, seed=7):
    given, bits = law(size, place, tilt), SeededBits(seed)
    draws = np.array([given.draw(bits) for _ in range(DRAWS)]) / 2**PLACES
    places = np.clip(((draws + 1) / 2 * CELLS[size]).astype(int), 0, CELLS[size] - 1)
    return np.bincount(np.ravel_multi_index(places.T, [CELLS[size]] * size), minlength=CELLS[size] ** size)


@pytest.mark.fast("1-*", "2-*")
@pytest.mark.parametrize("place", ["inside", "outside"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_draws_follow_the_law_of_quadrature(size, place):
    counts = observed(size, place)
    assert chi_square_p(counts, probabilities(size, place)) > ALPHA
    assert chi_square_p(counts, probabilities(size, place, scale=1.5)) < ALPHA
    assert chi_square_p(counts, probabilities(size, place, scale=1 / 1.5)) < ALPHA


@pytest.mark.fast("tilt1")
@pytest.mark.parametrize("tilt", [Fraction(3), Fraction(12)])
def test_the_tilt_does_not_change_the_law(tilt):
    counts = observed(2, "outside", tilt)
    assert chi_square_p(counts, probabilities(2, "outside")) > ALPHA
    # Had the acceptance not undone the tilt, this would be the law.
    assert chi_square_p(counts, probabilities(2, "outside", extra=float(tilt))) < ALPHA
