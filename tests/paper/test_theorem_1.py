"""Theorem 1, corrected: each bound holds at its stated probability, and a bound cut in half would be noticed."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, binom
from support.bits import SeededBits
from support.statistics import ALPHA

from discreet.errors import ModelError
from discreet.kernel.noise.laplace import discrete_laplace
from discreet.measure.strategies.laplace import largest_noise
from discreet.theorems.of_true_counts import (
    asymptotic_divergence,
    beta_divergence,
    divergence_bound,
    divergence_quantile,
    divergence_within,
    expected_clamped_count,
    expected_divergence,
    expected_divergence_bound,
    largest_divergence,
)

PRIOR = (2.0, 2.0)
NAIVE_BAYES = np.array([[25, 25], *[[13, 12]] * 32])  # 16 features, 50 records: m = 1 + 32 pairs of counts


def simulated(counts, scale, rows, repeats, seed, prior=PRIOR):
    """Divergences of released posteriors, with the noise of the kernel."""
    exact = np.atleast_2d(counts)
    noise = discrete_laplace(scale, repeats * exact.size, SeededBits(seed)).reshape(repeats, *exact.shape)
    true, released = np.add(prior, exact), np.add(prior, np.clip(exact + noise, 0, rows))
    return beta_divergence(true[:, 0], true[:, 1], released[..., 0], released[..., 1]).sum(axis=1)


def law(count, scale, rows):
    """Probabilities of a noisy count clamped to 0..rows, added up naively over the noise."""
    reach = int(45 * scale) + rows + 2
    noise = np.arange(-reach, reach + 1)
    q = np.exp(-1 / float(scale))
    weights = (1 - q) / (1 + q) * q ** np.abs(noise)
    return np.bincount(np.clip(count + noise, 0, rows), weights, rows + 1)


def exact_law_of_divergence(counts, scale, rows, prior=PRIOR):
    """Values of the divergence of one posterior and their probabilities."""
    weights = np.outer(law(counts[0], scale, rows), law(counts[1], scale, rows))
    first, second = np.meshgrid(np.arange(rows + 1), np.arange(rows + 1), indexing="ij")
    values = beta_divergence(prior[0] + counts[0], prior[1] + counts[1], prior[0] + first, prior[1] + second)
    return values.ravel(), weights.ravel()


def too_often(exceeded, delta):
    """Whether a bound that promises delta was exceeded more often than chance explains."""
    return exceeded.sum() > binom.ppf(1 - ALPHA, exceeded.size, delta)


@pytest.mark.parametrize("shapes", [(3, 4, 5, 2), (12, 12, 22, 22), (1, 1, 7, 1.5), (51, 1, 81, 6)])
def test_the_divergence_equals_its_integral(shapes):
    p, q, p2, q2 = shapes
    inside = quad(lambda x: beta.pdf(x, p, q) * (beta.logpdf(x, p, q) - beta.logpdf(x, p2, q2)), 0, 1)[0]
    assert beta_divergence(p, q, p2, q2) == pytest.approx(inside, rel=1e-6)
    assert beta_divergence(p, q, p, q) == 0


@given(st.data(), st.integers(1, 60), st.floats(0.05, 9), st.floats(0.05, 9))
def test_no_noise_exceeds_the_corners(data, rows, alpha, beta_):
    whole = st.integers(0, rows)
    counts, noisy = data.draw(st.tuples(whole, whole)), data.draw(st.tuples(whole, whole))
    bound = largest_divergence((alpha, beta_), counts, rows)[0]
    found = beta_divergence(alpha + counts[0], beta_ + counts[1], alpha + noisy[0], beta_ + noisy[1])
    assert found <= bound * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("counts", [(7, 4), (0, 11), (11, 0), (5, 5)])
def test_the_corners_are_reached(counts):
    """The largest divergence over all noise, and over noise of at most 3, are the bounds: half of either would be wrong."""
    values, _ = exact_law_of_divergence(counts, Fraction(4), 11)
    assert largest_divergence(PRIOR, counts, 11)[0] == pytest.approx(values.max(), rel=1e-12)
    grid = values.reshape(12, 12)[max(0, counts[0] - 3) : counts[0] + 4, max(0, counts[1] - 3) : counts[1] + 4]
    assert divergence_within(PRIOR, counts, 11, 3) == pytest.approx(grid.max(), rel=1e-12)


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_the_bound_holds_at_its_probability(delta):
    found = simulated(NAIVE_BAYES, Fraction(34), 50, 3000, seed=1)
    bound = divergence_bound(PRIOR, NAIVE_BAYES, Fraction(34), 50, delta)
    assert not too_often(found > bound, delta)
    assert too_often(found > bound / 2, delta)


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_the_corner_bound_holds_at_its_probability(delta):
    scale = Fraction(34)
    found = simulated(NAIVE_BAYES, scale, 50, 3000, seed=2)
    bound = divergence_within(PRIOR, NAIVE_BAYES, 50, largest_noise(scale, NAIVE_BAYES.size, 1 - delta))
    assert not too_often(found > bound, delta)
    assert too_often(found > bound / 4, delta)  # half of it would do: the corners of all pairs are not reached together


@pytest.mark.parametrize("counts", [(500, 0), (3, 900), (40, 900)])
def test_the_mean_divergence_is_below_its_bound(counts):
    scale, rows = Fraction(34), 1000
    found = simulated(counts, scale, rows, 30_000, seed=3)
    error = 5 * found.std() / np.sqrt(found.size)
    bound = expected_divergence_bound(PRIOR, counts, scale, rows)
    assert found.mean() - error <= bound
    assert found.mean() - error > bound / 2  # one of the counts is small, and the bound is sharp


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(2), Fraction(34)])
@pytest.mark.parametrize(("counts", "rows"), [((0, 0), 1), ((1, 0), 1), ((3, 9), 12), ((50, 0), 50), ((20, 20), 60)])
def test_the_mean_divergence_equals_the_sum_over_all_noise(scale, counts, rows):
    values, weights = exact_law_of_divergence(counts, scale, rows)
    assert expected_divergence(PRIOR, counts, scale, rows) == pytest.approx(values @ weights, rel=1e-8, abs=1e-12)
    assert expected_divergence_bound(PRIOR, counts, scale, rows) >= values @ weights - 1e-12


def test_posteriors_add_up():
    counts, prior = np.array([[3, 9], [3, 9], [7, 0]]), np.array([[1, 1], [1, 1], [2, 5]])
    for mean in (expected_divergence, expected_divergence_bound):
        alone = [mean(p, c, Fraction(3), 12) for p, c in zip(prior, counts, strict=True)]
        assert mean(prior, counts, Fraction(3), 12) == pytest.approx(sum(alone))


def test_noise_far_narrower_or_wider_than_the_records_is_no_trouble():
    assert expected_divergence(PRIOR, (5, 5), Fraction(1, 900), 10) == 0
    # Noise of scale 20,000 sends nearly every count to 0 or to 1000.
    corners = [beta_divergence(502, 502, 2 + a, 2 + b) for a in (0, 1000) for b in (0, 1000)]
    assert expected_divergence(PRIOR, (500, 500), Fraction(20_000), 1000) == pytest.approx(np.mean(corners), rel=0.05)
    many = 3 * 10**6
    window = expected_divergence(PRIOR, (many // 2, many // 2), Fraction(34), many)
    assert window == pytest.approx(asymptotic_divergence(PRIOR, (many // 2, many // 2), Fraction(34)), rel=1e-3)


def test_the_asymptotic_mean_is_met_at_many_records():
    """34 pairs of 25,000: 1.5721 for continuous noise. The paper's naive Bayes network has 33 pairs, one larger."""
    rows = 100_000
    pairs = np.full((34, 2), rows // 4)
    assert asymptotic_divergence(PRIOR, pairs, Fraction(34)) == pytest.approx(1.5721, abs=2e-4)
    network = np.vstack([[[rows // 2, rows // 2]], pairs[:32]])
    approximate = asymptotic_divergence(PRIOR, network, Fraction(34))
    assert approximate == pytest.approx(1.5027, abs=2e-4)
    assert expected_divergence(PRIOR, network, Fraction(34), rows) == pytest.approx(approximate, rel=1e-4)


def test_the_mean_falls_as_one_over_the_records():
    means = [expected_divergence(PRIOR, [[rows // 4] * 2] * 34, Fraction(34), rows) for rows in (50, 1000, 10_000, 100_000)]
    assert means == pytest.approx([337, 168, 15.7, 1.57], rel=5e-3)


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(2), Fraction(34)])
def test_the_mean_of_a_clamped_count_is_the_sum_over_its_law(scale):
    rows = 50
    for count in (0, 1, 17, 50):
        expected = law(count, scale, rows) @ np.arange(rows + 1)
        assert expected_clamped_count(count, scale, rows) == pytest.approx(expected, rel=1e-10)


def test_the_mean_of_a_clamped_count_is_nearly_that_of_continuous_noise():
    assert expected_clamped_count(50, Fraction(34), 50) == pytest.approx(36.906, abs=0.003)


def test_the_simulated_quantile_is_rarely_too_small():
    counts, scale, rows = (9, 3), Fraction(4), 12
    values, weights = exact_law_of_divergence(counts, scale, rows)
    order = np.argsort(values)
    quantile = values[order][np.searchsorted(np.cumsum(weights[order]), 0.9)]

    def too_small(doubt):
        found = [
            divergence_quantile(PRIOR, counts, scale, rows, 0.9, np.random.default_rng(seed), 300, doubt)
            for seed in range(300)
        ]
        return np.array(found) < quantile - 1e-12

    assert not too_often(too_small(0.02), 0.02)
    assert too_often(too_small(0.5), 0.02)  # the plain quantile of the draws, for comparison


def test_the_simulated_quantile_is_the_sharpest_bound():
    """Naive Bayes, 50 records, epsilon 1: the 95 % quantile, McDiarmid's bound and the corners, in this order."""
    scale = Fraction(34)
    quantile = divergence_quantile(PRIOR, NAIVE_BAYES, scale, 50, 0.95, np.random.default_rng(5))
    mcdiarmid = divergence_bound(PRIOR, NAIVE_BAYES, scale, 50, 0.05)
    corners = divergence_within(PRIOR, NAIVE_BAYES, 50, largest_noise(scale, 66, 0.95))
    assert 400 < quantile < 450 < mcdiarmid < 600 < corners < 1050


def test_wrong_input_is_refused_without_showing_a_count():
    generator = np.random.default_rng(0)
    refused = [
        lambda: largest_divergence(PRIOR, (61, 0), 50),
        lambda: largest_divergence(PRIOR, (61.5, 0), 90),
        lambda: largest_divergence(PRIOR, (61, 0, 1), 90),
        lambda: largest_divergence((0, 1), (61, 0), 90),
        lambda: largest_divergence((1, 1, 1), (61, 0), 90),
        lambda: largest_divergence(PRIOR, (0, 0), 0),
        lambda: divergence_bound(PRIOR, (61, 0), Fraction(1), 90, 1.0),
        lambda: divergence_quantile(PRIOR, (61, 0), Fraction(1), 90, 0.9999, generator, draws=50),
        lambda: expected_divergence(PRIOR, (61, 0), Fraction(10**6), 10**8),
    ]
    for act in refused:
        with pytest.raises(ModelError) as error:
            act()
        assert "61" not in str(error.value)
