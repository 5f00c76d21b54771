"""The heaviest flip, against listing all flips and against an integer programme."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from support.networks import networks

from discreet import Network, Variable, naive_bayes
from discreet.measure.strategies.odd_weight import largest_odd_weight, odd_weight


def every_flip(network):
    return (frozenset(flip) for size in range(len(network.nodes) + 1) for flip in combinations(network.nodes, size))


def brute_force(network, weights):
    return max(odd_weight(weights, flip) for flip in every_flip(network))


@st.composite
def weighted(draw, **sizes):
    network = draw(networks(max_levels=2, **sizes))
    sets = sorted((gamma for gamma in network.downward_closure if gamma), key=sorted)
    weight = st.one_of(st.integers(0, 5), st.integers(0, 2**40))
    return network, {gamma: draw(weight) for gamma in sets}


@given(weighted(max_nodes=7))
@settings(max_examples=60)
def test_the_bound_is_the_maximum_over_all_flips(world):
    network, weights = world
    found = largest_odd_weight(network, weights)
    assert found.bound == found.attained == brute_force(network, weights)
    assert odd_weight(weights, found.flipped) == found.attained


@given(weighted(max_nodes=7), st.integers(1, 3))
@settings(max_examples=60)
def test_tables_maximised_in_parts_never_bound_from_below(world, widest):
    network, weights = world
    found = largest_odd_weight(network, weights, widest)
    assert found.attained <= brute_force(network, weights) <= found.bound <= sum(weights.values())


def solved(network, weights):
    """The same maximum by integer programming: |g & z| = 2 half + odd."""
    sets = list(weights)
    nodes, count = len(network.nodes), len(sets)
    inside = np.array([[float(node in gamma) for node in network.nodes] for gamma in sets])
    rows = np.hstack([inside, -np.eye(count), -2 * np.eye(count)])
    result = milp(
        np.concatenate([np.zeros(nodes), [-float(weights[gamma]) for gamma in sets], np.zeros(count)]),
        integrality=np.ones(nodes + 2 * count),
        bounds=Bounds(0, np.concatenate([np.ones(nodes + count), [len(gamma) // 2 for gamma in sets]])),
        constraints=LinearConstraint(rows, 0, 0),
    )
    return round(-result.fun)


def test_a_solver_of_integer_programmes_finds_the_same():
    names = [f"x{i}" for i in range(12)]
    generator = np.random.default_rng(5)
    parents = {
        name: sorted(generator.choice(names[:index], min(index, 2), replace=False).tolist())
        for index, name in enumerate(names)
    }
    network = Network([Variable(name, ["0", "1"]) for name in names], parents)
    weights = {gamma: 1 + 7 * len(gamma) for gamma in network.downward_closure if gamma}
    assert largest_odd_weight(network, weights).bound == solved(network, weights)


NETWORK = naive_bayes("y", ["a", "b"])
ONES = dict.fromkeys(NETWORK.downward_closure - {frozenset()}, 1)


@pytest.mark.parametrize(
    "weights",
    [
        dict(list(ONES.items())[1:]),
        ONES | {frozenset(): 1},
        ONES | {frozenset("y"): -1},
        ONES | {frozenset("y"): 1.0},
        ONES | {frozenset("y"): 2**61},
    ],
    ids=["a set too few", "the empty set", "negative", "a float", "too heavy"],
)
def test_what_are_no_weights_is_refused(weights):
    with pytest.raises(ValueError, match=r"weight|Weights"):
        largest_odd_weight(NETWORK, weights)
