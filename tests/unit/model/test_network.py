from __future__ import annotations

import copy
import pickle
from itertools import chain, combinations

import pytest

from discreet.errors import ModelError, QueryError
from discreet.model.network import CELL_LIMIT, Family, Network
from discreet.model.variable import Variable

A = Variable("a", ["0", "1"])
B = Variable("b", ["x", "y", "z"])
C = Variable("c", ["no", "yes"])
D = Variable("d", ["p", "q", "r", "s"])


@pytest.fixture
def diamond():
    return Network([D, A, B, C], {"d": ["c", "b"], "b": ["a"], "c": ["a"]})


def test_a_table_has_the_parents_axes_first_in_their_order_and_the_node_last(diamond):
    family = diamond.family("d")
    assert family == Family("d", ("c", "b"), (2, 3, 4))
    assert family.members == ("c", "b", "d")
    assert (family.configurations, family.levels, family.cells) == (6, 4, 24)


def test_a_root_has_one_configuration(diamond):
    family = diamond.family("a")
    assert (family.members, family.configurations, family.levels) == (("a",), 1, 2)


def test_nodes_and_families_keep_the_declared_order(diamond):
    assert diamond.nodes == ("d", "a", "b", "c")
    assert [family.node for family in diamond.families] == ["d", "a", "b", "c"]


def test_sizes_are_sums_over_families(diamond):
    assert diamond.cells == 24 + 2 + 6 + 4
    assert diamond.parameters == 6 * 3 + 1 + 2 * 2 + 2 * 1
    assert diamond.edges == 4
    assert [diamond.in_degree(node) for node in diamond.nodes] == [2, 0, 1, 1]
    assert repr(diamond).startswith("Network of 4 nodes, 4 edges, 36 cells\n")


def test_children_are_the_parents_reversed(diamond):
    assert dict(diamond.children) == {"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ()}


def test_parents_come_before_children_in_topological_order(diamond):
    order = diamond.topological_order
    assert sorted(order) == sorted(diamond.nodes)
    assert all(order.index(parent) < order.index(node) for node in order for parent in diamond.parents[node])


def test_edges_give_parents_in_the_order_of_the_list():
    edges = [("c", "d"), ("a", "b"), ("b", "d"), ("a", "c")]
    assert Network.from_edges([D, A, B, C], edges).parents["d"] == ("c", "b")


def test_maximal_families_are_those_that_no_other_contains(diamond):
    assert [family.node for family in diamond.maximal_families] == ["d", "b", "c"]


def test_a_family_inside_a_childs_family_is_not_maximal():
    network = Network([A, B, C], {"b": ["a"], "c": ["a", "b"]})
    assert [family.node for family in network.maximal_families] == ["c"]


def test_maximal_families_agree_with_comparing_all_pairs(diamond):
    sets = {family.node: set(family.members) for family in diamond.families}
    expected = [node for node in sets if not any(sets[node] < other for other in sets.values())]
    assert [family.node for family in diamond.maximal_families] == expected


def test_the_downward_closure_is_every_subset_of_every_family(diamond):
    subsets = (combinations(family.members, size) for family in diamond.families for size in range(len(family.members) + 1))
    assert diamond.downward_closure == {frozenset(subset) for subset in chain.from_iterable(subsets)}
    assert frozenset() in diamond.downward_closure


def test_a_downward_closure_of_millions_of_sets_is_refused():
    parents = [Variable(f"x{index}", ["0", "1"]) for index in range(20)]
    network = Network([A, *parents], {"a": [parent.name for parent in parents]})
    with pytest.raises(ModelError, match=r"family of 21 nodes has 2\^21 sets"):
        _ = network.downward_closure


def test_a_level_is_found_by_its_text(diamond):
    assert diamond.level_index("b", "y") == 1
    assert diamond.level_index("a", 1) == 1


def test_an_unknown_node_is_a_query_error_with_a_suggestion():
    network = Network([Variable("smoking", ["no", "yes"])])
    with pytest.raises(QueryError, match=r"no node 'smokin'\. Did you mean 'smoking'"):
        network.variable("smokin")
    with pytest.raises(QueryError, match="Did you mean 'smoking'"):
        network.family("smokin")


def test_an_unknown_level_is_a_query_error_that_lists_the_levels(diamond):
    with pytest.raises(QueryError, match=r"'c' has no level 'perhaps'.*Known: 'no', 'yes'"):
        diamond.level_index("c", "perhaps")


def test_networks_with_the_same_declaration_are_equal_and_hash_alike(diamond):
    again = Network([D, A, B, C], {"c": ("a",), "b": ["a"], "d": ["c", "b"], "a": []})
    assert again == diamond
    assert hash(again) == hash(diamond)
    assert diamond != Network([D, A, B, C], {"d": ["b", "c"], "b": ["a"], "c": ["a"]})


def test_a_network_cannot_be_changed(diamond):
    with pytest.raises(TypeError):
        diamond.parents["a"] = ("b",)
    with pytest.raises(AttributeError):
        diamond.variables = ()


def test_a_network_survives_pickling_and_copying(diamond):
    assert pickle.loads(pickle.dumps(diamond)) == diamond
    assert copy.deepcopy(diamond) == diamond


def test_parents_from_a_generator_are_kept():
    network = Network([A, B], {"b": (name for name in ["a"])})
    assert network.parents["b"] == ("a",)


def test_no_variables_are_refused():
    with pytest.raises(ModelError, match="at least one variable"):
        Network([])


def test_what_is_not_a_variable_is_refused():
    with pytest.raises(ModelError, match=r"are a list of Variable\("):
        Network([A, "b"])


def test_two_variables_of_one_name_are_refused():
    with pytest.raises(ModelError, match="Two variables are called 'a'"):
        Network([A, B, Variable("a", ["2", "3"])])


def test_parents_of_an_undeclared_node_are_refused():
    with pytest.raises(ModelError, match="Parents are given for 'e', which is not declared"):
        Network([A, B], {"e": ["a"]})


@pytest.mark.parametrize("parent", ["e", 3, ["a"]])
def test_an_undeclared_parent_is_refused(parent):
    with pytest.raises(ModelError, match=r"'b' has the parent .*, which is not declared"):
        Network([A, B], {"b": [parent]})


def test_parents_given_as_one_text_are_refused():
    with pytest.raises(ModelError, match=r"one text; give a list such as \['a'\]"):
        Network([A, B], {"b": "a"})


def test_parents_without_an_order_are_refused():
    with pytest.raises(ModelError, match="a set, which has no order"):
        Network([A, B, C], {"c": {"a", "b"}})


def test_parents_that_are_no_list_are_refused():
    with pytest.raises(ModelError, match="not a list"):
        Network([A, B], {"b": 1})


def test_a_parent_named_twice_is_refused():
    with pytest.raises(ModelError, match="'b' names a parent twice"):
        Network([A, B], {"b": ["a", "a"]})


def test_a_cycle_is_refused_with_its_path():
    with pytest.raises(ModelError, match="cycle: a <- c <- b <- a"):
        Network([A, B, C, D], {"a": ["c"], "b": ["a"], "c": ["b"], "d": ["a"]})


def test_a_node_that_is_its_own_parent_is_a_cycle():
    with pytest.raises(ModelError, match="cycle: a <- a"):
        Network([A], {"a": ["a"]})


def test_a_long_cycle_is_found_quickly_and_shown_shortened():
    names = [f"n{index}" for index in range(30_000)]
    parents = {name: [names[index - 1]] for index, name in enumerate(names)}
    with pytest.raises(ModelError, match="cycle") as caught:
        Network([Variable(name, ["0", "1"]) for name in names], parents)
    assert len(str(caught.value)) < 300


def test_tables_that_are_too_large_are_refused_naming_the_largest():
    many = [Variable(f"x{index}", ["0", "1"]) for index in range(26)]
    assert 2 ** (len(many) + 1) > CELL_LIMIT
    with pytest.raises(ModelError, match=r"Largest: 'a' 134,217,728 cells \(26 parents\)"):
        Network([A, *many], {"a": [variable.name for variable in many]})


def test_tables_of_just_the_limit_are_accepted():
    many = [Variable(f"x{index}", ["0", "1"]) for index in range(20)]
    assert Network([A, *many], {"a": [variable.name for variable in many]}).cells == 2**21 + 40


def test_a_size_with_thousands_of_digits_is_still_a_model_error():
    many = [Variable(f"x{index}", ["0", "1"]) for index in range(20_000)]
    with pytest.raises(ModelError, match=r"about 2\^20001 cells"):
        Network([A, *many], {"a": [variable.name for variable in many]})
