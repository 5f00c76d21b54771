import numpy as np
import polars as pl
import pytest
from scipy import stats
from support.measurements import noisy_counts

from discreet.errors import ModelError, QueryError
from discreet.model.network import Network
from discreet.model.prior import JEFFREYS, Symmetric, TablePrior
from discreet.model.variable import Variable
from discreet.posterior import DirichletPosterior, OwnRecords

NETWORK = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y", "z"])], {"b": ["a"]})
RELEASED = noisy_counts(NETWORK, {"a": np.array([[-2, 13]]), "b": np.array([[3, 0, -1], [4, 2, 1]])}, 2, 10)
OWN = OwnRecords({"a": np.array([[1, 2]]), "b": np.array([[1, 0, 0], [0, 2, 0]])}, 3)


def test_parameters_are_prior_plus_clamped_release_plus_own_records():
    posterior = DirichletPosterior(NETWORK, JEFFREYS, RELEASED, OWN)
    np.testing.assert_array_equal(posterior.concentration("a"), [[0.5 + 0 + 1, 0.5 + 10 + 2]])
    np.testing.assert_array_equal(posterior.concentration("b"), [[4.5, 0.5, 0.5], [4.5, 4.5, 1.5]])


def test_the_mean_is_the_normalised_parameters():
    posterior = DirichletPosterior(NETWORK, released=RELEASED)
    np.testing.assert_allclose(posterior.mean("b"), [[4 / 6, 1 / 6, 1 / 6], [5 / 10, 3 / 10, 2 / 10]])


def test_the_mode_puts_zero_where_no_count_speaks_and_falls_back_to_the_mean():
    posterior = DirichletPosterior(NETWORK, TablePrior(NETWORK, {"a": [[1, 1]], "b": [[3, 2, 1], [0.5, 0.25, 0.25]]}))
    np.testing.assert_allclose(posterior.mode("b"), [[2 / 3, 1 / 3, 0], [0.5, 0.25, 0.25]])
    np.testing.assert_allclose(posterior.mode("a"), [[0.5, 0.5]])


def test_variance_and_interval_are_those_of_the_beta_marginals():
    posterior = DirichletPosterior(NETWORK, released=RELEASED)
    marginal = stats.beta(5, 5)
    assert posterior.variance("b")[1, 0] == pytest.approx(marginal.var())
    lower, upper = posterior.interval("b", 0.8)
    assert (lower[1, 0], upper[1, 0]) == pytest.approx((marginal.ppf(0.1), marginal.ppf(0.9)))


@pytest.mark.parametrize("level", [0, 1, -1, 1.5, float("nan")])
def test_an_interval_level_that_is_not_a_probability_is_refused(level):
    with pytest.raises(QueryError, match="between 0 and 1"):
        DirichletPosterior(NETWORK).interval("a", level)


def test_draws_have_the_mean_and_variance_of_the_posterior():
    posterior = DirichletPosterior(NETWORK, Symmetric(0.4), RELEASED)
    drawn = posterior.draws(40_000, np.random.default_rng(0))["b"]
    assert drawn.shape == (40_000, 2, 3)
    np.testing.assert_allclose(drawn.sum(axis=2), 1)
    error = np.sqrt(posterior.variance("b") / 40_000)
    assert (np.abs(drawn.mean(axis=0) - posterior.mean("b")) < 5 * error).all()
    np.testing.assert_allclose(drawn.var(axis=0), posterior.variance("b"), rtol=0.05)


def test_draws_follow_the_beta_distribution():
    posterior = DirichletPosterior(NETWORK, TablePrior(NETWORK, {"a": [[0.3, 2.0]], "b": [[1, 1, 1], [1, 1, 1]]}))
    drawn = posterior.draws(20_000, np.random.default_rng(1))["a"][:, 0, 0]
    assert stats.kstest(drawn, stats.beta(0.3, 2.0).cdf).pvalue > 1e-4
    assert stats.kstest(drawn, stats.beta(0.35, 2.0).cdf).pvalue < 1e-4


def test_draws_with_hardly_any_belief_are_still_probabilities():
    drawn = DirichletPosterior(NETWORK, Symmetric(1e-6)).draws(1000, np.random.default_rng(0))
    for table in drawn.values():
        assert np.isfinite(table).all()
        np.testing.assert_allclose(table.sum(axis=2), 1)


def test_draws_are_repeated_by_the_same_generator():
    posterior = DirichletPosterior(NETWORK)
    first, second, other = (posterior.draws(3, np.random.default_rng(seed))["b"] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)


def test_updating_twice_equals_updating_once_with_all_records():
    data = pl.DataFrame({"a": ["x", "y", "y"], "b": ["z", "x", "y"]})
    posterior = DirichletPosterior(NETWORK, released=RELEASED)
    twice, once = posterior.update(data[:1]).update(data[1:]), posterior.update(data)
    for node in NETWORK.nodes:
        np.testing.assert_array_equal(twice.concentration(node), once.concentration(node))
    assert twice.own.rows == 3
    assert posterior.own is None


def test_updating_adds_exactly_the_counts():
    data = pl.DataFrame({"a": ["x", "y"], "b": ["z", "x"]})
    before = DirichletPosterior(NETWORK, released=RELEASED)
    added = before.update(data).concentration("b") - before.concentration("b")
    np.testing.assert_array_equal(added, [[0, 0, 1], [1, 0, 0]])


def test_as_a_prior_the_posterior_keeps_its_beliefs():
    posterior = DirichletPosterior(NETWORK, JEFFREYS, RELEASED, OWN)
    again = DirichletPosterior(NETWORK, posterior.as_prior())
    for node in NETWORK.nodes:
        np.testing.assert_array_equal(again.concentration(node), posterior.concentration(node))


def test_a_prior_of_another_network_is_refused():
    other = Network([Variable("a", ["x", "y", "z"])])
    with pytest.raises(ModelError, match="another network"):
        DirichletPosterior(NETWORK, TablePrior(other, {"a": [[1, 1, 1]]})).mean("a")


def test_an_unknown_node_is_refused_with_a_suggestion():
    with pytest.raises(QueryError, match="Known: 'a', 'b'"):
        DirichletPosterior(NETWORK).mean("nothing")


def test_the_posterior_says_what_it_is_without_its_numbers():
    shown = repr(DirichletPosterior(NETWORK, own=OWN)).splitlines()
    assert shown[:2] == ["DirichletPosterior of 2 nodes", "  own records  3, exact, protected by nothing"]
