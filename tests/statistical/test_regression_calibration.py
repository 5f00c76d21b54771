"""Data sets drawn from the model itself, all of it: where the truth lies among the draws of a posterior is then even.

Features, slopes, their size, the noise of the target, moments and noise of the release come from the laws that
``chains/learned_moments.py`` states, written out again here, each by a way of its own. A sampler that does not converge, a
wrong Jacobian or a prior other than stated would show.
"""

import numpy as np
import pytest
from scipy.stats import kstest
from support.statistics import ALPHA

from discreet.chains.hamiltonian import Walk, climb
from discreet.chains.learned_moments import SLOPE_WIDTH, LearnedMoments
from discreet.chains.moment_law import NOISE_RATE, MomentLaw
from discreet.model.linear import SLOPE_SCALE

FEATURES, ROWS, BLUR = 5, 400, 0.05
QUANTITIES = ("a slope", "the size of slopes", "the noise of the target", "a correlation")


def is_kept(generator, square):
    """Squares beyond one are ever less likely."""
    return generator.random() < np.exp(-((max(square - 1, 0) / BLUR) ** 2) / 2)


def draw_moments_of_features(generator):
    """Means and variances even over the bounds; correlations of an inverse Wishart matrix."""
    pairs = []
    while len(pairs) < FEATURES:
        mean, variance = generator.uniform(-1.2, 1.2), generator.uniform(0, 1.5)
        if is_kept(generator, mean**2 + variance):
            pairs.append((mean, variance))
    means, variances = np.array(pairs).T
    normals = generator.standard_normal((FEATURES, FEATURES + 3))
    drawn = np.linalg.inv(normals @ normals.T)
    scale = np.sqrt(variances / np.diag(drawn))
    moments = np.empty((FEATURES + 1, FEATURES + 1))
    moments[0, 0], moments[0, 1:], moments[1:, 0] = 1, means, means
    moments[1:, 1:] = drawn * np.outer(scale, scale) + np.outer(means, means)
    return ROWS * moments, drawn[0, 1] / np.sqrt(drawn[0, 0] * drawn[1, 1])


def draw_scale(generator):
    """log tau less its centre, by turning its distribution function around on a grid."""
    grid = SLOPE_WIDTH * np.linspace(-40, 8, 200_001)
    widths = grid / SLOPE_WIDTH
    mass = np.cumsum(np.exp(np.where(widths > -1, -(widths**2) / 2, 1 / 2 + widths)))
    return float(np.interp(generator.random() * mass[-1], mass, grid))


def draw_truth(generator):
    """Moments of all columns, and what a posterior is asked for."""
    while True:
        features, correlation = draw_moments_of_features(generator)
        scale, variance = draw_scale(generator), NOISE_RATE / generator.standard_exponential()
        weights = generator.standard_normal(FEATURES + 1)
        weights[1:] *= SLOPE_SCALE / np.sqrt(FEATURES) * np.exp(scale)
        root = np.linalg.cholesky(features)
        turned = root.T @ weights + np.sqrt(variance) * generator.standard_normal(FEATURES + 1)
        square = turned @ turned + variance * generator.chisquare(ROWS - FEATURES - 1)
        if is_kept(generator, square / ROWS):
            cross = root @ turned
            moments = np.block([[features, cross[:, None]], [cross[None], np.array([[square]])]])
            return moments, np.array([weights[1], scale, np.log(variance), correlation])


def draw_posterior(generator, moments, spread):
    """Draws of the same quantities given noisy moments."""
    noise = np.tril(spread * generator.standard_normal(moments.shape))
    noise += np.tril(noise, -1).T
    variances = np.full(moments.shape, spread**2)
    noise[0, 0] = variances[0, 0] = 0
    hill = climb(LearnedMoments(MomentLaw(moments + noise, variances, ROWS, True, np.zeros_like(moments), 0)))
    walk = Walk(hill, 16, generator)
    walk.settle(25)
    places = walk.rounds(96).reshape(-1, hill.landscape.dimension)
    law, root = hill.landscape.weights(places), hill.landscape._root(places)[:, 1:-1, 1:-1]
    slope = law.mean[:, 1] + np.sqrt(law.covariance[:, 1, 1]) * generator.standard_normal(len(places))
    correlation = np.sum(root[:, 0] * root[:, 1], axis=1) / np.sqrt(np.prod(np.sum(root[:, :2] ** 2, axis=2), axis=1))
    return np.column_stack([slope, places[:, -1], np.log(law.variance), correlation])


def places_of_truths(spread, repeats, seed):
    """The share of draws below the truth: data sets x quantities."""
    found = []
    for number in range(repeats):
        generator = np.random.default_rng([seed, number])
        moments, truth = draw_truth(generator)
        found.append(np.mean(draw_posterior(generator, moments, spread) < truth, axis=0))
    return np.array(found)


def p_values(places):
    """Of places that are not even, or not so once folded about the middle: a posterior that is too narrow or too wide."""
    folded = np.abs(2 * places - 1)
    pairs = zip(QUANTITIES, places.T, folded.T, strict=True)
    return {name: min(kstest(each, "uniform").pvalue for each in both) for name, *both in pairs}


@pytest.mark.slow
@pytest.mark.parametrize("spread", [3.0, 30.0, 200.0])
def test_truths_lie_evenly_among_the_draws(spread):
    """Noise that hides little, that hides differences between features, and that hides nearly all."""
    found = p_values(places_of_truths(spread, 80, 1))
    assert min(found.values()) > ALPHA, found


@pytest.mark.slow
def test_another_prior_of_correlations_would_be_noticed(monkeypatch):
    """Planted: the density |R|^8, which draws correlations to nothing."""
    true_start = LearnedMoments.__post_init__

    def start(self):
        true_start(self)
        self._powers[:-1] += 2 * 8 + 2 * self._slopes + 4

    def law(self, root):
        rows = root[:, self._first : -1, self._first : -1]
        squares, power = np.sum(rows**2, axis=2), -8 - (self._slopes - 1) / 2
        return power * np.log(squares).sum(axis=1), 2 * power * rows / squares[:, :, None]

    monkeypatch.setattr(LearnedMoments, "__post_init__", start)
    monkeypatch.setattr(LearnedMoments, "_feature_law", law)
    assert p_values(places_of_truths(200.0, 60, 2))["a correlation"] < ALPHA
