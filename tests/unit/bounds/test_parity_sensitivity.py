from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from support.networks import networks

from discreet.bounds import parity_sensitivity as module
from discreet.bounds.parity_sensitivity import least_sensitivity, odd_weight, parity_sensitivity
from discreet.model.network import Network
from discreet.model.templates import naive_bayes
from discreet.model.variable import Variable


def binary(names, edges):
    return Network.from_edges([Variable(name, ["0", "1"]) for name in names], edges)


def chain(length):
    names = [f"x{i}" for i in range(length)]
    return binary(names, list(pairwise(names)))


def brute_force(network):
    sets = dict.fromkeys([gamma for gamma in network.downward_closure if gamma], Fraction(1))
    flips = (frozenset(z) for size in range(len(network.nodes) + 1) for z in combinations(network.nodes, size))
    return max(odd_weight(sets, flip) for flip in flips)


@given(networks(max_nodes=6, max_levels=2))
@settings(max_examples=40)
def test_the_bound_is_exact_on_small_graphs(network):
    assert parity_sensitivity(network).value == brute_force(network)


@given(networks(max_nodes=6, max_levels=2))
@settings(max_examples=15)
def test_the_solver_never_bounds_from_below(network):
    sets = dict.fromkeys([gamma for gamma in network.downward_closure if gamma], 1.0)
    bound = module._dual_bound(network, sets)
    assert bound is None or brute_force(network) <= bound <= brute_force(network) + 1


def dense(size):
    names = [f"x{i}" for i in range(size)]
    return binary(names, list(combinations(names, 2)))


@pytest.mark.parametrize(
    ("network", "closure", "paper", "exact"),
    [
        (naive_bayes("y", [f"x{i}" for i in range(16)]), 34, 68, 64),
        (chain(20), 40, 80, 58),
        (binary([f"x{i}" for i in range(20)], []), 21, 42, 40),
        (dense(6), 64, 128, 64),
    ],
    ids=["naive Bayes 16", "chain 20", "independent 20", "dense 6"],
)
def test_published_values(network, closure, paper, exact):
    """Sensitivities of the coefficients phi, which are twice those of the odd counts."""
    assert len(network.downward_closure) == closure
    assert 2 * closure == paper
    assert 2 * parity_sensitivity(network).value == exact


@given(networks(max_nodes=6, max_levels=2))
@settings(max_examples=40)
def test_the_quick_lower_bound_is_below_and_near(network):
    assert least_sensitivity(network) == brute_force(network)
    assert 0.6 * brute_force(network) <= module._climbed(network) <= brute_force(network)


def test_the_quick_lower_bound_is_exact_for_naive_bayes():
    assert least_sensitivity(naive_bayes("y", [f"x{i}" for i in range(16)])) == 32


def test_without_an_answer_of_the_solver_half_of_each_family_counts(monkeypatch):
    monkeypatch.setattr(module, "_dual_bound", lambda network, weights: None)
    parity_sensitivity.cache_clear()
    found = parity_sensitivity(chain(20))
    parity_sensitivity.cache_clear()
    assert (found.value, found.method) == (38, "families")
