"""All ways of counting give what the plainest one gives: one record, one cell at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.networks import networks

from discreet.counts import families, histograms, ways
from discreet.counts.bit_planes import BitPlanes, bit_planes
from discreet.counts.families import FamilyCounter
from discreet.counts.groups import family_groups
from discreet.counts.histograms import JointHistograms, histogram, stack_families


def plainly(network, codes):
    tables = {}
    for family in network.families:
        table = np.zeros(family.shape, dtype=np.int64)
        np.add.at(table, tuple(codes[member].astype(int) for member in family.members), 1)
        tables[family.node] = table.reshape(-1, family.levels)
    return tables


@st.composite
def coded(draw, max_rows=10_000, max_levels=12):
    """A random network with random records, some columns all equal."""
    network = draw(networks(max_nodes=7, max_levels=max_levels, max_parents=6, max_cells=50_000))
    rows = draw(st.one_of(st.integers(0, 200), st.integers(0, max_rows)))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = {}
    for variable in network.variables:
        constant = draw(st.one_of(st.none(), st.integers(0, variable.size - 1)))
        column = generator.integers(0, variable.size, rows) if constant is None else np.full(rows, constant)
        codes[variable.name] = column.astype(np.uint8)
    return network, codes, rows


def equal(one, two):
    assert list(one) == list(two)
    for node, table in one.items():
        np.testing.assert_array_equal(table, two[node])


@given(coded(), st.sampled_from([1, 100, 2000, 2**17]))
def test_every_way_of_counting_equals_a_count_record_by_record(example, limit):
    network, codes, rows = example
    expected = plainly(network, codes)
    equal({family.node: histogram(family, codes) for family in network.families}, expected)
    small = tuple(family for family in network.families if family.cells <= 2000)
    every = [stack_families(network.families), JointHistograms(family_groups(network, limit))]
    for way in [*every, *([bit_planes(small)] if small and rows else [])]:
        tables = way.tables(way.count(codes, rows))
        assert all(table.dtype == np.int64 for table in tables.values())
        nodes = [family.node for family in (small if isinstance(way, BitPlanes) else network.families)]
        assert sorted(tables) == sorted(nodes)
        equal({node: tables[node] for node in nodes}, {node: expected[node] for node in nodes})


@given(coded(max_rows=3000, max_levels=5), st.data())
def test_batches_of_any_size_add_up(example, data):
    network, codes, rows = example
    cuts = sorted(data.draw(st.lists(st.integers(0, rows), max_size=4)))
    few, part, divided, chunk = data.draw(
        st.sampled_from([(1, 1, 1, 1), (1, 130, 1, 100), (64, 500, 2**24, 700), (2**11, 2**18, 1, 2**19)])
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ways, "_FEW_ROWS", few)
        patch.setattr(histograms, "_CHUNK_NUMBERS", chunk)
        patch.setattr(families, "PART_ROWS", part)
        patch.setattr(families, "_LEAST_PART_ROWS", 1)
        patch.setattr(families, "_DIVIDED_CELLS", divided)
        ways._choose.cache_clear()  # it depends on the first of them
        counter = FamilyCounter(network)
        for start, stop in zip([0, *cuts], [*cuts, rows], strict=True):
            counter.add({node: column[start:stop] for node, column in codes.items()})
        equal(counter.tables(), plainly(network, codes))
        equal(counter.tables(), plainly(network, codes))  # asking twice changes nothing
    ways._choose.cache_clear()
    assert counter.rows == rows


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 2**13 - 1, 2**13, 2**18 - 1, 2**18, 2**20 + 1])
def test_sizes_at_the_boundaries_of_words_and_chunks_are_exact(rows):
    from discreet.model.templates import naive_bayes

    network = naive_bayes("y", ["a", "b"])
    generator = np.random.default_rng(rows)
    codes = {node: generator.integers(0, 2, rows).astype(np.uint8) for node in network.nodes}
    counter = FamilyCounter(network)
    counter.add(codes)
    equal(counter.tables(), plainly(network, codes))


def test_a_lost_record_is_noticed(monkeypatch):
    """A planted fault in a counter: tables that do not sum to the number of records are not passed on."""
    import polars as pl

    from discreet.model.templates import naive_bayes

    network = naive_bayes("y", ["a"])
    honest = FamilyCounter.tables

    def faulty(self):
        tables = honest(self)
        tables["a"][0, 0] -= 1
        return tables

    frame = pl.DataFrame({"y": [0, 1, 0], "a": [1, 0, 0]})
    families.family_counts(frame, network)
    monkeypatch.setattr(FamilyCounter, "tables", faulty)
    with pytest.raises(RuntimeError, match="defect"):
        families.family_counts(frame, network)
