"""Priors in the command: the steward's, the default, and the third party's own."""

import json
from pathlib import Path

import pytest

import discreet as library

RELEASE = ["release", "patients.csv", "--network", "clinic.bif", "--ledger", "other.ledger", "--cap", "2", "--epsilon", "0.5"]


def prior_in(file):
    return json.loads(Path(file).read_text("utf-8"))["prior"]


@pytest.mark.parametrize(
    ("words", "prior"),
    [
        ([], {"kind": "hierarchical", "centre": 2.0, "strength": 0.4, "spread": 1.5}),
        (["--prior", "uniform"], {"kind": "symmetric", "weight": 1.0}),
        (["--mechanism", "sampler"], {"kind": "symmetric", "weight": 1.0}),
    ],
    ids=["default", "declared", "draws"],
)
def test_the_file_has_the_declared_prior_or_the_default_of_its_mechanism(discreet, clinic, words, prior):
    assert discreet(*RELEASE, *words, "-o", "out.json").code == 0
    assert prior_in("out.json") == prior
    assert discreet("show", "out.json", "--json").json["prior"] in ("Hierarchical()", "Symmetric(1.0)")


def test_draws_refuse_a_prior_that_learns_and_cost_nothing(discreet, clinic):
    done = discreet(*RELEASE, "--mechanism", "sampler", "--prior", "hierarchical", "-o", "out.json")
    assert done.code == 2
    assert "such as 'uniform' or 'jeffreys'" in done.err
    assert library.Ledger("other.ledger").spent == 0


def test_a_question_is_asked_with_a_prior_of_ones_own(discreet, clinic):
    words = ["query", "clinic.json", "lung", "--plugin", "--interval", "none", "--json"]
    found = [discreet(*words, *more).json["distribution"][0]["probability"] for more in ([], ["--prior", "bdeu:100000"])]
    assert found[0] < 0.3
    assert found[1] == pytest.approx(0.5, abs=0.02)


def test_show_says_which_prior_is_believed_and_whose_it_is(discreet, clinic):
    assert "Hierarchical()" in discreet("show", "clinic.json").out
    shown = discreet("show", "clinic.json", "--prior", "jeffreys").out
    assert "Symmetric(0.5)" in shown
    assert "in the place of the steward's" in shown
    table = discreet("show", "clinic.json", "lung", "--plugin", "--prior", "bdeu:100000", "--json").json["table"]
    assert all(cell["mean"] == pytest.approx(0.5, abs=0.02) for cell in table)


def test_predictions_and_synthetic_records_follow_the_prior(discreet, clinic):
    words = ["predict", "clinic.json", "patients.csv", "--target", "lung", "--plugin", "--proba"]
    assert discreet(*words, "--prior", "bdeu:100000").out != discreet(*words).out
    drawn = discreet("sample", "clinic.json", "--rows", 2000, "--seed", 1, "--prior", "bdeu:1000000").out
    assert sum(line.split(",")[1] == "yes" for line in drawn.splitlines()) == pytest.approx(1000, abs=100)


def test_an_update_keeps_the_prior_that_it_is_given(discreet, clinic):
    assert discreet("update", "clinic.json", "patients.csv", "--prior", "jeffreys", "-o", "updated.json").code == 0
    assert prior_in("updated.json") == {"kind": "symmetric", "weight": 0.5}
    assert "own-records" in [each["name"] for each in discreet("show", "updated.json", "--json").json["caveats"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["query", "clinic.bif", "lung", "--prior", "uniform"], "Leave --prior out."),
        (["query", "clinic.json", "lung", "--prior", "unifrom"], "Did you mean 'uniform'"),
        (["query", "clinic.json", "lung", "--prior", "last_year.json"], "There is no file 'last_year.json'."),
        (["query", "clinic.json", "lung", "--prior", "bdeu:"], "Write bdeu:SIZE"),
        (["query", "clinic.json", "lung", "--prior", "clinic.json"], "whose records would count twice"),
        (["update", "clinic.json", "patients.csv", "-o", "new.json", "--prior", "clinic.json"], "would count twice"),
        (
            ["predict", "clinic.json", "patients.csv", "--target", "lung", "--confidence", "x", "--prior", "uniform"],
            "--prior",
        ),
    ],
)
def test_a_prior_that_makes_no_sense_is_refused(discreet, clinic, words, said):
    done = discreet(*words)
    assert done.code == 2
    assert said in done.err


def test_draws_keep_the_prior_that_they_were_made_with(discreet, clinic):
    discreet(*RELEASE, "--mechanism", "sampler", "-o", "drawn.json")
    done = discreet("query", "drawn.json", "lung", "--prior", "jeffreys")
    assert done.code == 2
    assert "draws and points were made with theirs" in done.err


def test_chains_that_do_not_agree_on_the_answer_are_told(discreet, clinic, monkeypatch):
    monkeypatch.setattr(library.NoiseAwarePosterior, "doubt", lambda self, drawn: f"Not sure of {drawn.shape[-1]} draws.")
    asked = discreet("query", "clinic.json", "lung", "--draws", 500)
    assert asked.err.splitlines() == ["Beware: Not sure of 500 draws."]
    answered = discreet("query", "clinic.json", "lung", "--draws", 500, "--json")
    assert answered.json["caution"] == "Not sure of 500 draws."
    assert answered.err.splitlines() == ["Beware: Not sure of 500 draws."]
    shown = discreet("show", "clinic.json", "lung", "--json")
    assert shown.json["caution"].startswith("Not sure of")
    assert shown.err == f"Beware: {shown.json['caution']}\n"


def test_a_question_on_which_chains_agree_is_answered_without_a_warning(discreet, clinic, monkeypatch):
    monkeypatch.setattr(library.NoiseAwarePosterior, "doubt", lambda self, drawn: None)
    monkeypatch.setattr("discreet.chains.diagnostics.Diagnostics.converged", False)
    assert discreet("query", "clinic.json", "lung").err == ""
    assert "on every parameter" in discreet("sample", "clinic.json", "--rows", 3).err
