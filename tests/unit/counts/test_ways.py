"""How families are counted is chosen from public shapes alone, covers every family once, and is fast where it should be."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.networks import networks

from discreet.counts import families
from discreet.counts.bit_planes import BitPlanes
from discreet.counts.families import FamilyCounter
from discreet.counts.histograms import JointHistograms, StackedHistograms
from discreet.counts.ways import choose_ways
from discreet.model.network import Network
from discreet.model.templates import naive_bayes
from discreet.model.variable import Variable


def tree(columns, levels, parents):
    nodes = [f"x{number}" for number in range(columns)]
    variables = [Variable(node, [str(level) for level in range(levels)]) for node in nodes]
    return Network(variables, {node: nodes[max(0, place - parents) : place] for place, node in enumerate(nodes) if place})


def kinds(network, rows):
    return {type(way) for way in choose_ways(network, rows)}


@given(networks(max_nodes=7, max_levels=12, max_parents=6, max_cells=50_000), st.integers(0, 2**21))
def test_every_family_is_counted_in_exactly_one_way(network, rows):
    ways = choose_ways(network, rows)
    counted = Counter(node for way in ways for node in way.tables(np.zeros(way.size, dtype=np.int64)))
    assert counted == Counter(network.nodes)


@pytest.mark.parametrize("rows", [0, 1, 1000, 2**11 - 1])
@pytest.mark.parametrize("network", [tree(5, 2, 1), tree(20, 5, 2), tree(300, 2, 2)], ids=["small", "levels", "wide"])
def test_few_records_are_counted_by_stacked_histograms(network, rows):
    assert kinds(network, rows) == {StackedHistograms}


@pytest.mark.parametrize(
    "network", [tree(20, 20, 1), tree(20, 5, 2), tree(20, 2, 7)], ids=["20 levels", "5 levels", "256 cells"]
)
def test_large_tables_of_many_records_share_joint_histograms(network):
    [way] = choose_ways(network, 2**19)
    assert isinstance(way, JointHistograms)
    assert 2 * len(way.groups) <= len(network.nodes) + 2


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_the_number_of_columns_does_not_change_how_each_is_counted(levels):
    assert kinds(tree(1000, levels, 2), 2**17) == kinds(tree(40, levels, 2), 2**17)


def test_small_tables_of_many_records_are_counted_by_bit_planes():
    assert kinds(tree(20, 2, 1), 2**19) == {BitPlanes}


def test_the_same_public_shapes_are_planned_once():
    assert choose_ways(tree(9, 2, 2), 1_000_000) is choose_ways(tree(9, 2, 2), 900_000)


@pytest.mark.parametrize(("rows", "parts"), [(2**18, 1), (2**20, families._WORKERS), (2**20 - 3, families._WORKERS)])
def test_a_long_batch_is_divided_between_the_cores(monkeypatch, rows, parts):
    taken = []
    count = families._count

    def seen(ways, batches, part_rows):
        taken.append(part_rows)
        return count(ways, batches, part_rows)

    monkeypatch.setattr(families, "_count", seen)
    network = naive_bayes("y", [f"x{number}" for number in range(40)])
    counter = FamilyCounter(network)
    counter.add(dict.fromkeys(network.nodes, np.ones(rows, dtype=np.uint8)))
    assert counter.tables()["x0"].tolist() == [[0, 0], [0, rows]]
    assert len(taken) == parts
    assert sum(taken) == rows


def test_short_batches_are_counted_together(monkeypatch):
    monkeypatch.setattr(families, "PART_ROWS", 100)
    monkeypatch.setattr(families, "_LEAST_PART_ROWS", 1)
    taken = []
    count = families._count
    monkeypatch.setattr(families, "_count", lambda *part: taken.append(part[2]) or count(*part))
    network = naive_bayes("y", ["a"])
    counter = FamilyCounter(network)
    for rows in (1, 90, 40, 40, 40, 7):
        counter.add(dict.fromkeys(network.nodes, np.zeros(rows, dtype=np.uint8)))
    assert counter.tables()["a"].tolist() == [[218, 0], [0, 0]]
    assert sorted(taken) == [47, 80, 91]


def test_numbers_that_just_fit_a_byte_or_just_do_not_are_counted():
    sizes = {"many": 255, "two": 2, "half": 127, "more": 128}
    variables = [Variable(name, [str(level) for level in range(size)]) for name, size in sizes.items()]
    network = Network(variables, {"half": ["two"], "more": ["two"], "many": ["two"]})
    last = {name: np.array([0, size - 1, size - 1], np.uint32 if size > 254 else np.uint8) for name, size in sizes.items()}
    for rows in (3, 2**12, 2**20):
        found = {}
        for way in choose_ways(network, rows):
            found |= way.tables(way.count(last, 3))
        for name in ("many", "half", "more"):
            expected = np.zeros((2, sizes[name]), dtype=np.int64)
            expected[0, 0], expected[1, -1] = 1, 2
            np.testing.assert_array_equal(found[name], expected)
