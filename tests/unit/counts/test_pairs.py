"""Sums of products of contrasts, from tables of pairs."""

import numpy as np
import pytest

from discreet.counts.pairs import contrast_table, pair_numbers
from discreet.errors import DataError
from discreet.kernel.noise.pairs import PairedColumns, contrasts_of


@pytest.mark.parametrize("levels", range(1, 8))
def test_contrasts_are_those_of_the_kernel(levels):
    np.testing.assert_array_equal(contrast_table(levels), contrasts_of(levels))


def test_numbers_equal_a_sum_over_records():
    generator, sizes = np.random.default_rng(1), {"a": 2, "b": 4, "c": 1, "d": 3}
    codes = {node: generator.integers(0, size, 40) for node, size in sizes.items()}

    def table(nodes):
        found = np.zeros([sizes[node] for node in nodes], dtype=np.int64)
        np.add.at(found, tuple(codes[node] for node in nodes), 1)
        return found

    u = np.concatenate([np.ones((40, 1), dtype=int), *(contrasts_of(sizes[node])[codes[node]] for node in sizes)], axis=1)
    whole = u.T @ u
    expected = [whole[place] for place in PairedColumns(tuple(sizes.values()), 40).places]
    assert pair_numbers({node: table((node,)) for node in sizes}, table).tolist() == expected


def test_sums_that_leave_64_bits_are_refused():
    with pytest.raises(DataError, match="too many records"):
        pair_numbers({"a": np.array([2**61, 2**60])}, lambda _: np.zeros(1))
