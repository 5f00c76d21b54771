"""Lemmas of the K-norm and Gaussian statistics: what they are, and how far one record moves them."""

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.measurements import blocks_of
from support.networks import networks, records, table

from discreet.counts import family_counts
from discreet.counts.statistics import block_sensitivity, squared_margin_sensitivity, statistics
from discreet.measure.blocks import Bundle, Group
from discreet.measure.measurement import fill, number_shape
from discreet.measure.strategies.gaussian import gaussian_measurements
from discreet.measure.strategies.knorm import knorm_measurements, optimal_bundles

ONE = Fraction(1)


def every_group(network):
    """One group for each set of parents, with everything measured: more than any layout measures."""
    found = {}
    for family in network.families:
        parents = tuple(sorted(family.parents, key=network.nodes.index))
        found.setdefault(parents, []).append(family.node)
    sizes = {variable.name: variable.size for variable in network.variables}
    return [
        Group(parents, tuple(sizes[p] for p in parents), bool(parents), tuple(nodes), tuple(sizes[c] for c in nodes))
        for parents, nodes in found.items()
    ]


def block_of(network, group, row):
    """One record's configuration and block, written from the definition."""
    configuration = 0
    for parent, levels in zip(group.parents, group.parent_levels, strict=True):
        configuration = configuration * levels + network.level_index(parent, row[parent])
    block = [1] * group.counted
    for child, levels in zip(group.children, group.child_levels, strict=True):
        level = network.level_index(child, row[child])
        block += [1 - 2 * level] if levels == 2 else [int(level == each) for each in range(levels)]
    return configuration, np.array(block)


def by_hand(network, group, rows):
    blocks = np.zeros((group.configurations, group.width), dtype=np.int64)
    for row in rows:
        configuration, block = block_of(network, group, row)
        blocks[configuration] += block
    return blocks


def norm(group, blocks):
    """The sum over the blocks of the largest L1 norm of a part."""
    ends = np.cumsum(group.parts)
    parts = [np.abs(blocks[:, start:end]).sum(axis=1) for start, end in zip(ends - group.parts, ends, strict=True)]
    return int(np.max(parts, axis=0).sum())


@given(st.data())
def test_blocks_equal_a_sum_over_records(data):
    network = data.draw(networks())
    rows = data.draw(records(network))
    counts = family_counts(table(rows, network), network)
    for bundles in ([Bundle((group,), ONE) for group in every_group(network)], optimal_bundles(network, ONE)):
        asked = knorm_measurements(bundles)
        numbers = statistics(counts, network, asked)
        assert [own.shape for own in numbers] == [number_shape(network, each) for each in asked]
        for bundle, groups in zip(bundles, blocks_of(fill(asked, numbers)), strict=True):
            for group, blocks in zip(bundle.groups, groups, strict=True):
                assert blocks.dtype == np.int64
                np.testing.assert_array_equal(blocks, by_hand(network, group, rows))


@given(st.data())
def test_replacing_one_record_moves_a_group_by_at_most_two_and_two_is_attained(data):
    network = data.draw(networks(max_cells=200))
    old, *others = data.draw(records(network, 4, 4))
    differing = ({v.name: v.levels[0] for v in network.variables}, {v.name: v.levels[-1] for v in network.variables})
    for group in every_group(network):
        moves = [norm(group, by_hand(network, group, [old]) - by_hand(network, group, [new])) for new in others]
        assert max(moves) <= block_sensitivity()
        assert norm(group, by_hand(network, group, differing[:1]) - by_hand(network, group, differing[1:])) == 2
    assert block_sensitivity() == 2


def test_a_norm_that_adds_up_children_is_moved_further():
    """Planted: parts that are summed instead of compared would need noise for every child."""
    group = Group((), (), False, ("a", "b", "c"), (2, 2, 2))
    assert norm(group, np.array([[2, 2, 2]])) == 2
    assert np.abs([[2, 2, 2]]).sum() == 6


@given(st.data())
def test_margins_equal_a_sum_over_records(data):
    network = data.draw(networks())
    rows = data.draw(records(network))
    margins = gaussian_measurements(network, ONE)
    counts = family_counts(table(rows, network), network)
    for nodes, found in zip((each.nodes for each in margins), statistics(counts, network, margins), strict=True):
        wanted = Counter(tuple(network.level_index(node, row[node]) for node in nodes) for row in rows)
        assert found.dtype == np.int64
        assert found.shape == tuple(network.variable(node).size for node in nodes)
        assert {cell: count for cell, count in np.ndenumerate(found) if count} == wanted


@given(st.data())
def test_replacing_one_record_moves_a_margin_by_at_most_the_root_of_two(data):
    network = data.draw(networks())
    old, new = data.draw(records(network, 2, 2))
    margins = gaussian_measurements(network, ONE)
    one, two = (statistics(family_counts(table([row], network), network), network, margins) for row in (old, new))
    assert all(int(((a - b) ** 2).sum()) in (0, squared_margin_sensitivity()) for a, b in zip(one, two, strict=True))
    last = {variable.name: variable.levels[-1] for variable in network.variables}
    first = {variable.name: variable.levels[0] for variable in network.variables}
    one, two = (statistics(family_counts(table([row], network), network), network, margins) for row in (first, last))
    assert sum(int(((a - b) ** 2).sum()) for a, b in zip(one, two, strict=True)) == 2 * len(margins)
