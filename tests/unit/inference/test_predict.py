import math

import numpy as np
import polars as pl
import pytest

from discreet.errors import DataError, DomainError, QueryError
from discreet.inference import blanket, gaps
from discreet.inference.elimination_order import make_plan
from discreet.inference.predict import predict_codes
from discreet.model.network import Network
from discreet.model.templates import naive_bayes
from discreet.model.variable import Variable
from discreet.posterior import DirichletPosterior, PointPosterior


@pytest.fixture
def family():
    """Parent, child, the child's other parent, and a grandchild that the blanket does not contain."""
    variables = [Variable(name, ["0", "1"]) for name in ("parent", "target", "spouse", "child", "grandchild")]
    network = Network(variables, {"target": ["parent"], "child": ["spouse", "target"], "grandchild": ["child"]})
    generator = np.random.default_rng(7)
    return PointPosterior(network, {f.node: generator.dirichlet([1, 1], f.configurations) for f in network.families})


def test_the_blanket_is_parents_children_and_their_other_parents(family):
    assert blanket.make_blanket(family, "target").nodes == {"parent", "spouse", "child"}


def test_predictions_agree_with_queries(family):
    data = family.sample(64, np.random.default_rng(0))
    predicted = family.predict_proba(data, "target")
    for row, probabilities in zip(data.iter_rows(named=True), predicted, strict=True):
        given = {node: level for node, level in row.items() if node != "target"}
        np.testing.assert_allclose(probabilities, family.query("target", given, interval=None).probability, atol=1e-12)


def test_families_that_are_not_merged_predict_the_same(family, monkeypatch):
    data = family.sample(64, np.random.default_rng(0))
    merged = family.predict_proba(data, "target")
    assert len(blanket.make_blanket(family, "target").tables) == 1
    monkeypatch.setattr(blanket, "_MERGED_CONFIGURATIONS", 1)
    monkeypatch.setattr(blanket, "_CHUNK", 10)
    assert len(blanket.make_blanket(family, "target").tables) == 2
    np.testing.assert_allclose(family.predict_proba(data, "target"), merged, atol=1e-12)


def test_the_target_column_is_not_looked_at(family):
    data = family.sample(10, np.random.default_rng(0))
    expected = family.predict_proba(data.drop("target"), "target")
    odd = data.with_columns(pl.lit("not a declared level").alias("target"))
    np.testing.assert_array_equal(family.predict_proba(odd, "target"), expected)


def test_an_absent_column_is_summed_over(family):
    data = family.sample(5, np.random.default_rng(0)).select("spouse", "grandchild")
    predicted = family.predict_proba(data, "target")
    for row, probabilities in zip(data.iter_rows(named=True), predicted, strict=True):
        np.testing.assert_allclose(probabilities, family.query("target", row, interval=None).probability, atol=1e-12)


def test_predict_names_the_most_probable_level(family):
    data = family.sample(50, np.random.default_rng(0))
    chosen = family.predict(data, "target")
    assert chosen == [str(index) for index in family.predict_proba(data, "target").argmax(axis=1)]
    assert set(chosen) <= {"0", "1"}


def test_codes_of_the_target_are_not_taken_for_evidence(family):
    codes = {"target": np.array([0, 1], dtype=np.uint8), "spouse": np.array([1, 1], dtype=np.uint8)}
    expected = family.query("target", {"spouse": "1"}, interval=None).probability
    np.testing.assert_allclose(predict_codes(family, codes, "target"), [expected, expected])


def test_scattered_gaps_share_one_plan():
    network = naive_bayes("label", [f"x{i}" for i in range(12)])
    generator = np.random.default_rng(0)
    codes = {f"x{i}": generator.integers(0, 3, 500).astype(np.uint8) for i in range(12)}
    before = make_plan.cache_info().misses
    predict_codes(DirichletPosterior(network), codes, "label")
    assert make_plan.cache_info().misses == before + 1


def test_gaps_are_told_apart_among_more_columns_than_a_number_has_bits(monkeypatch):
    monkeypatch.setattr(gaps, "_PLAN_COST", 0)
    network = naive_bayes("label", [f"x{i}" for i in range(70)])
    generator = np.random.default_rng(0)
    posterior = PointPosterior(network, {f.node: generator.dirichlet([1, 1], f.configurations) for f in network.families})
    codes = {f"x{i}": np.array([1, 1], dtype=np.uint8) for i in range(69)}
    codes["x0"][1] = 2  # missing in the second record only
    predicted = predict_codes(posterior, codes, "label")
    for number, first in enumerate([0, 1]):
        given = {f"x{i}": "1" for i in range(first, 69)}
        np.testing.assert_allclose(predicted[number], posterior.query("label", given, interval=None).probability)


def test_records_keep_their_order_over_many_batches():
    network = naive_bayes("label", ["x"])
    posterior = PointPosterior(network, {"label": [[0.5, 0.5]], "x": [[0.9, 0.1], [0.2, 0.8]]})
    values = np.random.default_rng(0).integers(0, 2, 400_000)
    predicted = posterior.predict_proba(pl.DataFrame({"x": values}), "label")
    np.testing.assert_allclose(predicted[:, 1], np.where(values == 1, 0.8 / 0.9, 0.2 / 1.1))


def test_a_table_without_records_has_no_predictions(family):
    assert family.predict_proba(pl.DataFrame(schema={"parent": pl.String}), "target").shape == (0, 2)
    assert family.predict(pl.DataFrame(schema={"parent": pl.String}), "target") == []


def test_a_network_of_one_node_predicts_its_marginal():
    posterior = PointPosterior(Network([Variable("a", ["x", "y"])]), {"a": [[0.3, 0.7]]})
    np.testing.assert_allclose(posterior.predict_proba(pl.DataFrame({"a": ["x", None]}), "a"), [[0.3, 0.7]] * 2)


def test_a_thousand_features_do_not_underflow():
    network = naive_bayes("label", [f"x{i}" for i in range(1001)])
    tables = {node: [[0.999, 0.001], [0.001, 0.999]] for node in network.nodes[1:]} | {"label": [[0.5, 0.5]]}
    codes = {f"x{i}": np.full(1, i % 2, dtype=np.uint8) for i in range(1001)}
    assert predict_codes(PointPosterior(network, tables), codes, "label")[0, 0] == pytest.approx(0.999)


def test_impossible_records_are_counted_and_refused():
    network = naive_bayes("label", ["x", "y"])
    posterior = PointPosterior(network, {"label": [[0.5, 0.5]], "x": [[1, 0], [1, 0]], "y": [[0.5, 0.5], [0.5, 0.5]]})
    complete = pl.DataFrame({"x": ["0", "1", "1"], "y": ["0", "1", "0"]})
    partial = complete.with_columns(pl.lit(None, pl.String).alias("y"))
    for data in (complete, partial):
        with pytest.raises(QueryError, match=r"2 record\(s\) are impossible"):
            posterior.predict_proba(data, "label")


def test_an_unknown_target_is_refused_with_a_suggestion(family):
    with pytest.raises(QueryError, match="Did you mean 'target'"):
        family.predict_proba(pl.DataFrame({"parent": ["0"]}), "tarGet")


def test_values_outside_the_domain_are_refused_without_showing_them(family):
    with pytest.raises(DomainError, match="parent") as caught:
        family.predict_proba(pl.DataFrame({"parent": ["secret"]}), "target")
    assert "secret" not in str(caught.value)


def test_a_table_without_any_known_column_is_refused(family):
    with pytest.raises(DataError, match="None of the table's columns"):
        family.predict_proba(pl.DataFrame({"other": ["0"]}), "target")


def test_a_dirichlet_posterior_predicts_at_its_mean():
    network = naive_bayes("label", ["x"])
    data = pl.DataFrame({"label": ["0", "0", "1"], "x": ["0", "0", "1"]})
    posterior = DirichletPosterior(network).update(data)
    # Laplace's rule: P(label=0) = 3/5, P(x=0 | label=0) = 3/4, P(x=0 | label=1) = 1/3.
    expected = (3 / 5 * 3 / 4) / (3 / 5 * 3 / 4 + 2 / 5 * 1 / 3)
    assert posterior.predict_proba(pl.DataFrame({"x": ["0"]}), "label")[0, 0] == pytest.approx(expected)


@pytest.fixture
def pair():
    network = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y"])], {"b": ["a"]})
    return PointPosterior(network, {"a": [[0.25, 0.75]], "b": [[1, 0], [0.5, 0.5]]})


def test_complete_records_multiply_their_conditional_probabilities(pair):
    data = pl.DataFrame({"a": ["x", "y", "y"], "b": ["x", "x", "y"]})
    assert pair.log_likelihood(data) == pytest.approx(math.log(0.25) + 2 * math.log(0.375))


def test_missing_values_are_summed_over(pair):
    data = pl.DataFrame({"a": [None, "y", None], "b": ["x", None, None]})
    assert pair.log_likelihood(data) == pytest.approx(math.log(0.25 + 0.375) + math.log(0.75))


def test_absent_columns_are_summed_over(pair):
    assert pair.log_likelihood(pl.DataFrame({"b": ["x", "y"]})) == pytest.approx(math.log(0.625) + math.log(0.375))


def test_an_impossible_record_has_log_likelihood_minus_infinity(pair):
    assert pair.log_likelihood(pl.DataFrame({"a": ["x", "x"], "b": ["y", "x"]})) == -math.inf
    network = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y"])])
    posterior = PointPosterior(network, {"a": [[1, 0]], "b": [[0.5, 0.5]]})
    assert posterior.log_likelihood(pl.DataFrame({"a": ["y"]})) == -math.inf


def test_a_table_without_records_has_log_likelihood_zero(pair):
    assert pair.log_likelihood(pl.DataFrame(schema={"a": pl.String, "b": pl.String})) == 0


def test_a_value_outside_the_domain_is_refused(pair):
    with pytest.raises(DomainError):
        pair.log_likelihood(pl.DataFrame({"a": ["z"], "b": ["x"]}))


def test_records_that_were_learned_become_more_probable():
    network = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y"])], {"b": ["a"]})
    data = pl.DataFrame({"a": ["x"] * 20, "b": ["y"] * 20})
    before = DirichletPosterior(network)
    assert before.update(data).log_likelihood(data) > before.log_likelihood(data) + 10
