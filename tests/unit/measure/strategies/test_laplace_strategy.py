import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.measurements import counts
from support.networks import networks

from discreet import Network, Variable, naive_bayes
from discreet.measure.laws import GaussianNoise, noise_variance
from discreet.measure.needs import fused_cell_noise
from discreet.measure.observations import observations
from discreet.measure.strategies.laplace import (
    expected_absolute_noise,
    largest_noise,
    margin_cell_noise,
    maximal_measurements,
    optimal_shares,
)
from discreet.theorems.printed.noise import printed_proposition_1

SCALES = [Fraction(1, 2), Fraction(1), Fraction(16), Fraction(37, 3), Fraction(74)]


def mass(scale, value):
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** abs(value)


@pytest.mark.parametrize("scale", SCALES)
def test_moments_equal_sums_over_the_law(scale):
    reach = range(-int(60 * scale) - 10, int(60 * scale) + 11)
    assert expected_absolute_noise(scale) == pytest.approx(sum(abs(k) * mass(scale, k) for k in reach), rel=1e-9)
    assert noise_variance(scale) == pytest.approx(sum(k * k * mass(scale, k) for k in reach), rel=1e-9)


def test_noise_vanishes_at_tiny_scales_without_overflow():
    assert expected_absolute_noise(Fraction(1, 10**6)) == 0
    assert noise_variance(Fraction(1, 10**6)) == 0


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("cells", [1, 36, 752])
@pytest.mark.parametrize("interval", [0.5, 0.95, 0.999])
def test_the_bound_holds_and_one_less_does_not(scale, cells, interval):
    def all_within(z):
        return (1 - 2 * math.exp(-(z + 1) / scale) / (1 + math.exp(-1 / scale))) ** cells

    z = largest_noise(scale, cells, interval)
    assert all_within(z) >= interval
    assert z == 0 or all_within(z - 1) < interval


@pytest.mark.parametrize("scale", SCALES)
def test_the_exact_bound_is_below_the_papers(scale):
    for cells in (36, 752):
        papers = float(scale) * math.log(cells / 0.05)  # a union bound over continuous noise
        assert largest_noise(scale, cells, 0.95) <= math.ceil(papers)


def test_the_papers_first_experiment_has_noise_of_scale_34():
    """Naive Bayes with 16 features, epsilon 1: 66 counts. The discrete bound is within one of the continuous exact one."""
    network = naive_bayes("y", [f"x{place}" for place in range(16)])
    assert printed_proposition_1(network, Fraction(1), 0.05).value == pytest.approx(244.303, abs=0.001)
    continuous = -34 * math.log(1 - 0.95 ** (1 / 66))
    assert abs(largest_noise(Fraction(34), 66, 0.95) - continuous) <= 1


def graph(nodes, parents, levels=2):
    names = [f"x{i}" for i in range(nodes)]
    variables = [Variable(name, [str(level) for level in range(levels)]) for name in names]
    return Network(variables, {names[node]: [names[parent] for parent in given] for node, given in parents.items()})


def fused_variances(network, measurements):
    return {node: noise.cell for node, noise in fused_cell_noise(network, measurements).items()}


def gaussian(network, variances):
    """Tables whose cells have these variances, by node."""
    return [counts(network.family(node).members, GaussianNoise(Fraction(each))) for node, each in variances.items()]


MIXED = Network(
    [
        Variable("a", list("01")),
        Variable("b", list("012")),
        Variable("c", list("0123")),
        Variable("d", list("01")),
        Variable("e", list("012")),
    ],
    {"b": ["a"], "c": ["b", "a"], "d": ["b"], "e": ["c"]},
)


@given(networks(), st.fractions("1/1000", 100))
def test_shares_sum_to_epsilon_exactly(network, epsilon):
    shares = optimal_shares(network, epsilon)
    assert sum(shares.values()) == epsilon
    assert all(type(share) is Fraction and share > 0 for share in shares.values())
    assert list(shares) == [family.node for family in network.maximal_families]
    assert sum(2 / each.law.scale for each in maximal_measurements(network, epsilon)) == epsilon


def test_shares_are_as_the_cube_roots_of_the_cells():
    shares = optimal_shares(MIXED, Fraction(1))
    cells = {family.node: family.cells for family in MIXED.maximal_families}
    assert cells == {"c": 24, "d": 6, "e": 12}
    for node in cells:
        assert float(shares[node] / shares["d"]) == pytest.approx((cells[node] / 6) ** (1 / 3), rel=1e-5)


@given(st.integers(0, 2**20))
def test_no_other_split_has_a_smaller_total_variance(seed):
    cells = {family.node: family.cells for family in MIXED.maximal_families}

    def total(shares):
        return sum(cells[node] * 8 / float(share) ** 2 for node, share in shares.items())

    others = np.random.default_rng(seed).dirichlet(np.ones(3))
    best = total(optimal_shares(MIXED, Fraction(1)))
    assert best <= total(dict(zip(cells, others, strict=True))) * (1 + 1e-9)
    equal = dict.fromkeys(cells, Fraction(1, 3))
    assert best < total(equal)  # a split that is not the best is told from it


@pytest.mark.parametrize(
    ("network", "mean"),
    [
        (naive_bayes("y", [f"x{i}" for i in range(16)]), 1028),
        (graph(20, {i: [i - 1] for i in range(1, 20)}), 1518),
        (graph(20, {}), 1600),
        (graph(6, {i: range(i) for i in range(1, 6)}), 20),
    ],
    ids=["naive Bayes 16", "chain 20", "independent 20", "dense 6"],
)
def test_the_published_mean_variances_come_out(network, mean):
    measurements = maximal_measurements(network, Fraction(1))
    variances = {each.nodes[-1]: 2 * each.law.scale**2 for each in measurements}
    continuous = fused_variances(network, gaussian(network, variances))
    average = sum(continuous[family.node] * family.cells for family in network.families) / network.cells
    assert average == pytest.approx(mean, abs=0.5)
    discrete = fused_variances(network, measurements)
    assert all(0.9 * continuous[node] < discrete[node] < continuous[node] for node in network.nodes)


def test_one_table_of_known_total_loses_one_of_its_cells_of_noise():
    network = graph(1, {}, levels=4)
    assert fused_variances(network, gaussian(network, {"x0": 8}))["x0"] == pytest.approx(6)  # 8 (1 - 1/4)


def test_a_simulated_fusion_has_the_predicted_variances():
    measurements = maximal_measurements(MIXED, Fraction(1, 2))
    predicted = fused_variances(MIXED, measurements)
    together = observations(MIXED, measurements, [each.variance for each in measurements])
    space = together.space
    generator = np.random.default_rng(7)
    noise = []
    for each in measurements:
        size = (60_000, *MIXED.family(each.nodes[-1]).shape)
        chance = -np.expm1(-1 / float(each.law.scale))
        noise.append((generator.geometric(chance, size) - generator.geometric(chance, size)).astype(float))
    fused = space.cells(together.fuse(noise, 0.0))
    expected = space.each({family.node: predicted[family.node] for family in space.families})
    np.testing.assert_allclose(fused.var(axis=0), expected, rtol=0.05)
    assert fused.var(axis=0).sum() == pytest.approx(expected.sum(), rel=0.01)
    assert np.abs(fused.mean(axis=0) / np.sqrt(expected / 60_000)).max() < 5  # unbiased
    unfused = space.each({each.nodes[-1]: each.variance for each in measurements})
    assert fused.var(axis=0).sum() < 0.9 * unfused.sum()  # fusion is worth it, and the test sees it
    # The margins of smaller families, too: a is in no maximal family of its own.
    table = fused[:, :24].reshape(-1, 3, 2, 4)
    np.testing.assert_allclose(table.sum(axis=(1, 3)).var(axis=0), predicted["a"], rtol=0.05)
    # And the totals of the parents' configurations of each measured table.
    totals, start = fused_cell_noise(MIXED, measurements), 0
    for family in space.families:
        cells = fused[:, start : start + family.cells].reshape(-1, family.configurations, family.levels)
        np.testing.assert_allclose(cells.sum(axis=2).var(axis=0), totals[family.node].total, rtol=0.05, atol=1e-9)
        start += family.cells


def test_a_margin_has_the_sum_of_its_cells_variances():
    network = graph(3, {1: [0], 2: [0, 1]}, levels=3)
    found = margin_cell_noise(network, gaussian(network, {"x2": 5}))
    assert (found["x2"].cell, found["x2"].total) == (5, 15)
    assert (found["x1"].cell, found["x1"].total) == (15, 45)
    assert (found["x0"].cell, found["x0"].total) == (45, 135)


def test_an_enormous_epsilon_leaves_weights_that_can_be_used():
    measurements = maximal_measurements(MIXED, Fraction(10**30))
    assert all(each.variance > 0 for each in measurements)
    assert all(np.isfinite(value) and value < 1e-9 for value in fused_variances(MIXED, measurements).values())


def test_cells_that_are_declared_impossible_take_no_share():
    """Two tables of four cells share alike; one with three cells that are measured gets less."""
    variables, parents = [Variable(name, list("01")) for name in "abc"], {"b": ["a"], "c": ["a"]}
    even = optimal_shares(Network(variables, parents), Fraction(1))
    known = optimal_shares(Network(variables, parents, impossible=[{"a": "0", "b": "1"}]), Fraction(1))
    assert even["b"] == even["c"]
    assert sum(known.values()) == 1
    assert float(known["b"] / known["c"]) == pytest.approx((3 / 4) ** (1 / 3), rel=1e-5)
