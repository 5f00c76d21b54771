"""Budgets are exact and positive, and are written so that they can be read again."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, ApproxDP, PureDP, Receipt, decimal, exact, weakest


@pytest.mark.parametrize(
    "amount",
    [
        Fraction(0), Fraction(-1, 2), Fraction(-3), 0, -1, 0.0, -0.5, "0", "0.000", "0/7", "7/0", "0/0", "-1", "-1/2", "+1",
        "", "1/-2", "1/2/3", "one", "nan", "inf", float("nan"), float("inf"), True, False, "0x10", "1_000", "1e100", " ", None,
    ],
)  # fmt: skip
def test_what_is_not_a_positive_number_is_no_budget(amount):
    with pytest.raises(BudgetError, match="delta must be"):
        exact(amount, "delta")


@pytest.mark.parametrize(
    ("amount", "read"),
    [
        ("0.1", Fraction(1, 10)), (0.1, Fraction(1, 10)), ("1/3", Fraction(1, 3)), (2, Fraction(2)), (" 0.5 ", Fraction(1, 2)),
        ("1e-6", Fraction(1, 10**6)), ("2.5E+1", Fraction(25)), (Fraction(1, 9), Fraction(1, 9)), (1e-7, Fraction(1, 10**7)),
    ],
)  # fmt: skip
def test_a_budget_is_exactly_what_is_written(amount, read):
    assert exact(amount) == read


@pytest.mark.parametrize(
    "amount", [Fraction(np.int64(3), 7), Fraction(np.int64(3), np.int64(7)), np.int64(3), np.float64(0.3)]
)
def test_a_budget_consists_of_integers_that_have_no_largest(amount):
    """A fraction of NumPy's integers would wrap around in sums and products."""
    found = exact(amount)
    assert (type(found.numerator), type(found.denominator)) == (int, int)
    assert found * 10**40 / 10**40 == found == exact(str(amount))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Fraction(1, 2), "0.5"), (Fraction(3), "3"), (Fraction(1, 3), "1/3"), (Fraction(5, 4), "1.25"),
        (Fraction(1, 100), "0.01"), (Fraction(1, 1024), "0.0009765625"), (Fraction(1, 5**3), "0.008"), (Fraction(7, 6), "7/6"),
        (Fraction(1, 15), "1/15"), (Fraction(1, 2**79), f"0.{5**79:079d}"), (Fraction(1, 2**80), f"1/{2**80}"),
    ],
)  # fmt: skip
def test_fractions_are_written_as_decimals_where_these_are_exact_and_short(value, written):
    assert decimal(value) == written


@given(st.fractions(min_value=Fraction(1, 10**12), max_value=10**6, max_denominator=10**12))
def test_a_written_budget_is_read_as_itself(value):
    assert Fraction(decimal(value)) == value


def test_two_results_cost_the_sum():
    assert PureDP(Fraction(1, 2)).compose(PureDP(Fraction(1, 3))) == PureDP(Fraction(5, 6))
    both = ApproxDP(Fraction(1), Fraction(1, 10**6)).compose(ApproxDP(Fraction(2), Fraction(1, 10**5)))
    assert both == ApproxDP(Fraction(3), Fraction(11, 10**6))


@pytest.mark.parametrize(("cap", "unlimited"), [(None, True), (Fraction(1), False)])
def test_a_receipt_says_whether_there_was_a_cap(cap, unlimited):
    receipt = Receipt("data", 1, PureDP(Fraction(1)), None, cap, None, "2024-01-01")
    assert receipt.unlimited is unlimited


@pytest.mark.parametrize(
    ("several", "found"),
    [
        ((PureDP("1"),), PureDP("1")),
        ((PureDP("1"), PureDP("0.5")), PureDP("1")),
        ((ZCDP("1"), ZCDP("2")), ZCDP("2")),
        ((PureDP("1"), ZCDP("0.1")), ZCDP("0.5")),
        ((PureDP("0.1"), ZCDP("0.1")), ZCDP("0.1")),
        ((ApproxDP("1", "1e-6"), ApproxDP("0.5", "1e-5")), ApproxDP("1", "1e-5")),
        ((PureDP("2"), ApproxDP("0.5", "1e-5")), ApproxDP("2", "1e-5")),
    ],
)
def test_the_weakest_of_several_guarantees_is_what_everybody_has(several, found):
    assert weakest(several) == weakest(several[::-1]) == found


def test_concentrated_and_approximate_guarantees_have_no_exact_one_in_common():
    with pytest.raises(BudgetError, match="no exact one in common"):
        weakest([ZCDP("1"), ApproxDP("1", "1e-6")])
