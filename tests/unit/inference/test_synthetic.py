"""Several synthetic sets, and what is combined from their analyses."""

import json
from importlib import import_module

import numpy as np
import pytest

import discreet as dc
from discreet.errors import ModelError, QueryError
from discreet.model.prior import TablePrior

NETWORK = dc.Network([dc.Variable("a", ["no", "yes"]), dc.Variable("b", ["0", "1", "2"])], {"b": ["a"]})
POSTERIOR = dc.DirichletPosterior(NETWORK, TablePrior(NETWORK, {"a": [[30, 20]], "b": [[10, 8, 2], [5, 5, 5]]}))


def shares(sets):
    return np.array([(each["a"] == "yes").mean() for each in sets])


def test_each_set_has_a_draw_of_its_own_so_sets_differ_as_the_posterior_does():
    sets = POSTERIOR.synthetic(300, rows=2000, generator=1)
    assert len(sets) == 300
    assert sets[0].shape == (2000, 2)
    spread, sampling = 0.4 * 0.6 / 51, 0.4 * 0.6 / 2000
    assert shares(sets).mean() == pytest.approx(0.4, abs=4 * (spread / 300) ** 0.5)
    assert shares(sets).var(ddof=1) == pytest.approx(spread + sampling, rel=0.25)
    means = shares([POSTERIOR.sample(2000, seed) for seed in range(300)])
    assert means.var(ddof=1) == pytest.approx(sampling, rel=0.35)


def test_combined_variances_are_those_of_the_posterior_whatever_the_size_of_the_sets():
    for rows in (100, 3000):
        value = shares(POSTERIOR.synthetic(400, rows=rows, generator=rows))
        found = dc.combine(value, value * (1 - value) / rows)
        assert float(found.variance) == pytest.approx(0.4 * 0.6 / 51, rel=0.3)


def test_rubins_rule_for_fully_synthetic_data_by_hand():
    found = dc.combine([1.0, 2.0, 3.0, 6.0], [0.5, 0.7, 0.9, 1.1], interval=0.95)
    between = 5 / 4 * np.var([1, 2, 3, 6], ddof=1)
    assert float(found.estimate) == 3
    assert float(found.variance) == pytest.approx(between - 0.8)
    freedom = 3 * (1 - 0.8 / between) ** 2
    from scipy.stats import t

    assert float(found.upper) == pytest.approx(3 + t.ppf(0.975, freedom) * (between - 0.8) ** 0.5)
    assert float(found.lower) == pytest.approx(6 - float(found.upper))


def test_columns_are_combined_by_themselves_and_a_negative_variance_is_told():
    found = dc.combine([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], [[0.1, 0.2]] * 3)
    assert found.variance.tolist() == pytest.approx([4 / 3 - 0.1, 0.2])
    assert "1 variance(s) came out negative" in found.remark
    assert "larger ones" in repr(found)
    assert json.dumps(found.to_dict())


def test_a_mixture_has_the_quantiles_of_its_draws():
    generator = np.random.default_rng(3)
    values, spreads = generator.normal(size=12), generator.random(12)
    found = dc.combine(values, spreads, rule="mixture", interval=0.8)
    drawn = generator.normal(values[:, None], np.sqrt(spreads)[:, None], (12, 200_000)).ravel()
    assert [found.lower, found.upper] == pytest.approx(np.quantile(drawn, [0.1, 0.9]), abs=0.01)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: dc.combine([1.0], [1.0]), "at least two sets"),
        (lambda: dc.combine([1.0, 2.0], [1.0]), "one variance for each estimate"),
        (lambda: dc.combine([1.0, 2.0], [1.0, -1.0]), "not negative"),
        (lambda: dc.combine(["x", "y"], [1.0, 1.0]), "are numbers"),
        (lambda: dc.combine([1.0, 2.0], [1.0, 1.0], rule="mixture"), "at least 10 sets"),
        (lambda: dc.combine([1.0, 2.0], [1.0, 1.0], rule="ruben"), "'rubin'"),
        (lambda: POSTERIOR.synthetic(1, rows=10), "at least 2"),
        (lambda: POSTERIOR.synthetic(5, rows=0), "rows"),
        (lambda: dc.PointPosterior(NETWORK, {n: POSTERIOR.mean(n) for n in "ab"}).synthetic(5, rows=5), "single point"),
    ],
)
def test_misuse_is_explained(ask, said):
    with pytest.raises((QueryError, ModelError), match=said):
        ask()


def test_the_guide_has_the_numbers_of_the_study():
    study = import_module("benchmarks.synthetic")
    found = json.loads(study.RESULTS.read_text("utf-8"))
    text = study.GUIDE.read_text("utf-8")
    assert study.with_table(text, found) == text
    other = json.loads(study.RESULTS.read_text("utf-8"))
    other[0]["held of asked"][study.WAYS[0]]["proportions"][0] -= 30
    assert study.with_table(text, other) != text
