"""What would happen if a node were set, against sums over all records of the network left; and two answers compared."""

import pickle

import numpy as np
import pytest

from discreet.errors import QueryError
from discreet.inference.compare import Contrast
from discreet.model.network import Network
from discreet.model.prior import TablePrior
from discreet.model.variable import Variable
from discreet.posterior import DirichletPosterior, PointPosterior

BITS = ["no", "yes"]
NETWORK = Network(
    [Variable("gene", BITS), Variable("smoke", BITS), Variable("tar", ["low", "mid", "high"]), Variable("lung", BITS)],
    {"smoke": ["gene"], "tar": ["smoke"], "lung": ["gene", "tar"]},
)
TABLES = {
    "gene": [[0.7, 0.3]],
    "smoke": [[0.8, 0.2], [0.3, 0.7]],
    "tar": [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]],
    "lung": [[0.99, 0.01], [0.97, 0.03], [0.9, 0.1], [0.95, 0.05], [0.85, 0.15], [0.6, 0.4]],
}
POINT = PointPosterior(NETWORK, TABLES)


def lung_if_smoke_is(level, weights=(0.7, 0.3)):
    """Sum over genes and tar with the gene as it is in the population: smoking was not chosen by it."""
    tar, lung = TABLES["tar"][level], np.array(TABLES["lung"]).reshape(2, 3, 2)
    return sum(weights[gene] * tar[place] * lung[gene, place, 1] for gene in (0, 1) for place in range(3))


@pytest.fixture
def believed():
    tables = {node: 40 * np.array(table) for node, table in TABLES.items()}
    return DirichletPosterior(NETWORK, TablePrior(NETWORK, tables))


def test_a_node_that_is_set_says_nothing_about_its_causes():
    assert POINT.query("gene", do={"smoke": "yes"})["yes"] == pytest.approx(0.3)
    assert POINT.query("gene", {"smoke": "yes"})["yes"] == pytest.approx(0.3 * 0.7 / (0.3 * 0.7 + 0.7 * 0.2))


def test_its_effect_is_the_sum_over_records_of_the_network_that_is_left():
    assert POINT.query("lung", do={"smoke": "yes"})["yes"] == pytest.approx(lung_if_smoke_is(1))
    assert POINT.query("lung", do={"smoke": "no"})["yes"] == pytest.approx(lung_if_smoke_is(0))
    assert POINT.query("lung", {"smoke": "yes"})["yes"] != pytest.approx(lung_if_smoke_is(1), abs=0.01)


def test_what_is_seen_and_what_is_set_go_together():
    answer = POINT.query("lung", {"gene": "yes"}, do={"smoke": "yes"})
    assert answer["yes"] == pytest.approx(lung_if_smoke_is(1, (0, 1)))
    # Below the node, seeing tells about causes again: P(gene | tar, do(smoke)) is P(gene), since tar depends on smoke alone.
    assert POINT.query("gene", {"tar": "high"}, do={"smoke": "no"})["yes"] == pytest.approx(0.3)
    ill = POINT.query("gene", {"lung": "yes"}, do={"smoke": "yes"})["yes"]
    assert ill == pytest.approx(0.3 * lung_if_smoke_is(1, (0, 1)) / lung_if_smoke_is(1))


def test_setting_a_node_without_parents_is_seeing_it(believed):
    seen, made = believed.query("lung", {"gene": "yes"}, generator=3), believed.query("lung", do={"gene": "yes"}, generator=3)
    assert made["yes"] == pytest.approx(seen["yes"])
    np.testing.assert_allclose(made.lower, seen.lower)


def test_its_interval_is_that_of_the_answer_over_draws(believed):
    answer = believed.query("lung", do={"smoke": "yes"}, generator=5, draws=4000)
    drawn = believed.draws(4000, 6)
    tar, lung = drawn["tar"][:, 1], drawn["lung"].reshape(-1, 2, 3, 2)[..., 1]
    ill = np.einsum("dg,dt,dgt->d", drawn["gene"][:, 0], tar, lung)
    lower, upper = np.quantile(ill, [0.05, 0.95])
    assert answer.lower[1] == pytest.approx(lower, abs=0.006)
    assert answer.upper[1] == pytest.approx(upper, abs=0.006)


def test_an_answer_says_what_was_set():
    answer = POINT.query("lung", {"gene": "yes"}, do={"smoke": "yes"})
    assert answer.title == "P(lung | gene=yes, do(smoke=yes))"
    assert answer.to_dict()["do"] == {"smoke": "yes"}
    assert "do" not in POINT.query("lung").to_dict()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"target": "lung", "do": {"smok": "yes"}}, "no node 'smok' to set. Did you mean 'smoke'"),
        ({"target": "lung", "do": {"smoke": "often"}}, "has no level 'often'"),
        ({"target": "lung", "do": ["smoke"]}, "such as do={'smoke': 'no'}"),
        ({"target": "smoke", "do": {"smoke": "yes"}}, "asked for and set"),
        ({"target": "lung", "given": {"smoke": "no"}, "do": {"smoke": "yes"}}, "both given and set"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_with_what_to_do(words, said):
    with pytest.raises(QueryError, match=said.replace("(", r"\(").replace("{", r"\{")):
        POINT.query(**words)


def test_the_arrows_of_a_learned_graph_are_no_causes_unless_the_caller_says_so():
    learned = PointPosterior(Network(NETWORK.variables, NETWORK.parents, learned=True), TABLES)
    with pytest.raises(QueryError, match="arrows_are_causes=True"):
        learned.query("lung", do={"smoke": "yes"})
    with pytest.raises(QueryError, match="not what causes what"):
        learned.compare("lung", do=({"smoke": "yes"}, {"smoke": "no"}))
    assert learned.query("lung", do={"smoke": "yes"}, arrows_are_causes=True)["yes"] == pytest.approx(lung_if_smoke_is(1))
    assert learned.query("lung", {"smoke": "yes"})["yes"] == POINT.query("lung", {"smoke": "yes"})["yes"]


def test_a_learned_graph_stays_learned_in_copies_and_is_another_than_the_declared_one():
    learned = Network(NETWORK.variables, NETWORK.parents, learned=True)
    assert pickle.loads(pickle.dumps(learned)).learned
    assert learned != NETWORK
    assert "not causes" in repr(learned)


IMPOSSIBLE = Network(
    [Variable("sex", ["male", "female"]), Variable("pregnant", BITS), Variable("tired", BITS)],
    {"pregnant": ["sex"], "tired": ["sex", "pregnant"]},
    impossible=[{"sex": "male", "pregnant": "yes"}],
)


def test_what_is_declared_impossible_is_not_made_by_setting_a_node():
    posterior = DirichletPosterior(IMPOSSIBLE)
    with pytest.raises(QueryError, match=r"sex=male, pregnant=yes.*Give levels that rule it out"):
        posterior.query("tired", do={"pregnant": "yes"})
    assert posterior.query("tired", {"sex": "female"}, do={"pregnant": "yes"})["yes"] == pytest.approx(0.5)
    assert posterior.query("tired", do={"pregnant": "yes", "sex": "female"})["yes"] == pytest.approx(0.5)
    # Setting the parent keeps the child's table, which has the zero.
    assert posterior.query("pregnant", do={"sex": "male"})["yes"] == 0


def test_contradictory_evidence_is_named_and_nothing_else():
    network = Network([Variable(name, BITS) for name in "abcd"], {"b": ["a"], "c": ["b"]})
    tables = {"a": [[0.5, 0.5]], "b": [[1, 0], [0.5, 0.5]], "c": [[1, 0], [0, 1]], "d": [[0.5, 0.5]]}
    point = PointPosterior(network, tables)
    with pytest.raises(QueryError, match=r"zero in this network: a=no and c=yes cannot be together, so nothing follows"):
        point.query("b", {"d": "yes", "a": "no", "c": "yes"})
    with pytest.raises(QueryError, match=r"zero in this network: c=yes is impossible"):
        point.query("d", {"c": "yes"}, do={"a": "no"})


def test_a_comparison_is_the_difference_and_the_ratio_of_two_answers(believed):
    found = believed.compare("lung", do=({"smoke": "yes"}, {"smoke": "no"}), generator=1)
    yes, no = (believed.query("lung", do={"smoke": level}, interval=None)["yes"] for level in ("yes", "no"))
    assert found.difference.value[1] == pytest.approx(yes - no)
    assert found.ratio.value[1] == pytest.approx(yes / no)
    assert found.title == "P(lung | do(smoke=yes)) against P(lung | do(smoke=no))"
    assert found.difference.lower[1] < yes - no < found.difference.upper[1]
    assert found.ratio.lower[1] < yes / no < found.ratio.upper[1]


def test_both_answers_of_a_comparison_are_from_the_same_draws(believed):
    """The two effects share the gene and its table: by themselves they vary more than their difference does."""
    found = believed.compare("lung", {"gene": "yes"}, ({"tar": "mid"}, {"tar": "mid", "smoke": "yes"}), generator=1)
    np.testing.assert_allclose(found.difference.lower, 0, atol=1e-12)
    np.testing.assert_allclose(found.difference.upper, 0, atol=1e-12)
    np.testing.assert_allclose(found.ratio.upper, 1)


def test_seeing_can_be_compared_with_setting(believed):
    found = believed.compare("lung", ({"smoke": "yes"}, None), (None, {"smoke": "yes"}), interval=None)
    assert found.difference.value[1] == pytest.approx(
        believed.query("lung", {"smoke": "yes"})["yes"] - believed.query("lung", do={"smoke": "yes"})["yes"]
    )
    assert found.difference.lower is None
    assert "interval" not in repr(found)


def test_a_comparison_of_a_point_says_why_it_has_no_interval():
    found = POINT.compare("lung", do=({"smoke": "yes"}, {"smoke": "no"}))
    assert found.interval is None
    assert found.remark in repr(found)


def test_a_ratio_to_zero_is_no_number_in_json():
    point = PointPosterior(
        Network(NETWORK.variables[:2], {"smoke": ["gene"]}), {"gene": [[0.5, 0.5]], "smoke": [[1, 0], [0, 1]]}
    )
    said = point.compare("smoke", ({"gene": "yes"}, {"gene": "no"})).to_dict()["levels"]
    assert said[1]["ratio"] == {"value": None}
    assert said[1]["difference"] == {"value": 1.0}


@pytest.mark.parametrize("words", [{"do": {"smoke": "yes"}}, {}, {"given": ({"gene": "no"}, {"gene": "no"})}])
def test_the_same_question_twice_is_no_comparison(words):
    with pytest.raises(QueryError, match="are the same"):
        POINT.compare("lung", **words)


def test_a_pair_is_two_mappings():
    with pytest.raises(QueryError, match="or a pair of two such mappings"):
        POINT.compare("lung", do=({"smoke": "yes"},) * 3)


def test_a_ratio_to_next_to_nothing_is_shown_by_its_size():
    shown = list(Contrast(np.array([5.45391]), np.array([1.7]), np.array([2.06e10])).words((0,)))
    assert shown == ["5.4539", "1.7000 to 2.1e+10"]


def test_a_comparison_becomes_a_table_and_a_picture(tmp_path):
    network = Network([Variable("smoke", ["no", "yes"]), Variable("lung", ["no", "yes"])], {"lung": ["smoke"]})
    found = DirichletPosterior(network).compare("lung", do=({"smoke": "yes"}, {"smoke": "no"}), generator=1)
    table = found.to_polars()
    assert table.columns == ["lung", "first", "second", "difference", "difference_lower", "difference_upper",
                             "ratio", "ratio_lower", "ratio_upper"]  # fmt: skip
    assert table["difference"].to_list() == pytest.approx((table["first"] - table["second"]).to_list())
    found.plot(tmp_path / "difference.png")
    assert (tmp_path / "difference.png").read_bytes().startswith(b"\x89PNG")
