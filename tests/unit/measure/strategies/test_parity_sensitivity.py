from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from support.networks import networks

from discreet.measure.strategies import odd_weight as module
from discreet.measure.strategies.odd_weight import odd_weight, parity_sensitivity
from discreet.model.network import Network
from discreet.model.templates import naive_bayes
from discreet.model.variable import Variable


def binary(names, edges):
    return Network.from_edges([Variable(name, ["0", "1"]) for name in names], edges)


def chain(length):
    names = [f"x{i}" for i in range(length)]
    return binary(names, list(pairwise(names)))


def brute_force(network):
    sets = dict.fromkeys([gamma for gamma in network.downward_closure if gamma], 1)
    flips = (frozenset(z) for size in range(len(network.nodes) + 1) for z in combinations(network.nodes, size))
    return max(odd_weight(sets, flip) for flip in flips)


@given(networks(max_nodes=6, max_levels=2))
@settings(max_examples=40)
def test_the_bound_is_exact_on_small_graphs(network):
    assert parity_sensitivity(network).value == brute_force(network)
    assert parity_sensitivity(network).exact


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


def test_a_graph_that_is_too_entangled_gets_a_bound_that_is_safe(monkeypatch):
    """A grid, with tables on the way of at most three nodes: never below the truth, never above all sets."""
    names = [[f"x{row}{column}" for column in range(4)] for row in range(3)]
    across = [(names[row][column], names[row][column + 1]) for row in range(3) for column in range(3)]
    down = [(names[row][column], names[row + 1][column]) for row in range(2) for column in range(4)]
    grid = binary([name for row in names for name in row], across + down)
    exact = parity_sensitivity(grid)
    monkeypatch.setattr(module.largest_odd_weight, "__defaults__", (3,))
    parity_sensitivity.cache_clear()
    rough = parity_sensitivity(grid)
    parity_sensitivity.cache_clear()
    assert exact.exact
    assert not rough.exact
    assert exact.value == brute_force(grid) < rough.value <= len(grid.downward_closure) - 1
