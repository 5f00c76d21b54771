"""How far probabilities can be trusted: the steward pays for a second file, the third party predicts with both."""

import numpy as np
import polars as pl
import pytest

WORDS = ("--target", "lung", "--ledger", "clinic.ledger")
CONFIDENCE = ("confidence", "clinic.json", "patients.csv", *WORDS, "--epsilon", "0.25", "-o", "trust.json")
PREDICT = ("predict", "clinic.json", "patients.csv", "--target", "lung", "--proba", "-o")


def test_the_ledger_is_charged_and_predictions_are_tempered(discreet, clinic):
    made = discreet(*CONFIDENCE, "--json")
    assert made.code == 0
    assert made.json["rows"] == 2000
    assert made.json["receipts"][0]["spent"] == "0.75"
    assert discreet(*PREDICT, "plain.csv").code == 0
    assert discreet(*PREDICT, "tempered.csv", "--confidence", "trust.json").code == 0
    plain, tempered = (pl.read_csv(f"{name}.csv") for name in ("plain", "tempered"))
    assert plain["lung"].equals(tempered["lung"])
    first, second = (frame["lung=yes"].to_numpy() for frame in (plain, tempered))
    assert not np.allclose(first, second, atol=1e-3)
    assert ((first > 0.5) == (second > 0.5)).all()


def test_what_the_budget_does_not_allow_costs_nothing(discreet, clinic):
    done = discreet("confidence", "clinic.json", "patients.csv", *WORDS, "--epsilon", "0.6", "-o", "trust.json")
    assert done.code == 3
    assert not (clinic / "trust.json").exists()
    assert discreet("ledger", "clinic.ledger", "--json").json["datasets"][0]["spent"] == "0.5"


def test_another_data_set_of_the_ledger_must_exist(discreet, clinic):
    """The table is made of the released records; a budget of its own would hide that the two add up."""
    done = discreet(*CONFIDENCE, "--dataset", "new")
    assert done.code == 5
    assert "has no dataset 'new'" in done.err
    assert not (clinic / "trust.json").exists()


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"lung": "xray"}, 2, "two levels"),
        ({"lung": "lungs"}, 2, "Did you mean 'lung'"),
        ({"trust.json": "clinic.json"}, 2, "also an input"),
        ({"patients.csv": "nothing.csv"}, 5, "nothing.csv"),
        ({"clinic.json": "clinic.bif"}, 5, "clinic.bif"),
    ],
)
def test_wrong_words_cost_nothing(discreet, clinic, change, code, said):
    done = discreet(*[change.get(word, word) for word in CONFIDENCE])
    assert (done.code, said in done.err) == (code, True), done.err
    assert discreet("ledger", "clinic.ledger", "--json").json["datasets"][0]["spent"] == "0.5"


def test_a_release_with_records_of_ones_own_is_no_judge(discreet, clinic):
    assert discreet("update", "clinic.json", "patients.csv", "-o", "updated.json").code == 0
    done = discreet(*["updated.json" if word == "clinic.json" else word for word in CONFIDENCE])
    assert done.code == 2
    assert "before the update" in done.err


def test_a_release_with_records_of_ones_own_may_be_tempered(discreet, clinic):
    assert discreet(*CONFIDENCE).code == 0
    assert discreet("update", "clinic.json", "patients.csv", "-o", "updated.json").code == 0
    words = ("predict", "updated.json", "patients.csv", "--target", "lung", "--confidence", "trust.json", "-o", "x.csv")
    assert discreet(*words).code == 0


def test_a_file_of_something_else_is_told(discreet, clinic):
    done = discreet(*PREDICT, "x.csv", "--confidence", "clinic.json")
    assert done.code == 2
    assert "confidence table" in done.err
    assert not (clinic / "x.csv").exists()
