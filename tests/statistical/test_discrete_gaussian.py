from fractions import Fraction

import numpy as np
import pytest
from support.bits import FailingBits, SeededBits
from support.optional import need
from support.statistics import ALPHA, chi_square_p

from discreet.errors import BudgetError
from discreet.kernel.bits import OperatingSystemBits
from discreet.kernel.noise.gaussian import LARGEST_VARIANCE, discrete_gaussian

# For 2 and 6 there is a candidate that is accepted for certain: the variance is a multiple of the candidates' scale.
VARIANCES = [Fraction(1, 5), Fraction(1), Fraction(2), Fraction(4), Fraction(6), Fraction(22, 7), Fraction(2500, 3)]
DRAWS = 40_000


def law(variance, reach):
    """Probabilities of -reach .. reach, beyond which nothing is left that could be seen."""
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * float(variance)))
    return weights / weights.sum()


def p_value(draws, variance):
    reach = int(9 * np.sqrt(float(variance))) + 3
    counts = np.bincount(np.clip(draws, -reach, reach) + reach, minlength=2 * reach + 1)
    return chi_square_p(counts, law(variance, reach))


@pytest.mark.parametrize("variance", VARIANCES)
def test_draws_follow_the_exact_law(variance):
    assert p_value(discrete_gaussian(variance, DRAWS, OperatingSystemBits()), variance) > ALPHA


@pytest.mark.parametrize("factor", [Fraction(9, 10), Fraction(11, 10)])
@pytest.mark.parametrize("variance", VARIANCES)
def test_a_variance_wrong_by_a_tenth_is_noticed_on_both_sides(variance, factor):
    assert p_value(discrete_gaussian(variance * factor, DRAWS, SeededBits(3)), variance) < ALPHA


def test_draws_agree_with_opendp():
    dp = need("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    theirs = np.array(dp.m.make_gaussian(*space, scale=3.0)([0] * 20_000))
    assert p_value(theirs, Fraction(9)) > ALPHA
    assert p_value(discrete_gaussian(Fraction(9), 20_000, OperatingSystemBits()), Fraction(9)) > ALPHA
    assert p_value(theirs, Fraction(11)) < ALPHA


def test_neighbouring_draws_are_uncorrelated():
    draws = discrete_gaussian(Fraction(50), DRAWS, OperatingSystemBits())
    assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 5 / np.sqrt(DRAWS)


def test_a_variance_out_of_range_is_refused():
    for variance in (Fraction(0), Fraction(-1), Fraction(LARGEST_VARIANCE + 1)):
        with pytest.raises(BudgetError, match="rho"):
            discrete_gaussian(variance, 1, FailingBits())


def test_the_largest_variance_still_fits():
    draws = discrete_gaussian(Fraction(LARGEST_VARIANCE), 500, SeededBits(5))
    assert 2**38 < np.abs(draws).mean() < 2**39
