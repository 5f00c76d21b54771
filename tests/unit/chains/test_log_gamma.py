"""The gamma function of many numbers at once is that of SciPy, nearly."""

import numpy as np
from scipy.special import gammaln, psi

from discreet.chains.log_gamma import digamma, log_gamma

NUMBERS = np.geomspace(1e-6, 1e6, 4001)


def test_the_logarithm_is_right_to_a_few_hundred_thousandths():
    np.testing.assert_allclose(log_gamma(NUMBERS), gammaln(NUMBERS), rtol=1e-12, atol=3e-5)


def test_the_slope_is_right_to_less_than_a_thousandth():
    np.testing.assert_allclose(digamma(NUMBERS), psi(NUMBERS), rtol=1e-9, atol=6e-4)
