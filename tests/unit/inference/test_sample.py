import sys

import numpy as np
import polars as pl
import pytest

from discreet.errors import QueryError
from discreet.inference.sample import _cumulative
from discreet.model.network import Network
from discreet.model.variable import Variable
from discreet.posterior import DirichletPosterior, PointPosterior


@pytest.fixture
def posterior():
    """Declared child first, so that the order of columns is not the order of drawing."""
    variables = [Variable("child", ["a", "b", "c"]), Variable("left", ["0", "1"]), Variable("right", ["0", "1"])]
    network = Network(variables, {"child": ["left", "right"]})
    child = [[0.2, 0.3, 0.5], [0.6, 0.0, 0.4], [0.0, 1.0, 0.0], [0.1, 0.9, 0.0]]
    return PointPosterior(network, {"child": child, "left": [[0.3, 0.7]], "right": [[0.5, 0.5]]})


def test_columns_stand_in_declared_order_with_their_declared_levels(posterior):
    drawn = posterior.sample(10)
    assert drawn.columns == ["child", "left", "right"]
    assert drawn.schema["child"] == pl.Enum(["a", "b", "c"])
    assert drawn.height == 10


def test_frequencies_follow_the_network(posterior):
    rows = 200_000
    drawn = posterior.sample(rows, np.random.default_rng(0))
    for (left, right), expected in zip([(0, 0), (0, 1), (1, 0), (1, 1)], posterior.mean("child"), strict=True):
        chosen = drawn.filter(left=str(left), right=str(right))["child"].cast(pl.String)
        found = [(chosen == level).mean() for level in "abc"]
        np.testing.assert_allclose(found, expected, atol=5 * 0.5 / np.sqrt(chosen.len()))
    assert (drawn["left"] == "1").mean() == pytest.approx(0.7, abs=5 * 0.5 / np.sqrt(rows))


def test_impossible_combinations_are_never_drawn(posterior):
    drawn = posterior.sample(200_000, np.random.default_rng(1))
    assert drawn.filter(pl.col("left") == "1", pl.col("right") == "0")["child"].cast(pl.String).unique().to_list() == ["b"]
    assert "c" not in drawn.filter(left="1")["child"].cast(pl.String).unique().to_list()


def test_a_level_of_probability_zero_at_the_end_is_not_drawn_through_rounding():
    steps = _cumulative(np.array([[0.1] * 10 + [0.0]]))
    assert steps[-1, 0] == 1.0


def test_the_same_generator_draws_the_same_records(posterior):
    first, second, other = (posterior.sample(100, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert first.equals(second)
    assert not first.equals(other)


def test_more_rows_than_a_chunk_are_all_filled(posterior, monkeypatch):
    monkeypatch.setattr(sys.modules["discreet.inference.sample"], "_CHUNK", 7)
    drawn = posterior.sample(50, np.random.default_rng(0))
    assert drawn.height == 50
    assert drawn.filter(pl.col("left") == "1", pl.col("right") == "0", pl.col("child") != "b").height == 0


def test_a_node_may_have_more_levels_than_a_byte_can_number():
    network = Network([Variable("a", range(300))])
    drawn = DirichletPosterior(network).sample(20_000, np.random.default_rng(0))
    assert drawn["a"].n_unique() == 300


@pytest.mark.parametrize("rows", [0, -3, 2.5, True, "10"])
def test_a_number_of_rows_that_is_not_one_is_refused(posterior, rows):
    with pytest.raises(QueryError, match="at least 1"):
        posterior.sample(rows)
