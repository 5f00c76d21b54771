"""Family tables: the declared number of records is that number, and a broken counter is noticed.

Cell numbers are made in the narrowest integers that hold them: they must not wrap round at the edges of a type.
"""

import numpy as np
import polars as pl
import pytest

from discreet import DataError, naive_bayes
from discreet.counts import families
from discreet.counts.families import family_counts, family_sensitivity, table_sensitivity
from discreet.counts.histograms import histogram, stack_families
from discreet.model.network import Network
from discreet.model.variable import Variable

NETWORK = naive_bayes("y", ["x"])
DATA = pl.DataFrame({"y": ["0", "1", "1"], "x": ["0", "1", "0"]})


@pytest.mark.parametrize("rows", [0, 1, 2, 4, 300])
def test_more_or_fewer_records_than_declared_are_refused(rows):
    with pytest.raises(DataError, match="declared number of records") as refused:
        family_counts(DATA, NETWORK, rows=rows)
    assert "3" not in str(refused.value)


def test_as_many_records_as_declared_are_counted():
    assert family_counts(DATA, NETWORK, rows=3)["y"].tolist() == [[1, 2]]
    assert family_counts(DATA, NETWORK)["x"].tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize("broken", [[[1, 1]], [[2, 2]], [[4, -1]]])
def test_a_table_that_does_not_count_every_record_once_is_a_defect_that_shows(monkeypatch, broken):
    class Broken(families.FamilyCounter):
        def tables(self):
            return {**super().tables(), "y": np.array(broken)}

    monkeypatch.setattr(families, "FamilyCounter", Broken)
    with pytest.raises(RuntimeError, match="defect"):
        family_counts(DATA, NETWORK)


def test_one_record_moves_two_cells_of_each_table():
    assert table_sensitivity() == 2
    assert family_sensitivity(NETWORK) == 4


@pytest.mark.parametrize("code_type", [np.uint8, np.uint32])
@pytest.mark.parametrize("sizes", [(255,), (256,), (2, 128), (2, 127), (16, 16), (3, 86), (2, 256), (256, 256), (41, 40, 41)])
def test_the_last_cells_are_counted_where_a_narrow_integer_ends(sizes, code_type):
    nodes = [f"node_{place}" for place in range(len(sizes))]
    variables = [Variable(node, [str(level) for level in range(size)]) for node, size in zip(nodes, sizes, strict=True)]
    network = Network(variables, {nodes[-1]: nodes[:-1]})
    # The first and the last level of each, together and against one another.
    places = [np.array([0, size - 1, size - 1, 0, size - 1]) for size in sizes]
    places[-1] = np.array([0, sizes[-1] - 1, 0, sizes[-1] - 1, sizes[-1] - 1])
    expected = np.zeros(sizes, dtype=np.int64)
    np.add.at(expected, tuple(places), 1)
    codes = {node: place.astype(code_type) for node, place in zip(nodes, places, strict=True)}
    counted = histogram(network.family(nodes[-1]), codes)
    np.testing.assert_array_equal(counted, expected.reshape(-1, sizes[-1]))
    stacked = stack_families(network.families)
    np.testing.assert_array_equal(stacked.tables(stacked.count(codes, 5))[nodes[-1]], counted)
