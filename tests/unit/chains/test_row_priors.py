"""Dirichlet parameters that are learned, against integrals over a grid."""

import numpy as np
import pytest
from support.true_tables import LARGEST_Z, lay_out, parameter_grid

from discreet import Network, Variable
from discreet.chains.row_priors import FixedRows, LearnedRows
from discreet.model.prior import Hierarchical

NETWORK = Network([Variable("y", list("012")), Variable("x", list("01"))], {"x": ["y"]})
COUNTS = np.array([[5.0, 1.0], [2.0, 0.0], [7.0, 4.0]])
CHAINS = 512


def learn(prior, counts, own, turns, seed=1):
    """Parameters of x after many steps: turns x 2 x chains, without the first half."""
    tables = lay_out(NETWORK, [], int(counts.sum()), {"x": own}, ["x"])
    generator = np.random.default_rng(seed)
    rows = LearnedRows(tables, prior, CHAINS, generator)
    found = []
    for _ in range(turns):
        log = rows.learn(np.repeat(counts.reshape(-1, 1), CHAINS, axis=1), 0.0)
        rows.take(log, np.ones((1, CHAINS), dtype=bool))
        found.append(log)
    return np.array(found[turns // 2 :])


@pytest.mark.parametrize("prior", [Hierarchical(), Hierarchical(1.2, 2.0, 0.7)], ids=["default", "another"])
@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0], ids=["records", "both", "own"])
def test_the_centre_and_the_strength_have_the_law_that_an_integral_gives(prior, shared):
    """Whether records are in the table or of one's own makes no difference."""
    own = np.floor(COUNTS * shared)
    log = learn(prior, COUNTS - own, own, 60)
    strength, centre, _, weights = parameter_grid(prior, COUNTS)
    total = np.log(np.exp(log).sum(axis=1))
    share = np.exp(log[:, 0] - total)
    for seen, exact in (
        (total, strength),
        (total**2, strength**2),
        (share, centre),
        (share**2, centre**2),
        (share * total, centre * strength),
    ):
        means = seen.mean(axis=0)
        assert abs(means.mean() - np.average(exact, weights=weights)) < LARGEST_Z * means.std() / np.sqrt(CHAINS)


def test_without_records_the_prior_is_left():
    prior = Hierarchical(2.0, 0.4, 1.0)
    log = learn(prior, np.zeros((3, 2)), np.zeros((3, 2)), 60)
    total = np.log(np.exp(log).sum(axis=1)).mean(axis=0)
    assert abs(total.mean() - np.log(0.8)) < LARGEST_Z * total.std() / np.sqrt(CHAINS)


def test_a_single_row_has_jeffreys_prior_and_learns_nothing():
    tables = lay_out(NETWORK, [], 9, {"y": np.zeros((1, 3)), "x": np.zeros((3, 2))})
    rows = LearnedRows(tables, Hierarchical(), 4, np.random.default_rng(1))
    number = next(place for place, family in enumerate(tables.families) if family.node == "y")
    mine = rows.family_of_parameter == number
    log = rows.learn(np.ones((9, 4)), 0.5)
    np.testing.assert_allclose(np.exp(log[mine]), 0.5)
    assert (log[~mine] != rows.log[~mine]).any()
    np.testing.assert_allclose(rows.cells[tables.cells_of(number)], 0.5)


def test_parameters_are_taken_in_the_families_and_chains_where_they_are_accepted():
    network = Network([Variable(name, list("01")) for name in "yab"], {"a": ["y"], "b": ["y"]})
    own = {node: np.full((2, 2), 3.0) for node in "ab"}
    tables = lay_out(network, [], 4, own, "ab")
    rows = LearnedRows(tables, Hierarchical(), 2, np.random.default_rng(1))
    before, other = rows.log.copy(), np.arange(8.0).reshape(4, 2)
    rows.take(other, np.array([[True, False], [False, True]]))
    expected = before.copy()
    expected[:2, 0], expected[2:, 1] = other[:2, 0], other[2:, 1]
    np.testing.assert_array_equal(rows.log, expected)
    np.testing.assert_allclose(rows.cells, np.exp(expected)[[0, 1, 0, 1, 2, 3, 2, 3]] + 3)
    np.testing.assert_allclose(rows.rows, rows.cells.reshape(4, 2, 2).sum(axis=1))


def test_declared_parameters_are_those_of_the_layout():
    table = np.array([[1.0, 2.0], [0.5, 0.25], [3.0, 4.0]])
    rows = FixedRows(lay_out(NETWORK, [], 9, {"x": table}, ["x"]))
    assert rows.cells[:, 0].tolist() == table.ravel().tolist()
    assert rows.rows[:, 0].tolist() == table.sum(axis=1).tolist()


EXTREME = [Hierarchical(strength=1e9), Hierarchical(strength=1e-9), Hierarchical(spread=50.0), Hierarchical(spread=1e-200)]


@pytest.mark.parametrize("prior", EXTREME, ids=repr)
def test_parameters_stay_within_what_can_be_told_apart_whatever_is_believed(prior):
    log = learn(prior, COUNTS, np.zeros((3, 2)), 20)
    assert np.isfinite(log).all()
    assert np.abs(log).max() <= 14
    assert (log[0] != log[-1]).any()
