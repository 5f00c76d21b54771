import math

import polars as pl
import pytest

from discreet.errors import DomainError
from discreet.model.network import Network
from discreet.model.variable import Variable
from discreet.posterior import DirichletPosterior, PointPosterior


@pytest.fixture
def pair():
    network = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y"])], {"b": ["a"]})
    return PointPosterior(network, {"a": [[0.25, 0.75]], "b": [[1, 0], [0.5, 0.5]]})


def test_complete_records_multiply_their_conditional_probabilities(pair):
    data = pl.DataFrame({"a": ["x", "y", "y"], "b": ["x", "x", "y"]})
    assert pair.log_likelihood(data) == pytest.approx(math.log(0.25) + 2 * math.log(0.375))


def test_missing_values_are_summed_over(pair):
    data = pl.DataFrame({"a": [None, "y", None], "b": ["x", None, None]})
    assert pair.log_likelihood(data) == pytest.approx(math.log(0.25 + 0.375) + math.log(0.75))


def test_absent_columns_are_summed_over(pair):
    assert pair.log_likelihood(pl.DataFrame({"b": ["x", "y"]})) == pytest.approx(math.log(0.625) + math.log(0.375))


def test_an_impossible_record_has_log_likelihood_minus_infinity(pair):
    assert pair.log_likelihood(pl.DataFrame({"a": ["x", "x"], "b": ["y", "x"]})) == -math.inf
    network = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y"])])
    posterior = PointPosterior(network, {"a": [[1, 0]], "b": [[0.5, 0.5]]})
    assert posterior.log_likelihood(pl.DataFrame({"a": ["y"]})) == -math.inf


def test_a_table_without_records_has_log_likelihood_zero(pair):
    assert pair.log_likelihood(pl.DataFrame(schema={"a": pl.String, "b": pl.String})) == 0


def test_a_value_outside_the_domain_is_refused(pair):
    with pytest.raises(DomainError):
        pair.log_likelihood(pl.DataFrame({"a": ["z"], "b": ["x"]}))


def test_records_that_were_learned_become_more_probable():
    network = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y"])], {"b": ["a"]})
    data = pl.DataFrame({"a": ["x"] * 20, "b": ["y"] * 20})
    before = DirichletPosterior(network)
    assert before.update(data).log_likelihood(data) > before.log_likelihood(data) + 10
