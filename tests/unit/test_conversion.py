import math
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.balls import logarithm
from support.optional import need

from discreet import conversion
from discreet.conversion import epsilon_of_rho, rho_of_epsilon
from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, ApproxDP, PureDP, decimal, exact, short

BUDGETS = [("0.5", "1e-6"), ("0.01", "1e-6"), ("3", "1e-9"), ("0.1", "1e-12"), ("25", "0.001"), ("1/3", "0.05")]
SMALL = Fraction(1, 10**900)


@pytest.mark.parametrize(("rho", "delta"), BUDGETS)
def test_epsilon_agrees_with_an_independent_accountant(rho, delta):
    accountant = need("dp_accounting")
    orders = [1 + math.exp(place / 2000) for place in range(-8000, 16000)]
    divergences = [order * float(exact(rho)) for order in orders]
    known, _ = accountant.rdp.compute_epsilon(orders, divergences, float(exact(delta)))
    assert float(epsilon_of_rho(exact(rho), exact(delta))) == pytest.approx(known, rel=1e-6)


def excess(rho: float, epsilon: float) -> float:
    """The delta of a normal mechanism whose Renyi divergence of every order a is exactly a rho, at this epsilon."""
    from scipy.stats import norm

    shift = math.sqrt(2 * rho)  # in standard deviations
    return norm.cdf(shift / 2 - epsilon / shift) - math.exp(epsilon) * norm.cdf(-shift / 2 - epsilon / shift)


@pytest.mark.parametrize(("rho", "delta"), BUDGETS)
def test_no_pair_of_normals_breaks_the_converted_guarantee(rho, delta):
    epsilon = float(epsilon_of_rho(exact(rho), exact(delta)))
    assert excess(float(exact(rho)), epsilon) <= float(exact(delta))
    assert excess(float(exact(rho)), epsilon * 0.75) > float(exact(delta))


@given(st.fractions("1/1000000", 1000), st.fractions("1/1000000000000", "99/100"))
@example(Fraction(1, 10**6), SMALL)
@example(Fraction(10**35), Fraction(1, 10**6))
@example(Fraction(1), 1 - Fraction(1, 10**30))
@settings(max_examples=30, deadline=None)
def test_rho_and_epsilon_are_inverse_from_the_safe_side(epsilon, delta):
    rho = rho_of_epsilon(epsilon, delta)
    assert epsilon_of_rho(rho, delta) <= epsilon
    # An epsilon of nine decimals cannot tell a rho of nine digits where it hardly depends on it.
    assert epsilon_of_rho(rho * Fraction(1000001, 1000000), delta) >= epsilon - Fraction(1, 10**8)
    assert epsilon_of_rho(2 * rho, delta) > epsilon


@given(
    st.fractions(SMALL, 10**40) | st.sampled_from([SMALL, 1 / SMALL]),
    st.fractions(SMALL, 1 - SMALL) | st.sampled_from([SMALL, 1 - SMALL]),
)
@settings(max_examples=50, deadline=None)
def test_every_budget_that_a_ledger_holds_can_be_converted(rho, delta):
    epsilon = epsilon_of_rho(rho, delta)
    assert epsilon > 0
    assert epsilon.denominator <= 10**9


def test_more_rho_or_less_delta_costs_more():
    delta = exact("1e-6")
    epsilons = [epsilon_of_rho(Fraction(step, 100), delta) for step in range(1, 200)]
    assert epsilons == sorted(set(epsilons))
    assert epsilon_of_rho(exact("0.1"), exact("1e-7")) > epsilon_of_rho(exact("0.1"), delta)


@pytest.mark.parametrize(("rho", "delta"), BUDGETS)
def test_an_epsilon_is_rounded_up_and_hardly(monkeypatch, rho, delta):
    """On the grid of epsilons, and on one that is so fine that the rounding of the formula itself is left."""
    rho, delta = exact(rho), exact(delta)
    order = conversion._sharpest_order(conversion._log(rho), -conversion._log(delta))
    formula = order * rho + logarithm(1 - 1 / order) - (logarithm(delta) + logarithm(order)) / (order - 1)
    assert 0 < epsilon_of_rho(rho, delta) - formula < Fraction(1, 10**9) + Fraction(1, 2**150)
    monkeypatch.setattr(conversion, "_GRID", 2**400)
    assert 0 < epsilon_of_rho.__wrapped__(rho, delta) - formula < Fraction(1, 2**150)


def test_a_large_delta_needs_no_epsilon():
    assert epsilon_of_rho(exact("0.01"), exact("0.5")) == Fraction(1, 10**9)


@pytest.mark.parametrize(("rho", "delta"), [(0, "0.1"), (-1, "0.1"), (1, 0), (1, 1), (1, 2)])
def test_what_is_no_budget_cannot_be_converted(rho, delta):
    with pytest.raises(BudgetError):
        epsilon_of_rho(Fraction(rho), Fraction(delta))
    with pytest.raises(BudgetError):
        rho_of_epsilon(Fraction(rho), Fraction(delta))


def test_composition_follows_the_kinds():
    rho, epsilon, delta = exact("0.1"), exact("0.5"), exact("1e-6")
    pure, concentrated, approximate = PureDP(epsilon), ZCDP(rho), ApproxDP(epsilon, delta)
    assert pure.compose(concentrated) == concentrated.compose(pure) == ZCDP(rho + epsilon**2 / 2)
    assert pure.compose(approximate) == approximate.compose(pure) == ApproxDP(2 * epsilon, delta)
    assert concentrated.compose(concentrated) == ZCDP(2 * rho)
    assert approximate.compose(approximate) == ApproxDP(2 * epsilon, 2 * delta)
    both = ApproxDP(epsilon + epsilon_of_rho(rho, delta), 2 * delta)
    assert concentrated.compose(approximate) == approximate.compose(concentrated) == both


def test_guarantees_have_a_short_form_for_tables():
    assert short(PureDP(exact("0.5"))) == "0.5"
    assert short(ZCDP(exact("0.1"))) == "rho 0.1"
    assert short(ApproxDP(exact("0.5"), exact("1e-6"))) == f"0.5, delta {decimal(exact('1e-6'))}"
