import numpy as np
import pytest

from discreet.chains.hamiltonian import Walk, climb
from discreet.chains.latent_moments import LatentMoments
from discreet.chains.moment_law import NOISE_RATE, NOISE_SHAPE, MomentLaw


def latent(rows=300, spread=30.0, variance=None, intercept=True, own_rows=0, seed=1, size=4):
    generator = np.random.default_rng(seed)
    u = generator.uniform(-1, 1, (rows + own_rows, size))
    if intercept:
        u[:, 0] = 1
    u[:, -1] = 0.5 * u[:, -2] + 0.1 * generator.standard_normal(rows + own_rows)
    noise = np.tril(generator.standard_normal((size, size)) * spread)
    noise += np.tril(noise, -1).T
    variances = np.full((size, size), spread**2)
    if intercept:
        noise[0, 0] = variances[0, 0] = 0
    noisy = u[:rows].T @ u[:rows] + noise
    law = MomentLaw(noisy, variances, rows, intercept, u[rows:].T @ u[rows:], own_rows)
    return LatentMoments(law, np.full(size - 1, 2.0), variance)


@pytest.mark.parametrize("variance", [None, 0.02])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("own_rows", [0, 20])
def test_the_gradient_is_that_of_the_density(variance, intercept, own_rows):
    found = latent(variance=variance, intercept=intercept, own_rows=own_rows)
    point = 0.1 * np.random.default_rng(2).standard_normal(found.dimension)
    steps = 1e-6 * np.eye(found.dimension)
    slopes = (found.density(point + steps)[0] - found.density(point - steps)[0]) / 2e-6
    assert np.allclose(found.density(point[None])[1][0], slopes, rtol=1e-5, atol=1e-4)


def log_joint(found, moments, weights, variance):
    """Written out again: noise, the exact law of b and c given A, the priors. Without the integral over the weights."""
    rows, count = found.law.rows, len(found.precisions)
    features, cross, square = moments[:-1, :-1], moments[:-1, -1], moments[-1, -1]
    residual = square - cross @ np.linalg.solve(features, cross)
    places = np.tril_indices(len(moments))
    errors, variances = (found.law.noisy - moments)[places], found.law.variances[places]
    total = -0.5 * np.sum(errors[variances > 0] ** 2 / variances[variances > 0])
    total += (2 - 0.5) * np.linalg.slogdet(features)[1] + ((rows - count) / 2 - 1) * np.log(residual)
    total -= rows / 2 * np.log(variance) + (square - 2 * cross @ weights + weights @ features @ weights) / (2 * variance)
    total -= weights**2 @ found.precisions / 2 + (NOISE_SHAPE + 1) * np.log(variance) + NOISE_RATE / variance
    return total


def test_the_density_is_the_joint_law_with_the_weights_integrated_out():
    """p(T, v) = p(T, v, w) / p(w | T, v), for whatever w; a wrong power or determinant would show between points."""
    found = latent()
    generator = np.random.default_rng(4)
    differences = []
    for _ in range(4):
        point = 0.2 * generator.standard_normal(found.dimension)
        root, moments = (part[0] for part in found._moments(point[None]))
        law = found.weights(point[None])
        weights = law.mean[0] + 0.05 * generator.standard_normal(len(law.mean[0]))
        away = weights - law.mean[0]
        given = -0.5 * (away @ np.linalg.solve(law.covariance[0], away) + np.linalg.slogdet(law.covariance[0])[1])
        size = len(moments)
        # Coordinates instead of T: powers of the diagonal of M, and v instead of log v.
        change = sum((size - place + 1) * np.log(root[place, place] / found.base[place, place]) for place in range(1, size))
        joint = log_joint(found, moments, weights, law.variance[0]) + np.log(law.variance[0])
        differences.append(found.density(point[None])[0][0] - (joint - given + change))
    assert np.ptp(differences) < 1e-6


@pytest.mark.parametrize("spread", [1.0, 300.0])
def test_moments_stay_positive_definite_whatever_the_noise_did(spread):
    found = latent(rows=100, spread=spread, seed=5)
    assert (np.linalg.eigvalsh(found.law.noisy)[0] < 0) == (spread > 100)
    hill = climb(found)
    walk = Walk(hill, 8, np.random.default_rng(1))
    walk.settle(20)
    places = walk.rounds(20).reshape(-1, found.dimension)
    _, moments = hill.landscape._moments(places)
    assert np.linalg.eigvalsh(moments).min() > 0
    assert np.allclose(moments[:, 0, 0], 100)  # the number of records is known


def test_points_beyond_reason_have_no_density():
    found = latent()
    points = np.zeros((2, found.dimension))
    points[1, 0] = 1e6
    values, _ = found.density(points)
    assert np.isfinite(values[0])
    assert values[1] == -np.inf


def test_the_sampler_finds_a_law_that_is_known():
    """Without an intercept, features or much data: a Gaussian landscape of unequal widths, by quadrature of nothing."""

    class Gaussian:
        dimension = 3
        widths = np.array([0.1, 1.0, 3.0])
        centre = np.array([0.3, -0.2, 0.5])

        def density(self, points):
            away = (points - self.centre) / self.widths
            return -np.sum(away**2, axis=1) / 2, -away / self.widths

        def move(self, point):
            return self, point

    walk = Walk(climb(Gaussian()), 16, np.random.default_rng(3))
    walk.settle(40)
    draws = walk.rounds(300).reshape(-1, 3)
    assert np.abs((draws.mean(axis=0) - Gaussian.centre) / Gaussian.widths).max() < 0.1
    assert np.abs(draws.std(axis=0) / Gaussian.widths - 1).max() < 0.06
