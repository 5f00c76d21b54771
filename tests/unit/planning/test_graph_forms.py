"""What a form of graph is expected to be worth: its noise is that of releases, its dependence that of even tables."""

import numpy as np
import pytest
from scipy.special import digamma

from discreet.guarantee import ZCDP, PureDP
from discreet.kernel.bits import OperatingSystemBits
from discreet.kernel.stages import Purse
from discreet.measure.pairs import pair_deviation
from discreet.mechanisms.pair_publishing import publish_pairs
from discreet.planning.even_tables import even_dependence, even_entropy
from discreet.planning.form_choice import choose_form
from discreet.planning.form_kinds import Form
from discreet.planning.graph_forms import GraphFacts, forecast


@pytest.mark.parametrize("budget", [PureDP("0.7"), ZCDP("0.02")])
def test_the_noise_of_pairs_is_what_a_release_has(budget):
    sizes = {"a": 2, "b": 3, "c": 4}
    contrasts = sum((p - 1) * (q - 1) for p, q in [(2, 3), (2, 4), (3, 4)]) + 6
    stage = publish_pairs(Purse(budget, OperatingSystemBits()), np.zeros(contrasts, dtype=np.int64), sizes, 100, 1, budget)
    assert pair_deviation((2, 3, 4), budget) == pytest.approx(stage.pairs.deviation)


@pytest.mark.parametrize("budget", [PureDP("0.7"), ZCDP("0.02")])
def test_noise_moves_pairs_as_far_as_is_said(budget):
    """Of 10 columns of two levels there are 10 + 45 numbers; a contrast of two levels is counted in units of 1 / sqrt(2)."""
    sizes = {f"x{number}": 2 for number in range(10)}
    scales = np.sqrt([2] * 10 + [4] * 45)  # the margins come first
    drawn = []
    for _ in range(40):
        purse = Purse(budget, OperatingSystemBits())
        stage = publish_pairs(purse, np.zeros(55, dtype=np.int64), sizes, 100, 1, budget)
        drawn.append(stage.pairs.numbers / scales)
    assert np.std(drawn) == pytest.approx(pair_deviation((2,) * 10, budget), rel=0.2)


@pytest.mark.parametrize(("parents", "levels"), [(2, 2), (3, 4), (6, 3), (10, 10)])
def test_dependence_is_that_of_tables_drawn_evenly(parents, levels):
    generator = np.random.default_rng(1)
    tables = generator.dirichlet(np.ones(levels), (20_000, parents))
    assert even_entropy(levels) == pytest.approx(digamma(levels + 1) - digamma(2))

    def entropy(table):
        return -(table * np.log(np.maximum(table, 1e-300))).sum(axis=-1)

    together = (entropy(tables.mean(axis=1)) - entropy(tables).mean(axis=1)).mean()
    assert even_dependence(parents, levels) == pytest.approx(together, rel=0.06)


@pytest.mark.parametrize("form", list(Form))
def test_a_forecast_needs_public_facts_alone_and_grows_with_the_budget(form):
    sizes = {"a": 2, "b": 3, "c": 4, "d": 2}
    target = "a" if form.has_target else None
    worths = [forecast(form, GraphFacts(sizes, 1000, PureDP(each), target)).worth for each in ("0.05", "0.5", "5")]
    assert worths == sorted(worths)
    assert forecast(form, GraphFacts({"a": 2}, 10, PureDP("1"), target)).most_edges == 0


def test_the_choice_is_the_form_that_is_worth_most():
    facts = GraphFacts({f"x{number}": 2 for number in range(10)}, 20_000, PureDP("1"))
    found = choose_form(facts, [Form.DAG, Form.TREE, Form.FOREST, Form.EMPTY])
    assert found.taken.worth == max(each.worth for each in found.forecasts)
    assert choose_form(facts, [Form.EMPTY]).form is Form.EMPTY
    wide = GraphFacts({f"x{number}": 90 if number < 2 else 2 for number in range(8)}, 20_000, PureDP("1"))
    assert choose_form(wide, [Form.TREE, Form.FOREST, Form.EMPTY]).form is Form.FOREST
