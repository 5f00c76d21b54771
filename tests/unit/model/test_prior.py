from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import ModelError
from discreet.model import JEFFREYS, UNIFORM, BDeu, Network, Symmetric, TablePrior, Variable
from discreet.model.prior import as_prior


@pytest.fixture
def network():
    return Network([Variable("a", ["0", "1"]), Variable("b", ["x", "y", "z"])], {"b": ["a"]})


def test_a_symmetric_prior_has_the_same_weight_in_every_cell(network):
    assert np.array_equal(UNIFORM.concentration(network.family("b")), np.ones((2, 3)))
    assert np.array_equal(JEFFREYS.concentration(network.family("a")), [[0.5, 0.5]])


def test_bdeu_spreads_the_sample_over_every_table(network):
    prior = BDeu(sample_size=12)
    assert np.array_equal(prior.concentration(network.family("b")), np.full((2, 3), 2.0))
    assert all(prior.concentration(family).sum() == 12 for family in network.families)


@pytest.mark.parametrize("make", [Symmetric, BDeu])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "1", None])
def test_a_weight_must_be_finite_and_positive(make, value):
    with pytest.raises(ModelError, match="finite number greater than zero"):
        make(value)


@pytest.mark.parametrize("value", [2, np.float64(2), np.int64(2), Fraction(2)])
def test_any_real_number_is_a_weight(network, value):
    assert Symmetric(value).concentration(network.family("a")).tolist() == [[2.0, 2.0]]


def test_a_table_prior_gives_back_what_was_written(network):
    prior = TablePrior(network, {"a": [1, 2], "b": [[1, 2, 3], [4, 5, 6]]})
    assert prior.concentration(network.family("a")).tolist() == [[1.0, 2.0]]
    assert prior.concentration(network.family("b")).tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def test_a_table_prior_cannot_be_changed_from_outside(network):
    table = np.ones((2, 3))
    prior = TablePrior(network, {"a": [1, 2], "b": table})
    table[0, 0] = 7
    prior.concentration(network.family("b"))[0, 0] = 8
    assert prior.concentration(network.family("b"))[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        prior.tables["b"][0, 0] = 9


def test_a_table_prior_survives_pickling(network):
    prior = TablePrior(network, {"a": [1, 2], "b": np.ones((2, 3))})
    assert pickle.loads(pickle.dumps(prior)).concentration(network.family("a")).tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.ones((3, 2)), r"has shape \(3, 2\); it must be \(2, 3\)"),
        (np.ones(6), r"has shape \(6,\)"),
        ([[1, 2, 3], [4, 5]], "not a table of numbers"),
        ("abc", "not a table of numbers"),
        (np.zeros((2, 3)), "greater than zero"),
        (np.full((2, 3), np.nan), "greater than zero"),
        (np.full((2, 3), np.inf), "greater than zero"),
    ],
)
def test_a_wrong_table_is_refused(network, table, message):
    with pytest.raises(ModelError, match=message):
        TablePrior(network, {"a": [1, 1], "b": table})


def test_a_table_prior_needs_every_node(network):
    with pytest.raises(ModelError, match="no table for 'b'"):
        TablePrior(network, {"a": [1, 1]})


def test_a_table_prior_of_another_network_is_refused(network):
    prior = TablePrior(network, {"a": [1, 1], "b": np.ones((2, 3))})
    other = Network([Variable("a", ["0", "1", "2"]), Variable("c", ["0", "1"])])
    with pytest.raises(ModelError, match="another shape"):
        prior.concentration(other.family("a"))
    with pytest.raises(ModelError, match="no table for 'c'"):
        prior.concentration(other.family("c"))


def test_zero_may_be_written_where_the_network_declares_that_nothing_can_be():
    variables = [Variable("sex", ["male", "female"]), Variable("pregnant", ["no", "yes"])]
    network = Network(variables, {"pregnant": ["sex"]}, impossible=[{"sex": "male", "pregnant": "yes"}])
    prior = TablePrior(network, {"sex": [1, 1], "pregnant": [[3, 0], [1, 2]]})
    assert prior.concentration(network.family("pregnant")).tolist() == [[3, 1], [1, 2]]
    for wrong in ([[0, 3], [1, 2]], [[3, -1], [1, 2]], [[3, np.nan], [1, 2]]):
        with pytest.raises(ModelError, match="greater than zero"):
            TablePrior(network, {"sex": [1, 1], "pregnant": wrong})


@pytest.mark.parametrize("word", ["bdeu:", "bdeu: ", "uniform:", "jeffreys:", "hierarchical:"])
def test_a_colon_with_nothing_behind_it_is_refused(word):
    with pytest.raises(ModelError):
        as_prior(word)


def test_bdeu_without_a_size_imagines_one_record():
    assert as_prior("bdeu") == as_prior("bdeu:1") == BDeu(1)
