"""Noise for the moments of a regression: which law, and how large, without data. ``kernel/noise/moments.py`` has the proofs.

The moments are the upper triangle of the sum of u u' over all records, u = (1, features, target), or without the 1; all
coordinates lie in [-1, 1] and m is their number. The entry (0, 0) of the constant is the public number of records.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.errors import BudgetError, ModelError
from discreet.guarantee import ZCDP, Guarantee, PureDP
from discreet.measure.laws import MomentNoise, NoiseForm, Triangle
from discreet.measure.measurement import Measurement, Statistic
from discreet.model.linear import LinearModel

__all__ = [
    "FEATURE_SQUARE",
    "MOST_FEATURES",
    "check_measures",
    "measure_moments",
    "moment_measurement",
    "moment_noise",
    "moment_triangle",
    "noise_in_predictions",
    "noises_that_pay",
]

MOST_FEATURES = 50
"""Most features of a model whose moments are released: the posterior's work grows with the sixth power of their number."""
FEATURE_SQUARE = 1 / 3
"""The mean square of a feature that is spread evenly over its bounds, which predicted errors assume."""
_LARGEST_SCALE = 2**120
"""Larger noise would not fit a release file, whose moments stay below 2^160; that must not come to light after the charge."""


def moment_triangle(model: LinearModel) -> Triangle:
    """Which moments of a model are released: all but the public number of records.

    Claim:      m (m + 1) / 2 of the m columns, the constant among them; one fewer with an intercept.
    Requires:   nothing.
    Checked by: tests/unit/measure/strategies/test_moment_noise.py::test_every_moment_but_the_number_of_records_is_released
    """
    return Triangle(len(model.columns) + int(model.intercept), model.intercept, model.resolution)


def moment_measurement(model: LinearModel, guarantee: Guarantee) -> Measurement:
    """What is measured of a linear model, with which noise: all its moments at once.

    Claim:      its nodes are the columns, the intercept among them; the noise is that of ``moment_noise``.
    Requires:   as ``moment_noise`` says.
    Checked by: tests/unit/mechanisms/test_linear_moments.py::test_a_release_is_the_sum_of_moments_and_noise
    """
    return measure_moments(model, moment_noise(model, guarantee))


def measure_moments(model: LinearModel, noise: MomentNoise) -> Measurement:
    """All moments of a linear model with this noise.

    Claim:      its nodes are the columns, the intercept among them.
    Requires:   noise for the moments of this model.
    Checked by: tests/unit/mechanisms/test_linear_moments.py::test_a_release_is_the_sum_of_moments_and_noise
    """
    return Measurement(_nodes(model), Statistic.MOMENTS, noise)


def check_measures(measurement: Measurement, model: LinearModel) -> None:
    """Refuse a measurement of anything but the moments of this model.

    Claim:      afterwards its nodes are the model's columns, and its noise is that of moments by its bounds and resolution.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_linear_moments.py::test_what_is_no_measurement_of_the_model_costs_nothing
    """
    law = measurement.law
    if measurement.nodes != _nodes(model) or not isinstance(law, MomentNoise) or law.triangle != moment_triangle(model):
        raise ModelError("This is no measurement of the moments of the model.")


def moment_noise(model: LinearModel, guarantee: Guarantee) -> MomentNoise:
    """The noise for a guarantee: the law with the smallest predicted error of predictions, with its scale.

    Claim:      the release is private as ``guarantee`` says (``noises_that_pay``). The choice uses ``noise_in_predictions``,
                which depends on the model alone. Laplace noise, which is not among the laws, would be worse for every number
                of features with an intercept, and from three on without one.                       [GUARANTEES 6, 7.5, 10]
    Requires:   as ``noises_that_pay``.
    Checked by: tests/property/test_moment_noise.py::test_replacing_one_record_costs_no_more_than_the_guarantee
                tests/unit/measure/strategies/test_moment_noise.py::test_laplace_noise_is_never_better
    """
    return min(noises_that_pay(model, guarantee), key=lambda noise: noise_in_predictions(model, noise))


def noises_that_pay(model: LinearModel, guarantee: Guarantee) -> tuple[MomentNoise, ...]:
    """Every law of noise that keeps a guarantee, with its scale. A release file may have any of them.

    Claim:      the release is private as ``guarantee`` says: the kernel proves, for records in [-1, 1], that box noise costs
                unit / scale, Wishart noise 2 l unit / scale, l the sum of the squared weights of all columns, or their number
                m without weights, and Gaussian noise (m unit)^2 / (2 scale) in rho, and refuses any that would cost more
                (``kernel/noise/moments.py``).                                                  [GUARANTEES 6, 7.5, 10]
    Requires:   neighbours replace one record, whose values were clipped to declared bounds (``counts/moments.py``); a budget
                whose noise fits a release file (checked).
    Checked by: tests/property/test_moment_noise.py::test_replacing_one_record_costs_no_more_than_the_guarantee
                tests/property/test_moment_noise.py::test_every_pure_law_pays_whichever_is_chosen
    """
    if len(model.features) > MOST_FEATURES:
        raise ModelError(f"Noisy moments are for at most {MOST_FEATURES} features; declare fewer.")
    triangle = moment_triangle(model)
    length, weighted = triangle.size * triangle.unit, sum(weight**2 for weight in triangle.weights) * triangle.unit
    if isinstance(guarantee, ZCDP):
        variance = Fraction(length**2) / (2 * guarantee.rho)
        _check_room(variance, _LARGEST_SCALE**2)
        return (MomentNoise(NoiseForm.GAUSSIAN, variance, triangle),)
    if not isinstance(guarantee, PureDP):
        raise ModelError("Noisy moments have a pure or a zero-concentrated guarantee.")
    box = MomentNoise(NoiseForm.BOX, Fraction(triangle.unit) / guarantee.epsilon, triangle)
    wishart = MomentNoise(NoiseForm.WISHART, Fraction(2 * length) / guarantee.epsilon, triangle)
    heavier = MomentNoise(NoiseForm.WEIGHTED, Fraction(2 * weighted) / guarantee.epsilon, triangle)
    _check_room(heavier.scale, _LARGEST_SCALE)
    return box, wishart, heavier


def noise_in_predictions(model: LinearModel, noise: MomentNoise) -> float:
    """How far noise moves predictions, in units where the target lies in [-1, 1]: mean square, times the rows squared.

    Claim:      an approximation, for features spread evenly over their bounds. The features' moments A are then n times
                diag(1, 1/3, ...). Noise E moves the weights by A^-1 (E_xy - E_xx w), and a prediction by that times x, on
                average over x: the variances of a row of E, each times the mean square of its weight, and 1 for the target,
                over n^2 times the row's entry in A / n.
    Requires:   noise for the moments of this model.
    Checked by: tests/unit/mechanisms/test_linear_moments.py::test_the_planned_error_is_about_the_error_that_happens
    """
    spread = np.full(len(model.coordinates), FEATURE_SQUARE)
    if model.intercept:
        spread[0] = 1.0
    squares = np.array([*model.expected_squares, 1.0])
    return float(np.sum(noise.variances[:-1] @ squares / spread))


def _nodes(model: LinearModel) -> tuple[str, ...]:
    return (*model.coordinates, model.target.name)


def _check_room(scale: Fraction, largest: int) -> None:
    if scale > largest:
        raise BudgetError("The noise would be too large for a release file. Choose a larger epsilon.")
