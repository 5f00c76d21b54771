from __future__ import annotations

import pickle

import pytest

from discreet.errors import ModelError
from discreet.model.variable import LENGTH_LIMIT, Variable


def test_levels_keep_their_order_and_become_text():
    variable = Variable("age", [3, 1, True, "old"])
    assert variable.levels == ("3", "1", "True", "old")
    assert variable.size == 4


def test_any_ordered_levels_will_do():
    assert Variable("x", {"b": 1, "a": 2}.keys()).levels == ("b", "a")
    assert Variable("x", (level for level in "ab")) == Variable("x", ["a", "b"])


def test_equal_declarations_are_equal_and_hash_alike():
    assert Variable("x", ["a", "b"]) == Variable("x", ("a", "b"))
    assert hash(Variable("x", ["a", "b"])) == hash(Variable("x", ["a", "b"]))
    assert Variable("x", ["a", "b"]) != Variable("x", ["b", "a"])


def test_a_variable_survives_pickling():
    variable = Variable("x", ["a", "b"])
    assert pickle.loads(pickle.dumps(variable)) == variable


@pytest.mark.parametrize("name", ["", "  ", "\n", 3, None, ("a",)])
def test_a_name_must_be_a_text_that_is_not_empty(name):
    with pytest.raises(ModelError, match="needs a name"):
        Variable(name, ["a", "b"])


@pytest.mark.parametrize("levels", ["yes", b"yes"])
def test_levels_given_as_one_text_are_refused(levels):
    with pytest.raises(ModelError, match="one text; give a list"):
        Variable("x", levels)


@pytest.mark.parametrize("levels", [{"a", "b"}, frozenset("ab")])
def test_levels_without_a_reliable_order_are_refused(levels):
    with pytest.raises(ModelError, match="has no order"):
        Variable("x", levels)


@pytest.mark.parametrize("levels", [None, 3])
def test_levels_that_are_no_list_are_refused(levels):
    with pytest.raises(ModelError, match="not a list"):
        Variable("x", levels)


@pytest.mark.parametrize("levels", [[], ["only"]])
def test_fewer_than_two_levels_are_refused(levels):
    with pytest.raises(ModelError, match=rf"{len(levels)} level\(s\); declare at least two"):
        Variable("x", levels)


def test_an_empty_level_is_refused():
    with pytest.raises(ModelError, match="empty level"):
        Variable("x", ["a", " "])


@pytest.mark.parametrize("levels", [["a", "b", "a"], [1, "1"]])
def test_a_level_declared_twice_is_refused_by_name(levels):
    with pytest.raises(ModelError, match="more than once") as caught:
        Variable("x", levels)
    assert repr(str(levels[0])) in str(caught.value)


def test_many_repeated_levels_are_refused_without_comparing_all_pairs():
    with pytest.raises(ModelError, match="more than once"):
        Variable("x", [str(index // 2) for index in range(200_000)])


@pytest.mark.parametrize("text", ["x" * (LENGTH_LIMIT + 1), "half \ud800"])
def test_text_that_no_file_should_hold_is_refused(text):
    with pytest.raises(ModelError, match="too long or not valid"):
        Variable(text, ["a", "b"])
    with pytest.raises(ModelError, match="too long or not valid"):
        Variable("x", ["a", text])


def test_a_text_of_just_the_limit_is_accepted():
    assert Variable("x" * LENGTH_LIMIT, ["a", "é" * LENGTH_LIMIT]).size == 2
