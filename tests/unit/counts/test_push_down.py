"""Push-down with Polars standing in for another engine: what does not depend on which one it is."""

import math

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.networks import networks, records, table

from discreet.counts import family_counts, push_down
from discreet.counts.groups import GROUP_CELLS, family_groups, marginal
from discreet.counts.push_down import family_counts_in_engine
from discreet.data import source
from discreet.data.engines import engine_frame, sql_table
from discreet.errors import DataError, DomainError, FormatError
from discreet.model.network import Network
from discreet.model.variable import Variable

LIMITS = st.sampled_from([1, 8, 64, GROUP_CELLS])


def counted(frame, network, **options):
    return family_counts_in_engine(nw.from_native(frame.lazy()), network, **options)


@given(st.data())
def test_counts_equal_those_in_memory(data):
    network = data.draw(networks(max_nodes=6))
    frame = table(data.draw(records(network)), network)
    expected = family_counts(frame, network)
    found = counted(frame, network)
    assert list(found) == list(expected)
    for node in expected:
        assert found[node].dtype == np.int64
        np.testing.assert_array_equal(found[node], expected[node])


def test_keys_and_counts_stay_together_when_the_answer_is_read_in_pieces(monkeypatch):
    monkeypatch.setattr(source, "BATCH_ROWS", 7)
    levels = [str(level) for level in range(30)]
    network = Network([Variable("a", levels), Variable("b", levels)], {"b": ["a"]})
    chance = np.random.default_rng(3)
    frame = pl.DataFrame({"a": chance.integers(0, 30, 3000), "b": chance.integers(0, 30, 3000)})
    expected = np.zeros((30, 30), dtype=np.int64)
    np.add.at(expected, (frame["a"].to_numpy(), frame["b"].to_numpy()), 1)
    np.testing.assert_array_equal(counted(frame, network)["b"], expected)


def test_nulls_and_their_level_are_one_cell_and_nan_is_a_null():
    network = Network([Variable("a", ["1", "?"]), Variable("b", ["0", "?"])])
    frame = pl.DataFrame({"a": ["1", "?", None, None], "b": [0.0, -0.0, None, math.nan]})
    found = counted(frame, network, missing="?")
    assert found["a"].tolist() == [[1, 3]]
    assert found["b"].tolist() == [[2, 2]]


def test_a_level_for_missing_values_must_be_declared_somewhere():
    with pytest.raises(DataError, match="No variable declares the level 'gone'"):
        counted(pl.DataFrame({"a": ["x"]}), Network([Variable("a", ["x", "y"])]), missing="gone")


def test_a_level_for_missing_values_need_not_be_in_every_group():
    network = Network([Variable(f"x{number}", ["0", "1"]) for number in range(12)] + [Variable("gaps", ["0", "?"])])
    frame = pl.DataFrame({node: ["0", None if node == "gaps" else "1"] for node in network.nodes})
    assert counted(frame, network, missing="?")["gaps"].tolist() == [[1, 1]]


@pytest.mark.parametrize("levels", [["a", "A"], ["e", "é"], ["no", "no "], ["ﬁn", "fin"], ["Straße", "STRASSE"]])
def test_levels_that_a_collation_may_take_for_one_another_are_refused(levels):
    frame = pl.DataFrame({"a": [levels[0]]})
    with pytest.raises(DataError, match="differ only in capitals, accents or spaces"):
        counted(frame, Network([Variable("a", levels)]))


def test_levels_that_a_number_could_mix_up_are_refused():
    with pytest.raises(DataError, match="cannot be told apart"):
        counted(pl.DataFrame({"a": [1]}), Network([Variable("a", ["1", "1.0"])]))


def test_more_answers_than_declared_is_an_error_even_if_each_could_be_read(monkeypatch):
    """Should an engine show one key twice, it is not trusted."""
    network = Network([Variable("a", ["x", "y"])])
    double = pl.DataFrame({"column_0": ["x", "y", "x"], "records": [1, 2, 3]})
    monkeypatch.setattr(push_down, "count_groupings", lambda *words: [double])
    with pytest.raises(DomainError, match="more values than are declared"):
        counted(pl.DataFrame({"a": ["x"]}), network)


def test_an_answer_that_another_group_cut_short_is_not_taken_for_an_empty_or_a_changed_table(monkeypatch):
    """The rows that were asked for may all be of the group with an undeclared value; that one is to be told of."""
    levels = [str(level) for level in range(1025)]
    network = Network([Variable("first", levels), Variable("second", levels)])
    none = pl.DataFrame(schema={"column_0": pl.String, "records": pl.Int64})
    names = pl.DataFrame({"column_1": ["Sapphire"], "records": [1]})
    one = pl.DataFrame({"column_0": ["0"], "records": [7]})
    monkeypatch.setattr(push_down, "share_statements", lambda records, groupings: [tuple(groupings)])
    for cut in (none, one):
        monkeypatch.setattr(push_down, "count_groupings", lambda *words, cut=cut: [cut, names])
        with pytest.raises(DomainError, match="'second' holds a value that is not declared"):
            counted(pl.DataFrame({"first": ["0"], "second": ["0"]}), network)


@pytest.mark.parametrize("data", ["table.csv", pl.DataFrame({"a": [1]}), pl.LazyFrame({"a": [1]}), 42, {"a": [1]}])
def test_paths_and_frames_that_are_read_here_are_left_alone(data):
    assert engine_frame(data) is None


@pytest.mark.parametrize("connection", ["mysql://steward:Turquoise@host/db", "postgresql", "", "Turquoise"])
def test_a_connection_of_another_kind_is_refused_without_showing_it(connection):
    with pytest.raises(FormatError, match="postgresql://user@host/database") as caught:
        sql_table("SELECT 1", connection)
    assert "Turquoise" not in str(caught.value)


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
