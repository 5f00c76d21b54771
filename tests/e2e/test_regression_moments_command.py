"""The command with a linear model and its default mechanism: coefficients with intervals, predictions, own records."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from support.regressions import line_records

MODEL = """
precision = 4

[features]
x0 = [0, 10]
x1 = [0, 10]

[target]
y = [-50, 50]
"""
RELEASE = ("release", "records.csv", "--model", "line.toml", "--ledger", "line.ledger", "--epsilon", "1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "line.toml").write_text(MODEL)
    line_records(3000).write_csv(tmp_path / "records.csv")
    line_records(500, seed=7).write_csv(tmp_path / "ours.csv")
    monkeypatch.chdir(tmp_path)


def test_the_whole_way_from_a_declaration_to_intervals(discreet, folder):
    planned = discreet("plan", "--model", "line.toml", "--rows", 3000, "--epsilon", "1")
    assert "regression-moments" in planned.out
    assert "gaussian" not in planned.out
    assert (
        "regression-moments-gaussian"
        in discreet("plan", "--model", "line.toml", "--rows", 9, "--epsilon", 1, "--delta", "1e-6").out
    )
    released = discreet(*RELEASE, "--cap", "1", "-o", "line.json")
    assert released.code == 0, released.err
    shown = discreet("show", "line.json", "--json").json
    assert (shown["rows"], shown["target"], shown["moments"], shown["own_rows"]) == (3000, "y", 9, 0)
    slope = next(entry for entry in shown["coefficients"] if entry["name"] == "x0")
    assert slope["lower"] < slope["mean"] < slope["upper"]
    assert discreet("predict", "line.json", "ours.csv", "-o", "predicted.csv").code == 0
    table = pl.read_csv("predicted.csv")
    assert table.columns == ["y", "y_lower", "y_upper"]
    assert np.corrcoef(table["y"], pl.read_csv("ours.csv")["y"])[0, 1] > 0.8
    updated = discreet("update", "line.json", "ours.csv", "-o", "updated.json")
    assert "500 records were added exactly" in updated.err
    assert discreet("show", "updated.json", "--json").json["own_rows"] == 500


def test_gaussian_noise_needs_a_delta(discreet, folder):
    words = (*RELEASE, "--mechanism", "regression-moments-gaussian", "-o", "line.json", "--cap", "1")
    refused = discreet(*words)
    assert (refused.code, "--delta" in refused.err) == (2, True)
    assert discreet(*words, "--delta", "1e-6").code == 0
    assert "rho" in discreet("show", "line.json").out


@pytest.mark.fast("nothing", "precision")
@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("", "learned; noise learned"),
        ("noise = 0.25", "learned; noise 0.25, a first guess"),
        ("precision = 4", "precision 4; noise learned"),
        ("precision = 4\nnoise = 0.25", "precision 4; noise 0.25, which is believed"),
    ],
    ids=["nothing", "noise", "precision", "both"],
)
def test_show_says_which_prior_is_believed(discreet, folder, declared, said):
    Path("line.toml").write_text(MODEL.replace("precision = 4", declared))
    assert discreet(*RELEASE, "--cap", "1", "-o", "line.json").code == 0
    assert f"prior       {said}\n" in discreet("show", "line.json").out
    assert discreet("show", "line.json", "--json").json["prior"] == said


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("show", "line.json"), ("show", "line.json", "--json"), ("predict", "line.json", "ours.csv")]
)
def test_chains_that_do_not_agree_are_told(discreet, folder, monkeypatch, words):
    assert discreet(*RELEASE, "--cap", "1", "-o", "line.json").code == 0
    assert discreet(*words, "--no-cache").err == ""
    monkeypatch.setattr("discreet.chains.diagnostics.Diagnostics.converged", False)
    told = discreet(*words, "--no-cache").err
    assert "Beware: the chains do not agree well on every parameter" in told
    assert "--rounds" not in told  # these chains have no length to choose


def test_rounds_are_not_for_lines(discreet, folder):
    assert discreet(*RELEASE, "--cap", "1", "-o", "line.json").code == 0
    for words in (("show", "line.json"), ("predict", "line.json", "ours.csv")):
        refused = discreet(*words, "--rounds", 300)
        assert (refused.code, "Leave it out" in refused.err) == (2, True)


def test_a_line_in_the_place_of_a_network_is_told_where_it_belongs(discreet, folder):
    words = ("--network" if word == "--model" else word for word in RELEASE)
    refused = discreet(*words, "--cap", "1", "-o", "line.json")
    assert refused.code == 5
    assert "A linear model is a .toml file: --model reads it." in refused.err
