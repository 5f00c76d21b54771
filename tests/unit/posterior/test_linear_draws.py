"""Released draws of regression weights: units, summaries, predictions, and what cannot be told from few draws."""

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from discreet import DataError, Ledger, LinearModel, ModelError, RegressionSampler, release
from discreet.errors import QueryError
from discreet.posterior.linear_draws import PLACES, RegressionDraws

MODEL = LinearModel({"age": (16, 90), "hours": (0, 60)}, ("income", (0, 100)), 1, 3, "0.25")
FRAME = pl.DataFrame({"age": [20, 40, 99], "hours": [10, 20, -5]})


def draws(count, seed=1, temper=1):
    steps = np.random.default_rng(seed).normal(0, 0.2, (count, 3)) * 2**PLACES
    return RegressionDraws(MODEL, tuple(tuple(int(step) for step in draw) for draw in steps), Fraction(temper), 100)


def test_weights_and_coefficients_are_those_of_the_steps():
    one = RegressionDraws(MODEL, ((2**PLACES, 0, -(2 ** (PLACES - 1))),), Fraction(1, 2), 10)
    np.testing.assert_allclose(one.weights, [[math.sqrt(3), 0, -math.sqrt(3) / 2]])
    np.testing.assert_allclose(one.coefficients, MODEL.to_units(one.weights))
    assert one.coefficients[0] == pytest.approx([50 + 50 + 25, 0, -25 / 30])


def test_one_draw_has_a_mean_and_nothing_more():
    found = draws(1).summary()
    assert [entry.name for entry in found] == ["(intercept)", "age", "hours"]
    assert all(math.isnan(entry.sd) and math.isnan(entry.lower) for entry in found)
    assert found["age"].to_dict()["sd"] is None
    assert str(found).splitlines()[2].split()[2:] == ["-", "-"]
    prediction = draws(1).predict(FRAME)
    assert prediction.credible is None
    assert prediction.predictive is None


def test_fewer_draws_than_weights_give_no_interval_of_a_prediction():
    """Their covariance is blind in some direction and would call a prediction there sure."""
    assert draws(3).predict(FRAME).credible is None
    assert draws(4).predict(FRAME).credible is not None


def test_predictions_are_the_line_at_the_clipped_features():
    many = draws(50)
    start, age, hours = many.coefficients.mean(axis=0)
    expected = start + age * np.array([20, 40, 90]) + hours * np.array([10, 20, 0])
    found = many.predict(FRAME)
    np.testing.assert_allclose(found.mean, expected)
    assert len(found) == 3
    lower, upper = found.credible
    wide_lower, wide_upper = found.predictive
    assert (wide_lower < lower).all()
    assert (lower < found.mean).all()
    assert (found.mean < upper).all()
    assert (upper < wide_upper).all()


def test_what_is_left_open_is_the_spread_of_draws_and_what_the_prior_hides():
    """With C the covariance of draws, t the temper and B the prior's precision: (t + 1/K) C + (1 - t) C B C."""
    spread = np.cov(draws(25).weights.T)
    slopes = MODEL.to_units(np.eye(3)) - MODEL.to_units(np.zeros(3))
    for t in (Fraction(1), Fraction(1, 100)):
        covariance = float(t + Fraction(1, 25)) * spread + float(1 - t) * spread @ spread  # the prior has precision 1
        expected = np.sqrt(np.diag(slopes.T @ covariance @ slopes))
        np.testing.assert_allclose([entry.sd for entry in draws(25, temper=t).summary()], expected)


def test_a_summary_prints_reads_and_becomes_json():
    found = draws(30).summary(0.5)
    assert len(found) == 3
    assert str(found).startswith("Coefficients\n  coefficient")
    assert "50 % interval" in str(found)
    assert found.to_dict()["coefficients"][1]["name"] == "age"
    assert found["age"].lower < found["age"].mean < found["age"].upper
    with pytest.raises(QueryError, match="Did you mean 'age'"):
        found["aeg"]


@pytest.mark.parametrize("interval", [0, 1, -0.5, "0.9", True, math.nan])
def test_an_interval_must_be_a_probability(interval):
    for ask in (lambda: draws(5).summary(interval), lambda: draws(5).predict(FRAME, interval)):
        with pytest.raises(QueryError, match="between 0 and 1"):
            ask()


def test_the_target_of_new_records_is_not_looked_at():
    assert draws(5).predict(FRAME.with_columns(income=pl.lit("unknown"))).mean == pytest.approx(draws(5).predict(FRAME).mean)


def test_new_records_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="no column 'hours'"):
        draws(5).predict(FRAME.drop("hours"))
    with pytest.raises(DataError, match="'hours' holds NaN"):
        draws(5).predict(FRAME.with_columns(hours=pl.lit(float("nan"))))
    with pytest.raises(DataError, match="no records"):
        draws(5).predict(FRAME.head(0))


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": ()},
        {"steps": ((1, 2),)},
        {"steps": ((1, 2, 3), (1, 2))},
        {"temper": Fraction(0)},
        {"temper": Fraction(3, 2)},
        {"rows": 0},
    ],
)
def test_draws_that_do_not_fit_their_model_are_refused(wrong):
    with pytest.raises(ModelError):
        RegressionDraws(**({"model": MODEL, "steps": ((1, 2, 3),), "temper": Fraction(1), "rows": 5} | wrong))


@pytest.mark.parametrize("epsilon", [10**6, 20], ids=["not tempered", "tempered"])
def test_intervals_from_many_draws_cover_the_truth(epsilon):
    """90 % intervals of releases of simulated records, with weights from the prior: 160 intervals, a sd of 0.024."""
    model = LinearModel(dict.fromkeys("abc", (-1, 1)), ("y", (-1, 1)), 16, 10, "1/10")
    covered, predicted = [], []
    for seed in range(40):
        generator = np.random.default_rng(seed)
        weights, features = generator.normal(0, 0.25, 4), generator.uniform(-1, 1, (400, 3))
        frame = pl.DataFrame(features, schema=["a", "b", "c"])
        lines = model.scale(frame) @ weights
        records = frame.with_columns(y=lines + generator.normal(0, 0.1, 400))
        found = release(records, model, RegressionSampler(epsilon, draws=12), ledger=Ledger.unlimited()).value
        pairs = zip(found.summary(), model.to_units(weights), strict=True)
        covered += [entry.lower <= true <= entry.upper for entry, true in pairs]
        lower, upper = found.predict(frame).credible
        predicted.append(np.mean((lower <= lines) & (lines <= upper)))
    assert 0.82 <= np.mean(covered) <= 0.97
    assert 0.82 <= np.mean(predicted) <= 0.97
