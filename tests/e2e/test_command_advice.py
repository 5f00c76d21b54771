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


@pytest.mark.parametrize(
    ("words", "least"),
    [
        (("sample", "clinic.bif", "--rows", "-5"), 1),
        (("sample", "clinic.bif", "--rows", "many"), 1),
        (("sample", "clinic.bif", "--rows", "5", "--seed", "abc"), 0),
        (("plan", "clinic.bif", "--epsilon", "1", "--rows", "1.5"), 1),
        (("query", "clinic.json", "lung", "--draws", "0"), 1),
        (("query", "clinic.json", "lung", "--draws", "9" * 5000), 1),
    ],
)
def test_what_is_no_whole_number_is_told_in_our_words(discreet, clinic, words, least):
    done = discreet(*words)
    assert done.code == 2
    assert f": It must be a whole number of at least {least}, in digits.\n" in done.err


@pytest.mark.parametrize("command", ["query", "show"])
def test_a_file_and_a_node_in_each_others_place_are_told_so(discreet, clinic, command):
    done = discreet(command, "lung", "clinic.json")
    assert done.code == 2
    assert "There is no file 'lung', but 'clinic.json' is one. The file comes first, then the name." in done.err
    assert discreet(command, "nothing.json", "lung").code == 5


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("plan", "clinic.json", "--rows", "5", "--epsilon", "1"), "`discreet show` and `discreet query` read it."),
        (("show", "clinic.bif"), "`discreet plan` and `discreet query` read networks."),
    ],
)
def test_a_file_of_another_kind_is_sent_to_another_command(discreet, clinic, words, advice):
    done = discreet(*words)
    assert done.code == 5
    assert done.err.endswith(f"{advice}\n")


def test_gaps_are_explained_in_whole_sentences(discreet, clinic):
    for gap in ("", "yes,no", "yes,,clear"):
        Path("gaps.csv").write_text(f"smoke,lung,xray\nyes,no,clear\n{gap}\n")
        done = discreet("update", "clinic.json", "gaps.csv", "-o", "updated.json")
        assert done.code == 4
        assert "name it (--missing LEVEL). Do not drop the records" in done.err
        assert "In a CSV file a blank or short line is a record with missing values. In Polars: " in done.err


def test_update_says_where_it_wrote(discreet, clinic):
    done = discreet("update", "clinic.json", "patients.csv", "-o", "updated.json")
    assert done.err.startswith("The updated release is in updated.json.\nBeware: ")


def test_a_mechanism_may_be_written_in_capitals_and_its_noise_is_told_once(discreet, clinic):
    assert discreet(*RELEASE, "--mechanism", "KNorm", "-o", "new.json").code == 0
    shown = discreet("show", "new.json").out
    assert " noise scale at most 2 on every released number " in f" {' '.join(shown.split())} "


def test_the_scale_of_gaussian_noise_is_called_what_it_is(discreet, clinic):
    words = ("--mechanism", "gaussian", "--delta", "1e-6", "-o", "new.json")
    assert discreet(*RELEASE, *words).code == 0
    shown = " ".join(discreet("show", "new.json").out.split())
    assert " noise standard deviation at most " in shown
