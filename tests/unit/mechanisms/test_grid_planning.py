"""Plans at many epsilons: each point is the plan at its epsilon; ledgers are asked and not charged."""

import json
from itertools import pairwise

import pytest

import discreet as dc

NETWORK = dc.naive_bayes("sick", ["cough", "fever"])
ROWS = 2000


@pytest.fixture(scope="module")
def grid():
    return dc.plan_grid(NETWORK, ROWS, question=("sick", {"fever": "1"}), width=0.1)


def point(grid, epsilon):
    return next(each for each in grid.points if each.epsilon == epsilon)


@pytest.mark.parametrize("epsilon", ["0.01", "0.2", "1", "10"])
def test_the_grid_says_what_plans_say(grid, epsilon):
    """Noise at every epsilon; draws and points where they were planned, and near it in between."""
    plans, found = dc.plan(NETWORK, ROWS, epsilon), point(grid, epsilon)
    assert found.mechanism == plans.recommendation.mechanism
    for plan in plans:
        close = {"rel": 1e-9} if plan.mechanism not in ("sampler", "map") else {"rel": 0.1}
        assert found.errors[plan.mechanism] == pytest.approx(plan.parameter_error.mean, **close), plan.mechanism
    assert grid.error_without_noise == plans["laplace"].parameter_error.sampling


def test_errors_fall_as_epsilon_grows(grid):
    for name in ("laplace", "knorm"):
        errors = [each.errors[name] for each in grid.points]
        assert all(later < 1.001 * earlier for earlier, later in pairwise(errors))  # where noise is nothing, chance is left


def test_widths_are_those_of_the_plan_of_the_question(grid):
    question = ("sick", {"fever": "1"})
    planned = dc.plan(NETWORK, ROWS, "0.2", question=question, width=0.1)
    assert point(grid, "0.2").width == pytest.approx(planned.width_at_epsilon)
    assert grid.question.smallest_epsilon == planned.smallest_epsilon
    widths = [each.width for each in grid.points]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.slow
def test_edges_cost_what_plans_say(grid):
    plans = dc.plan(NETWORK, ROWS, "1")
    assert grid.example.edges_of == plans.edges_of
    assert grid.example.edges["1"] == plans.edges
    assert len(plans.edges) == 2


def test_the_ledger_is_asked_and_not_charged(tmp_path):
    ledger = dc.Ledger(tmp_path / "a.ledger", cap="1")
    ledger.charge(dc.PureDP("0.4"), "before")
    grid = dc.plan_grid(NETWORK, ROWS, ledger=ledger)
    assert point(grid, "0.25").remaining == "0.35"
    assert point(grid, "0.6").remaining == "0"
    assert point(grid, "0.6").refused is None
    assert point(grid, "0.8").remaining is None
    assert "0.6" in point(grid, "0.8").refused
    assert (grid.budget, grid.dataset, len(ledger.history())) == ("0.6", "default", 1)


@pytest.mark.slow
def test_a_ledger_with_a_delta_brings_gaussian_noise(tmp_path):
    ledger = dc.Ledger(tmp_path / "a.ledger", cap="1", delta="1e-6")
    grid = dc.plan_grid(NETWORK, ROWS, ledger=ledger)
    assert "gaussian" in point(grid, "0.5").errors
    assert "except with a probability" in point(grid, "0.5").guarantee.meaning


def test_a_line_has_a_grid_of_errors_of_predictions():
    model = dc.LinearModel({"height": (140, 210)}, ("weight", (40, 140)))
    grid = dc.plan_grid(model, ROWS)
    plan = dc.plan(model, ROWS, "1")["regression-moments"]
    expected = (plan.records_error**2 + plan.privacy_error**2) ** 0.5
    assert point(grid, "1").errors["regression-moments"] == pytest.approx(expected)
    assert grid.error_without_noise == plan.records_error
    with pytest.raises(dc.ModelError, match="planned for a network"):
        dc.plan_grid(model, ROWS, question="weight", width=0.1)


def test_a_grid_shows_itself_and_becomes_json(grid):
    assert "epsilon" in repr(grid)
    assert "takes about epsilon" in repr(grid)
    assert json.loads(json.dumps(grid.to_dict()))["points"][0]["epsilon"] == "0.01"
    with pytest.raises(dc.ModelError, match="go together"):
        dc.plan_grid(NETWORK, ROWS, question="sick")
