from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from discreet import LinearModel
from discreet.errors import ModelError
from discreet.model.files.linear_file import linear_model_from_json, linear_model_to_json
from discreet.model.linear import FEATURE_LIMIT, INTERCEPT
from discreet.model.variable import Column

FEATURES = {"age": (16, 90), "hours": (0, 99)}
TARGET = ("income", (0, 150_000))


def test_a_declaration_says_what_is_read_and_what_is_estimated():
    model = LinearModel(FEATURES, TARGET, precision="0.5", radius=2, noise=0.25)
    assert [column.name for column in model.columns] == ["age", "hours", "income"]
    assert model.coordinates == (INTERCEPT, "age", "hours")
    assert model.precisions == (Fraction(1, 2),) * 3
    assert (model.radius, model.noise, model.resolution) == (2, Fraction(1, 4), 16)
    assert LinearModel(FEATURES, TARGET, intercept=False).coordinates == ("age", "hours")


def test_numbers_count_as_the_decimals_that_they_print_as():
    assert LinearModel(FEATURES, TARGET, radius=0.1, noise=np.float64(0.3)).noise == Fraction(3, 10)
    assert LinearModel(FEATURES, TARGET, radius=0.1).radius == Fraction(1, 10)


def test_equal_declarations_are_equal_hash_alike_and_survive_pickling():
    model = LinearModel(FEATURES, TARGET, radius=1)
    assert model == LinearModel(dict(FEATURES), list(TARGET), radius="1")
    assert hash(model) == hash(LinearModel(FEATURES, TARGET, radius=1))
    assert pickle.loads(pickle.dumps(model)) == model


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": {}}, "at least one feature"),
        ({"features": ["age"]}, "declared as"),
        ({"features": {"age": (90, 16)}}, "lower bound of 'age'"),
        ({"features": {"age": (16, 16)}}, "lower bound of 'age'"),
        ({"features": {"age": (16, math.inf)}}, "'age' must be finite"),
        ({"features": {"age": (math.nan, 1)}}, "'age' must be finite"),
        ({"features": {"age": (0, 10**400)}}, "'age' must be finite"),
        ({"features": {"age": (-1.7e308, 1.7e308)}}, "'age' are too close together or too far apart"),
        ({"features": {"age": (1e300, 1e300 * (1 + 2**-52))}}, "too close"),
        ({"features": {"age": (0, 1e-200)}}, "too close"),
        ({"features": {"age": (16,)}}, "'age' needs two bounds"),
        ({"features": {"age": 16}}, "'age' needs two bounds"),
        ({"features": {"age": ("16", "90")}}, "'age' must be numbers"),
        ({"features": {"age": (False, True)}}, "'age' must be numbers"),
        ({"features": {"": (0, 1)}}, "needs a name"),
        ({"features": {INTERCEPT: (0, 1)}}, "cannot be called"),
        ({"features": {"x" * 2000: (0, 1)}}, "too long"),
        ({"features": {f"x{i}": (0, 1) for i in range(FEATURE_LIMIT + 1)}}, "at most"),
        ({"target": "income"}, "The target is declared as"),
        ({"target": ("age", (0, 1))}, "'age' is among the features"),
        ({"target": ("income", (1, 0))}, "lower bound of 'income'"),
        ({"radius": 0}, "radius must be a number greater than zero"),
        ({"radius": -1}, "radius"),
        ({"radius": math.nan}, "radius"),
        ({"radius": math.inf}, "radius"),
        ({"radius": True}, "radius"),
        ({"radius": 1e13}, "radius must lie between"),
        ({"radius": Fraction(10**60, 10**60 + 1)}, "at most 60 digits"),
        ({"noise": 0}, "noise must be a number greater than zero"),
        ({"noise": "much"}, "noise"),
        ({"noise": 1e-13}, "noise must lie between"),
        ({"precision": 0}, "precision must be a number greater than zero"),
        ({"precision": [1, 2, 3]}, "one number for all coefficients, or a mapping from the name of each"),
        ({"precision": {"age": 1, "hours": 1}}, r"'\(intercept\)' has no precision"),
        ({"precision": {INTERCEPT: 1, "age": 1, "hours": 0}}, "'hours' must be a number greater than zero"),
        ({"precision": {INTERCEPT: 1, "age": 1, "hours": 1, "hour": 2}}, "'hour', no coefficient. Did you mean 'hours'"),
        ({"intercept": 1}, "intercept must be True or False"),
        ({"resolution": 3}, "resolution must be a whole number"),
        ({"resolution": 21}, "resolution"),
        ({"resolution": 16.0}, "resolution"),
        ({"resolution": True}, "resolution"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(change, message):
    with pytest.raises(ModelError, match=message):
        LinearModel(**({"features": FEATURES, "target": TARGET} | change))


def test_each_coefficient_may_have_its_own_precision():
    model = LinearModel(FEATURES, TARGET, {"age": 2, INTERCEPT: "0.1", "hours": 3})
    assert model.precisions == (Fraction(1, 10), 2, 3)


def test_a_prior_that_is_not_declared_is_learned_and_may_be_declared_later():
    model = LinearModel(FEATURES, TARGET, noise="0.25")
    assert model.learned
    assert "learned" in repr(model)
    assert "first guess" in repr(model)
    declared = model.declare_prior()
    assert declared == LinearModel(FEATURES, TARGET, 1, noise="0.25")
    assert declared != model
    assert not declared.learned
    assert "precision 1" in repr(declared)


@pytest.mark.parametrize("intercept", [True, False])
def test_scaled_weights_and_coefficients_in_units_predict_the_same(intercept):
    model = LinearModel(FEATURES, TARGET, intercept=intercept)
    weights = np.random.default_rng(1).normal(size=(5, len(model.coordinates)))
    frame = {"age": [16, 40.5, 90], "hours": [3, 99, 40]}
    units = model.to_units(weights)
    lines = units[:, :1] + units[:, 1:] @ np.array([frame["age"], frame["hours"]])
    np.testing.assert_allclose(lines.T, model.target_in_units(model.scale(frame) @ weights.T))
    np.testing.assert_allclose(model.from_units(units), weights, atol=1e-12)


def test_without_an_intercept_the_line_passes_through_the_middle_of_all_bounds():
    model = LinearModel({"x": (0, 10)}, ("y", (0, 4)), intercept=False)
    start, slope = model.to_units([0.5])
    assert start + 5 * slope == pytest.approx(2)


def test_vectors_have_a_norm_of_at_most_one_whatever_the_record():
    for intercept in (True, False):
        model = LinearModel(FEATURES, TARGET, intercept=intercept)
        frame = pl.DataFrame({"age": [16.0, 90.0, -1e300, 53.0], "hours": [0.0, 99.0, 1e300, 49.5]})
        norms = np.linalg.norm(model.scale(frame), axis=1)
        assert norms[:3] == pytest.approx(1)
        assert norms[3] == pytest.approx(1 / math.sqrt(3) if intercept else 0)
        assert (norms <= 1 + 1e-15).all()


def test_noise_is_told_in_the_targets_units():
    assert LinearModel(FEATURES, TARGET).noise_in_units(0.5) == 37_500


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity_do_not_pass_the_clip(value):
    with pytest.raises(ModelError, match="'age' holds a missing or infinite value"):
        Column("age", (0, 1)).scale([0.5, value])


@pytest.mark.parametrize("frame", [{"age": [1, 2]}, {"age": [1], "hours": ["many"]}, pl.DataFrame({"age": [1]})])
def test_a_frame_without_a_feature_is_refused_by_name(frame):
    with pytest.raises(ModelError, match="no column 'hours' of numbers"):
        LinearModel(FEATURES, TARGET).scale(frame)


def test_features_of_different_length_are_refused():
    with pytest.raises(ModelError, match="same number"):
        LinearModel(FEATURES, TARGET).scale({"age": [1, 2], "hours": [1]})


def test_weights_of_the_wrong_shape_are_refused():
    model = LinearModel(FEATURES, TARGET)
    for given in (1.0, [1, 2], np.zeros((4, 2))):
        with pytest.raises(ModelError, match="need 3 numbers"):
            model.to_units(given)
        with pytest.raises(ModelError, match="need 3 numbers"):
            model.from_units(given)


@pytest.mark.parametrize(
    "model",
    [
        LinearModel(FEATURES, TARGET),
        LinearModel(FEATURES, TARGET, "1/3", "0.1", 7, intercept=False, resolution=8),
        LinearModel({"x": (-0.1, 1 / 3)}, ("y", (-1, 1)), {INTERCEPT: 1, "x": 2.5}, radius=1e-3),
        LinearModel(FEATURES, TARGET, Fraction(1, 2**39), Fraction(0.1), Fraction(10**60 - 1, 10**60 - 2)),
    ],
)
def test_the_json_form_brings_the_declaration_back_exactly(model):
    assert linear_model_from_json(linear_model_to_json(model)) == model
