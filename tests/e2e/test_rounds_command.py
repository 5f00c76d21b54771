"""`--rounds`: longer chains for answers on which the usual ones do not agree, from the command as from Python."""

import re

import pytest

import discreet as library
from discreet.chains import effort
from discreet.chains.diagnostics import Diagnostics
from discreet.posterior import noise_aware

QUESTIONS = {
    "query": ("query", "clinic.json", "lung"),
    "show": ("show", "clinic.json", "xray"),
    "predict": ("predict", "clinic.json", "patients.csv", "--target", "lung"),
    "sample": ("sample", "clinic.json", "--rows", 5),
}


@pytest.fixture
def ran(clinic, monkeypatch):
    """The efforts of all chains that run, and nothing is kept between questions."""
    monkeypatch.setenv("DISCREET_CACHE", "off")
    efforts, visit = [], noise_aware.visit

    def noted(network, prior, released, own, effort, *rest):
        efforts.append(effort)
        return visit(network, prior, released, own, effort, *rest)

    monkeypatch.setattr(noise_aware, "visit", noted)
    return efforts


@pytest.mark.fast("query")
@pytest.mark.parametrize("words", QUESTIONS.values(), ids=QUESTIONS)
def test_chains_run_as_long_as_they_are_told(discreet, ran, words):
    assert discreet(*words, "--rounds", 20).code == 0
    assert [(each.rounds, each.chains) for each in ran] == [(20, library.Effort.usual(36).chains)]


@pytest.mark.slow
def test_a_caution_advises_what_the_command_and_python_both_take(discreet, clinic, monkeypatch):
    monkeypatch.setattr(noise_aware, "LARGEST_R_HAT", 0.0)
    words = ("query", "clinic.json", "lung", "--no-cache", "--rounds", 10)
    advised = discreet(*words, "--json").json["caution"]
    assert "posterior.with_rounds(40), or --rounds 40 of the command" in advised
    again = discreet(*words[:-1], *re.search(r"--rounds (\d+)", advised).groups())
    assert again.code == 0
    assert "--rounds 160" in again.err


def test_rough_predictions_come_with_the_same_advice(discreet, clinic, monkeypatch):
    monkeypatch.setattr(noise_aware.NoiseAwarePosterior, "diagnostics", Diagnostics(1.5, 1.4, 10.0, 20.0, 80))
    done = discreet("sample", "clinic.json", "--rows", 2, "--no-cache", "--rounds", 10)
    assert "R-hat 1.50 at worst" in done.err
    assert "--rounds 40 of the command" in done.err


@pytest.mark.slow
def test_longer_chains_are_kept_apart_from_the_usual_ones(discreet, clinic, monkeypatch):
    monkeypatch.setenv("DISCREET_CACHE", str(clinic / "kept"))
    words = ("query", "clinic.json", "lung", "--seed", 1, "--rounds")
    short, long = discreet(*words, 10), discreet(*words, 20)
    assert short.out != long.out
    assert discreet("cache", "--json").json["entries"] == 2
    assert discreet(*words, 20) == long


def test_fewer_rounds_than_asked_for_are_told(discreet, clinic, monkeypatch):
    monkeypatch.setattr(effort, "_KEPT", 8 * 16 * 12)  # counts of a network of 12 cells, for eight chains and sixteen rounds
    done = discreet("show", "clinic.json", "xray", "--no-cache", "--rounds", 5000)
    assert "The chains run 16 rounds: more would need too much memory." in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("query", "clinic.json", "lung", "--rounds", 3), "whole number of at least 4"),
        (("query", "clinic.json", "lung", "--rounds", "many"), "whole number of at least 4"),
        (("query", "clinic.json", "lung", "--plugin", "--rounds", 9), "releases of noisy counts, without --plugin"),
        (("query", "clinic.bif", "lung", "--rounds", 9), "releases of noisy counts"),
        (("predict", "clinic.json", "patients.csv", "--confidence", "x", "--rounds", 9), "without --plugin, --prior and"),
    ],
    ids=["few", "word", "plugin", "network", "confidence"],
)
def test_rounds_that_cannot_be_are_refused(discreet, clinic, words, said):
    done = discreet(*words)
    assert done.code == 2
    assert said in done.err


def test_help_says_how_long_chains_run_unasked(discreet):
    shown = discreet("query", "--help").out
    efforts = [library.Effort.usual(cells).rounds for cells in (36, 752, 1_148, 8_000, 100_000)]
    assert f"default: ({min(efforts)} to {max(efforts)}, by size)" in " ".join(shown.split())
