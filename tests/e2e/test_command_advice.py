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
