import numpy as np
import polars as pl
import pytest

from discreet.errors import DataError, DomainError
from discreet.inference.own_records import count_own_records, encode, encode_without
from discreet.model.network import Network
from discreet.model.variable import Variable


@pytest.fixture
def network():
    return Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y", "unknown"])], {"b": ["a"]})


def test_records_are_counted_exactly(network):
    own = count_own_records(pl.DataFrame({"a": ["x", "y", "y"], "b": ["x", "x", "y"]}), network)
    assert own.rows == 3
    np.testing.assert_array_equal(own.tables["a"], [[1, 2]])
    np.testing.assert_array_equal(own.tables["b"], [[1, 0, 0], [1, 1, 0]])


def test_missing_values_are_counted_at_the_level_that_is_named_for_them(network):
    data = pl.DataFrame({"a": ["x"], "b": [None]}, schema={"a": pl.String, "b": pl.String})
    np.testing.assert_array_equal(count_own_records(data, network, "unknown").tables["b"], [[0, 0, 1], [0, 0, 0]])
    with pytest.raises(DomainError, match="missing"):
        count_own_records(data, network)


def test_counting_reports_its_progress(network):
    seen = []
    count_own_records(pl.DataFrame({"a": ["x"] * 4, "b": ["y"] * 4}), network, progress=seen.append)
    assert seen[-1] == 4


def test_a_table_that_lacks_a_column_cannot_be_counted(network):
    with pytest.raises(DataError, match="no column 'b'"):
        count_own_records(pl.DataFrame({"a": ["x"]}), network)


def test_encoding_leaves_out_absent_columns_and_marks_gaps(network):
    (codes,) = encode(pl.DataFrame({"b": ["y", None]}), network)
    assert list(codes) == ["b"]
    assert codes["b"].tolist() == [1, 3]


def test_encoding_without_a_node_never_looks_at_its_column(network):
    (codes,) = encode_without(pl.DataFrame({"a": ["x"], "b": ["anything"]}), network, "b")
    assert list(codes) == ["a"]
