"""Posterior sampling for linear models: what is drawn, charged, refused, planned and said."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.bits import FailingBits, SeededBits

import discreet as dc
from discreet import BudgetError, DataError, Laplace, Ledger, LinearModel, ModelError, RegressionMoments, RegressionSampler
from discreet.counts.moments import moments
from discreet.experiments.census import census_model, synthetic_census
from discreet.mechanisms.linear_sampler import posterior_law
from discreet.planning.linear import draw_epsilon
from discreet.posterior.linear_draws import RegressionDraws

FEATURES = {"age": (16, 90), "hours": (0, 60)}
MODEL = LinearModel(FEATURES, ("income", (0, 100)), "0.5", 2, "0.25")  # one draw costs 144


def records(rows=400, seed=1, **changes):
    generator = np.random.default_rng(seed)
    age, hours = generator.uniform(10, 95, rows), generator.uniform(0, 70, rows)
    income = 20 + 0.3 * age + 0.5 * hours + generator.normal(0, 12, rows)
    return pl.DataFrame({"age": age, "hours": hours, "income": income} | changes)


def release(data, model=MODEL, epsilon="10", draws=1, **options):
    sampler = RegressionSampler(epsilon, draws=draws)
    return dc.release(data, model, sampler, **({"ledger": Ledger.unlimited()} | options))


@pytest.mark.parametrize("intercept", [True, False])
def test_the_law_of_a_draw_is_the_posterior(intercept):
    """Written in v = w / sqrt(d) and in fixed point, it is the tempered posterior of the scaled records."""
    precision = {"age": 2, "hours": "0.1"} | ({"(intercept)": 3} if intercept else {})
    model = LinearModel(FEATURES, ("income", (0, 100)), precision, "1.5", "0.25", intercept=intercept, resolution=20)
    frame, tempering = records(), Fraction(1, 7)
    law = posterior_law(moments(frame, model), model, tempering)
    x, y = model.scale(frame), model.target.scale(frame["income"])
    d = len(model.coordinates)
    expected = x.T @ x / 7 / 0.0625 + np.diag([float(each) for each in model.precisions])
    np.testing.assert_allclose(np.array(law.precision, dtype=float) / d, expected, rtol=1e-4)
    np.testing.assert_allclose(np.array(law.linear, dtype=float) / np.sqrt(d), x.T @ y / 7 / 0.0625, rtol=1e-3, atol=1e-3)
    assert law.radius_squared == Fraction(9, 4) / d


def test_a_draw_has_a_declared_prior_and_says_so():
    """A learned prior would depend on the records; the cost of a draw is proved for a fixed one."""
    undeclared = LinearModel(FEATURES, ("income", (0, 100)), None, 2, "0.25")
    made = release(records(), undeclared, _bits=SeededBits(5)).posterior
    again = release(records(), undeclared.declare_prior(), _bits=SeededBits(5)).posterior
    assert made == again
    assert not made.model.learned
    with pytest.raises(ModelError, match="prior is declared"):
        RegressionDraws(undeclared, made.steps, made.temper, made.rows)


def test_a_release_is_the_draw_that_the_moments_give():
    made = release(records(), draws=3, _bits=SeededBits(5))
    law = posterior_law(moments(records(), MODEL), MODEL, RegressionSampler(10, draws=3).temper(MODEL))
    bits = SeededBits(5)
    assert made.value.steps == tuple(law.draw(bits) for _ in range(3))
    assert made.value.rows == 400
    assert made.value.temper == Fraction(10, 3 * 144)
    assert made.mechanism.parameters == {"epsilon": "10", "draws": "3"}


def test_clipped_records_draw_like_those_at_the_bounds():
    wild = records().with_columns(age=pl.col("age") * 1e9, income=-pl.col("income") * 1e12)
    tame = records().with_columns(age=pl.lit(90), income=pl.lit(0))
    assert release(wild, _bits=SeededBits(3)).value == release(tame, _bits=SeededBits(3)).value


def test_a_release_is_charged_exactly_once(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="3")
    made = release(records(), epsilon="1/2", draws=4, ledger=ledger)
    assert ledger.spent == Fraction(1, 2)
    assert made.guarantee.epsilon == Fraction(1, 2)
    assert [receipt.guarantee for receipt in made.receipts] == [made.guarantee]


def test_no_more_is_charged_than_draws_that_are_not_tempered_cost(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1000")
    made = release(records(), epsilon="1000", draws=2, ledger=ledger)
    assert ledger.spent == made.guarantee.epsilon == 2 * draw_epsilon(MODEL) == 288
    assert made.value.temper == 1


def test_the_ledger_is_asked_for_what_is_charged_and_no_more(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="144")
    release(records(), epsilon="1000", ledger=ledger)
    assert ledger.remaining == 0


def test_what_can_fail_fails_before_the_charge_and_before_a_random_byte(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    broken = {
        "no column": records().drop("income"),
        "NaN": records(income=[float("nan")] * 400),
        "records": records().head(0),
        "no file": tmp_path / "nowhere.csv",
    }
    for message, data in broken.items():
        with pytest.raises((DataError, dc.FormatError), match=message):
            release(data, epsilon="1", ledger=ledger, _bits=FailingBits())
    with pytest.raises(DataError, match="declared number"):
        release(records(), epsilon="1", ledger=ledger, rows=399, _bits=FailingBits())
    with pytest.raises(BudgetError):
        release(records(), epsilon="2", ledger=ledger, _bits=FailingBits())
    assert ledger.spent == 0


def test_a_budget_that_is_too_small_is_found_before_the_records_are_read(tmp_path):
    with pytest.raises(BudgetError):
        release("nowhere.csv", epsilon="2", ledger=Ledger(tmp_path / "ledger", cap="1"))


@pytest.mark.parametrize(("given", "message"), [({"noise": 1}, "declare radius"), ({"radius": 1}, "declare noise")])
def test_radius_and_noise_must_be_declared(given, message):
    model = LinearModel(FEATURES, ("income", (0, 100)), **given)
    for step in (lambda: release("nowhere.csv", model), lambda: RegressionSampler(1).plan(model, 100)):
        with pytest.raises(ModelError, match=message):
            step()
    assert [plan.mechanism for plan in dc.plan(model, rows=10, epsilon=1)] == ["regression-moments"]
    wide = LinearModel({f"x{place}": (0, 1) for place in range(51)}, ("y", (0, 1)), **given)
    with pytest.raises(ModelError, match="radius and noise"):
        dc.plan(wide, rows=10, epsilon=1)


@pytest.mark.parametrize("draws", [0, -1, 1.0, True, "2", 10_001])
def test_draws_must_be_a_whole_number(draws):
    with pytest.raises(ModelError, match="draws must be"):
        RegressionSampler(1, draws=draws)


def test_mechanisms_for_networks_and_for_linear_models_are_told_apart():
    network = dc.Network([dc.Variable("x", ["0", "1"])])
    posterior = dc.release(pl.DataFrame({"x": ["0"]}), network, Laplace(1), ledger=Ledger.unlimited()).posterior
    with pytest.raises(ModelError, match=r"Laplace is for networks, not for linear models\. Use RegressionMoments"):
        dc.release(records(), MODEL, Laplace(1), ledger=Ledger.unlimited())
    with pytest.raises(ModelError, match=r"RegressionSampler is for linear models, not for networks\. Use Laplace"):
        dc.release(pl.DataFrame({"x": ["0"]}), network, RegressionSampler(1), ledger=Ledger.unlimited())
    for option in ({"prior": dc.JEFFREYS}, {"prior": "uniform"}, {"prior": posterior}, {"missing": "no"}):
        with pytest.raises(ModelError, match="prior and missing are not for linear models"):
            release(records(), **option)


def test_a_model_may_be_given_as_a_file(tmp_path):
    path = tmp_path / "model.toml"
    path.write_text('precision = "0.5"\nradius = 2\nnoise = 0.25\n[features]\nage = [16, 90]\nhours = [0, 60]\n[target]\n')
    path.write_text(path.read_text() + "income = [0, 100]\n")
    for given in (path, str(path)):
        assert release(records(), given).value.model == MODEL
        assert dc.plan(given, rows=100, epsilon=1)["regression-sampler"].rows == 100


def test_the_release_says_what_to_beware_of():
    names = [caveat.name for caveat in release(records(), _bits=SeededBits(1)).caveats]
    assert names == ["public-rows", "one-record", "unlimited-ledger", "scripted-bits", "timing"]


def test_a_plan_needs_no_data_and_no_ledger():
    plans = dc.plan(MODEL, rows=5000, epsilon="1/2")
    found = plans["regression-sampler"]
    assert (found.rows, found.released_numbers) == (5000, 3)
    assert found.guarantee.epsilon == Fraction(1, 2)
    assert found.to_dict()["privacy_error"] == found.privacy_error
    assert "regression-sampler" in str(plans)
    assert [plan.mechanism for plan in plans] == ["regression-moments", "regression-sampler"]
    assert len(plans) == 2
    with_delta = dc.plan(MODEL, rows=5000, epsilon="1/2", delta="1e-6")
    assert [plan.mechanism for plan in with_delta] == [
        "regression-moments",
        "regression-moments-gaussian",
        "regression-sampler",
    ]
    assert with_delta["regression-moments-gaussian"].guarantee == RegressionMoments("1/2", "1e-6").guarantee
    with pytest.raises(dc.DiscreetError, match="delta"):
        dc.plan(MODEL, rows=5000, epsilon="1/2", delta=2)
    with pytest.raises(ModelError, match="whole number"):
        dc.plan(MODEL, rows=0, epsilon=1)


@pytest.mark.parametrize("epsilon", ["2", "20"])
def test_the_planned_error_is_about_the_error_that_happens(epsilon):
    """What privacy adds to predictions on the synthetic census, as a root mean square over twelve releases."""
    model = census_model(radius=3, noise="0.25")
    frame = synthetic_census(20_000, seed=3)
    x, y = model.scale(frame), model.target.scale(frame["income"])
    exact = np.linalg.solve(x.T @ x + 0.0625 * np.eye(15), x.T @ y)
    law = posterior_law(moments(frame, model), model, RegressionSampler(epsilon).temper(model))
    bits = SeededBits(8)
    draws = np.array([law.draw(bits) for _ in range(12)]) / 2**32 * np.sqrt(15)
    happened = model.noise_in_units(np.sqrt(np.mean((x @ (draws - exact).T) ** 2)))
    planned = RegressionSampler(epsilon).plan(model, 20_000).privacy_error
    assert planned / 1.4 < happened < planned * 1.4


def test_more_records_and_more_epsilon_make_a_smaller_planned_error():
    errors = [RegressionSampler(e).plan(MODEL, n).privacy_error for e, n in ((1, 500), (1, 50_000), (10, 50_000))]
    assert errors == sorted(errors, reverse=True)
    assert RegressionSampler(1000).plan(MODEL, 500).guarantee.epsilon == 144
