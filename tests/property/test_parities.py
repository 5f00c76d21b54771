import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support.networks import networks, records, table

from discreet import ModelError, Network, Variable
from discreet.counts import family_counts
from discreet.counts.statistics import odd_counts
from discreet.measure.residuals import walsh_hadamard


def odd_by_hand(rows, gamma):
    return sum(sum(row[node] == "l1" for node in gamma) % 2 for row in rows)


@given(st.data())
def test_odd_counts_equal_a_count_record_by_record(data):
    network = data.draw(networks(max_levels=2))
    rows = data.draw(records(network))
    found = odd_counts(family_counts(table(rows, network), network), network)
    assert set(found) == {gamma for gamma in network.downward_closure if gamma}
    for gamma, odd in found.items():
        assert odd == odd_by_hand(rows, gamma)


@given(st.data())
def test_replacing_one_record_moves_exactly_the_odd_sets(data):
    network = data.draw(networks(max_levels=2))
    rows = data.draw(records(network))
    other = data.draw(records(network, 1, 1))[0]
    before, after = (odd_counts(family_counts(table(some, network), network), network) for some in (rows, [other, *rows[1:]]))
    flipped = {node for node in network.nodes if rows[0][node] != other[node]}
    for gamma in before:
        assert abs(before[gamma] - after[gamma]) == len(gamma & flipped) % 2


@given(st.integers(1, 6).flatmap(lambda axes: arrays(np.int64, (2,) * axes, elements=st.integers(-(10**6), 10**6))))
def test_the_transform_is_its_own_inverse_up_to_the_number_of_cells(values):
    np.testing.assert_array_equal(walsh_hadamard(walsh_hadamard(values)), values.size * values)


@pytest.mark.parametrize("sizes", [(2, 3), (3, 2), (3, 3)])
def test_one_variable_without_two_levels_is_enough_to_refuse(sizes):
    network = Network([Variable(name, [f"l{k}" for k in range(size)]) for name, size in zip("ab", sizes, strict=True)])
    with pytest.raises(ModelError, match="two levels"):
        odd_counts({"a": np.zeros((1, sizes[0]), dtype=np.int64), "b": np.zeros((1, sizes[1]), dtype=np.int64)}, network)
