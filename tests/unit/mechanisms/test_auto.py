from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.bits import FailingBits, SeededBits
from support.networks import networks
from support.structures import WIDE, alarm, chain, naive

from discreet import JEFFREYS, UNIFORM, Auto, BudgetError, KNorm, Ledger, Network, Variable, load, plan, release
from discreet.conversion import epsilon_of_rho
from discreet.guarantee import ZCDP, ApproxDP, PureDP
from discreet.mechanisms import auto as auto_file
from discreet.mechanisms.auto import noise_mechanisms

ONE = Fraction(1)
NETWORK = Network([Variable("a", list("012")), Variable("b", list("01")), Variable("c", list("01"))], {"b": ["a"], "c": ["a"]})


def records(network, rows, level=0):
    return pl.DataFrame({v.name: [v.levels[level]] * rows for v in network.variables})


@pytest.mark.slow
@given(networks(max_nodes=4, max_levels=3), st.sampled_from([10, 1000, 100_000]), st.booleans())
@settings(max_examples=12)
def test_no_mechanism_is_predicted_to_be_more_than_two_percent_better(network, rows, delta):
    auto = Auto("1", "1e-6" if delta else None)
    choice = auto.choose(network, rows)
    chosen = choice.errors[choice.mechanism.name].mean
    assert chosen <= 1.02 * min(error.mean for error in choice.errors.values())
    for plans in (plan(network, rows=rows, epsilon="1", delta="1e-6" if delta else None),):
        draws = {"sampler", "map"}  # planned as well, but not made from counts with noise
        assert set(choice.errors) == {each.mechanism for each in plans} - draws
        assert plans.recommendation.mechanism in {choice.mechanism.name, *draws}


@pytest.mark.parametrize(
    ("network", "delta", "name"),
    [
        (naive(16), None, "knorm"),
        (chain(12), None, "knorm"),
        (alarm(), "1e-6", "gaussian"),
        (naive(16), "1e-6", "knorm"),
        (WIDE, None, "laplace"),
    ],
    ids=["naive Bayes", "chain", "alarm with delta", "naive Bayes with delta", "wide"],
)
def test_the_choice_is_the_one_that_is_known_to_be_best(network, delta, name):
    assert Auto("1", delta).choose(network, 1000).mechanism.name == name


def test_every_candidate_keeps_the_budget():
    *pure, gaussian = noise_mechanisms(ONE, Fraction(1, 10**6))
    assert all(each.guarantee == PureDP(ONE) for each in pure)
    assert epsilon_of_rho(gaussian.guarantee.rho, Fraction(1, 10**6)) <= 1
    assert all(each.guarantee == PureDP(ONE) for each in noise_mechanisms(ONE))
    assert Auto("1").guarantee == PureDP(ONE)
    assert Auto("1", "1e-6").guarantee == ApproxDP(ONE, Fraction(1, 10**6))


def test_the_choice_does_not_depend_on_the_records():
    one, two = (
        release(records(NETWORK, 50, level), NETWORK, Auto("1"), ledger=Ledger.unlimited(), _bits=SeededBits(level))
        for level in (0, 1)
    )
    assert one.mechanism == two.mechanism
    assert one.caveats == two.caveats


def test_the_plan_is_that_of_the_chosen_mechanism():
    chosen = Auto("1").choose(NETWORK, 500).mechanism
    assert Auto("1").plan(NETWORK, 500) == chosen.plan(NETWORK, 500)


def test_a_release_says_which_mechanism_was_chosen_and_why(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    made = release(records(NETWORK, 50), NETWORK, Auto("1"), ledger=ledger, _bits=SeededBits(1))
    chosen = Auto("1").choose(NETWORK, 50)
    note = next(caveat for caveat in made.caveats if caveat.name == "automatic-choice")
    assert made.mechanism.name == chosen.mechanism.name
    assert chosen.mechanism.name in note.text
    assert chosen.reason in note.text
    assert ledger.spent == 1
    made.save(tmp_path / "x.json")
    assert load(tmp_path / "x.json").caveats == made.caveats


def test_a_release_is_that_of_the_chosen_mechanism():
    network = naive(3)
    by_choice = release(records(network, 50), network, Auto("1"), ledger=Ledger.unlimited(), _bits=SeededBits(1))
    by_name = release(records(network, 50), network, KNorm("1"), ledger=Ledger.unlimited(), _bits=SeededBits(1))
    assert by_choice.mechanism == by_name.mechanism
    for node in network.nodes:
        np.testing.assert_array_equal(by_choice.plugin.concentration(node), by_name.plugin.concentration(node))


def test_with_a_delta_the_release_may_be_zero_concentrated(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1", delta="1e-6")
    made = release(records(alarm(), 50), alarm(), Auto("1", "1e-6"), ledger=ledger, _bits=SeededBits(1))
    assert isinstance(made.guarantee, ZCDP)
    assert any("square" in caveat.text for caveat in made.caveats)
    assert ledger.spent <= 1


def test_what_the_ledger_would_refuse_is_refused_before_counting(tmp_path):
    class Unread:
        def __getattr__(self, name):
            raise AssertionError("the records were read")

    ledger = Ledger(tmp_path / "ledger", cap="1/2")
    with pytest.raises(BudgetError):
        release(Unread(), NETWORK, Auto("1"), ledger=ledger, _bits=FailingBits())
    with pytest.raises(BudgetError, match="delta"):
        release(Unread(), NETWORK, Auto("1/4", "1e-6"), ledger=ledger, _bits=FailingBits())
    assert ledger.spent == 0


@pytest.mark.parametrize("delta", ["1", "2", "0", "x"])
def test_a_delta_is_a_small_probability(delta):
    with pytest.raises(BudgetError, match="delta"):
        Auto("1", delta)


def test_where_noise_drowns_the_records_the_least_noise_is_chosen():
    """Who knows about the noise is never worse off than with the prior alone, so errors are alike there."""
    choice = Auto("0.1").choose(naive(16), 50)
    assert choice.mechanism == KNorm("0.1")
    prior = 0.25  # of a uniform probability, taken for one half
    assert all(0.95 * prior < error.mean < 1.02 * prior for error in choice.errors.values())


@pytest.fixture
def compared(monkeypatch):
    """The public facts for which errors are predicted."""
    facts, right = [], auto_file.parameter_error

    def predict(network, rows, noise, prior):
        facts.append((network, rows, prior))
        return right(network, rows, noise, prior)

    monkeypatch.setattr(auto_file, "parameter_error", predict)
    auto_file._choose.cache_clear()
    yield facts
    auto_file._choose.cache_clear()


def test_for_equal_public_facts_the_choice_is_made_once(compared):
    first = Auto("1").choose(NETWORK, 700)
    once = len(compared)
    assert once == len(first.errors)
    same = Network(NETWORK.variables, dict(NETWORK.parents))
    assert Auto(1).choose(same, 700, UNIFORM) == first
    assert len(compared) == once


@pytest.mark.parametrize(
    "other",
    [
        lambda: Auto("1").choose(NETWORK, 701),
        lambda: Auto("1.1").choose(NETWORK, 700),
        lambda: Auto("1", "1e-6").choose(NETWORK, 700),
        lambda: Auto("1").choose(NETWORK, 700, JEFFREYS),
        lambda: Auto("1").choose(Network(NETWORK.variables, {"b": ["a"]}), 700),
    ],
    ids=["rows", "epsilon", "delta", "prior", "network"],
)
def test_for_other_public_facts_the_choice_is_made_anew(compared, other):
    Auto("1").choose(NETWORK, 700)
    before = len(compared)
    other()
    assert len(compared) > before


def test_what_is_remembered_is_bounded_and_cannot_be_changed():
    choice = Auto("1").choose(NETWORK, 700)
    assert auto_file._choose.cache_info().maxsize == auto_file._allowed.cache_info().maxsize == 16
    with pytest.raises(TypeError):
        choice.errors["knorm"] = None


def test_records_of_one_size_are_released_by_one_choice(compared):
    for level in (0, 1):
        release(records(NETWORK, 60, level), NETWORK, Auto("1"), ledger=Ledger.unlimited(), _bits=SeededBits(level))
    assert len(compared) == len(set(noise_mechanisms(ONE))) - 1  # of the four one is for two levels alone
    assert {rows for _, rows, _ in compared} == {60}
