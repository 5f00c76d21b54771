import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.networks import networks

from discreet.counts.groups import GROUP_CELLS, family_groups, marginal
from discreet.model.network import Network
from discreet.model.variable import Variable

LIMITS = st.sampled_from([1, 8, 64, GROUP_CELLS])


def binary(count):
    return [Variable(f"x{number}", ["0", "1"]) for number in range(count)]


@given(networks(max_nodes=7), LIMITS)
def test_every_family_is_in_exactly_one_group_that_contains_it(network, limit):
    groups = family_groups(network, limit)
    placed = [family for group in groups for family in group.families]
    assert sorted(placed, key=lambda family: family.node) == sorted(network.families, key=lambda family: family.node)
    for group in groups:
        assert group.shape == tuple(network.variable(node).size for node in group.nodes)
        for family in group.families:
            assert set(family.members) <= set(group.nodes)


@given(networks(max_nodes=7), LIMITS)
def test_a_group_is_within_the_limit_or_one_large_family_with_what_it_contains(network, limit):
    for group in family_groups(network, limit):
        assert group.cells == math.prod(group.shape)
        assert group.cells <= limit or any(set(family.members) == set(group.nodes) for family in group.families)


@given(st.data())
def test_a_marginal_of_the_joint_table_equals_counting_the_family(data):
    network = data.draw(networks(max_nodes=6))
    chance = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    records = {variable.name: chance.integers(0, variable.size, 50) for variable in network.variables}
    for group in family_groups(network, data.draw(LIMITS)):
        joint = np.zeros(group.shape, dtype=np.int64)
        np.add.at(joint, tuple(records[node] for node in group.nodes), 1)
        for family in group.families:
            expected = np.zeros(family.shape, dtype=np.int64)
            np.add.at(expected, tuple(records[member] for member in family.members), 1)
            found = marginal(joint, group, family)
            assert found.dtype == np.int64
            np.testing.assert_array_equal(found, expected.reshape(-1, family.levels))


def test_a_chain_of_families_is_merged_up_to_the_limit():
    network = Network(binary(20), {f"x{number}": [f"x{number - 1}"] for number in range(1, 20)})
    assert len(family_groups(network, 4)) == 19  # the first node costs nothing
    assert len(family_groups(network, 1024)) <= 3
    assert len(family_groups(network, 2**20)) == 1


def test_a_family_over_the_limit_is_a_group_of_its_own_and_takes_in_what_it_contains():
    network = Network(binary(12), {"x11": [f"x{number}" for number in range(11)], "x1": ["x0"]})
    [group] = family_groups(network, 1024)
    assert group.cells == 2**12
    assert len(group.families) == 12


def test_groups_are_planned_once_per_network():
    family_groups.cache_clear()
    one = family_groups(Network(binary(3)))
    assert family_groups(Network(binary(3))) is one
    assert family_groups.cache_info().hits == 1


@pytest.mark.parametrize("order", [["x0", "x1", "x2"], ["x2", "x1", "x0"], ["x1", "x2", "x0"]])
def test_the_first_parent_is_the_slowest_whatever_the_order_of_the_nodes(order):
    network = Network([*binary(3), Variable("child", ["a", "b", "c"])], {"child": order})
    [group] = family_groups(network)
    joint = np.arange(24, dtype=np.int64).reshape(group.shape)
    expected = joint.transpose([group.nodes.index(member) for member in (*order, "child")]).reshape(-1, 3)
    np.testing.assert_array_equal(marginal(joint, group, network.family("child")), expected)
