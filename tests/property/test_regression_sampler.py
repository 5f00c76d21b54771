"""What one draw from the posterior of a regression costs: no two records cost more, and some cost as much."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import LinearModel
from discreet.planning.linear import draw_epsilon

NOISE = 0.5


def cost(radius, weights=2):
    features = {f"x{i}": (-1, 1) for i in range(weights)}
    return float(draw_epsilon(LinearModel(features, ("y", (-1, 1)), 1, radius, NOISE, intercept=False)))


def difference(record, other, weights):
    """The log-likelihood of one record less that of another."""
    (x, y), (x_other, y_other) = record, other
    return ((y_other - weights @ x_other) ** 2 - (y - weights @ x) ** 2) / (2 * NOISE**2)


def in_ball(direction, length, radius=1.0):
    norm = np.linalg.norm(direction)
    return radius * length * np.array(direction) / norm if norm > 0 else np.zeros(len(direction))


UNIT = st.floats(0, 1)
SIGNED = st.floats(-1, 1)


@given(st.data())
def test_no_pair_of_records_costs_more_than_claimed(data):
    size = data.draw(st.integers(1, 4))
    radius = data.draw(st.sampled_from([0.05, 0.3, 0.9999, 1.0, 1.0001, 2.0, 10.0]))

    def vector(scale):
        return in_ball(data.draw(st.lists(SIGNED, min_size=size, max_size=size)), data.draw(UNIT), scale)

    records = [(vector(1.0), data.draw(SIGNED)) for _ in range(2)]
    first, second = vector(radius), vector(radius)
    swing = difference(*records, first) - difference(*records, second)
    assert swing <= cost(radius, size) * (1 + 1e-12)


@pytest.mark.parametrize("radius", [0.3, 1.0, 2.0, 5.0])
def test_the_cost_of_a_draw_is_attained(radius):
    """GUARANTEES 6: for R <= 1 by opposite features, for R >= 1 by one whose line passes through the target."""
    e, y = np.array([1.0, 0.0]), 1.0
    if radius <= 1:
        record, other, first, second = (e, y), (-e, y), radius * e, -radius * e
    else:
        x = np.array([1 / radius, np.sqrt(1 - 1 / radius**2)])
        record, other, first, second = (x, y), (-e, y), radius * e, -radius * x
    swing = difference(record, other, first) - difference(record, other, second)
    assert swing == pytest.approx(cost(radius))


@pytest.mark.parametrize(("radius", "expected"), [("0.3", "24/5"), (1, 16), (2, 36), (5, 144)])
def test_the_cost_is_an_exact_fraction(radius, expected):
    model = LinearModel({"x": (0, 1)}, ("y", (0, 1)), 1, radius, "1/2")
    assert draw_epsilon(model) == Fraction(expected)


def test_scaled_records_of_any_model_lie_in_the_unit_ball():
    """The step from columns to the ball: the sum of squares of fixed-point values, exactly."""
    for intercept in (True, False):
        model = LinearModel({f"x{i}": (0, 1) for i in range(7)}, ("y", (0, 1)), intercept=intercept)
        top = 2**model.resolution
        largest = sum(top**2 for _ in model.coordinates)  # every feature at a bound, and the constant
        assert Fraction(largest, top**2 * len(model.coordinates)) == 1


def test_a_cost_that_forgets_one_square_would_be_noticed():
    """Planted faults: half the cost, and the formula for small radii used for large ones."""
    assert cost(2.0) > 4 * 2.0 / NOISE**2
    e = np.array([1.0, 0.0])
    swing = difference((e, 1.0), (-e, 1.0), 0.5 * e) - difference((e, 1.0), (-e, 1.0), -0.5 * e)
    assert swing > 0.99 * cost(0.5)
    assert swing > cost(0.5) / 2
