import math

import numpy as np
import pytest

from discreet import Network, Symmetric, Variable, naive_bayes
from discreet.measure.strategies.renyi import single_node_delta
from discreet.theorems.stochastic_lipschitz import lipschitz_failure, stochastic_lipschitz

ONE = Network([Variable("a", ["0", "1"])])


@pytest.mark.parametrize(
    ("weight", "known", "exact"),
    [(2, 3.40, 0.375), (10, 2.21, 0.176), (50, 1.64, 0.080), (200, 1.33, 0.040), (1000, 1.12, 0.018)],
)
def test_one_node_has_the_known_constants(weight, known, exact):
    found = stochastic_lipschitz(ONE, Symmetric(weight))
    assert found.applies
    assert found.likelihood_ratio == pytest.approx(2)
    assert 0.96 * known <= found.total_variation <= known + 0.011  # a finer search than the one behind the known numbers
    assert found.vacuous
    assert single_node_delta(weight, weight, 1, 0.0) == pytest.approx(exact, abs=6e-4)  # what the theorem bounds


def test_even_an_enormous_prior_gives_one_node_a_useless_bound():
    found = stochastic_lipschitz(ONE, Symmetric(10_000))
    assert not found.vacuous
    assert math.sqrt(math.log(2)) < found.total_variation < 0.97  # C log C = 2 log 2 alone is 0.833
    assert single_node_delta(10_000, 10_000, 1, 0.0) == pytest.approx(0.0056, abs=1e-4)


def test_the_theorem_never_applies_to_uniform_priors():
    found = stochastic_lipschitz(ONE, Symmetric(1.0))
    assert not found.applies
    assert found.says_nothing


@pytest.mark.parametrize("weight", [1, 5, 100, 10**6])
@pytest.mark.parametrize("levels", [2, 3])
def test_two_nodes_are_vacuous_whatever_the_prior(weight, levels):
    names = [f"l{k}" for k in range(levels)]
    network = Network([Variable("a", names), Variable("b", names)], {"b": ["a"]})
    found = stochastic_lipschitz(network, Symmetric(weight))
    assert found.vacuous
    assert found.likelihood_ratio >= levels**2 * (1 - 1e-12)
    assert found.m >= found.likelihood_ratio * math.log(found.likelihood_ratio) * (1 - 1e-12)


def test_the_naive_bayes_bound_is_eight_hundred_times_too_large_for_a_probability():
    network = naive_bayes("y", [f"x{i}" for i in range(16)])
    assert stochastic_lipschitz(network, Symmetric(1.0)).total_variation == pytest.approx(879, abs=1)


def test_the_uniform_prior_leaves_at_a_rate_below_one():
    constants = np.array([0.5, 1.0, 3.0, 10.0])
    np.testing.assert_allclose(lipschitz_failure(np.array([1.0, 1.0]), constants), 2 / (1 + np.exp(constants)))


def test_the_failure_of_three_levels_is_bounded():
    generator = np.random.default_rng(4)
    draws = generator.dirichlet([1.0, 2.0, 3.0], size=50_000)
    actual = (np.log(draws.max(axis=1) / draws.min(axis=1)) > 3).mean()
    bound = float(lipschitz_failure(np.array([1.0, 2.0, 3.0]), 3.0))
    assert actual <= bound <= 2 * actual
