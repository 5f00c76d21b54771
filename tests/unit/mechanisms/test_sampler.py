from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.bits import FailingBits, SeededBits

from discreet import (
    JEFFREYS,
    ZCDP,
    ApproxDP,
    BudgetError,
    Ledger,
    MapPoint,
    ModelError,
    Network,
    PureDP,
    Sampler,
    Symmetric,
    TablePrior,
    Variable,
    load,
    naive_bayes,
    release,
)
from discreet.conversion import rho_of_epsilon
from discreet.counts import family_counts
from discreet.measure.strategies.lipschitz import draw_privacy, floor_for, log_odds
from discreet.measure.strategies.renyi import renyi_epsilon
from discreet.mechanisms.split_shapes import prior_base, split_shapes
from discreet.planning.draw_error import draw_error

NETWORK = Network([Variable("a", list("01")), Variable("b", list("xyz"))], {"b": ["a"]})
NAIVE = naive_bayes("y", [f"x{i}" for i in range(16)])


def records(rows, seed=1):
    generator = np.random.default_rng(seed)
    return pl.DataFrame({"a": generator.choice(list("01"), rows), "b": generator.choice(list("xyz"), rows, p=[0.7, 0.2, 0.1])})


def made(mechanism, rows=200, **options):
    return release(records(rows), NETWORK, mechanism, ledger=Ledger.unlimited(), **options)


@pytest.mark.parametrize(
    "mechanism",
    [
        Sampler("1"),
        Sampler("3", temper=1),
        Sampler("2", floor="0.05", draws=3),
        Sampler("1", draws=60, delta="1e-6"),
        Sampler("1", delta="1e-6", truncated=False, draws=2),
    ],
    ids=repr,
)
def test_a_release_of_draws_survives_its_file(mechanism, tmp_path):
    released = made(mechanism)
    released.save(tmp_path / "draws.json")
    read = load(tmp_path / "draws.json")
    assert read.guarantee == released.guarantee == mechanism.guarantee
    assert read.posterior.law == released.posterior.law
    assert read.posterior.released_draws == mechanism.draws
    for node in NETWORK.nodes:
        np.testing.assert_array_equal(read.posterior.splits[node], released.posterior.splits[node])
        np.testing.assert_array_equal(read.posterior.mean(node), released.posterior.mean(node))
    assert {caveat.name for caveat in read.caveats} >= {"timing", "released-draws", "public-rows"}
    floor = float(released.posterior.law.floor)
    for table in read.posterior.splits.values():
        assert floor * 2**32 <= table.min() <= table.max() <= (1 - floor) * 2**32


def test_floor_and_temper_follow_from_epsilon():
    allowed = Fraction(1)
    alone = Sampler("1", temper=1).law(NAIVE, 1000)
    assert (alone.floor, alone.temper) == (floor_for(NAIVE, allowed), 1)
    tempered = Sampler("1", floor="0.05").law(NAIVE, 1000)
    assert float(tempered.temper) == pytest.approx(0.00999, abs=5e-6)
    half = Sampler("1", temper="0.5").law(NAIVE, 1000)
    assert draw_privacy(NAIVE, half.floor, half.temper).oscillation <= 1
    assert half.floor < alone.floor
    assert Sampler("200", floor="0.05").law(NAIVE, 1000).temper == 1  # never above 1


@pytest.mark.parametrize("rows", [50, 1000, 10**5])
def test_the_default_law_is_at_least_as_good_as_the_floor_alone_and_as_common_floors(rows):
    best = draw_error(NAIVE, rows, Sampler("1").law(NAIVE, rows))
    for sampler in (Sampler("1", temper=1), Sampler("1", floor="1/16"), Sampler("1", floor="1/4")):
        assert best <= draw_error(NAIVE, rows, sampler.law(NAIVE, rows)) + 1e-12


def test_epsilon_pays_for_all_draws_together():
    one, three = (Sampler("1", floor="0.1", draws=draws).law(NAIVE, 100) for draws in (1, 3))
    assert float(one.temper / three.temper) == pytest.approx(3)


def test_many_draws_with_a_delta_are_composed_as_concentrated_ones():
    """At (1, 1e-6) a hundred draws may oscillate by 0.044 each instead of 0.010; by 0.037 with a simpler conversion."""
    pure, concentrated = Sampler("1", draws=100, floor="0.1"), Sampler("1", draws=100, floor="0.1", delta="1e-6")
    assert isinstance(pure.guarantee, PureDP)
    assert isinstance(concentrated.guarantee, ZCDP)
    laws = [sampler.law(NAIVE, 100) for sampler in (pure, concentrated)]
    oscillations = [float(draw_privacy(NAIVE, law.floor, law.temper).oscillation) for law in laws]
    np.testing.assert_allclose(oscillations, [0.010, 0.0441], rtol=0.01)
    assert Sampler("1", delta="1e-6").guarantee == PureDP(Fraction(1))  # one draw is cheaper as it is


def test_draws_without_truncation_are_tempered_to_their_budget():
    sampler = Sampler("1", delta="1e-5", truncated=False)
    assert sampler.guarantee == ApproxDP(Fraction(1), Fraction(1, 10**5))
    law = sampler.law(NAIVE, 1000, Symmetric(1.0))
    assert law.floor == 0
    assert renyi_epsilon(NAIVE, Symmetric(1.0), Fraction(1, 10**5), law.temper) <= 1
    assert sampler.law(NAIVE, 1000, Symmetric(1000.0)).temper == 1


def test_untruncated_draws_are_those_of_the_dirichlet_posterior():
    drawn = release(
        records(30), NETWORK, Sampler("1000", delta="1e-6", truncated=False, draws=150, temper="1/2"),
        ledger=Ledger.unlimited(), prior=Symmetric(2.0), _bits=SeededBits(4),
    ).posterior  # fmt: skip
    counts = family_counts(records(30), NETWORK)
    table = drawn._tables["b"]
    concentration = 2 + counts["b"] / 2
    total = concentration.sum(axis=1, keepdims=True)
    mean = concentration / total
    error = np.sqrt(mean * (1 - mean) / (total + 1) / 150)
    assert (np.abs(table.mean(axis=0) - mean) < 5 * error).all()
    variance = mean * (1 - mean) / (total + 1)
    np.testing.assert_allclose(table.var(axis=0), variance, rtol=0.5)


def test_the_parameters_of_every_draw_are_prior_plus_tempered_counts():
    counts = {"a": np.array([[3, 4]]), "b": np.array([[1, 2, 0], [4, 0, 0]])}
    shapes = split_shapes(counts, prior_base(NETWORK, Symmetric(0.5)), Fraction(1, 3))
    half, third = Fraction(1, 2), Fraction(1, 3)
    assert shapes["a"] == [[(half + 1, half + 4 * third)]]
    assert shapes["b"][0] == [(1 + 1, half), (half + third, half + 2 * third)]
    assert shapes["b"][1] == [(1 + 4 * third, half), (half + 4 * third, half)]


def test_extreme_counts_are_drawn():
    same = pl.DataFrame({"a": ["0"] * 1000, "b": ["x"] * 1000})
    for mechanism in (Sampler("1"), Sampler("1", temper=1), MapPoint("1"), MapPoint("500")):
        posterior = release(same, NETWORK, mechanism, ledger=Ledger.unlimited()).posterior
        assert posterior.mean("b").min() > 0


def test_too_many_draws_and_wrong_inputs_are_refused():
    with pytest.raises(ModelError, match="at least 1"):
        Sampler("1", draws=0)
    with pytest.raises(ModelError, match="between 0 and 1/2"):
        Sampler("1", floor="0.5")
    for temper in (2, "1e-30"):
        with pytest.raises(ModelError, match="MapPoint"):
            Sampler("1", temper=temper)
    with pytest.raises(ModelError, match="delta"):
        Sampler("1", truncated=False)
    with pytest.raises(ModelError, match="delta"):
        Sampler("1", truncated=False, floor="0.1", delta="1e-6")
    with pytest.raises(BudgetError, match="small probability"):
        Sampler("1", delta=1)
    with pytest.raises(ModelError, match="two candidates"):
        MapPoint("1", candidates=[{}])
    with pytest.raises(ModelError, match="leave one"):
        MapPoint("1", candidates=[{}, {}], floor="0.1")
    with pytest.raises(ModelError, match="candidates"):
        MapPoint("1", permute_and_flip=True)


@pytest.mark.parametrize(
    ("mechanism", "prior", "problem"),
    [
        (Sampler("1", draws=100_000), Symmetric(1.0), "Ask for at most"),
        (Sampler("1"), Symmetric(1e-9), "prior"),
        (MapPoint("1"), Symmetric(1e12), "prior"),
        (MapPoint("10", floor="1/4"), Symmetric(1e9), "to this power"),
        (MapPoint(6 * log_odds(Fraction(1, 4)) - Fraction(1, 2**50), floor="1/4"), JEFFREYS, "mode at zero"),
        (Sampler("1", floor="0.01", temper=1), Symmetric(1.0), "Leave one out"),
        (Sampler("1", delta="1e-6", truncated=False, temper=1), Symmetric(1.0), "Leave one out"),
        (MapPoint("1", candidates=[{"a": [[0, 1]], "b": [[0.3, 0.3, 0.4]] * 2}] * 2), Symmetric(1.0), "above zero"),
        (MapPoint("1", candidates=[{"a": [[0.5, 0.5]], "b": [[0.3, 0.3, 0.4]] * 2}] * 2), Symmetric(1.0), "the same"),
    ],
    ids=str,
)
def test_what_could_not_be_drawn_is_refused_before_the_charge(mechanism, prior, problem, tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="10", delta="1e-3")
    with pytest.raises((ModelError, BudgetError), match=problem):
        release(records(50), NETWORK, mechanism, ledger=ledger, prior=prior, _bits=FailingBits())
    assert ledger.spent == 0


@pytest.mark.parametrize("draws", [1, 3])
def test_floor_and_temper_are_paid_for_with_every_draw(draws, tmp_path):
    """What one draw costs is the budget: one draw is made, and a second would cost as much again."""
    floor, temper = Fraction(1, 4), Fraction(1, 8)
    one = draw_privacy(NETWORK, floor, temper).oscillation
    ledger = Ledger(tmp_path / "ledger", cap="10")
    enough = Sampler(draws * one, draws=draws, floor=floor, temper=temper)
    assert release(records(50), NETWORK, enough, ledger=ledger, _bits=SeededBits(1)).guarantee == PureDP(draws * one)
    with pytest.raises(BudgetError, match="cost more than epsilon"):
        release(records(50), NETWORK, replace(enough, draws=draws + 1), ledger=ledger, _bits=FailingBits())
    assert ledger.spent == draws * one


@pytest.mark.parametrize("epsilon", ["1/2", "1", "7/3"])
@pytest.mark.parametrize("draws", [1, 2, 7, 8, 20, 40, 60, 200, 1000])
def test_many_draws_oscillate_by_as_much_as_the_better_guarantee_allows(epsilon, draws):
    """By epsilon / draws, or by sqrt(8 rho / draws) rounded down, so that draws x oscillation^2 / 8 is at most rho."""
    sampler = Sampler(epsilon, draws=draws, delta="1e-6")
    allowed, rho = sampler._oscillation(), rho_of_epsilon(sampler.epsilon, Fraction(1, 10**6))
    assert float(allowed) == pytest.approx(max(float(sampler.epsilon) / draws, (8 * float(rho) / draws) ** 0.5))
    if isinstance(sampler.guarantee, ZCDP):
        assert sampler.guarantee == ZCDP(rho)
        assert allowed**2 * draws <= 8 * rho < (allowed + Fraction(1, 2**64)) ** 2 * draws
    else:
        assert allowed * draws == sampler.epsilon == sampler.guarantee.epsilon


def test_fewer_draws_are_advised_only_where_fewer_would_do():
    names = [f"x{place}" for place in range(19)]
    wide = Network([Variable(name, ["0", "1"]) for name in names], {"x18": names[:18]})
    for mechanism in (Sampler("1"), MapPoint("1")):
        with pytest.raises(ModelError, match=r"^For one draw of 262,162 parameters .* Leave out edges") as refused:
            mechanism.check(wide)
        assert "Ask for" not in str(refused.value)
    most = 200_000 // NETWORK.parameters
    with pytest.raises(ModelError, match=f"Ask for at most {most:,}, or use"):
        Sampler("1", draws=most + 1).check(NETWORK)
    Sampler("1", draws=most).check(NETWORK)


def test_draws_are_what_was_released_and_no_more():
    posterior = made(Sampler("2", draws=3)).posterior
    repeated = posterior.draws(7)
    for node, table in repeated.items():
        assert table.shape[0] == 7
        np.testing.assert_array_equal(table[0], table[3])
        np.testing.assert_allclose(table[:3].mean(axis=0), posterior.mean(node))
    assert len({table.tobytes() for table in posterior.draws(1000)["b"]}) == 3


def test_draws_and_points_answer_queries_predict_and_sample():
    for mechanism in (Sampler("4", draws=5), Sampler("4"), MapPoint("4")):
        posterior = made(mechanism).posterior
        answer = posterior.query("b", given={"a": "0"})
        np.testing.assert_allclose(answer.probability, posterior.mean("b")[0])
        assert posterior.predict_proba(records(5), "a").shape == (5, 2)
        assert posterior.sample(10).shape == (10, 2)
        assert posterior.log_likelihood(records(5)) < 0


def test_draws_have_an_interval_and_a_single_value_says_why_it_has_none():
    answer = made(Sampler("4", draws=5)).posterior.query("b", given={"a": "0"})
    assert answer.remark is None
    assert (answer.lower < answer.upper).all()
    for mechanism, why in ((Sampler("4"), "one draw was released"), (MapPoint("4"), "a point was released")):
        answer = made(mechanism).posterior.query("b", given={"a": "0"})
        assert (answer.lower, answer.upper, answer.interval) == (None, None, None)
        assert why in answer.remark
        assert answer.remark in repr(answer)
        assert "% interval" not in repr(answer)
        document = answer.to_dict()
        assert (document["interval"], document["remark"]) == (None, answer.remark)
        assert all(cell["lower"] is cell["upper"] is None for cell in document["distribution"])
    assert "remark" not in made(Sampler("4")).posterior.query("b", interval=None).to_dict()


def test_the_number_of_draws_is_told_in_whole_sentences():
    one, some = ([each.text for each in made(Sampler("2", draws=draws)).caveats] for draws in (1, 3))
    assert "One draw was released, and no more can be had from it. It has no spread, so there are no intervals." in one
    assert any(text.startswith("3 draws were released, and no more can be had from them.") for text in some)


def test_more_records_than_draws_are_made_for_are_refused():
    counts = {"a": np.array([[10**9, 0]]), "b": np.array([[10**9, 0, 0], [0, 0, 0]])}
    base = prior_base(NETWORK, Symmetric(1.0))
    assert split_shapes(counts, base, Fraction(1))["a"] == [[(10**9 + 1, 1)]]
    with pytest.raises(ModelError, match="Laplace"):
        split_shapes(counts, base, Fraction(11, 10))


def test_the_parameters_of_splits_are_exact_sums_of_the_prior():
    network = Network([Variable("a", list("012"))])
    prior = TablePrior(network, {"a": [0.1, 0.2, 0.3]})
    outer, inner = prior_base(network, prior)["a"][0]
    assert outer[0] == Fraction(0.1) + Fraction(0.2) != Fraction(0.1 + 0.2)
    assert inner == (Fraction(0.1), Fraction(0.2))


def test_a_plan_of_draws_says_what_is_known_without_data():
    assert Sampler("1", draws=3).plan(NETWORK, 100).released_numbers == 3 * NETWORK.parameters == 15
    assert MapPoint("1").plan(NETWORK, 100).parameter_error.mean > 0
    listed = [{"a": [[p, 1 - p]], "b": [[0.3, 0.3, 0.4]] * 2} for p in (0.2, 0.6)]
    chosen = MapPoint("1", candidates=listed).plan(NETWORK, 100)
    assert (chosen.released_numbers, chosen.parameter_error) == (1, None)
    assert chosen.to_dict()["parameter_error"] is None


@pytest.mark.parametrize(
    "mechanism",
    [Sampler("1", draws=2), Sampler("1", draws=60, delta="1e-6"), Sampler("1", delta="1e-6", truncated=False), MapPoint("1")],
    ids=repr,
)
def test_a_release_is_charged_once_and_for_its_whole_guarantee(mechanism, tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1", delta="1e-6")
    released = release(records(40), NETWORK, mechanism, ledger=ledger)
    assert [charge.guarantee for charge in ledger.history()] == [mechanism.guarantee]
    assert released.receipts[0].guarantee == released.guarantee == mechanism.guarantee
    assert Fraction(9, 10) < ledger.spent <= 1
    with pytest.raises(BudgetError):
        release(records(40), NETWORK, mechanism, ledger=ledger, _bits=FailingBits())


def test_draws_that_are_not_pure_need_a_ledger_with_a_delta(tmp_path):
    with pytest.raises(BudgetError, match="delta"):
        release(records(40), NETWORK, Sampler("1", delta="1e-6", truncated=False), ledger=Ledger(tmp_path / "ledger", cap="1"))


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (Sampler("1"), "less: epsilon times the number of their records."),
        (Sampler("1", draws=60, delta="1e-6"), "less: rho times the square of the number of their records."),
        (
            Sampler("1", delta="1e-6", truncated=False),
            "less: epsilon times the number of their records, and delta grows faster still",
        ),
    ],
    ids=repr,
)
def test_what_several_records_of_one_person_lose_is_said_for_every_kind_of_guarantee(mechanism, said):
    (caveat,) = (caveat for caveat in made(mechanism).caveats if caveat.name == "one-record")
    assert said in caveat.text
