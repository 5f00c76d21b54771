"""The density of moments with a learned prior: its slopes, its law by quadrature, and chains that are not caught."""

import numpy as np
import pytest
from scipy.special import logsumexp

from discreet.chains import learned_moments
from discreet.chains.diagnostics import diagnose
from discreet.chains.hamiltonian import Walk, climb
from discreet.chains.learned_moments import INTERCEPT_PRECISION, SLOPE_WIDTH, LearnedMoments
from discreet.chains.moment_law import NOISE_RATE, NOISE_SHAPE, MomentLaw
from discreet.model.linear import SLOPE_SCALE


def learned(rows=300, spread=30.0, intercept=True, own_rows=0, seed=1, size=4):
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
    return LearnedMoments(
        MomentLaw(u[:rows].T @ u[:rows] + noise, variances, rows, intercept, u[rows:].T @ u[rows:], own_rows)
    )


@pytest.mark.parametrize("spread", [1.0, 300.0])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("own_rows", [0, 20])
@pytest.mark.parametrize("small", [0.0, -2.0])
def test_the_gradient_is_that_of_the_density(spread, intercept, own_rows, small):
    found = learned(spread=spread, intercept=intercept, own_rows=own_rows)
    point = 0.1 * np.random.default_rng(2).standard_normal(found.dimension)
    point[-1] += small
    steps = 1e-6 * np.eye(found.dimension)
    slopes = (found.density(point + steps)[0] - found.density(point - steps)[0]) / 2e-6
    assert np.allclose(found.density(point[None])[1][0], slopes, rtol=1e-5, atol=1e-3)


def log_joint(law, moments, weights, variance, log_scale):
    """Written out again: noise, b and c given A, features, weights, noise variance, size of slopes; no weight integrated."""
    rows, count = law.rows, len(weights)
    features, cross, square = moments[:-1, :-1], moments[:-1, -1], moments[-1, -1]
    residual = square - cross @ np.linalg.solve(features, cross)
    places = np.tril_indices(len(moments))
    errors, variances = (law.noisy - moments)[places], law.variances[places]
    total = -0.5 * np.sum(errors[variances > 0] ** 2 / variances[variances > 0])
    total += -0.5 * np.linalg.slogdet(features)[1] + ((rows - count) / 2 - 1) * np.log(residual)
    total -= rows / 2 * np.log(variance) + (square - 2 * cross @ weights + weights @ features @ weights) / (2 * variance)
    total -= (NOISE_SHAPE + 1) * np.log(variance) + NOISE_RATE / variance
    covariance = features[1:, 1:] / rows - np.outer(features[0, 1:], features[0, 1:]) / rows**2
    spread = np.sqrt(np.diag(covariance))
    slopes = count - 1
    # A covariance matrix is worth the product of the variances to (slopes - 1) / 2 of its correlations.
    total += log_correlation_law(covariance / np.outer(spread, spread)) - (slopes - 1) * np.log(spread).sum()
    scale = SLOPE_SCALE / np.sqrt(slopes) * np.exp(log_scale)
    total -= INTERCEPT_PRECISION * weights[0] ** 2 / 2 + np.sum((weights[1:] / scale) ** 2) / 2 + slopes * np.log(scale)
    return total + log_scale_law(log_scale)


def log_correlation_law(correlations):
    """As Barnard, McCulloch and Meng (2000) have it, by minors without one row and column each."""
    size = len(correlations)
    freedom = size + 3
    minors = [np.delete(np.delete(correlations, place, 0), place, 1) for place in range(size)]
    total = ((freedom - 1) * (size - 1) / 2 - 1) * np.linalg.slogdet(correlations)[1]
    return total - freedom / 2 * sum(np.linalg.slogdet(minor)[1] for minor in minors)


def log_scale_law(log_scale):
    """Normal, and beyond one width to the left the straight line that goes on from there."""
    widths = log_scale / SLOPE_WIDTH
    return np.where(widths > -1, -(widths**2) / 2, 1 / 2 + widths)


def test_the_density_is_the_joint_law_with_the_weights_integrated_out():
    """p(T, v, tau) = p(T, v, tau, w) / p(w | T, v, tau) for whatever w; a wrong power would show between points."""
    found = learned()
    generator = np.random.default_rng(4)
    differences = []
    for _ in range(5):
        point = 0.2 * generator.standard_normal(found.dimension)
        point[-1] *= 8  # also where the tail of the law of tau begins
        root, law = found._root(point[None])[0], found.weights(point[None])
        weights = law.mean[0] + 0.05 * generator.standard_normal(len(law.mean[0]))
        away = weights - law.mean[0]
        given = -0.5 * (away @ np.linalg.solve(law.covariance[0], away) + np.linalg.slogdet(law.covariance[0])[1])
        joint = log_joint(found.law, root @ root.T, weights, law.variance[0], point[-1]) + np.log(law.variance[0])
        size = len(root)
        change = sum((size - place) * np.log(root[place, place]) for place in range(1, size))  # L instead of T
        logs = found._logs(point[None])[0]
        change += sum((place + 1) * log for place, log in enumerate(logs[:-1])) + logs[-1]  # factors of rows instead of L
        change += (size - 2) * found._row_width(point[-1:])[0][0]
        differences.append(found.density(point[None])[0][0] - (joint - given + change))
    assert np.ptp(differences) < 1e-6


def test_one_slope_without_noise_follows_its_law_by_quadrature():
    """Moments all but known, no intercept, one feature: slope, noise variance and tau on a grid."""
    rows, spread = 12, 1e-3
    generator = np.random.default_rng(3)
    x = generator.uniform(-1, 1, rows)
    y = 0.3 * x + 0.2 * generator.standard_normal(rows)
    u = np.column_stack([x, y])
    found = LearnedMoments(MomentLaw(u.T @ u, np.full((2, 2), spread**2), rows, False, np.zeros((2, 2)), 0))
    hill = climb(found)
    walk = Walk(hill, 16, np.random.default_rng(1))
    walk.settle(30)
    law = hill.landscape.weights(walk.rounds(200).reshape(-1, found.dimension))
    slope, log_variance, log_scale = np.meshgrid(
        np.linspace(-1.5, 1.5, 101), np.linspace(-6, 1, 50), np.linspace(-8, 2.5, 80), indexing="ij"
    )
    variance, scale = np.exp(log_variance), SLOPE_SCALE * np.exp(log_scale)
    misses = np.sum((y - slope[..., None] * x) ** 2, axis=-1)
    height = -(rows / 2 + NOISE_SHAPE) * log_variance - (NOISE_RATE + misses / 2) / variance
    height += -((slope / scale) ** 2) / 2 - np.log(scale) + log_scale_law(log_scale)
    weight = np.exp(height - logsumexp(height))
    mean = np.sum(weight * slope)
    deviation = np.sqrt(np.sum(weight * (slope - mean) ** 2))
    found_deviation = np.sqrt(law.mean[:, 0].var() + law.covariance[:, 0, 0].mean())
    assert abs(law.mean[:, 0].mean() - mean) < 0.05 * deviation
    assert found_deviation == pytest.approx(deviation, rel=0.05)
    learned_scale = -law.watched[:, 1] / 2 - np.log(SLOPE_SCALE)  # from the logarithm of the precision
    assert learned_scale.mean() == pytest.approx(np.sum(weight * log_scale), abs=0.07)


def scale_r_hat(landscape):
    hill = climb(landscape)
    walk = Walk(hill, 16, np.random.default_rng(1))
    walk.settle(25)
    places = walk.rounds(128)
    law = hill.landscape.weights(places.reshape(-1, landscape.dimension))
    root = hill.landscape._root(places.reshape(-1, landscape.dimension))
    assert np.allclose(root[:, 0, 0] ** 2, 1000)  # the number of records is known
    return diagnose(law.watched.reshape(128, 16, 2)[:, :, 1:]).r_hat


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "wrong"), [(1.0, (1.0, 0.0, 0.0)), (300.0, (0.0, 1.0, 1.0))])
def test_chains_agree_on_the_size_of_the_slopes_with_little_noise_and_with_much(spread, wrong, monkeypatch):
    """Planted: a last row that scales with the slopes though data show it, or that does not though noise hides it."""
    assert scale_r_hat(learned(rows=1000, spread=spread, size=8)) < 1.1
    monkeypatch.setattr(LearnedMoments, "_measure_room", lambda _: wrong)
    assert scale_r_hat(learned(rows=1000, spread=spread, size=8)) > 1.15


@pytest.mark.slow
@pytest.mark.parametrize("features", [2, 5])
def test_correlations_that_noise_hides_may_be_large_however_many_features_there_are(features):
    """The density 1 - r^2 has a mean square of 1/5. |R|^2 had 1/7 with two features and 1/10 with five, and ever less with
    more, so that noise about differences between features that are all but the same was taken for knowledge."""
    rows, size = 1000, features + 2
    variances = np.full((size, size), 1e8)
    noisy = rows * np.diag([1.0, *[0.3] * (size - 1)])
    variances[0, 0], variances[0, 1:], variances[1:, 0] = 0, 1, 1
    hill = climb(LearnedMoments(MomentLaw(noisy, variances, rows, True, np.zeros((size, size)), 0)))
    walk = Walk(hill, 16, np.random.default_rng(1))
    walk.settle(25)
    walk.rounds(200)
    root = hill.landscape._root(walk.rounds(400).reshape(-1, hill.landscape.dimension))[:, 1:-1, 1:-1]
    root /= np.sqrt(np.sum(root**2, axis=2))[:, :, None]
    rows, columns = np.triu_indices(features, 1)
    correlations = (root @ root.transpose(0, 2, 1))[:, rows, columns]
    assert np.mean(correlations**2) == pytest.approx(1 / 5, abs=0.04)


def test_points_beyond_reason_have_no_density():
    found = learned()
    points = np.zeros((2, found.dimension))
    points[1, 0] = 1e6
    values, _ = found.density(points)
    assert np.isfinite(values[0])
    assert values[1] == -np.inf


def typical_scale():
    """The posterior median of tau sqrt(d) for a target that no feature has to do with, and noise that does not hide it."""
    rows, size = 20_000, 8
    generator = np.random.default_rng(3)
    u = generator.uniform(-1, 1, (rows, size))
    u[:, 0], u[:, -1] = 1, 0.3 + 0.1 * generator.standard_normal(rows)
    variances = np.full((size, size), 20.0**2)
    variances[0, 0] = 0
    noise = np.tril(20 * generator.standard_normal((size, size)))
    noise += np.tril(noise, -1).T
    noise[0, 0] = 0
    hill = climb(LearnedMoments(MomentLaw(u.T @ u + noise, variances, rows, True, np.zeros((size, size)), 0)))
    walk = Walk(hill, 16, np.random.default_rng(1))
    walk.settle(25)
    law = hill.landscape.weights(walk.rounds(128).reshape(-1, hill.landscape.dimension))
    return np.sqrt(6) * np.median(np.exp(-law.watched[:, 1] / 2))


@pytest.mark.slow
def test_slopes_that_are_not_there_are_found_to_be_next_to_nothing(monkeypatch):
    """Planted: a scale that is normal on both sides, which does not let go of slopes of some size."""
    found = typical_scale()
    monkeypatch.setattr(learned_moments, "_scale_law", lambda scale: (-((scale / 0.7) ** 2) / 2, -scale / 0.7**2))
    stiff = typical_scale()
    assert found < 0.5 * stiff
