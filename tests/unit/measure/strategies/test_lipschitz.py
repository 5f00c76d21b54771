"""The Lipschitz calculus against brute force: corners of the parameter set, all pairs of records."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from support.balls import logarithm
from support.networks import all_rows

from discreet import BudgetError, ModelError, Network, Variable, naive_bayes
from discreet.measure.strategies.lipschitz import (
    DrawPrivacy,
    candidate_oscillation,
    draw_privacy,
    exponent_for,
    floor_for,
    floor_on_grid,
    log_odds,
    network_constant,
    node_constant,
    temper_for,
)
from discreet.model.probability import depth, levels_from_splits, splits

F = Fraction
FLOOR = F(1, 10)
LAM = math.log(9)


def variable(name, size):
    return Variable(name, [f"l{k}" for k in range(size)])


NETWORKS = [
    Network([variable("a", 2)]),
    Network([variable("a", 3)]),
    Network([variable("a", 4), variable("b", 2)], {"b": ["a"]}),
    Network([variable("a", 2), variable("b", 3)], {"b": ["a"]}),
    Network([variable("a", 5)]),
    Network([variable("a", 2), variable("b", 2), variable("c", 2)], {"c": ["a", "b"]}),
]


def oscillation(network, old, new):
    """sup - inf of log p(old) - log p(new): a sum of terms in separate splits, each extreme at an end of its interval."""
    coefficients = {}  # (node, configuration, split) -> how often log s and log(1 - s) occur
    for sign, row in ((1, old), (-1, new)):
        for family in network.families:
            codes = [network.level_index(member, row[member]) for member in family.members]
            configuration = tuple(codes[:-1])
            for place, split in enumerate(splits(family.levels)):
                if split.start <= codes[-1] < split.end:
                    key = (family.node, configuration, place)
                    pair = coefficients.setdefault(key, [0, 0])
                    pair[0 if codes[-1] < split.middle else 1] += sign
    total = 0.0
    for first, second in coefficients.values():
        values = [first * math.log(s) + second * math.log(1 - s) for s in np.linspace(0.1, 0.9, 81)]
        total += max(values) - min(values)
    return total


@pytest.mark.parametrize("network", NETWORKS, ids=repr)
def test_the_oscillation_equals_brute_force_over_all_replacements(network):
    rows = all_rows(network)
    worst = max(oscillation(network, old, new) for old in rows for new in rows)
    assert worst == pytest.approx(float(draw_privacy(network, FLOOR).oscillation), abs=1e-9)


def test_two_levels_cost_two_log_odds_for_each_node():
    """GUARANTEES 5.2: epsilon = 2 sum log((1 - w) / w); per node epsilon, or without the factor 2, it would be less."""
    network = NETWORKS[-1]
    assert float(draw_privacy(network, FLOOR).oscillation) == pytest.approx(2 * 3 * LAM)


@pytest.mark.parametrize("levels", range(2, 10))
def test_no_cell_of_a_grid_exceeds_the_node_constant(levels):
    corners = product((0.1, 0.9), repeat=levels - 1)
    cells = np.concatenate([levels_from_splits(np.array([corner])).ravel() for corner in corners])
    spread = math.log(cells.max() / cells.min())
    assert spread <= float(node_constant(levels, FLOOR)) + 1e-12
    assert depth(levels) == math.ceil(math.log2(levels))
    assert spread == pytest.approx(float(node_constant(levels, FLOOR)))


def test_no_two_records_differ_by_more_than_the_network_constant():
    network = NETWORKS[3]
    rows, largest = all_rows(network), 0.0
    for corner in product((0.1, 0.9), repeat=5):
        tables = {"a": levels_from_splits(np.array([corner[:1]])), "b": levels_from_splits(np.reshape(corner[1:], (2, 2)))}
        logs = [
            math.log(tables["a"][0, network.level_index("a", row["a"])])
            + math.log(tables["b"][network.level_index("a", row["a"]), network.level_index("b", row["b"])])
            for row in rows
        ]
        largest = max(largest, max(logs) - min(logs))
    assert largest == pytest.approx(float(network_constant(network, FLOOR)))


def test_probabilities_of_levels_sum_to_one_and_follow_the_splits():
    values = np.random.default_rng(3).random((4, 6))
    table = levels_from_splits(values)
    np.testing.assert_allclose(table.sum(axis=-1), 1)
    for place, split in enumerate(splits(7)):
        whole = table[:, split.start : split.end].sum(axis=-1)
        np.testing.assert_allclose(table[:, split.start : split.middle].sum(axis=-1) / whole, values[:, place])


def test_log_odds_are_rounded_up_and_hardly():
    from flint import arb, ctx

    for floor in (FLOOR, F(1, 3), F(1, 2**32), F(2**31 - 1, 2**32)):
        with ctx.workprec(300):
            exact = (arb(floor.denominator - floor.numerator) / floor.numerator).log()
            found = arb(log_odds(floor).numerator) / log_odds(floor).denominator
            assert exact <= found
            assert found - exact < arb(2) ** -63


@pytest.mark.parametrize("levels", [2, 3, 4, 5, 9])
def test_the_constant_of_a_node_is_rounded_up_and_hardly(levels):
    """Of (1 - w)^d / w^D, d and D the numbers of splits on the shortest and on the longest way to a level."""
    shortest, longest = math.floor(math.log2(levels)), math.ceil(math.log2(levels))
    for floor in (FLOOR, F(1, 3), F(1, 2**32)):
        exact = logarithm((1 - floor) ** shortest / floor**longest)
        assert 0 < node_constant(levels, floor) - exact < F(1, 2**63)


def test_the_floor_is_the_smallest_that_suffices():
    for network in NETWORKS:
        for epsilon in (F(1, 10), F(1), F(30)):
            floor = floor_for(network, epsilon)
            assert draw_privacy(network, floor).oscillation <= epsilon
            assert draw_privacy(network, floor - F(1, 2**32)).oscillation > epsilon


def test_the_floor_of_a_naive_bayes_network_is_the_known_one():
    network = naive_bayes("y", [f"x{i}" for i in range(16)])
    assert float(floor_for(network, F(1))) == pytest.approx(0.4926, abs=5e-5)
    assert float(floor_for(network, F(10))) == pytest.approx(0.427, abs=5e-4)
    assert float(temper_for(network, F(1), F(1, 20))) == pytest.approx(0.00999, abs=5e-6)


def test_the_exponent_is_the_largest_that_suffices():
    for network in NETWORKS:
        for epsilon in (F(1, 10), F(1), F(1000)):
            exponent = exponent_for(network, epsilon, FLOOR)
            assert draw_privacy(network, FLOOR, exponent).oscillation <= epsilon
            assert draw_privacy(network, FLOOR, exponent + F(1, 2**63)).oscillation > epsilon
            assert temper_for(network, epsilon, FLOOR) == min(1, exponent)


def test_a_floor_is_rounded_up_to_the_grid():
    assert floor_on_grid(F(1, 3)) == F(1431655766, 2**32)
    assert floor_on_grid(F(1, 4)) == F(1, 4)


@pytest.mark.parametrize("floor", [F(0), F(1, 2), F(2, 3), F(-1, 5), F(2**33 - 1, 2**34)])
def test_an_impossible_floor_is_refused(floor):
    with pytest.raises(ModelError, match="between 0 and 1/2"):
        floor_on_grid(floor)


def test_an_epsilon_that_leaves_no_room_is_refused():
    with pytest.raises(BudgetError, match="larger epsilon"):
        floor_for(NETWORKS[0], F(1, 10**12))
    with pytest.raises(BudgetError, match="larger epsilon"):
        exponent_for(NETWORKS[0], F(1, 10**30), FLOOR)


def test_draws_compose_and_groups_multiply():
    privacy = DrawPrivacy(F(1, 2))
    assert privacy.epsilon(3) == F(3, 2)
    assert privacy.rho(4) == F(1, 8)
    assert privacy.group(2) == DrawPrivacy(F(1))
    assert privacy.total_variation() == math.tanh(1 / 8)


def test_the_total_variation_is_attained_by_a_two_point_prior():
    """GUARANTEES 3.3: with L = log 9, two parameters and one record the distance is 0.8 = tanh(osc / 4), not 1.48."""
    privacy = draw_privacy(NETWORKS[0], FLOOR)
    best = max(abs(p * 0.9 / (p * 0.9 + (1 - p) * 0.1) - p * 0.1 / (p * 0.1 + (1 - p) * 0.9)) for p in np.linspace(0, 1, 1001))
    assert best == pytest.approx(0.8)
    assert privacy.total_variation() == pytest.approx(best)


def test_pairs_of_bounded_range_stay_below_the_concentrated_cost():
    """Renyi divergence of order a between densities whose log ratio has range osc is at most a osc^2 / 8."""
    generator = np.random.default_rng(5)
    for _ in range(300):
        gap = generator.uniform(0.05, 4)
        weights = generator.dirichlet(np.ones(generator.integers(2, 6)))
        ratio = np.exp(gap * generator.random(len(weights)))
        ratio[0], ratio[1] = 1.0, math.exp(gap)
        other = weights * ratio / (weights @ ratio)
        order = generator.uniform(1.01, 20)
        divergence = math.log((other**order * weights ** (1 - order)).sum()) / (order - 1)
        assert divergence <= order * float(DrawPrivacy(F(gap)).rho()) + 1e-12


NETWORK = Network([Variable("a", ["0", "1"]), Variable("b", ["x", "y", "z"])], {"b": ["a"]})


def random_candidates(seed, count=4):
    generator = np.random.default_rng(seed)
    return [{"a": generator.dirichlet([2, 2], size=1), "b": generator.dirichlet([2, 2, 2], size=2)} for _ in range(count)]


def log_likelihood(tables, row):
    first = NETWORK.level_index("a", row["a"])
    return math.log(tables["a"][0, first]) + math.log(tables["b"][first, NETWORK.level_index("b", row["b"])])


@pytest.mark.parametrize("seed", range(20))
def test_the_oscillation_covers_every_replacement(seed):
    candidates = random_candidates(seed)
    bound = float(candidate_oscillation(NETWORK, candidates))
    rows, worst = all_rows(NETWORK), 0.0
    for old in rows:
        for new in rows:
            moved = [log_likelihood(tables, old) - log_likelihood(tables, new) for tables in candidates]
            worst = max(worst, max(moved) - min(moved))
    assert worst <= bound
    assert worst >= 0.3 * bound


def test_two_opposite_points_of_one_node_are_covered_exactly():
    network = Network([Variable("a", ["0", "1"])])
    candidates = [{"a": np.array([[0.1, 0.9]])}, {"a": np.array([[0.9, 0.1]])}]
    assert float(candidate_oscillation(network, candidates)) == pytest.approx(2 * math.log(9))


def test_the_oscillation_is_rounded_up_and_hardly():
    """A hair less would be an exponent that is a hair too large."""
    network = Network([Variable("a", ["0", "1"])])
    points = [(0.1, 0.9), (0.7, 0.3), (1 / 3, 2 / 3)]
    found = candidate_oscillation(network, [{"a": np.array([point])} for point in points])
    exact = sum(logarithm(Fraction(max(cell)) / Fraction(min(cell))) for cell in zip(*points, strict=True))
    assert 0 < found - exact < Fraction(1, 2**62)
