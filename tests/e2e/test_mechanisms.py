"""Mechanisms by name, and without one."""

import pytest

RELEASE = ("release", "patients.csv", "--network", "clinic.bif", "--epsilon", "1", "--cap", "1")


def test_without_a_name_the_release_says_what_was_chosen_and_why(discreet, clinic):
    done = discreet(*RELEASE, "--ledger", "new.ledger", "-o", "auto.json", "--json")
    assert done.code == 0
    name = done.json["mechanism"]["name"]
    assert f"The mechanism {name} was chosen" in done.err
    planned = discreet("plan", "clinic.bif", "--rows", "2000", "--epsilon", "1", "--json").json
    assert name == planned["recommendation"]["mechanism"]


@pytest.mark.fast("knorm")
@pytest.mark.parametrize("word", ["laplace", "laplace-consistent", "knorm", "gaussian"])
def test_every_mechanism_can_be_named_shown_and_asked(discreet, clinic, word):
    made = discreet(*RELEASE, "--ledger", "new.ledger", "--delta", "1e-6", "--mechanism", word, "-o", "x.json", "--json")
    assert made.code == 0
    assert made.json["mechanism"]["name"] == word
    assert "chosen" not in made.err
    assert discreet("show", "x.json").code == 0
    assert discreet("query", "x.json", "lung", "--given", "smoke=yes").code == 0


def test_gaussian_noise_without_a_delta_makes_no_ledger(discreet, clinic):
    done = discreet(*RELEASE, "--ledger", "new.ledger", "--mechanism", "gaussian", "-o", "x.json")
    assert done.code == 2
    assert "--delta 1e-6" in done.err
    assert not (clinic / "new.ledger").exists()


def test_gaussian_noise_is_refused_by_a_ledger_without_a_delta(discreet, clinic):
    words = ("--network", "clinic.bif", "--epsilon", "0.1", "--ledger", "clinic.ledger", "--mechanism", "gaussian")
    done = discreet("release", "patients.csv", *words, "-o", "x.json")
    assert done.code == 2
    assert "delta" in done.err


def test_a_delta_that_is_none_is_wrong_usage(discreet, clinic):
    assert discreet("plan", "clinic.bif", "--rows", "2000", "--epsilon", "1", "--delta", "x").code == 2


def test_a_plan_with_a_delta_compares_gaussian_noise(discreet, clinic):
    plans = discreet("plan", "clinic.bif", "--rows", "2000", "--epsilon", "1", "--delta", "1e-6", "--json").json["plans"]
    assert [each["mechanism"] for each in plans] == ["laplace", "laplace-consistent", "knorm", "gaussian", "sampler", "map"]
