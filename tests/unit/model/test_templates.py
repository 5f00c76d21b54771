from __future__ import annotations

import pytest

from discreet.errors import ModelError
from discreet.model import naive_bayes


def test_the_label_is_the_only_parent_of_every_feature():
    network = naive_bayes("spam", ["offer", "urgent"])
    assert network.nodes == ("spam", "offer", "urgent")
    assert dict(network.parents) == {"spam": (), "offer": ("spam",), "urgent": ("spam",)}
    assert all(variable.levels == ("0", "1") for variable in network.variables)


def test_features_may_have_their_own_levels():
    network = naive_bayes("spam", {"size": ["s", "m", "l"]}, levels=["no", "yes"])
    assert network.variable("size").levels == ("s", "m", "l")
    assert network.variable("spam").levels == ("no", "yes")
    assert network.family("size").shape == (2, 3)


def test_levels_from_a_generator_serve_all_variables():
    network = naive_bayes("y", ["a", "b"], levels=(level for level in ["n", "p"]))
    assert all(variable.levels == ("n", "p") for variable in network.variables)


def test_features_given_as_one_text_are_refused():
    with pytest.raises(ModelError, match="one text"):
        naive_bayes("y", "abc")


def test_levels_given_as_one_text_are_refused():
    with pytest.raises(ModelError, match="one text"):
        naive_bayes("y", ["a"], levels="01")


def test_the_label_cannot_be_a_feature():
    with pytest.raises(ModelError, match="'y' is the label and a feature"):
        naive_bayes("y", ["a", "y"])


def test_a_feature_named_twice_is_refused():
    with pytest.raises(ModelError, match="Two variables are called 'a'"):
        naive_bayes("y", ["a", "a"])
