"""Probability of evidence, explanations, information and expected values, against sums over all records of a small network."""

from itertools import product

import numpy as np
import polars as pl
import pytest

from discreet.errors import QueryError
from discreet.model.network import Network
from discreet.model.prior import TablePrior
from discreet.model.variable import Variable
from discreet.posterior import DirichletPosterior, PointPosterior

BITS = ["no", "yes"]
NETWORK = Network(
    [Variable("a", BITS), Variable("age", ["[0, 20)", "[20, 60)", "[60, 100]"]), Variable("c", BITS), Variable("d", BITS)],
    {"age": ["a"], "c": ["a", "age"]},
)
SEEDED = np.random.default_rng(7)
TABLES = {family.node: SEEDED.dirichlet(np.ones(family.levels), family.configurations).tolist() for family in NETWORK.families}
POINT = PointPosterior(NETWORK, TABLES)
BELIEVED = DirichletPosterior(NETWORK, TablePrior(NETWORK, {node: 30 * np.array(TABLES[node]) + 1 for node in TABLES}))


def worlds():
    """All records with their probabilities, by the definition of a network."""
    nodes = NETWORK.nodes
    for places in product(*(range(NETWORK.variable(node).size) for node in nodes)):
        record = dict(zip(nodes, places, strict=True))
        weight = 1.0
        for family in NETWORK.families:
            row = np.ravel_multi_index([record[p] for p in family.parents], family.shape[:-1]) if family.parents else 0
            weight *= TABLES[family.node][row][record[family.node]]
        yield {node: NETWORK.variable(node).levels[place] for node, place in record.items()}, weight


def total(**levels):
    return sum(weight for record, weight in worlds() if levels.items() <= record.items())


def test_the_probability_of_evidence_is_a_sum_over_records():
    assert float(POINT.probability({"c": "yes", "age": "[20, 60)"})) == pytest.approx(total(c="yes", age="[20, 60)"))
    found = POINT.probability({"c": "yes", "d": "no"}, {"a": "no"})
    assert found.value == pytest.approx(total(c="yes", d="no", a="no") / total(a="no"))
    assert found.title == "P(c=yes, d=no | a=no)"
    assert float(POINT.probability({"a": "yes", "c": "no"}, do={"age": "[0, 20)"})) == pytest.approx(
        TABLES["a"][0][1] * TABLES["c"][3][0]
    )


def test_evidence_that_cannot_be_has_probability_zero_and_is_no_error():
    network = Network([Variable(name, BITS) for name in "abc"], {"b": ["a"], "c": ["b"]})
    point = PointPosterior(network, {"a": [[1, 0]], "b": [[0.5, 0.5], [0.5, 0.5]], "c": [[1, 0], [0, 1]]})
    assert float(point.probability({"a": "yes", "b": "no"})) == 0
    assert float(point.probability({"b": "no", "c": "yes"})) == 0


@pytest.mark.parametrize(
    "given", [{}, {"c": "yes"}, {"d": "no", "age": "[60, 100]"}, {"a": "no", "c": "no", "d": "yes", "age": "[0, 20)"}]
)
def test_the_most_probable_explanation_is_the_most_probable_record(given):
    record, weight = max(((r, w) for r, w in worlds() if given.items() <= r.items()), key=lambda pair: pair[1])
    found = POINT.explain(given)
    assert dict(found.levels) == record
    assert found.probability == pytest.approx(weight / total(**given))
    assert found["a"] == record["a"]
    assert repr(found).count("given") == len(given)


def test_explanations_agree_with_a_search_over_random_networks():
    """Chains of maxima that pass through several parents and shared children."""
    for seed in range(10):
        chance = np.random.default_rng(seed)
        names = "abcdef"
        parents = {n: list(chance.permutation(list(names[:i]))[: chance.integers(0, 3)]) for i, n in enumerate(names)}
        network = Network([Variable(n, range(chance.integers(2, 4))) for n in names], parents)
        tables = {f.node: chance.dirichlet(np.ones(f.levels), f.configurations) for f in network.families}
        found = PointPosterior(network, tables).explain({"c": "1"})
        best = 0.0
        for places in product(*(range(network.variable(n).size) for n in names)):
            record = dict(zip(names, places, strict=True))
            if record["c"] == 1:
                rows = {f.node: [record[p] for p in f.parents] for f in network.families}
                weight = np.prod([tables[f.node].reshape(f.shape)[(*rows[f.node], record[f.node])] for f in network.families])
                if weight > best:
                    best, levels = weight, {n: str(p) for n, p in record.items()}
        assert dict(found.levels) == levels


def test_mutual_information_is_that_of_the_joint():
    joint = np.array([[total(a=a, c=c) for c in BITS] for a in BITS])
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    assert float(POINT.mutual_information("a", "c")) == pytest.approx((joint * np.log2(joint / apart)).sum())
    assert float(POINT.mutual_information("a", "d")) == pytest.approx(0, abs=1e-12)
    found = BELIEVED.mutual_information("a", "c", generator=1)
    assert found.lower < found.value < found.upper
    assert BELIEVED.mutual_information("a", "c", generator=1, interval=None).value == pytest.approx(found.value)


def test_an_expected_value_takes_bins_as_their_middles_or_as_told():
    shares = [total(age=level) for level in NETWORK.variable("age").levels]
    found = POINT.expected_value("age")
    assert found.value == pytest.approx(np.dot(shares, [10, 40, 80]))
    assert "middles" in found.remark
    told = POINT.expected_value("age", values={"[0, 20)": 15, "[20, 60)": 35, "[60, 100]": 70})
    assert told.value == pytest.approx(np.dot(shares, [15, 35, 70]))
    assert "middles" not in told.remark
    assert float(POINT.expected_value("c", values={"no": 0, "yes": 1})) == pytest.approx(total(c="yes"))
    wide = BELIEVED.expected_value("age", {"a": "yes"}, generator=2)
    assert wide.lower < wide.value < wide.upper


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: POINT.expected_value("c"), "neither a number nor a bin"),
        (lambda: POINT.expected_value("c", values={"maybe": 1}), "no level 'maybe'"),
        (
            lambda: POINT.expected_value("c", values={"no": 0, "yes": float("nan")}),
            "'yes' is 'nan', which is no finite number",
        ),
        (lambda: POINT.expected_value("c", values={"no": "none", "yes": 1}), "'no' is 'none', which is no finite number"),
        (lambda: POINT.probability({}), "such as"),
        (lambda: POINT.probability({"c": "often"}), "no level 'often'"),
        (lambda: POINT.mutual_information("a", "a"), "asked for twice"),
        (lambda: POINT.explain({"b": "no"}), "no node 'b'"),
        (lambda: POINT.query("c").plot("answer.txt"), "ends in .png"),
        (lambda: POINT.query_table(pl.DataFrame({"a": ["yes"]}), "x"), "no node 'x'"),
    ],
)
def test_misuse_is_explained(ask, said):
    with pytest.raises(QueryError, match=said):
        ask()


def test_a_table_of_questions_becomes_a_table_of_answers():
    asked = pl.DataFrame({"a": ["yes", None, "yes"], "age": [None, "[0, 20)", None]})
    found = BELIEVED.query_table(asked, "c", generator=1, draws=400)
    for row, given in zip(found.iter_rows(named=True), ({"a": "yes"}, {"age": "[0, 20)"}, {"a": "yes"}), strict=True):
        assert row["P(c=yes)"] == pytest.approx(BELIEVED.query("c", given, interval=None)["yes"])
        assert row["P(c=yes) lower"] < row["P(c=yes)"] < row["P(c=yes) upper"]
        assert {node: row[node] for node in given} == given
    assert found.row(0) == found.row(2)
    assert POINT.query_table(asked, "c").columns == ["a", "age", "P(c=no)", "P(c=yes)"]


def test_an_answer_becomes_a_data_frame_and_a_picture(tmp_path):
    answer = BELIEVED.query(["c", "a"], generator=1)
    frame = answer.to_polars()
    assert frame.columns == ["c", "a", "probability", "lower", "upper"]
    assert frame["probability"].sum() == pytest.approx(1)
    pandas = pytest.importorskip("pandas")
    assert isinstance(answer.to_pandas(), pandas.DataFrame)
    assert answer.to_pandas()["lower"].tolist() == frame["lower"].to_list()
    pytest.importorskip("matplotlib")
    answer.plot(tmp_path / "answer.png")
    assert (tmp_path / "answer.png").read_bytes().startswith(b"\x89PNG")
    odd = PointPosterior(Network([Variable("$cost$", ["$1", "$2"])]), {"$cost$": [[0.5, 0.5]]})
    odd.query("$cost$").plot(tmp_path / "odd.svg")
    assert "Oblique" not in (tmp_path / "odd.svg").read_text()  # a formula would be in italics
