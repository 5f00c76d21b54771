from fractions import Fraction

import numpy as np
import pytest
from support.bits import SeededBits
from support.optional import need
from support.statistics import ALPHA, chi_square_p

from discreet.kernel.bits import OperatingSystemBits
from discreet.kernel.noise.laplace import discrete_laplace

SCALES = [Fraction(1, 3), Fraction(1), Fraction(16, 7), Fraction(74), Fraction(1000, 3)]
DRAWS = 200_000


def law(scale, reach):
    """Exact probabilities of -reach .. reach, the tails added to the ends."""
    q = np.exp(-1 / float(scale))
    values = np.arange(-reach, reach + 1)
    probabilities = (1 - q) / (1 + q) * q ** np.abs(values)
    tail = q ** (reach + 1) / (1 + q)
    probabilities[0] += tail
    probabilities[-1] += tail
    return probabilities


def histogram(draws, reach):
    return np.bincount(np.clip(draws, -reach, reach) + reach, minlength=2 * reach + 1)


def p_value(draws, scale):
    reach = int(8 * max(scale, 1)) + 1
    return chi_square_p(histogram(draws, reach), law(scale, reach))


@pytest.mark.parametrize("scale", SCALES)
def test_draws_follow_the_exact_law(scale):
    draws = discrete_laplace(scale, DRAWS, OperatingSystemBits())
    assert p_value(draws, scale) > ALPHA


@pytest.mark.parametrize("factor", [Fraction(9, 10), Fraction(11, 10)])
@pytest.mark.parametrize("scale", SCALES)
def test_a_scale_wrong_by_a_tenth_is_noticed_on_both_sides(scale, factor):
    draws = discrete_laplace(scale * factor, DRAWS, SeededBits(3))
    assert p_value(draws, scale) < ALPHA


def test_noise_that_is_used_twice_is_noticed():
    """Independent draws are uncorrelated; a source that repeats its bytes must not pass."""

    class Repeating(SeededBits):
        def read(self, count):
            block = super().read(min(count, 64))
            return (block * (count // len(block) + 1))[:count]

    def correlation(bits):
        draws = discrete_laplace(Fraction(74), DRAWS, bits)
        return abs(np.corrcoef(draws[:-32], draws[32:])[0, 1])

    assert correlation(OperatingSystemBits()) < 5 / np.sqrt(DRAWS)
    assert correlation(Repeating(1)) > 5 / np.sqrt(DRAWS)


@pytest.mark.fast("scale0")
@pytest.mark.parametrize("scale", [Fraction(1), Fraction(12)])
def test_draws_agree_with_opendp(scale):
    dp = need("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    theirs = np.array(dp.m.make_laplace(*space, scale=float(scale))([0] * 40_000))
    ours = discrete_laplace(scale, 40_000, OperatingSystemBits())
    reach = int(8 * scale)
    together = histogram(theirs, reach) + histogram(ours, reach)
    for sample in (theirs, ours):
        assert p_value(sample, scale) > ALPHA
    seen = together > 0
    both = np.array([histogram(theirs, reach)[seen], histogram(ours, reach)[seen]])
    from scipy.stats import chi2_contingency

    keep = both.sum(axis=0) >= 20
    assert chi2_contingency(both[:, keep]).pvalue > ALPHA
    doubled = np.array([histogram(theirs, reach)[seen], histogram(2 * ours, reach)[seen]])
    assert chi2_contingency(doubled[:, keep]).pvalue < ALPHA
