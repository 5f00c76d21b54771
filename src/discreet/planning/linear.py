"""What a draw from the posterior of a regression costs, and how wrong a prediction with it, or by noisy moments, will be."""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.errors import ModelError
from discreet.guarantee import Guarantee, Neighbours
from discreet.measure.laws import MomentNoise
from discreet.measure.strategies.moment_noise import FEATURE_SQUARE, noise_in_predictions
from discreet.model.linear import LinearModel
from discreet.planning.plan import SHARED_COLUMNS, Plan, PlanColumn

__all__ = ["draw_epsilon", "line_draw_error", "line_moments_error", "line_plan", "truncation"]

_COLUMNS = (
    *SHARED_COLUMNS,
    PlanColumn("released numbers", "released_numbers", ","),
    PlanColumn("the records leave", "records_error", ",.4g"),
    PlanColumn("privacy adds", "privacy_error", ",.4g"),
)


def draw_epsilon(model: LinearModel) -> Fraction:
    """Epsilon of one draw from the posterior of a linear model, exactly.

    Claim:      (1 + R)^2 / sigma^2 for R >= 1 and 4 R / sigma^2 for R <= 1. Proof: with ||x|| <= 1 and |y| <= 1 the
                log-likelihoods of neighbours differ by g(w) = [(y' - w.x')^2 - (y - w.x)^2] / (2 sigma^2). Over ||w|| <= R
                w.x takes the values [-r, r], r = R ||x|| <= R, so (y - w.x)^2 varies by (|y| + r)^2 - max(|y| - r, 0)^2: that
                is 4 |y| r <= 4 min(R, 1) where r <= |y|, and (|y| + r)^2 where r >= |y|: at most (1 + R)^2 for R >= 1, and
                4 r^2 <= 4 R for R <= 1. Two squares, over 2 sigma^2. The densities of neighbours then have a ratio of at most
                exp(sup g - inf g): the factor exp(g(w)) times a ratio of normalisers, which is a mean of exp(-g). Attained,
                for R > 1 with two or more weights.         [Paper, appendix on linear regression, corrected; GUARANTEES 6]
    Requires:   a declared radius and noise; records scaled and clipped by declared bounds (``data``).
    Checked by: tests/property/test_regression_sampler.py::test_no_pair_of_records_costs_more_than_claimed
                tests/property/test_regression_sampler.py::test_the_cost_of_a_draw_is_attained
    """
    radius, noise = truncation(model)
    return ((1 + radius) ** 2 if radius >= 1 else 4 * radius) / noise**2


def truncation(model: LinearModel) -> tuple[Fraction, Fraction]:
    """The radius and the noise, both of which a sampled posterior needs declared.

    Claim:      both are there; otherwise an error says which is to be declared.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_linear_sampler.py::test_radius_and_noise_must_be_declared
    """
    if model.radius is None:
        raise ModelError(
            "Drawing from the posterior needs a truncated prior: declare radius, the largest norm of the weights."
        )
    if model.noise is None:
        raise ModelError("Drawing from the posterior needs the noise of the scaled target: declare noise, such as 0.25.")
    return model.radius, model.noise


def line_draw_error(model: LinearModel, rows: int, epsilon: Fraction, draws: int = 1) -> tuple[float, float]:
    """Root mean square of what the records and what privacy leave open about a prediction, in the target's units.

    Claim:      approximations for many records. The posterior has covariance sigma^2 (X'X)^-1, tempered by tau it has 1/tau
                times that; averaged over the records x'(X'X)^-1 x sums to the number of weights d. So the records leave
                sigma^2 d / n, and the mean of K draws adds sigma^2 d / (n K tau), where K tau = epsilon / (cost of a draw)
                but for tau <= 1. Neither exceeds what the prior allows.
    Requires:   a declared radius and noise.
    Checked by: tests/unit/mechanisms/test_linear_sampler.py::test_the_planned_error_is_about_the_error_that_happens
    """
    radius, noise = truncation(model)
    weights = len(model.coordinates)
    largest = float(min(1 / min(model.precisions), radius**2 / weights))
    spread = float(noise**2) * weights / rows
    shares = float(min(Fraction(draws), epsilon / draw_epsilon(model)))
    return _in_units(model, largest, spread), _in_units(model, largest, spread / shares)


def line_moments_error(model: LinearModel, rows: int, noise: MomentNoise) -> tuple[float, float]:
    """Root mean squares as of ``line_draw_error``, of predictions by moments with this noise.

    Claim:      approximations, for features spread evenly over their bounds, and a noise of 0.25 where none is declared:
                ``noise_in_predictions``, which no more than the prior's own spread is left of.
    Requires:   rows >= 1.
    Checked by: tests/unit/mechanisms/test_linear_moments.py::test_the_planned_error_is_about_the_error_that_happens
    """
    count, squares = len(model.coordinates), model.expected_squares
    deviation = 0.25 if model.noise is None else float(model.noise)
    largest = sum(squares) * FEATURE_SQUARE + (squares[0] * (1 - FEATURE_SQUARE) if model.intercept else 0.0)
    moved = noise_in_predictions(model, noise) / rows**2
    return _in_units(model, largest, deviation**2 * count / rows), _in_units(model, largest, moved)


def _in_units(model: LinearModel, largest: float, error: float) -> float:
    """The root of a mean square error, which cannot exceed the largest that the prior allows, in the target's units."""
    return math.sqrt(1 / (1 / largest + 1 / error)) * model.target.half_width


def line_plan(mechanism: str, guarantee: Guarantee, rows: int, released_numbers: int, errors: tuple[float, float]) -> Plan:
    """The plan of a mechanism for a linear model, with what the records leave open about a prediction and privacy adds."""
    records, privacy = errors
    return Plan(
        mechanism,
        guarantee,
        Neighbours.REPLACE_ONE,
        rows,
        released_numbers,
        records_error=records,
        privacy_error=privacy,
        columns=_COLUMNS,
    )
