from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from support.bits import SeededBits

from discreet.errors import ModelError
from discreet.guarantee import ZCDP, ApproxDP, PureDP
from discreet.measure.laws import NoiseForm
from discreet.measure.strategies.moment_noise import (
    MOST_FEATURES,
    measure_moments,
    moment_measurement,
    moment_noise,
    moment_triangle,
    noise_in_predictions,
    noises_that_pay,
)
from discreet.mechanisms.parcels import moment_law
from discreet.model.linear import LinearModel


def model_of(features, intercept=True):
    return LinearModel({f"x{place}": (0, 1) for place in range(features)}, ("y", (0, 1)), intercept=intercept)


def noises(model):
    return {noise.form: noise for noise in noises_that_pay(model, PureDP(Fraction(1)))}


def test_every_moment_but_the_number_of_records_is_released():
    assert moment_triangle(model_of(1)).places == [(0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    assert moment_triangle(model_of(1, intercept=False)).places == [(0, 0), (0, 1), (1, 1)]
    assert len(moment_triangle(model_of(14)).places) == 135


@pytest.mark.parametrize(("features", "intercept"), [(1, True), (4, True), (14, True), (50, True), (3, False), (14, False)])
def test_laplace_noise_is_never_better(features, intercept):
    """Laplace noise that hides even one pair of records has variance 2 total^2 on every moment, total their distance.

    One or two features without an intercept are left out: there it would be better.
    """
    model = model_of(features, intercept)
    one, other = (np.full(features + 1 + intercept, value) for value in (1.0, -1 / (features + 2) if intercept else 0.0))
    other[0] = 1.0 if intercept else other[0]
    moved = np.abs(np.outer(one, one) - np.outer(other, other))
    total = moved[np.triu_indices(len(one))].sum()
    laplace = np.full(2 * (features + 1 + intercept,), 2 * total**2)
    laplace[0, 0] *= not intercept
    chosen = moment_noise(model, PureDP(Fraction(1)))
    assert noise_in_predictions(model, chosen) < noise_in_predictions(model, SimpleNamespace(variances=laplace))


def test_few_features_get_a_box_and_many_a_weighted_matrix():
    laws = [moment_noise(model_of(features), PureDP(Fraction(1))).form for features in range(1, 16)]
    assert laws == [NoiseForm.BOX] * 3 + [NoiseForm.WISHART] * 4 + [NoiseForm.WEIGHTED] * 8


def test_a_prior_that_expects_large_slopes_wants_no_weights():
    """Then moments of features matter as much as those with the target."""
    model = LinearModel({f"x{place}": (0, 1) for place in range(14)}, ("y", (0, 1)), precision=1)
    assert moment_noise(model, PureDP(Fraction(1))).form is NoiseForm.WISHART


def test_weights_move_noise_from_the_target_and_the_means_to_the_features():
    """Of fourteen features: a box, a matrix, and one with weights; the last is 22/16 times as large, then divided."""
    model = model_of(14)
    found = noises(model)
    box, wishart, weighted = (found[form].variances for form in (NoiseForm.BOX, NoiseForm.WISHART, NoiseForm.WEIGHTED))
    assert box[1, 2] == pytest.approx(136 * 137 * 4 / 3)
    assert box[1, 1] == pytest.approx(136 * 137 / 3)
    assert wishart[1, 2] == pytest.approx(2 * 17 * 16**2)
    ratios = weighted / np.where(wishart > 0, wishart, 1)
    grown = (22 / 16) ** 2
    assert ratios[1, 2] == pytest.approx(grown)
    assert ratios[0, 1] == ratios[1, 15] == pytest.approx(grown / 4)
    assert ratios[0, 15] == ratios[15, 15] == pytest.approx(grown / 16)
    errors = {form: noise_in_predictions(model, noise) for form, noise in found.items()}
    assert errors[NoiseForm.WEIGHTED] < 0.75 * errors[NoiseForm.WISHART] < 0.35 * errors[NoiseForm.BOX]


@pytest.mark.fast("2-*", "3-*", "6-guarantee2*")
@pytest.mark.parametrize(
    ("features", "guarantee", "place"),
    [(2, PureDP(Fraction(1, 2)), 0), (6, PureDP(Fraction(2)), 1), (6, PureDP(Fraction(2)), 2), (3, ZCDP(Fraction(1, 20)), 0)],
)
def test_variances_are_those_of_drawn_noise(features, guarantee, place):
    """Of every law, also of those that another would be taken for: files may have them."""
    model = model_of(features)
    measurement = measure_moments(model, noises_that_pay(model, guarantee)[place])
    noise, bits, places = measurement.law, SeededBits(features), measurement.law.triangle.places
    law = moment_law(measurement, model, rows=1)
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
    declared = moment_law(measurement, model, rows=1).declared
    assert declared.places == measurement.law.triangle.places
    assert (declared.size, declared.square, declared.constant) == (6 + intercept, measurement.law.triangle.unit, intercept)


def test_too_many_features_are_refused():
    assert moment_noise(model_of(MOST_FEATURES), PureDP(Fraction(1)))
    with pytest.raises(ModelError, match="at most 50 features"):
        moment_noise(model_of(MOST_FEATURES + 1), PureDP(Fraction(1)))


def test_an_approximate_guarantee_is_no_basis_for_noise():
    with pytest.raises(ModelError, match="zero-concentrated"):
        moment_noise(model_of(2), ApproxDP(Fraction(1), Fraction(1, 10**6)))
