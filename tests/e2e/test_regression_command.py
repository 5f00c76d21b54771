"""The command with a linear model: from a declaration to predictions, its refusals, and what it must never spend or print."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet import Ledger

MODEL = """
radius = 2
noise = 0.25

[features]
height = [140, 210]
age = [18, 90]

[target]
weight = [40, 140]
"""
SECRET = "zebra-4711"
RELEASE = ("release", "people.csv", "--model", "weight.toml", "--ledger", "people.ledger", "--mechanism", "regression-sampler")


@pytest.fixture
def people(tmp_path, monkeypatch):
    """A folder with a declaration and records, as the working directory."""
    generator = np.random.default_rng(5)
    height, age = generator.normal(172, 9, 3000), generator.uniform(18, 90, 3000)
    weight = 75 + 0.9 * (height - 172) + generator.normal(0, 9, 3000)
    frame = pl.DataFrame({"name": [SECRET] * 3000, "height": height, "age": age, "weight": weight})
    (tmp_path / "weight.toml").write_text(MODEL)
    frame.write_csv(tmp_path / "people.csv")
    monkeypatch.chdir(tmp_path)
    return frame


def test_the_whole_way_from_a_declaration_to_predictions(discreet, people):
    planned = discreet("plan", "--model", "weight.toml", "--rows", 3000, "--epsilon", "10")
    assert planned.code == 0
    assert "regression-sampler" in planned.out
    released = discreet(*RELEASE, "--epsilon", "10", "--cap", "12", "-o", "weight.json")
    assert released.code == 0, released.err
    assert "10 of 12 spent, 2 remains" in released.err
    assert "time that the release took" in released.err
    shown = discreet("show", "weight.json")
    for word in ("epsilon = 10", "(intercept)", "height", "Coefficients of weight", "3,000"):
        assert word in shown.out
    predicted = discreet("predict", "weight.json", "people.csv", "-o", "predicted.csv")
    assert predicted.code == 0, predicted.err
    table = pl.read_csv("predicted.csv")
    assert table.columns == ["weight"]
    assert np.corrcoef(table["weight"], people["weight"])[0, 1] > 0.4
    assert SECRET not in planned.out + released.err + shown.out + predicted.err


def test_a_plan_says_which_mechanism_the_declaration_does_not_allow(discreet, people):
    with open("short.toml", "w") as stream:  # noqa: PTH123
        stream.write(MODEL.replace("radius = 2", ""))
    planned = discreet("plan", "--model", "short.toml", "--rows", 3000, "--epsilon", "10")
    assert "Left out: regression-sampler. Drawing from the posterior needs a truncated prior: declare radius" in planned.out
    assert "root mean square errors of the expected weight" in planned.err
    document = discreet("plan", "--model", "short.toml", "--rows", 3000, "--epsilon", "10", "--json").json
    assert [plan["mechanism"] for plan in document["plans"]] == ["regression-moments"]
    assert [each["mechanism"] for each in document["left_out"]] == ["regression-sampler"]


def test_json_carries_plans_coefficients_and_predictions(discreet, people):
    plan = discreet("plan", "--model", "weight.toml", "--rows", 3000, "--epsilon", "1/2", "--json").json["plans"][1]
    assert (plan["mechanism"], plan["rows"], plan["released_numbers"]) == ("regression-sampler", 3000, 3)
    made = discreet(*RELEASE, "--epsilon", "1/2", "--cap", "1", "-o", "weight.json", "--json")
    assert made.json["guarantee"] == {"kind": "pure", "epsilon": "0.5"}
    shown = discreet("show", "weight.json", "--json").json
    assert [entry["name"] for entry in shown["coefficients"]] == ["(intercept)", "height", "age"]
    assert shown["coefficients"][0]["sd"] is None
    assert (shown["rows"], shown["target"], shown["draws"]) == (3000, "weight", 1)
    predicted = discreet("predict", "weight.json", "people.csv", "--json").json
    assert len(predicted["predicted"]) == predicted["rows"] == 3000


def test_intervals_come_with_the_predictions_where_there_are_enough_draws(discreet, people):
    import discreet as library

    model = library.read_linear_model("weight.toml")
    sampler = library.RegressionSampler(20, draws=12)
    library.release(people, model, sampler, ledger=Ledger.unlimited()).save("many.json")
    assert discreet("predict", "many.json", "people.csv", "-o", "out.parquet").code == 0
    assert pl.read_parquet("out.parquet").columns == ["weight", "weight_lower", "weight_upper"]
    assert "90 % interval" in discreet("show", "many.json").out
    assert set(discreet("predict", "many.json", "people.csv", "--json").json) >= {"lower", "upper", "predicted"}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--network", "weight.toml"), 2, "once"),
        (("--mechanism", "laplace"), 2, "'laplace' is not for linear models: it is for networks, which --network declares"),
        (("--mechanism", "regression-smapler"), 2, "Did you mean 'regression-sampler'"),
        (("--prior", "jeffreys"), 2, "declare their own prior"),
        (("--missing", "no"), 2, "declare their own prior"),
        (("--rows", "2999"), 4, "declared number of records"),
    ],
)
def test_what_does_not_fit_a_linear_model_is_refused_uncharged(discreet, people, words, code, message):
    assert discreet(*RELEASE, "--epsilon", "1", "--cap", "1", *words, "-o", "weight.json").code == code
    result = discreet(*RELEASE, "--epsilon", "1", "--cap", "1", *words, "-o", "weight.json")
    assert message in result.err
    assert Ledger("people.ledger", cap="1").spent == 0


@pytest.mark.parametrize("words", [("--prior", "uniform"), ("--missing", "no"), ("--mechanism", "laplace")])
def test_what_belongs_to_networks_is_refused_before_a_ledger_is_made(discreet, people, words):
    result = discreet(*RELEASE, "--epsilon", "1", "--cap", "1", *words, "-o", "weight.json")
    assert (result.code, "not for linear models" in result.err) == (2, True)
    assert sorted(path.name for path in Path().iterdir()) == ["people.csv", "weight.toml"]


@pytest.mark.parametrize(
    ("line", "message"),
    [(f"{SECRET},NaN,20,70", "'height'"), (f"{SECRET},,20,70", "'height'"), (f"x,170,{SECRET},70", "'age'")],
)
def test_records_that_are_no_numbers_are_refused_unseen_and_uncharged(discreet, people, line, message):
    with open("people.csv", "a") as stream:  # noqa: PTH123
        stream.write(line + "\n")
    result = discreet(*RELEASE, "--epsilon", "1", "--cap", "1", "-o", "weight.json")
    assert result.code == 4
    assert message in result.err
    assert SECRET not in result.err
    assert Ledger("people.ledger", cap="1").spent == 0


def test_a_model_is_declared_by_toml_and_by_nothing_else(discreet, people):
    for wrong in ("people.csv", "people.parquet"):
        people.write_parquet("people.parquet")
        result = discreet("plan", "--model", wrong, "--rows", 10, "--epsilon", 1)
        assert result.code == 2
        assert SECRET not in result.err
    assert discreet("plan", "--rows", 10, "--epsilon", 1).code == 2
    assert discreet("plan", "--model", "nowhere.toml", "--rows", 10, "--epsilon", 1).code == 5


def test_a_regression_mechanism_needs_a_linear_model(discreet, clinic):
    words = ("--network", "clinic.bif", "--ledger", "clinic.ledger", "--epsilon", "0.1", "-o", "other.json")
    result = discreet("release", "patients.csv", *words, "--mechanism", "regression-sampler")
    assert result.code == 2
    assert "is not for networks: it is for linear models, which --model declares" in result.err


def test_questions_about_networks_are_refused_for_a_regression(discreet, people):
    assert discreet(*RELEASE, "--epsilon", "1", "--cap", "1", "-o", "weight.json").code == 0
    assert "has coefficients and no nodes" in discreet("show", "weight.json", "age").err
    said = discreet("query", "weight.json", "age").err
    assert said.endswith("the release is not about a network; `discreet show` and `discreet predict` read it.\n")
    assert "not about a network" in discreet("sample", "weight.json", "--rows", 3).err
    assert "predicts 'weight' and nothing else" in discreet("predict", "weight.json", "people.csv", "--target", "age").err
    assert discreet("update", "weight.json", "people.csv", "-o", "updated.json").code == 2


def test_a_network_still_needs_a_target_to_predict(discreet, clinic):
    result = discreet("predict", "clinic.json", "patients.csv")
    assert result.code == 2
    assert "--target NODE" in result.err
    assert (
        json.loads(discreet("predict", "clinic.json", "patients.csv", "--target", "lung", "--plugin", "--json").out)["rows"]
        == 2000
    )
