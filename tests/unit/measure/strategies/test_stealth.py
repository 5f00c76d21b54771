from fractions import Fraction

import numpy as np
import pytest

from discreet import ModelError, naive_bayes
from discreet.measure.strategies.parity_weights import parity_weights
from discreet.measure.strategies.stealth import _parity_noise, parity_noise, stealth_increment

NETWORK = naive_bayes("y", [f"x{i}" for i in range(16)])


def test_the_increment_is_the_published_one():
    """Naive Bayes with 16 features, stealth 0.9, the paper's noise of scale 68 on phi, but none on the empty set."""
    assert stealth_increment(NETWORK, Fraction(34), 0.9) == pytest.approx(552, rel=0.02)


def test_the_mean_error_is_that_of_the_law():
    """A cell of two binary nodes is a quarter of a signed sum of three coefficients."""
    generator = np.random.default_rng(3)
    odd = generator.geometric(-np.expm1(-1 / 34), (2, 400_000, 3))
    cells = 2 * (odd[0] - odd[1]).sum(axis=1) / 4
    assert parity_noise(NETWORK, Fraction(34)).mean_absolute == pytest.approx(np.abs(cells).mean(), rel=0.01)


def test_plans_are_reproducible():
    first = parity_noise(NETWORK, Fraction(7))
    _parity_noise.cache_clear()
    np.testing.assert_array_equal(parity_noise(NETWORK, Fraction(7)).deepest, first.deepest)


def non_negative_chance(features, class_scale, scale, increment):
    """The exact probability that no cell of naive Bayes is negative on the worst data, by sums over the discrete law.

    With noise -2 k on phi, all cells of feature x are fine if |k_x + k_xy| <= u/2 - k_y and |k_x - k_xy| <= u/2 + k_y. Sum
    and difference (s, d) of two draws have the probability (1 - q)^2 / (1 + q)^2 q^max(|s|, |d|), for s and d of one parity.
    """
    reach, half = increment + 2, increment / 2
    q, q_class = np.exp(-1 / scale), np.exp(-1 / class_scale)
    places = np.arange(-reach, reach + 1)
    law = ((1 - q) / (1 + q)) ** 2 * q ** np.maximum(np.abs(places[:, None]), np.abs(places))
    law[(places[:, None] + places) % 2 == 1] = 0
    below = np.zeros((2 * reach + 2, 2 * reach + 2))
    below[1:, 1:] = law.cumsum(0).cumsum(1)
    total = 0.0
    for k in range(-int(half), int(half) + 1):
        a, c = int(np.floor(half - k)), int(np.floor(half + k))
        box = slice(reach - a, reach + a + 2, 2 * a + 1), slice(reach - c, reach + c + 2, 2 * c + 1)
        (one, two), (three, four) = below[box]
        total += (1 - q_class) / (1 + q_class) * q_class ** abs(k) * (four - two - three + one) ** features
    return total


def test_the_increment_with_weights_is_the_exact_one():
    """For naive Bayes the probability is a sum that can be done. In continuous noise the quantile is 456.0."""
    weights = parity_weights(NETWORK)
    scales = weights.scales(Fraction(1))
    class_scale, scale = float(scales[frozenset("y")]), float(scales[frozenset({"x0"})])
    assert (class_scale, scale) == (2, 32)
    assert non_negative_chance(16, class_scale, scale, 454) < 0.9 < non_negative_chance(16, class_scale, scale, 458)
    found = stealth_increment(NETWORK, scales, 0.9)
    assert 0.9 <= non_negative_chance(16, class_scale, scale, found) <= 0.915


@pytest.mark.parametrize("stealth", [0, 1, -1, 1.5, 0.99999])
def test_a_promise_that_cannot_be_kept_is_refused(stealth):
    with pytest.raises(ModelError, match="stealth"):
        stealth_increment(NETWORK, Fraction(34), stealth)
