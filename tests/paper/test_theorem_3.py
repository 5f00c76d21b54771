"""Theorem 3 with the constant of Parseval: the tables of the Fourier mechanism stay within the bound."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom
from support.bits import SeededBits
from support.statistics import ALPHA

from discreet import Network, Variable, naive_bayes
from discreet.errors import ModelError
from discreet.kernel.noise.laplace import discrete_laplace
from discreet.measure.strategies.odd_weight import parity_sensitivity
from discreet.measure.strategies.parity_weights import parity_weights
from discreet.theorems.fourier_utility import cell_variance_ratio, fourier_utility

NAIVE_BAYES = naive_bayes("y", [f"x{i}" for i in range(16)])
BITS = {name: Variable(name, ["0", "1"]) for name in "abcd"}
WIDE = Network([BITS[name] for name in "abcd"], {"c": ["a", "b"], "d": ["c"]})
SINGLE = Network([BITS["a"]])


def distances(network, scale, repeats, seed, increment=0):
    """L1 distance of each family's table from the truth, with the noise of the kernel: node -> one number per release."""
    sets = sorted((gamma for gamma in network.downward_closure if gamma), key=sorted)
    bits, scales = SeededBits(seed), scale if isinstance(scale, dict) else dict.fromkeys(sets, scale)
    noise = [-2 * discrete_laplace(scales[gamma], repeats, bits) for gamma in sets]
    phi = {frozenset(): np.full(repeats, increment), **dict(zip(sets, noise, strict=True))}
    found = {}
    for family in network.families:
        inside = [gamma for gamma in phi if gamma <= set(family.members)]
        total = np.zeros(repeats)
        for cell in product((0, 1), repeat=len(family.members)):
            ones = {member for member, bit in zip(family.members, cell, strict=True) if bit}
            total += np.abs(sum((-1) ** len(gamma & ones) * phi[gamma] for gamma in inside)) / family.cells
        found[family.node] = total
    return found


def too_often(exceeded, delta):
    return exceeded.sum() > binom.ppf(1 - ALPHA, exceeded.size, delta)


@pytest.mark.parametrize("increment", [0, 300])
@pytest.mark.parametrize("network", [NAIVE_BAYES, WIDE, SINGLE], ids=["naive Bayes", "wide", "single"])
def test_the_tables_stay_within_the_bound_together(network, increment):
    scale, delta, repeats = Fraction(parity_sensitivity(network).value), 0.05, 4000
    found = distances(network, scale, repeats, 11, increment)
    bounds = fourier_utility(network, scale, delta, increment).together
    broken = np.any([found[node] > bounds[node] for node in network.nodes], axis=0)
    halved = np.any([found[node] > bounds[node] / 2 for node in network.nodes], axis=0)
    assert not too_often(broken, delta)
    assert too_often(halved, delta)


@pytest.mark.parametrize("network", [NAIVE_BAYES, WIDE], ids=["naive Bayes", "wide"])
def test_the_tables_stay_within_the_bound_with_weights(network):
    scales, delta = parity_weights(network).scales(Fraction(1)), 0.05
    assert len(set(scales.values())) > 1
    found, bounds = distances(network, scales, 4000, 13), fourier_utility(network, scales, delta).together
    assert not too_often(np.any([found[node] > bounds[node] for node in network.nodes], axis=0), delta)
    assert too_often(np.any([found[node] > bounds[node] / 2 for node in network.nodes], axis=0), delta)
    single = {gamma: Fraction(9) for gamma in scales}
    assert fourier_utility(network, single, delta).alone == pytest.approx(fourier_utility(network, Fraction(9), delta).alone)


@pytest.mark.parametrize(("node", "slack"), [("a", 2), ("c", 3), ("d", 2)])
def test_the_table_of_one_node_stays_within_its_own_bound(node, slack):
    scale, delta = Fraction(9), 0.05
    found = distances(WIDE, scale, 4000, 12)[node]
    bound = fourier_utility(WIDE, scale, delta).alone[node]
    assert not too_often(found > bound, delta)
    assert too_often(found > bound / slack, delta)  # the wider the family, the looser


def test_for_a_node_without_parents_the_bound_is_exact():
    """Its table is (+phi, -phi) / 2, so the distance is |phi| = 2 |k|: one record less would be exceeded too often."""
    scale, delta = Fraction(9), 0.05
    bound = fourier_utility(SINGLE, scale, delta).alone["a"]
    q = np.exp(-1 / 9)
    assert 2 * q ** (bound / 2 + 1) / (1 + q) <= delta < 2 * q ** (bound / 2) / (1 + q)


def test_one_node_alone_is_never_worse_than_all_together():
    utility = fourier_utility(NAIVE_BAYES, Fraction(32), 0.05)
    assert all(utility.alone[node] <= utility.together[node] for node in NAIVE_BAYES.nodes)
    assert utility.alone["y"] < utility.alone["x0"]


def test_the_constants_are_those_of_parseval():
    """With the paper's noise: 2^(s/2) b log(|N|/delta) = 887 for all, 596 for one node; without noise on the rows, less."""
    b = 68
    everything, one = (2 * b * np.log(cells / 0.05) for cells in (34, 4))
    assert (everything, one) == (pytest.approx(887, abs=0.5), pytest.approx(596, abs=0.5))
    utility = fourier_utility(NAIVE_BAYES, Fraction(b, 2), 0.05)
    assert 0.8 * everything < utility.together["x0"] < everything
    assert 0.8 * one < utility.alone["x0"] < one


def test_other_than_binary_variables_are_refused():
    network = Network([Variable("colour", ["red", "green", "blue"])])
    for act in (lambda: fourier_utility(network, Fraction(1), 0.05), lambda: cell_variance_ratio(network, "colour")):
        with pytest.raises(ModelError, match="colour"):
            act()
    for delta, increment in ((0, 0), (1, 0), (0.05, -1)):
        with pytest.raises(ModelError):
            fourier_utility(SINGLE, Fraction(1), delta, increment)
