"""What a guarantee says it means is true, as sharp as it can be, and short."""

import math
import re
from fractions import Fraction

import polars as pl
import pytest
from scipy.stats import norm

import discreet as dc
from discreet.meaning import BOUNDLESS, HUGE, LARGE, log_factor

NETWORK = dc.naive_bayes("y", ["a", "b"])
RECORDS = pl.DataFrame({"y": ["0", "1"] * 20, "a": ["1", "0"] * 20, "b": ["1", "1"] * 20})


def told_factor(guarantee):
    return float(re.search(r"factor of at most ([\d,.]*\d)", guarantee.meaning)[1].replace(",", ""))


def told_exception(guarantee):
    return float(re.search(r"probability of at most ([\d.e-]*\d)", guarantee.meaning)[1])


@pytest.mark.parametrize("epsilon", ["1e-9", "0.001", "0.1", "0.5", "1", "2", "4.6", "5", "7.77", "10", "13"])
def test_the_factor_of_a_pure_guarantee_is_that_of_randomised_response_rounded_up(epsilon):
    # Randomised response tells one bit truly with odds exp(epsilon): nothing sharper is true.
    odds = math.exp(float(epsilon))
    told = told_factor(dc.PureDP(epsilon))
    assert odds <= told
    assert told - 1 <= 1.15 * (odds - 1)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3", "7"])
def test_what_becomes_of_an_even_chance_is_that_of_randomised_response_rounded_up(epsilon):
    truth = 100 / (1 + math.exp(-float(epsilon)))
    told = float(re.search(r"at most ([\d.]+) % likely", dc.PureDP(epsilon).meaning)[1])
    assert truth <= told <= truth + 0.1


@pytest.mark.parametrize(("epsilon", "delta"), [("0.5", "1e-6"), ("1", "1e-3"), ("3", "0.0123")])
def test_an_approximate_guarantee_allows_no_more_than_it_is_said_to(epsilon, delta):
    # Of an outcome of probabilities p and p exp(-epsilon) (1 - gap), (epsilon, delta) says that p gap <= delta.
    guarantee, share, odds = dc.ApproxDP(epsilon, delta), float(delta), math.exp(float(epsilon))
    factor, exception = told_factor(guarantee), told_exception(guarantee)
    for gap in [step / 1000 for step in range(1, 1001)]:
        growth = math.inf if gap == 1 else odds / (1 - gap)
        if growth > factor:
            assert share / gap <= exception
    assert 2 * share <= exception <= 2.2 * share  # attained for a gap of one half
    # The sentence that one would like to write, exp(epsilon) except with probability delta, is false.
    assert any(odds / (1 - gap) > odds and share / gap > share for gap in (0.25, 0.5))


@pytest.mark.parametrize("rho", ["0.001", "0.1", "1", "10"])
def test_a_concentrated_guarantee_allows_no_more_than_it_is_said_to(rho):
    # Two normals at distance sqrt(2 rho) keep rho exactly; their privacy loss is normal with mean rho and variance 2 rho.
    told = log_factor(dc.ZCDP(rho))
    exceeded = norm.sf(told, loc=float(rho), scale=math.sqrt(2 * float(rho)))
    assert 1e-8 < exceeded <= 1e-6
    assert math.log(told_factor(dc.ZCDP(rho))) >= told or "10^" in dc.ZCDP(rho).meaning


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**60), 500, 10**6, 10**29, Fraction(10) ** 400])
def test_no_budget_is_too_large_or_too_small_to_be_explained_shortly(epsilon):
    for guarantee in (dc.PureDP(epsilon), dc.ZCDP(epsilon), dc.ApproxDP(epsilon, Fraction(1, 10**400))):
        assert len(guarantee.meaning) < 250
        assert guarantee.meaning.startswith("To someone who knows all other records")
    assert "10^218" in dc.PureDP(500).meaning


def test_remarks_begin_where_the_documents_say():
    assert (LARGE, HUGE, BOUNDLESS) == (5, 10, 20)
    assert dc.PureDP(5).remark is None
    assert "little protection" in dc.PureDP("5.001").remark
    assert "little protection" in dc.PureDP(10).remark
    for guarantee in (dc.PureDP("10.001"), dc.PureDP(20), dc.ZCDP(2), dc.ApproxDP(10, "1e-6")):
        assert "hardly any protection" in guarantee.remark
    for guarantee in (dc.PureDP("20.001"), dc.PureDP(500), dc.ZCDP(10), dc.ApproxDP(20, "1e-6"), dc.ApproxDP(20, "0.1")):
        assert "no protection at all" in guarantee.remark
    assert dc.ZCDP("0.1").remark is dc.ApproxDP(1, "1e-6").remark is None
    assert "delta is large" in dc.ApproxDP(1, "0.01").remark
    assert "Nothing is promised" in dc.ApproxDP(1, "0.5").meaning


def test_what_remarks_say_is_true_where_they_begin():
    assert 1 / (1 + math.exp(-LARGE)) > 0.99
    assert 1 / (1 + math.exp(-HUGE)) > 0.9999
    odds = math.exp(HUGE) / 999  # of what was one in a thousand
    assert odds / (1 + odds) > 0.95
    odds = math.exp(BOUNDLESS) / 999_999  # of what was one in a million
    assert odds / (1 + odds) > 0.99


def test_a_plan_says_what_its_budget_means():
    shown = str(dc.plan(NETWORK, rows=100, epsilon="0.5"))
    assert "factor of at most 1.65" in shown
    assert "protection" not in shown
    large = dc.plan(NETWORK, rows=100, epsilon="500", delta="1e-6")
    assert str(large).count("no protection at all") == 1
    assert "epsilon = 500: To someone" in str(large)
    assert large.to_dict()["meaning"][0].endswith("10^218.")


def test_a_release_says_what_its_guarantee_means():
    made = dc.release(RECORDS, NETWORK, dc.Laplace(20), ledger=dc.Ledger.unlimited())
    shown = " ".join(repr(made).split())
    assert dc.PureDP(20).meaning in shown
    assert dc.PureDP(20).remark in shown


def test_budgets_of_a_guarantee_may_be_written_as_anywhere_else():
    assert dc.PureDP("0.5") == dc.PureDP(0.5) == dc.PureDP(Fraction(1, 2))
    for wrong in ("much", True, 0, -1, None, Fraction(-1)):
        with pytest.raises(dc.BudgetError, match="rho must be"):
            dc.ZCDP(wrong)
