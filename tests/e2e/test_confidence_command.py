"""How far probabilities can be trusted: the steward pays for a second file, the third party predicts with both."""

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.chains.family_chain import Effort
from discreet.cli import confidence as command

WORDS = ("--target", "lung", "--ledger", "clinic.ledger")
CONFIDENCE = ("confidence", "clinic.json", "patients.csv", *WORDS, "--epsilon", "0.25", "-o", "trust.json")
PREDICT = ("predict", "clinic.json", "patients.csv", "--target", "lung", "--proba", "-o")


@pytest.fixture(autouse=True)
def _short_chains(monkeypatch):
    """What is tested here does not need them to agree."""
    monkeypatch.setattr(Effort, "within", lambda *_: Effort(4, 10, 10))


def swapped(words, old, new):
    return [new if word == old else word for word in words]


def test_the_ledger_is_charged_and_predictions_are_calibrated(discreet, clinic):
    made = discreet(*CONFIDENCE, "--json")
    assert made.code == 0
    assert made.json["rows"] == 2000
    assert made.json["prior"] == "Symmetric(1.0)"  # bins must not learn from one another
    assert made.json["receipts"][0]["spent"] == "0.75"
    assert discreet(*PREDICT, "plain.csv").code == 0
    assert discreet(*PREDICT, "calibrated.csv", "--confidence", "trust.json").code == 0
    plain, calibrated = (pl.read_csv(f"{name}.csv") for name in ("plain", "calibrated"))
    first, second = (frame["lung=yes"].to_numpy() for frame in (plain, calibrated))
    assert not np.allclose(first, second, atol=1e-3)
    assert (np.diff(second[np.argsort(first)]) >= 0).all()
    assert ((calibrated["lung"] == "yes").to_numpy() == (second > 0.5)).all()


def test_what_the_budget_does_not_allow_costs_nothing(discreet, clinic):
    done = discreet("confidence", "clinic.json", "patients.csv", *WORDS, "--epsilon", "0.6", "-o", "trust.json")
    assert done.code == 3
    assert not (clinic / "trust.json").exists()
    assert discreet("ledger", "clinic.ledger", "--json").json["datasets"][0]["spent"] == "0.5"


def test_the_data_set_of_the_release_is_charged_and_no_other(discreet, clinic):
    """The table is made of the released records; another budget would hide that the two add up."""
    words = ("--network", "clinic.bif", "--ledger", "clinic.ledger", "--dataset", "pilot", "--cap", "2", "--epsilon", "1")
    assert discreet("release", "patients.csv", *words, "-o", "pilot.json").code == 0
    done = discreet(*swapped(CONFIDENCE, "clinic.json", "pilot.json"), "--json")
    assert done.json["receipts"][0]["dataset"] == "pilot"
    spent = {each["dataset"]: each["spent"] for each in discreet("ledger", "clinic.ledger", "--json").json["datasets"]}
    assert spent == {"default": "0.5", "pilot": "1.25"}


def test_somebody_with_several_records_is_protected_by_both_releases(discreet, clinic):
    words = ("--network", "clinic.bif", "--ledger", "group.ledger", "--cap", "9", "--epsilon", "1", "--rows-at-most", "3")
    assert discreet("release", "patients.csv", *words, "-o", "clinic.json", "--force").code == 0
    done = discreet(*swapped(CONFIDENCE, "clinic.ledger", "group.ledger"), "--json")
    assert done.json["unit"] == {"kind": "rows-at-most", "most": 3}
    spent = [each["spent"] for each in discreet("ledger", "group.ledger", "--json").json["datasets"]]
    assert spent == ["3.75"]  # three times 1, and three times 0.25


def test_a_release_about_persons_is_refused_before_the_work(discreet, clinic):
    frame = pl.read_csv(clinic / "patients.csv")
    frame.with_columns(id=pl.int_range(frame.height) // 2).write_csv(clinic / "visits.csv")
    words = ("--network", "clinic.bif", "--ledger", "visits.ledger", "--cap", "9", "--epsilon", "1", "--person", "id")
    assert discreet("release", "visits.csv", *words, "-o", "visits.json").code == 0
    done = discreet(*swapped(swapped(CONFIDENCE, "clinic.ledger", "visits.ledger"), "clinic.json", "visits.json"))
    assert done.code == 5
    assert "this release protects persons" in done.err


def test_a_ledger_that_did_not_pay_is_refused(discreet, clinic):
    words = ("--network", "clinic.bif", "--ledger", "other.ledger", "--cap", "2", "--epsilon", "1")
    assert discreet("release", "patients.csv", *words, "-o", "other.json").code == 0
    done = discreet(*swapped(CONFIDENCE, "clinic.ledger", "other.ledger"))
    assert done.code == 2
    assert "did not pay" in done.err
    assert discreet("ledger", "other.ledger", "--json").json["datasets"][0]["spent"] == "1"


def test_other_records_than_those_of_the_release_cost_nothing(discreet, clinic):
    pl.read_csv("patients.csv")[:-1].write_csv("fewer.csv")
    done = discreet(*swapped(CONFIDENCE, "patients.csv", "fewer.csv"))
    assert done.code == 4
    assert discreet("ledger", "clinic.ledger", "--json").json["datasets"][0]["spent"] == "0.5"


def test_the_file_says_what_it_is_about(discreet, clinic):
    assert discreet(*CONFIDENCE).code == 0
    done = discreet(*swapped(PREDICT, "lung", "smoke"), "x.csv", "--confidence", "trust.json")
    assert done.code == 2
    assert "not about 'smoke'" in done.err
    done = discreet(*PREDICT, "y.csv", "--confidence", "trust.json")
    assert (done.code, "another release" in done.err) == (0, False)


def test_a_name_that_is_long_when_it_is_quoted_can_be_saved(discreet, clinic):
    """What failed after the charge would have cost budget for nothing."""
    name = "\\" * 1000
    network = dc.Network([dc.Variable(name, ["0", "1"])], {})
    records = pl.DataFrame({name: ["0", "1"] * 100})
    records.write_csv("long.csv")
    made = dc.release(records, network, dc.Laplace("1"), ledger=dc.Ledger("long.ledger", cap="2"))
    made.save("long.json")
    words = ("--target", name, "--ledger", "long.ledger", "--epsilon", "1", "-o", "trust.json")
    assert discreet("confidence", "long.json", "long.csv", *words).code == 0
    assert (
        discreet("predict", "long.json", "long.csv", "--target", name, "--confidence", "trust.json", "-o", "x.csv").code == 0
    )


def test_what_the_file_says_is_known_before_the_charge(discreet, clinic, monkeypatch):
    def fails(*_):
        raise dc.FormatError("It cannot be said.")

    monkeypatch.setattr(command, "_about", fails)
    assert discreet(*CONFIDENCE).code == 5
    assert discreet("ledger", "clinic.ledger", "--json").json["datasets"][0]["spent"] == "0.5"


def test_what_the_table_is_not_about_is_told(discreet, clinic):
    done = discreet(*PREDICT[:5], "--plugin", "--confidence", "x.json", "-o", "x.csv")
    assert done.code == 2
    assert "without --plugin" in done.err


def test_levels_are_predicted_with_it_too(discreet, clinic):
    assert discreet(*CONFIDENCE).code == 0
    for words in ((), ("--proba",)):
        assert discreet(*PREDICT[:5], *words, "--confidence", "trust.json", "--force", "-o", f"{len(words)}.csv").code == 0
    assert pl.read_csv("0.csv")["lung"].equals(pl.read_csv("1.csv")["lung"])


def test_a_release_of_a_linear_model_has_no_confidence(discreet, clinic):
    (clinic / "line.toml").write_text("[features]\nx = [0, 1]\n[target]\ny = [0, 1]\n")
    pl.DataFrame({"x": [0.1, 0.9], "y": [0.2, 0.8]}).write_csv("line.csv")
    words = ("--model", "line.toml", "--ledger", "line.ledger", "--cap", "1", "--epsilon", "1", "-o", "line.json")
    assert discreet("release", "line.csv", *words).code == 0
    done = discreet("confidence", "line.json", "line.csv", *WORDS, "--epsilon", "0.1", "-o", "x.json")
    assert done.code == 5
    assert "not about a network" in done.err


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
    done = discreet(*swapped(CONFIDENCE, "clinic.json", "updated.json"))
    assert done.code == 2
    assert "before the update" in done.err


def test_a_release_with_records_of_ones_own_may_be_calibrated(discreet, clinic):
    assert discreet(*CONFIDENCE).code == 0
    assert discreet("update", "clinic.json", "patients.csv", "-o", "updated.json").code == 0
    done = discreet(*swapped(PREDICT, "clinic.json", "updated.json"), "x.csv", "--confidence", "trust.json")
    assert done.code == 0
    assert "before an update" in done.err


def test_a_file_of_something_else_is_told(discreet, clinic):
    done = discreet(*PREDICT, "x.csv", "--confidence", "clinic.json")
    assert done.code == 2
    assert "confidence table" in done.err
    assert not (clinic / "x.csv").exists()


def test_longer_chains_are_advised_only_where_a_command_takes_them(discreet, clinic, monkeypatch):
    monkeypatch.setattr("discreet.chains.diagnostics.Diagnostics.converged", False)
    assert "Longer chains" in discreet(*PREDICT, "plain.csv").err
    for words in (CONFIDENCE, (*PREDICT, "calibrated.csv", "--confidence", "trust.json")):
        told = discreet(*words).err
        assert "do not agree well" in told
        assert "Longer chains" not in told
