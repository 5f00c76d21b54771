from fractions import Fraction

import numpy as np
import pytest

from discreet import ModelError, naive_bayes
from discreet.bounds.stealth import parity_noise, stealth_increment

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
    parity_noise.cache_clear()
    np.testing.assert_array_equal(parity_noise(NETWORK, Fraction(7)).deepest, first.deepest)


@pytest.mark.parametrize("stealth", [0, 1, -1, 1.5, 0.99999])
def test_a_promise_that_cannot_be_kept_is_refused(stealth):
    with pytest.raises(ModelError, match="stealth"):
        stealth_increment(NETWORK, Fraction(34), stealth)
