"""What the command says to somebody who has slipped, in words of the command and without a word of the records."""

from pathlib import Path

import pytest


def test_predict_says_which_columns_the_table_does_not_have(discreet, clinic):
    Path("few.csv").write_text("smoke\nyes\nno\n")
    done = discreet("predict", "clinic.json", "few.csv", "--target", "lung", "--plugin")
    assert done.code == 0
    assert done.err == "The table has no column for these nodes, which are summed over: xray.\n"
    Path("all.csv").write_text("smoke,xray\nyes,clear\n")
    assert discreet("predict", "clinic.json", "all.csv", "--target", "lung", "--plugin").err == ""


@pytest.mark.parametrize("header", ["Smoke,xray", "xray, smoke", "xray,smoke "])
def test_predict_refuses_a_column_that_is_nearly_right_in_the_words_of_release(discreet, clinic, header):
    Path("nearly.csv").write_text(f"{header}\nclear,yes\n")
    done = discreet("predict", "clinic.json", "nearly.csv", "--target", "lung", "--plugin")
    updated = discreet("update", "clinic.json", "nearly.csv", "-o", "updated.json")
    assert (done.code, updated.code) == (4, 4)
    assert "differs from 'smoke' only in capitals" in done.err
    assert done.err == updated.err


RELEASE = ("release", "patients.csv", "--network", "clinic.bif", "--epsilon", "1", "--ledger", "new.ledger", "--cap", "1")


@pytest.mark.parametrize(
    ("mechanism", "why"),
    [
        ("sampler", "No interval: one draw was released, and one draw does not say how far off it may be.\n"),
        ("map", "No interval: a point was released, and a point does not say how far off it may be.\n"),
    ],
)
def test_what_has_no_spread_is_shown_without_an_interval(discreet, clinic, mechanism, why):
    assert discreet(*RELEASE, "--mechanism", mechanism, "-o", "single.json").code == 0
    for words in (("query", "single.json", "lung"), ("show", "single.json", "lung")):
        shown, document = discreet(*words), discreet(*words, "--json").json
        assert "interval" not in shown.out
        assert shown.err == why
        assert (document["interval"], document["remark"]) == (None, why.strip())
        cells = document.get("table") or document["distribution"]
        assert all(cell["lower"] is cell["upper"] is None for cell in cells)


def test_a_network_with_known_probabilities_is_asked_without_an_interval(discreet, clinic):
    shown = discreet("query", "clinic.bif", "lung")
    assert "interval" not in shown.out
    assert shown.err == "No interval: these probabilities are written in a file and taken as known.\n"
    assert discreet("query", "clinic.bif", "lung", "--interval", "none").err == ""
