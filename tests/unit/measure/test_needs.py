"""Informations on residuals, against least squares on the joint table with dense matrices."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space
from support.networks import networks
from support.structures import alarm

from discreet import KNorm, Laplace, Network, Variable
from discreet.measure.measurement import Margin, Statistic
from discreet.measure.needs import fused_cell_noise, needs, recovers

MIXED = Network([Variable("a", list("01")), Variable("b", list("012")), Variable("c", list("01"))], {"b": ["a"], "c": ["b"]})


def indicator(network, nodes):
    """Which cells of a margin each cell of the joint table is in: margin cells x joint cells."""
    joint = list(product(*(range(variable.size) for variable in network.variables)))
    places = [network.nodes.index(node) for node in nodes]
    cells = list(product(*(range(network.variable(node).size) for node in nodes)))
    return np.array([[tuple(cell[place] for place in places) == wanted for cell in joint] for wanted in cells], dtype=float)


def signs(nodes):
    """Plus for cells with an even number of second levels, minus for the others."""
    return np.array([[(-1.0) ** sum(cell) for cell in product(range(2), repeat=nodes)]])


def dense_variances(network, tables, variances):
    """The variance of family cells by least squares on the joint table, the total being known."""
    rows = []
    for table, variance in zip(tables, variances, strict=True):
        design = indicator(network, table.nodes)
        if table.statistic is Statistic.CONTRAST:
            design = design[0::2] - design[1::2]
        if table.statistic is Statistic.PARITY:
            design = signs(len(table.nodes)) @ design
        rows.append(design / np.sqrt(variance))
    # The total is known: what is not known is how a table that sums to zero lies beside it. Written in a basis of these tables
    # the problem has no weight for the total, and so no numbers of very different sizes.
    free = null_space(np.ones((1, rows[0].shape[1])))
    estimator = free @ np.linalg.pinv(np.vstack(rows) @ free, rcond=1e-10)

    def variance(nodes):
        return float(np.mean(np.sum((indicator(network, nodes) @ estimator) ** 2, axis=1)))

    return {family.node: (variance(family.members), variance(family.parents)) for family in network.families}


def fused(network, tables, variances):
    needed = needs(network)
    information = needed.information(tables) @ (1 / np.array(variances))
    return needed.cell_noise(network.families, 1 / information), needed


def same(found, wanted):
    for node, noise in found.items():
        assert (noise.cell, noise.total) == pytest.approx(wanted[node], rel=1e-12, abs=1e-12)


@given(networks(max_nodes=3, max_levels=3), st.integers(0, 2**20))
@settings(max_examples=15)
def test_costs_reproduce_the_fused_variances(network, seed):
    generator = np.random.default_rng(seed)
    tables = [Margin(family.members) for family in network.families]
    variances = generator.uniform(0.5, 5, len(tables)).tolist()
    found, needed = fused(network, tables, variances)
    same(found, dense_variances(network, tables, variances))
    information = needed.information(tables) @ (1 / np.array(variances))
    mean = sum(found[family.node].cell * family.cells for family in network.families) / network.cells
    assert float((needed.cost / information).sum()) == pytest.approx(mean)


def test_a_signed_difference_tells_only_of_sets_with_its_node():
    tables = [Margin(("a", "b")), Margin(("b", "c"), Statistic.CONTRAST)]
    found, needed = fused(MIXED, tables, [3.0, 2.0])
    same(found, dense_variances(MIXED, tables, [3.0, 2.0]))
    told = needed.information(tables).toarray()[:, 1] > 0
    assert {needed.sets[place] for place in np.flatnonzero(told)} == {frozenset("c"), frozenset("bc")}


@pytest.mark.parametrize("seed", range(3))
def test_a_parity_tells_only_of_its_own_set(seed):
    network = Network([Variable(name, list("01")) for name in "abc"], {"c": ["a", "b"]})
    sets = [gamma for gamma in network.downward_closure if gamma]
    tables = [Margin(tuple(sorted(gamma)), Statistic.PARITY) for gamma in sets]
    variances = np.random.default_rng(seed).uniform(0.5, 5, len(tables)).tolist()
    found, needed = fused(network, tables, variances)
    same(found, dense_variances(network, tables, variances))
    told = needed.information(tables).toarray()
    assert [{needed.sets[place] for place in np.flatnonzero(column)} for column in told.T] == [{gamma} for gamma in sets]
    with pytest.raises(AssertionError):  # planted: a parity whose variance is twice as large
        same(found, dense_variances(network, tables, [2 * variances[0], *variances[1:]]))


def test_a_difference_that_counted_like_a_cell_would_be_noticed():
    """Planted: the factor two that a difference has over a cell, left out."""
    tables = [Margin(("a", "b")), Margin(("b", "c"), Statistic.CONTRAST)]
    found, _ = fused(MIXED, tables, [3.0, 4.0])
    with pytest.raises(AssertionError):
        same(found, dense_variances(MIXED, tables, [3.0, 2.0]))


@pytest.mark.parametrize("mechanism", [Laplace("1"), Laplace("1", tables="maximal"), KNorm("1")], ids=lambda each: each.name)
def test_the_noise_of_one_family_is_that_among_all(mechanism):
    network = alarm()
    measured = mechanism.measurements(network)
    everywhere = fused_cell_noise(network, measured)
    for node in network.nodes:
        (one,) = fused_cell_noise(network, measured, node).values()
        assert (one.cell, one.total) == pytest.approx((everywhere[node].cell, everywhere[node].total), rel=1e-12, abs=1e-12)


def test_tables_are_recovered_only_where_every_residual_is_measured():
    pairs = [Margin(("a", "b")), Margin(("b", "c"))]
    assert recovers(MIXED, pairs)
    assert recovers(MIXED, [Margin(("a", "b", "c"))])
    assert not recovers(MIXED, [])
    assert not recovers(MIXED, pairs[:1])
    assert not recovers(MIXED, [Margin(("a", "b")), Margin(("c",))])
    without = [Margin(("b", "c"), Statistic.CONTRAST), Margin(("a", "b"))]
    assert recovers(MIXED, without)  # the table of b is a margin of the second
    assert not recovers(MIXED, [without[0], Margin(("a",))])
