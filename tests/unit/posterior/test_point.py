import numpy as np
import pytest

from discreet.errors import ModelError, QueryError
from discreet.model.network import Network
from discreet.model.variable import Variable
from discreet.posterior import PointPosterior

NETWORK = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y", "z"])], {"b": ["a"]})
TABLES = {"a": [[0.25, 0.75]], "b": [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]}


def test_the_mean_is_the_table_that_was_given():
    np.testing.assert_array_equal(PointPosterior(NETWORK, TABLES).mean("b"), TABLES["b"])


def test_every_draw_is_the_same_table():
    drawn = PointPosterior(NETWORK, TABLES).draws(4)
    assert drawn["b"].shape == (4, 2, 3)
    np.testing.assert_array_equal(drawn["b"][3], TABLES["b"])


def test_rows_that_were_rounded_are_made_to_sum_to_one():
    posterior = PointPosterior(NETWORK, {**TABLES, "b": [[0.333, 0.333, 0.333], [1, 0, 0]]})
    np.testing.assert_allclose(posterior.mean("b").sum(axis=1), 1, atol=1e-15)


def test_changing_what_was_given_or_returned_changes_nothing():
    given = np.array([[0.25, 0.75]])
    posterior = PointPosterior(NETWORK, {**TABLES, "a": given})
    given[0, 0] = 9
    posterior.mean("a")[0, 0] = 9
    np.testing.assert_array_equal(posterior.mean("a"), [[0.25, 0.75]])


@pytest.mark.parametrize(
    "tables",
    [
        {"a": [[0.25, 0.75]]},
        {**TABLES, "a": [[1.5, -0.5]]},
        {**TABLES, "a": [[0.5, 0.6]]},
        {**TABLES, "a": [[np.nan, 0.5]]},
        {**TABLES, "a": [["much", "little"]]},
        {**TABLES, "b": [[0.2, 0.3, 0.5]]},
        {**TABLES, "b": [[0.2, 0.3, 0.5, 1.0, 0.0]]},
        {**TABLES, "b": np.full((3, 2), 0.5)},
        {**TABLES, "c": [[0.5, 0.5]]},
    ],
    ids=["missing", "negative", "sum", "nan", "text", "too few rows", "ragged", "transposed", "unknown node"],
)
def test_tables_that_are_not_probabilities_of_the_network_are_refused(tables):
    with pytest.raises(ModelError):
        PointPosterior(NETWORK, tables)


def test_an_unknown_node_has_no_mean():
    with pytest.raises(QueryError, match="no node"):
        PointPosterior(NETWORK, TABLES).mean("c")
