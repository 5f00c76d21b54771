"""What a network can declare impossible, and what it refuses."""

import copy
import pickle

import numpy as np
import pytest
from support.impossible import FREE, IMPOSSIBLE, NETWORK, PARENTS, VARIABLES

from discreet import (
    FormatError,
    ModelError,
    Network,
    PointPosterior,
    Variable,
    naive_bayes,
    read_network,
    read_tables,
    write_network,
)
from discreet.model.family import empty_cells, leave_out_impossible, zero_probabilities


def declare(*combinations):
    return Network(VARIABLES, PARENTS, impossible=combinations)


def test_cells_that_hold_no_record_are_those_that_contain_a_combination():
    found = {family.node: empty_cells(family).tolist() for family in NETWORK.families}
    assert found["sex"] == [[False, False]]
    assert found["pregnant"] == [[False, True], [False, False]]
    assert found["ward"] == [[False, False], [True, True], [False, True], [False, False]]
    assert [family.possible_cells for family in NETWORK.families] == [2, 3, 5]
    assert [family.possible_configurations for family in NETWORK.families] == [1, 2, 3]


def test_probabilities_are_zero_where_the_node_itself_is_named_and_its_parents_can_occur():
    found = {family.node: zero_probabilities(family).tolist() for family in NETWORK.families}
    assert found["pregnant"] == [[False, True], [False, False]]
    assert found["ward"] == [[False, False], [False, False], [False, True], [False, False]]


def test_a_level_may_be_impossible_by_itself():
    network = Network([Variable("a", list("012"))], impossible=[{"a": 1}])
    assert zero_probabilities(network.families[0]).tolist() == [[False, True, False]]


def test_where_the_parents_cannot_occur_a_node_may_be_left_without_levels():
    network = declare(
        {"sex": "male", "pregnant": "yes"}, *({"sex": "male", "pregnant": "yes", "ward": w} for w in ("general", "birth"))
    )
    assert not zero_probabilities(network.family("ward")).any()
    with pytest.raises(ModelError, match=r"Every level of 'ward' .* where sex=male, pregnant=yes\. Leave at least one, or"):
        declare(*({"sex": "male", "pregnant": "yes", "ward": w} for w in ("general", "birth")))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([{"sex": "male"}, {"sex": "female"}], "Every level of 'sex' is declared impossible; leave at least one"),
        ([{"six": "male"}], "names 'six', which is not declared. Did you mean 'sex'"),
        ([{"sex": "mail"}], "the level 'mail', which 'sex' does not have. Did you mean 'male'"),
        ([{}], "impossible is a list of combinations"),
        (["sex"], "impossible is a list of combinations"),
        ({"sex": "male"}, "impossible is a list of combinations"),
        (3, "impossible is a list of combinations"),
    ],
)
def test_what_is_no_combination_is_refused(given, words):
    with pytest.raises(ModelError, match=words):
        Network(VARIABLES, PARENTS, impossible=given)


def test_nodes_of_which_none_has_all_others_as_parents_are_refused():
    with pytest.raises(ModelError, match="none of them has all others as parents"):
        naive_bayes("y", ["a", "b"], impossible=[{"a": "0", "b": "1"}])
    # Two parents of one node that do not depend on one another: the network would give the combination a probability.
    with pytest.raises(ModelError, match="none of them has all others as parents"):
        Network([Variable(name, list("01")) for name in "abc"], {"c": ["a", "b"]}, impossible=[{"a": "0", "b": "1"}])


def test_networks_that_declare_something_else_are_not_equal_and_copies_are():
    assert NETWORK != FREE
    for same in (copy.deepcopy(NETWORK), pickle.loads(pickle.dumps(NETWORK)), declare(*IMPOSSIBLE, IMPOSSIBLE[0])):
        assert same == NETWORK
        assert hash(same) == hash(NETWORK)
    assert "sex=male, pregnant=yes; sex=female, pregnant=no, ward=birth" in repr(NETWORK)


def test_a_file_keeps_the_declaration_and_one_without_it_stays_as_it_was(tmp_path):
    write_network(NETWORK, tmp_path / "zeros.json")
    assert read_network(tmp_path / "zeros.json") == NETWORK
    write_network(FREE, tmp_path / "free.json")
    assert "impossible" not in (tmp_path / "free.json").read_text()
    (tmp_path / "wrong.json").write_text(
        (tmp_path / "zeros.json").read_text().replace('"male"', '"mail"', 2).replace('"mail"', '"male"', 1)
    )
    with pytest.raises(FormatError, match="the level 'mail'"):
        read_network(tmp_path / "wrong.json")


def test_bif_has_no_place_for_it_and_its_zeros_declare_nothing_unless_one_says_so(tmp_path):
    with pytest.raises(FormatError, match=r"write a \.json file"):
        write_network(NETWORK, tmp_path / "zeros.bif")
    tables = {"sex": [[0.5, 0.5]], "pregnant": [[1, 0], [0.8, 0.2]], "ward": [[0.9, 0.1], [0.5, 0.5], [1, 0], [0.5, 0.5]]}
    write_network(FREE, tmp_path / "known.bif", tables)
    assert read_network(tmp_path / "known.bif") == FREE
    assert read_network(tmp_path / "known.bif", zeros_impossible=True) == NETWORK


def test_known_probabilities_must_be_zero_there(tmp_path):
    tables = {"sex": [[0.5, 0.5]], "pregnant": [[1, 0], [0.8, 0.2]], "ward": [[0.9, 0.1], [0.5, 0.5], [1, 0], [0.5, 0.5]]}
    write_network(NETWORK, tmp_path / "known.json", tables)
    assert read_tables(tmp_path / "known.json")[0] == NETWORK
    wrong = {**tables, "pregnant": [[0.9, 0.1], [0.8, 0.2]]}
    with pytest.raises(ModelError, match="gives a probability to what is declared impossible"):
        PointPosterior(NETWORK, wrong)
    with pytest.raises(FormatError, match="gives a probability to what is declared impossible"):
        write_network(NETWORK, tmp_path / "wrong.json", wrong)


def test_what_is_left_of_a_dirichlet_draw_is_a_draw_of_the_levels_that_are_left():
    family = Network([Variable("a", list("012"))], impossible=[{"a": "1"}]).families[0]
    drawn = leave_out_impossible(family, np.random.default_rng(1).dirichlet([2.0, 5.0, 3.0], (20_000, 1)))
    assert (drawn[..., 1] == 0).all()
    first = drawn[:, 0, 0]  # of the law Beta(2, 3)
    assert abs(first.mean() - 0.4) < 5 * 0.2 / np.sqrt(20_000)
    assert abs(first.var() - 0.04) < 0.002
