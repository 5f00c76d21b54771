from fractions import Fraction

import numpy as np
import pytest
from support.bits import SeededBits

from discreet.errors import ModelError
from discreet.guarantee import ZCDP, ApproxDP, PureDP
from discreet.measure.laws import MomentNoise, NoiseForm
from discreet.measure.strategies.moment_noise import MOST_FEATURES, moment_measurement, moment_noise, moment_triangle
from discreet.mechanisms.publishing import _moment_law
from discreet.model.linear import LinearModel


def model_of(features, intercept=True):
    return LinearModel({f"x{place}": (0, 1) for place in range(features)}, ("y", (0, 1)), intercept=intercept)


def row_error(variances):
    """The mean noise variance of a row, which moves a weight."""
    return float(variances.sum()) / len(variances)


def test_every_moment_but_the_number_of_records_is_released():
    assert moment_triangle(model_of(1)).places == [(0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    assert moment_triangle(model_of(1, intercept=False)).places == [(0, 0), (0, 1), (1, 1)]
    assert len(moment_triangle(model_of(14)).places) == 135


@pytest.mark.parametrize("features", [1, 4, 5, 14, 50])
@pytest.mark.parametrize("intercept", [True, False])
def test_laplace_noise_is_never_better(features, intercept):
    """Laplace noise that hides even one pair of records has variance 2 total^2 on every moment, total their distance."""
    model = model_of(features, intercept)
    one, other = (np.full(features + 1 + intercept, value) for value in (1.0, -1 / (features + 2) if intercept else 0.0))
    other[0] = 1.0 if intercept else other[0]
    moved = np.abs(np.outer(one, one) - np.outer(other, other))
    total = moved[np.triu_indices(len(one))].sum()
    laplace = np.full(2 * (features + 1 + intercept,), 2 * total**2)
    laplace[0, 0] *= not intercept
    assert row_error(moment_noise(model, PureDP(Fraction(1))).variances) < row_error(laplace)


def test_few_features_get_a_box_and_many_a_wishart_matrix():
    laws = [moment_noise(model_of(features), PureDP(Fraction(1))).form for features in range(1, 16)]
    assert laws == [NoiseForm.BOX] * 4 + [NoiseForm.WISHART] * 11


def test_fourteen_features_need_a_third_of_the_variance_of_a_box():
    model = model_of(14)
    box = MomentNoise(NoiseForm.BOX, Fraction(4**model.resolution), moment_triangle(model)).variances
    wishart = moment_noise(model, PureDP(Fraction(1))).variances
    assert wishart[1, 2] == pytest.approx(2 * 17 * 16**2)
    assert box[1, 2] == pytest.approx(136 * 137 * 4 / 3)
    assert box[1, 1] == pytest.approx(136 * 137 / 3)
    assert 0.3 < row_error(wishart) / row_error(box) < 0.4


@pytest.mark.parametrize(
    ("features", "guarantee"), [(2, PureDP(Fraction(1, 2))), (6, PureDP(Fraction(2))), (3, ZCDP(Fraction(1, 20)))]
)
def test_variances_are_those_of_drawn_noise(features, guarantee):
    model = model_of(features)
    measurement = moment_measurement(model, guarantee)
    noise, bits, places = measurement.law, SeededBits(features), measurement.law.triangle.places
    law = _moment_law(measurement, model, rows=1)
    drawn = np.array([law.draw((len(places),), bits) for _ in range(300)], dtype=float) / 4**model.resolution
    expected = np.array([noise.variances[place] for place in places])
    assert noise.variance == pytest.approx(16**model.resolution * expected.max())
    ratios = (drawn**2).mean(axis=0) / expected
    squares = np.array([row == column for row, column in places])
    assert abs(ratios[~squares].mean() - 1) < 0.15
    assert abs(ratios[squares].mean() - 1) < 0.35


@pytest.mark.parametrize("intercept", [True, False])
def test_the_kernel_puts_noise_at_the_places_that_are_measured(intercept):
    """It works them out for itself, and must not take a square for a product."""
    model = model_of(5, intercept)
    measurement = moment_measurement(model, PureDP(Fraction(1)))
    declared = _moment_law(measurement, model, rows=1).declared
    assert declared.places == measurement.law.triangle.places
    assert (declared.size, declared.square, declared.constant) == (6 + intercept, measurement.law.triangle.unit, intercept)


def test_too_many_features_are_refused():
    assert moment_noise(model_of(MOST_FEATURES), PureDP(Fraction(1)))
    with pytest.raises(ModelError, match="at most 50 features"):
        moment_noise(model_of(MOST_FEATURES + 1), PureDP(Fraction(1)))


def test_an_approximate_guarantee_is_no_basis_for_noise():
    with pytest.raises(ModelError, match="zero-concentrated"):
        moment_noise(model_of(2), ApproxDP(Fraction(1), Fraction(1, 10**6)))
