"""What messages suggest: what differs only by capitals or blanks first, and never what is in a table."""

import polars as pl
import pytest

import discreet as dc
from discreet.errors import of_kind, quoted, suggestion


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("male", ["Female", "Male"], "Male"),
        ("MALE", ["Male", "Female"], "Male"),
        ("fe male", ["Male", "Female"], "Female"),
        (" yes", ["no", "yes"], "yes"),
        ("bodymass", ["Body mass", "body"], "Body mass"),
        ("STRASSE", ["Straße", "Gasse"], "Straße"),
        ("mal", ["Female", "Male"], "Male"),
        ("lugn", ["lung", "Bronc"], "lung"),
        ("a", ["A", "a "], "A"),
    ],
)
def test_capitals_and_blanks_count_for_nothing(word, known, meant):
    assert suggestion(word, known) == f" Did you mean {meant!r}?"


def test_where_nothing_is_near_the_known_words_are_listed():
    assert suggestion("xyz", ["lung", "smoke"]) == " Known: 'lung', 'smoke'."
    assert suggestion("x" * 81, ["x" * 79]).startswith(" Known:")


def test_levels_nodes_and_coefficients_are_suggested_so():
    posterior = dc.DirichletPosterior(
        dc.Network([dc.Variable("Sex", ["Female", "Male"]), dc.Variable("Smoker", ["no", "yes"])])
    )
    with pytest.raises(dc.QueryError, match="Did you mean 'Male'"):
        posterior.query("Smoker", {"Sex": "male"})
    with pytest.raises(dc.QueryError, match="Did you mean 'Sex'"):
        posterior.query("Smoker", {"sex": "Male"})
    with pytest.raises(dc.QueryError, match="Did you mean 'Smoker'"):
        posterior.query("smoker")
    with pytest.raises(dc.QueryError, match="Did you mean 'Male'"):
        posterior.query("Sex")["male "]


def test_a_table_in_the_place_of_a_word_is_named_and_not_shown():
    assert quoted("word") == "'word'"
    assert quoted(pl.DataFrame({"secret": [1]})) == "<DataFrame>"
    assert (of_kind(3), of_kind([])) == ("An int", "A list")
