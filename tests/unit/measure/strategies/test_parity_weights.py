"""Weights of parities: certified, near the optimum, and with the variances that they promise."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from support.bits import SeededBits
from support.networks import networks

from discreet import Network, Variable, naive_bayes
from discreet.kernel.noise.laplace import discrete_laplace
from discreet.measure.needs import fused_cell_noise
from discreet.measure.residuals import walsh_hadamard
from discreet.measure.strategies.odd_weight import odd_weight
from discreet.measure.strategies.parity_weights import Weights, _importance, parity_weights


def binary(names, edges):
    return Network.from_edges([Variable(name, ["0", "1"]) for name in names], edges)


NAMES = [f"x{i}" for i in range(20)]
NAIVE_BAYES = naive_bayes("y", NAMES[:16])
CHAIN = binary(NAMES, list(pairwise(NAMES)))
INDEPENDENT = binary(NAMES, [])
DENSE = binary(NAMES[:6], list(combinations(NAMES[:6], 2)))


def mean_variance(network, weights):
    noise = fused_cell_noise(network, weights.measurements(network, Fraction(1)))
    return sum(noise[family.node].cell * family.cells for family in network.families) / network.cells


@pytest.mark.parametrize(
    ("network", "equal", "optimal"),
    [(NAIVE_BAYES, 1552, 996), (CHAIN, 1272, 1108), (INDEPENDENT, 800, 800), (DENSE, 326, 202)],
    ids=["naive Bayes 16", "chain 20", "independent 20", "dense 6"],
)
def test_the_variances_reach_the_published_ones(network, equal, optimal):
    assert mean_variance(network, parity_weights(network, Weights.EQUAL)) == pytest.approx(equal, abs=1)
    assert mean_variance(network, parity_weights(network, Weights.OPTIMAL)) <= optimal


def test_naive_bayes_has_the_closed_form():
    """Variance 1026 on the cells of a feature and the class, 8 on those of the class, in continuous noise."""
    weights = parity_weights(NAIVE_BAYES)
    assert weights.scales(Fraction(1)) == dict.fromkeys(weights.weights, Fraction(32)) | {frozenset("y"): Fraction(2)}
    noise = fused_cell_noise(NAIVE_BAYES, weights.measurements(NAIVE_BAYES, Fraction(1)))
    assert noise["x3"].cell == pytest.approx(1026, abs=0.5)
    assert noise["y"].cell == pytest.approx(8, abs=0.2)
    assert noise["x3"].total == pytest.approx(8, abs=0.2)


def flips(network):
    return [frozenset(flip) for size in range(len(network.nodes) + 1) for flip in combinations(network.nodes, size)]


@given(networks(max_nodes=5, max_levels=2), st.sampled_from(["1", "1/7", "3.5"]))
@settings(max_examples=30, deadline=None)
def test_no_flip_costs_more_than_epsilon(network, epsilon):
    for kind in Weights:
        scales = parity_weights(network, kind).scales(Fraction(epsilon))
        costs = {gamma: 1 / scale for gamma, scale in scales.items()}
        assert max(odd_weight(costs, flip) for flip in flips(network)) == Fraction(epsilon)


@given(networks(max_nodes=5, max_levels=2))
@settings(max_examples=15, deadline=None)
def test_no_other_weights_are_much_better(network):
    """Against a general solver, with a constraint for every flip. Equal weights are kept where two per cent are at stake."""
    weights, importance = parity_weights(network), _importance(network)
    sets = list(importance)
    value = np.array([importance[gamma] for gamma in sets])
    shares = np.array([weights.weights[gamma] / weights.sensitivity for gamma in sets])
    odd = np.array([[len(gamma & flip) % 2 for gamma in sets] for flip in flips(network)[1:]])
    solved = minimize(
        lambda share: value @ share**-2 / value.sum(),
        shares * 0.9,
        jac=lambda share: -2 * value * share**-3 / value.sum(),
        bounds=[(1e-3, 1)] * len(sets),
        constraints={"type": "ineq", "fun": lambda share: 1 - odd @ share, "jac": lambda share: -odd},
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-9},
    )
    assert (odd @ solved.x <= 1 + 1e-6).all()
    assert value @ shares**-2 <= 1.03 * solved.fun * value.sum()


def test_a_simulation_has_the_predicted_variances():
    network = binary("abcd", [("a", "c"), ("b", "c"), ("c", "d")])
    scales = parity_weights(network).scales(Fraction(1, 2))
    assert len(set(scales.values())) > 3
    bits = SeededBits(9)
    phi = {gamma: -2 * discrete_laplace(scale, 20_000, bits) for gamma, scale in scales.items()}
    predicted = fused_cell_noise(network, parity_weights(network).measurements(network, Fraction(1, 2)))
    for family in network.families:
        table = np.zeros((20_000, *family.shape))
        for place in np.ndindex(family.shape):
            gamma = frozenset(node for node, inside in zip(family.members, place, strict=True) if inside)
            if gamma:
                table[:, *place] = phi[gamma]
        cells = walsh_hadamard(table, first_axis=1) / family.cells
        assert cells.var(axis=0) == pytest.approx(predicted[family.node].cell, rel=0.1)
        assert cells.sum(axis=-1).var(axis=0) == pytest.approx(predicted[family.node].total, rel=0.1, abs=1e-9)


def test_where_little_is_gained_weights_stay_equal():
    assert set(parity_weights(INDEPENDENT).weights.values()) == {1}
    single = binary("a", [])
    assert parity_weights(single).weights == {frozenset("a"): 1}
    assert parity_weights(single).sensitivity == 1
