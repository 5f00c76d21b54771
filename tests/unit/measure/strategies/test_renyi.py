"""Renyi privacy of draws from Dirichlet posteriors, against brute force and against exact profiles."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from scipy.special import gammaln
from support.balls import certain, logarithm

from discreet import BudgetError, Network, Symmetric, TablePrior, Variable, naive_bayes
from discreet.measure.strategies import renyi
from discreet.measure.strategies.renyi import network_renyi, renyi_divergence, renyi_epsilon, renyi_temper, single_node_delta

NAIVE = naive_bayes("y", [f"x{i}" for i in range(16)])


def log_beta(a):
    return gammaln(a).sum(axis=-1) - gammaln(a.sum(axis=-1))


def dirichlet_divergence(order, p, q):
    """The Renyi divergence of two Dirichlet distributions, from the definition."""
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    mixed = order * p + (1 - order) * q
    if (mixed <= 0).any():
        return math.inf
    return float(log_beta(mixed) - order * log_beta(p) - (1 - order) * log_beta(q)) / (order - 1)


@pytest.mark.parametrize("temper", [Fraction(1), Fraction(1, 3)])
@pytest.mark.parametrize(("a", "order"), [(1.0, 1.5), (2.0, 2.5), (5.0, 3.0), (20.0, 12.0)])
def test_brute_force_over_all_counts_equals_the_formula(a, order, temper):
    step, rows = float(temper), 50
    formula = float(renyi_divergence(Fraction(order), Fraction(a), temper))
    flips = [
        dirichlet_divergence(order, [a + step * (s + 1), a + step * t], [a + step * s, a + step * (t + 1)])
        for s in range(rows)
        for t in range(rows - s)
    ]
    assert max(flips) == pytest.approx(formula, rel=1e-9)
    # A record that moves between parent configurations: one loses a count, the other gains one.
    moves = [
        dirichlet_divergence(order, [a + step * (s + 1), a + step * t], [a + step * s, a + step * t])
        + dirichlet_divergence(order, [a + step * u, a + step * v], [a + step * (u + 1), a + step * v])
        for s, t, u, v in np.random.default_rng(1).integers(0, 12, size=(400, 4))
    ]
    assert max(moves) <= formula * (1 + 1e-12)


def test_a_network_of_random_tables_never_exceeds_the_sum():
    generator = np.random.default_rng(2)
    levels = {"a": 3, "b": 4}
    network = Network([Variable(name, [f"l{k}" for k in range(size)]) for name, size in levels.items()], {"b": ["a"]})
    largest = 0.0
    for _ in range(300):
        weight = generator.uniform(0.5, 6)
        order = 1 + generator.uniform(0.05, 0.95) * weight
        allowed = float(network_renyi(network, Symmetric(weight), Fraction(order)))
        counts = {"a": generator.integers(0, 3, (1, 3)), "b": generator.integers(0, 3, (3, 4))}
        old, new = ([generator.integers(size) for size in levels.values()] for _ in range(2))
        total = 0.0
        for node, row in (("a", (0, 0)), ("b", (old[0], new[0]))):
            place = list(levels).index(node)
            first, second = counts[node] + weight, counts[node] + weight
            first[row[0], old[place]] += 1
            second[row[1], new[place]] += 1
            total += sum(dirichlet_divergence(order, p, q) for p, q in zip(first, second, strict=True))
        assert total <= allowed * (1 + 1e-12)
        largest = max(largest, total / allowed)
    assert largest > 0.3  # the cases are not all far away


@pytest.mark.parametrize(("weight", "known"), [(1, 49.9), (5, 15.2), (20, 6.46), (100, 2.57), (1000, 0.73)])
def test_the_epsilons_of_a_naive_bayes_network_are_the_known_ones(weight, known):
    found = float(renyi_epsilon(NAIVE, Symmetric(weight), Fraction(1, 10**5)))
    assert found == pytest.approx(known, rel=0.01)


@pytest.mark.parametrize("draws", [1, 7])
def test_the_exponent_fits_and_twice_as_much_does_not(draws):
    prior, epsilon, delta = Symmetric(1.0), Fraction(1), Fraction(1, 10**6)
    temper = renyi_temper(NAIVE, prior, epsilon, delta, draws)
    assert renyi_epsilon(NAIVE, prior, delta, temper, draws) <= epsilon
    assert renyi_epsilon(NAIVE, prior, delta, temper + Fraction(1, 2**20), draws) > epsilon
    assert 0 < temper < 1
    assert renyi_temper(NAIVE, Symmetric(10.0**5), epsilon, delta, draws) == 1


def test_three_draws_cost_as_much_as_one_draw_of_three_times_the_nodes():
    prior, delta = Symmetric(20.0), Fraction(1, 10**5)
    thrice = Network([Variable(f"n{i}", ["0", "1"]) for i in range(51)])
    assert renyi_epsilon(NAIVE, prior, delta, draws=3) == renyi_epsilon(thrice, prior, delta)
    assert renyi_epsilon(NAIVE, prior, delta, draws=3) > renyi_epsilon(NAIVE, prior, delta)


def test_the_epsilon_of_one_node_covers_its_exact_profile():
    """(epsilon, delta) from the Renyi bound must hold for the worst data set, which is known exactly; and not be absurd."""
    network = Network([Variable("a", ["0", "1"])])
    for weight in (1.0, 5.0, 20.0):
        for delta in (Fraction(1, 1000), Fraction(1, 10**6)):
            epsilon = float(renyi_epsilon(network, Symmetric(weight), delta))
            exact = single_node_delta(weight, weight, 50, epsilon)
            assert exact <= float(delta)
            assert single_node_delta(weight, weight, 50, epsilon / 3) > float(delta)


@pytest.mark.parametrize("weights", [(1.0, 20.0), (20.0, 1.0)])
def test_the_weakest_cell_of_an_uneven_prior_decides(weights):
    """The exact profile of the worst data set is that of the weak cell; a bound from the strong one would not cover it."""
    network, delta = Network([Variable("a", ["0", "1"])]), Fraction(1, 1000)
    prior = TablePrior(network, {"a": [weights]})
    order = Fraction(3, 2)
    assert network_renyi(network, prior, order) == renyi_divergence(order, Fraction(1))
    assert single_node_delta(*weights, 50, float(renyi_epsilon(network, prior, delta))) <= float(delta)
    strong = renyi_epsilon(network, Symmetric(20.0), delta)
    assert single_node_delta(*weights, 50, float(strong)) > 10 * float(delta)


def log_gamma(value):
    return arb(fmpq(value.numerator, value.denominator)).lgamma()


def exact_divergence(order, a, temper):
    far = log_gamma(a + order * temper) + log_gamma(a + temper - order * temper)
    difference = certain(far - log_gamma(a + temper) - log_gamma(a))
    return difference / (order - 1)


CASES = [(Fraction(3, 2), Fraction(1), Fraction(1)), (Fraction(9, 4), Fraction(7, 3), Fraction(1, 3))]


@pytest.mark.parametrize(("order", "a", "temper"), CASES)
def test_a_divergence_is_rounded_up_and_hardly(order, a, temper):
    with ctx.workprec(1000):
        exact = exact_divergence(order, a, temper)
    assert 0 < renyi_divergence(order, a, temper) - exact < Fraction(1, 2**95)


@pytest.mark.parametrize("delta", [Fraction(1, 1000), Fraction(1, 10**6), Fraction(1, 3**9)])
def test_both_parts_of_an_epsilon_are_rounded_up_and_hardly(monkeypatch, delta):
    """On the grid of epsilons, and on one that is so fine that the rounding of what does not depend on the prior is left."""
    smallest, one = ((Fraction(2), 3),), Fraction(1)
    order = renyi._sharpest_order(smallest, delta, one, 2)
    with ctx.workprec(1000):
        rest = logarithm(1 - 1 / order) - (logarithm(delta) + logarithm(order)) / (order - 1)
        whole = 6 * exact_divergence(order, Fraction(2), one) + rest
    assert 0 < renyi._epsilon(smallest, delta, one, 2) - whole < Fraction(1, 10**9) + Fraction(1, 2**90)
    monkeypatch.setattr(renyi, "_GRID", 2**200)
    found = renyi._epsilon.__wrapped__(smallest, delta, one, 2)
    assert 0 < found - 6 * renyi_divergence(order, Fraction(2)) - rest < Fraction(1, 2**95)


@pytest.mark.parametrize(
    ("weight", "known"),
    [
        (1, (0.372, 0.254, 0.166, 0.066)),
        (5, (0.183, 0.051, 0.0096, 1.5e-4)),
        (20, (0.101, 0.0039, 2.0e-5, 6e-12)),
        (100, (0.052, 3e-6, 2.6e-15, 0.0)),
    ],
)
def test_the_exact_profile_of_one_node_has_the_known_values(weight, known):
    found = [single_node_delta(weight, weight, 50, epsilon) for epsilon in (0, 0.5, 1, 2)]
    np.testing.assert_allclose(found, known, rtol=0.09, atol=1e-15)


def test_the_exact_profile_agrees_with_an_integral_over_all_parameters():
    from scipy.stats import beta

    grid = (np.arange(200_000) + 0.5) / 200_000
    for epsilon in (0.0, 0.7):
        worst = 0.0
        for s in range(6):
            p, q = beta(1 + s + 1, 2 + 6 - s - 1).pdf(grid), beta(1 + s, 2 + 6 - s).pdf(grid)
            for first, second in ((p, q), (q, p)):
                worst = max(worst, float(np.maximum(first - math.exp(epsilon) * second, 0).mean()))
        assert single_node_delta(1, 2, 6, epsilon) == pytest.approx(worst, abs=1e-4)


def test_the_weakest_prior_that_draws_are_made_for_has_an_epsilon():
    """Orders are then so near to 1 that floating point cannot tell them from it."""
    assert renyi_epsilon(NAIVE, Symmetric(1e-6), Fraction(1, 10**6)) > 10**6


def test_impossible_orders_and_budgets_are_refused():
    with pytest.raises(BudgetError, match="order"):
        renyi_divergence(Fraction(3), Fraction(1))
    with pytest.raises(BudgetError, match="delta"):
        renyi_epsilon(NAIVE, Symmetric(1.0), Fraction(2))
    with pytest.raises(BudgetError, match="stronger prior"):
        renyi_temper(NAIVE, Symmetric(1.0), Fraction(1, 10**8), Fraction(1, 10**9))
