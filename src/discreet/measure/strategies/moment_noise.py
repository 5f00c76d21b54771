"""Noise for the moments of a regression: which law, and how large, without data. ``kernel/noise/moments.py`` has the proofs.

The moments are the upper triangle of the sum of u u' over all records, u = (1, features, target), or without the 1; all
coordinates lie in [-1, 1] and m is their number. The entry (0, 0) of the constant is the public number of records.
"""

from __future__ import annotations

from fractions import Fraction

from discreet.errors import BudgetError, ModelError
from discreet.guarantee import ZCDP, Guarantee, PureDP
from discreet.measure.laws import MomentNoise, NoiseForm, Triangle
from discreet.measure.measurement import Measurement, Statistic
from discreet.model.linear import LinearModel

__all__ = ["MOST_FEATURES", "check_measures", "moment_measurement", "moment_noise", "moment_triangle"]

MOST_FEATURES = 50
"""Most features of a model whose moments are released: the posterior's work grows with the sixth power of their number."""
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
    return Measurement(_nodes(model), Statistic.MOMENTS, moment_noise(model, guarantee))


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
    """The noise for a guarantee: the law with the smaller predicted error of the weights, with its scale.

    Claim:      the release is private as ``guarantee`` says: the kernel proves, for records in [-1, 1], that box noise costs
                unit / scale, Wishart noise 2 m unit / scale and Gaussian noise (m unit)^2 / (2 scale) in rho, and refuses
                any that would cost more (``kernel/noise/moments.py``).
                The choice uses the mean noise variance in a row of the matrix, which is what moves a weight; it depends on m
                and the intercept alone. Laplace noise is worse than the box for every m.       [GUARANTEES 6, 7.5, 10]
    Requires:   neighbours replace one record, whose values were clipped to declared bounds (``counts/moments.py``); a budget
                whose noise fits a release file (checked).
    Checked by: tests/property/test_moment_noise.py::test_replacing_one_record_costs_no_more_than_the_guarantee
                tests/unit/measure/strategies/test_moment_noise.py::test_laplace_noise_is_never_better
    """
    if len(model.features) > MOST_FEATURES:
        raise ModelError(f"Noisy moments are for at most {MOST_FEATURES} features; declare fewer.")
    triangle = moment_triangle(model)
    length = triangle.size * triangle.unit
    if isinstance(guarantee, ZCDP):
        variance = Fraction(length**2) / (2 * guarantee.rho)
        _check_room(variance, _LARGEST_SCALE**2)
        return MomentNoise(NoiseForm.GAUSSIAN, variance, triangle)
    if not isinstance(guarantee, PureDP):
        raise ModelError("Noisy moments have a pure or a zero-concentrated guarantee.")
    box = MomentNoise(NoiseForm.BOX, Fraction(triangle.unit) / guarantee.epsilon, triangle)
    wishart = MomentNoise(NoiseForm.WISHART, Fraction(2 * length) / guarantee.epsilon, triangle)
    _check_room(wishart.scale, _LARGEST_SCALE)
    return min((box, wishart), key=lambda noise: float(noise.variances.sum()))


def _nodes(model: LinearModel) -> tuple[str, ...]:
    return (*model.coordinates, model.target.name)


def _check_room(scale: Fraction, largest: int) -> None:
    if scale > largest:
        raise BudgetError("The noise would be too large for a release file. Choose a larger epsilon.")
