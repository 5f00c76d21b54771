"""The slope of the logarithm of the gamma function: near enough, for few numbers and for many."""

import numpy as np
import pytest
from scipy.special import psi

from discreet.chains.digamma import digamma


@pytest.mark.parametrize("count", [100, 5000])
def test_the_slope_is_near_enough(count):
    numbers = np.exp(np.linspace(-14, 14, count))
    np.testing.assert_allclose(digamma(numbers), psi(numbers), rtol=1e-6, atol=6e-4)
