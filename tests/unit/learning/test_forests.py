"""Forests keep arrows that are required, and close no ring."""

import pytest

from discreet.errors import ModelError
from discreet.learning.forests import Forest


def test_an_edge_that_closes_a_ring_is_not_allowed():
    forest = Forest("abc")
    forest.add("a", "b")
    forest.add("b", "c")
    assert not forest.allows("a", "c")
    assert forest.most == 0


def test_arrows_point_away_from_the_first_node():
    forest = Forest("abcd")
    forest.add("c", "b")
    forest.add("b", "a")
    assert forest.parents() == {"b": "a", "c": "b"}


def test_required_arrows_decide_on_the_root():
    forest = Forest("abc", [("c", "b")])
    forest.add("a", "b")
    assert forest.parents() == {"b": "c", "a": "b"}


def test_edges_that_leave_no_root_are_not_allowed():
    forest = Forest("abcd", [("a", "b"), ("c", "d")])
    assert not forest.allows("b", "d")  # both have parents already, and one would get another
    assert forest.allows("b", "c")
    forest.add("b", "c")
    assert forest.parents() == {"b": "a", "c": "b", "d": "c"}


def test_required_arrows_that_no_tree_has_are_refused():
    with pytest.raises(ModelError, match="two parents"):
        Forest("abc", [("a", "c"), ("b", "c")])
