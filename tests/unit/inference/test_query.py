import json
import math
import sys

import numpy as np
import pytest

from discreet.errors import QueryError
from discreet.model.network import Network
from discreet.model.prior import TablePrior
from discreet.model.variable import Variable
from discreet.posterior import DirichletPosterior, PointPosterior


@pytest.fixture
def clinic():
    network = Network(
        [Variable("smoke", ["no", "yes"]), Variable("lung", ["healthy", "ill"]), Variable("cough", ["never", "some", "much"])],
        {"lung": ["smoke"], "cough": ["lung"]},
    )
    tables = {
        "smoke": [[0.8, 0.2]],
        "lung": [[0.99, 0.01], [0.9, 0.1]],
        "cough": [[0.7, 0.2, 0.1], [0.0, 0.4, 0.6]],
    }
    return PointPosterior(network, tables)


@pytest.fixture
def believed(clinic):
    """The same, as what nearly nothing is uncertain about."""
    tables = {node: np.maximum(table, 1e-9) * 1e12 for node, table in clinic.tables.items()}
    return DirichletPosterior(clinic.network, TablePrior(clinic.network, tables))


def test_a_query_without_evidence_is_the_marginal(clinic):
    assert clinic.query("lung")["ill"] == pytest.approx(0.8 * 0.01 + 0.2 * 0.1)


def test_a_query_with_evidence_follows_bayes_rule(clinic):
    ill, healthy = 0.2 * 0.1 * 0.6, 0.2 * 0.9 * 0.1
    answer = clinic.query("lung", {"smoke": "yes", "cough": "much"})
    assert answer["ill"] == pytest.approx(ill / (ill + healthy))
    assert answer.given == {"smoke": "yes", "cough": "much"}


def test_several_targets_give_their_joint_in_the_order_asked(clinic):
    answer = clinic.query(["cough", "smoke"], interval=None)
    assert answer.probability.shape == (3, 2)
    assert answer["much", "yes"] == pytest.approx(0.2 * (0.9 * 0.1 + 0.1 * 0.6))
    assert sum(probability for _, probability in answer.items()) == pytest.approx(1)


def test_an_answer_reads_like_a_mapping(clinic):
    answer = clinic.query("cough", interval=None)
    assert list(answer) == ["never", "some", "much"]
    assert dict(answer) == dict(answer.items())
    assert len(answer) == 3
    assert "never" in answer
    assert "often" not in answer
    assert answer.most_probable == "never"
    assert clinic.query(["smoke", "lung"], interval=None).most_probable == ("no", "healthy")


def test_an_answer_prints_as_an_aligned_table(believed):
    text = str(believed.query("cough", {"smoke": "yes", "lung": "ill"}, draws=5))
    assert text.splitlines() == [
        "P(cough | smoke=yes, lung=ill)",
        "  cough  probability     90 % interval",
        "  never       0.0000  0.0000 to 0.0000",
        "  some        0.4000  0.4000 to 0.4000",
        "  much        0.6000  0.6000 to 0.6000",
    ]


def test_an_answer_without_an_interval_prints_none(clinic):
    answer = clinic.query("lung", interval=None)
    assert (answer.lower, answer.upper, answer.interval) == (None, None, None)
    assert "interval" not in str(answer)


def test_an_answer_given_very_much_prints_the_beginning_of_it():
    network = Network([Variable(f"n{i}", ["a", "b"]) for i in range(20)])
    posterior = DirichletPosterior(network)
    text = str(posterior.query("n0", {f"n{i}": "a" for i in range(1, 20)}, interval=None))
    assert text.splitlines()[0].endswith("n12=a, 7 more)")


def test_an_answer_becomes_json(believed):
    answer = believed.query(["smoke", "lung"], {"cough": "some"}, draws=5)
    read = json.loads(json.dumps(answer.to_dict()))
    assert read["target"] == ["smoke", "lung"]
    assert read["given"] == {"cough": "some"}
    assert read["interval"] == 0.9
    first = read["distribution"][0]
    assert first["levels"] == {"smoke": "no", "lung": "healthy"}
    assert first["lower"] < first["upper"]
    assert first["lower"] == pytest.approx(first["probability"], abs=1e-4)
    assert len(read["distribution"]) == 4


def test_an_answer_cannot_be_changed(believed):
    answer = believed.query("lung", draws=5)
    for table in (answer.probability, answer.lower, answer.upper):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 1
    with pytest.raises(TypeError):
        answer.given["smoke"] = "no"


def test_an_unknown_level_of_an_answer_is_refused_with_a_suggestion(clinic):
    answer = clinic.query("cough", interval=None)
    with pytest.raises(QueryError, match="Did you mean 'never'"):
        answer["nevr"]
    with pytest.raises(QueryError, match="one level for each"):
        answer["never", "some"]


def test_values_are_matched_by_their_text():
    network = Network([Variable("a", [0, 1]), Variable("b", [False, True])], {"b": ["a"]})
    posterior = PointPosterior(network, {"a": [[0.5, 0.5]], "b": [[0.9, 0.1], [0.3, 0.7]]})
    assert posterior.query("b", {"a": 1}, interval=None)[True] == pytest.approx(0.7)
    assert posterior.query("a", {"b": np.True_}, interval=None)[np.int64(1)] == pytest.approx(0.7 / 0.8)


@pytest.mark.parametrize(
    ("target", "given", "message"),
    [
        ("lungs", {}, "Did you mean 'lung'"),
        ("lung", {"smok": "yes"}, "Did you mean 'smoke'"),
        ("lung", {"smoke": "yess"}, "Did you mean 'yes'"),
        ("lung", {"lung": "ill"}, "asked for and given"),
        (["lung", "lung"], {}, "twice"),
        ([], {}, "Name the node"),
        (3, {}, "Name the node"),
        ([3], {}, "Name the node"),
        ("lung", [("smoke", "yes")], "mapping"),
        ("smoke", {"lung": "ill", "cough": "never"}, "probability zero"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(clinic, target, given, message):
    with pytest.raises(QueryError, match=message):
        clinic.query(target, given, interval=None)


def test_impossible_evidence_is_refused_even_where_it_says_nothing_about_the_target():
    network = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y"])])
    posterior = PointPosterior(network, {"a": [[0.5, 0.5]], "b": [[1, 0]]})
    assert posterior.query("a", {"b": "x"})["x"] == 0.5
    with pytest.raises(QueryError, match="probability zero"):
        posterior.query("a", {"b": "y"})


@pytest.mark.parametrize("interval", [0, 1, -0.1, 90, math.nan, True])
def test_an_interval_that_is_not_a_probability_is_refused(clinic, interval):
    with pytest.raises(QueryError, match="between 0 and 1"):
        clinic.query("lung", interval=interval)


@pytest.mark.parametrize("draws", [0, -1, 2.5, True])
def test_a_number_of_draws_that_is_not_one_is_refused(clinic, draws):
    with pytest.raises(QueryError, match="at least 1"):
        clinic.query("lung", draws=draws)


def test_intervals_that_would_fill_the_memory_are_refused():
    network = Network([Variable(f"n{i}", ["a", "b"]) for i in range(16)])
    posterior = DirichletPosterior(network)
    with pytest.raises(QueryError, match="interval=None"):
        posterior.query(list(network.nodes))
    assert posterior.query(list(network.nodes), interval=None).probability.size == 2**16


def test_the_point_estimate_is_the_posterior_predictive():
    network = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y"])], {"b": ["a"]})
    posterior = DirichletPosterior(network, TablePrior(network, {"a": [[2, 1]], "b": [[1, 3], [2, 2]]}))
    # The predictive of one more record, from the rule of succession: no draws needed.
    joint = np.array([[2 / 3 * 1 / 4, 2 / 3 * 3 / 4], [1 / 3 * 1 / 2, 1 / 3 * 1 / 2]])
    assert posterior.query("a", {"b": "x"}, interval=None)["x"] == pytest.approx(joint[0, 0] / joint[:, 0].sum())


def test_the_interval_of_a_root_is_the_beta_interval():
    network = Network([Variable("a", ["x", "y"])])
    posterior = DirichletPosterior(network, TablePrior(network, {"a": [[30, 70]]}))
    answer = posterior.query("a", interval=0.9, draws=40_000, generator=np.random.default_rng(0))
    lower, upper = posterior.interval("a", 0.9)
    np.testing.assert_allclose(answer.lower, lower[0], atol=0.003)
    np.testing.assert_allclose(answer.upper, upper[0], atol=0.003)


def test_the_same_generator_gives_the_same_interval():
    network = Network([Variable("a", ["x", "y"])])
    posterior = DirichletPosterior(network)
    first, second = (posterior.query("a", draws=50, generator=np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(first.lower, second.lower)
    other = posterior.query("a", draws=50, generator=np.random.default_rng(6))
    assert not np.array_equal(first.lower, other.lower)


def test_draws_in_pieces_are_as_good_as_draws_at_once(monkeypatch):
    network = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y"])], {"b": ["a"]})
    posterior = DirichletPosterior(network, TablePrior(network, {"a": [[20, 10]], "b": [[10, 30], [20, 20]]}))
    whole = posterior.query("a", {"b": "x"}, draws=20_000, generator=np.random.default_rng(1))
    monkeypatch.setattr(sys.modules["discreet.inference.query"], "_DRAWN_CELLS", 6 * 300)
    pieces = posterior.query("a", {"b": "x"}, draws=20_000, generator=np.random.default_rng(2))
    np.testing.assert_allclose(pieces.lower, whole.lower, atol=0.01)


def test_draws_that_make_the_evidence_impossible_are_left_out():
    network = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y"])], {"b": ["a"]})
    # So little belief that a draw is a corner: often P(b=x) underflows to zero.
    posterior = DirichletPosterior(network, TablePrior(network, {"a": [[1, 1]], "b": [[1e-4, 1e-4], [1e-4, 1e-4]]}))
    answer = posterior.query("a", {"b": "x"}, draws=400, generator=np.random.default_rng(0))
    assert np.isfinite(answer.lower).all()
    assert np.isfinite(answer.upper).all()


def test_pieces_that_are_worked_on_side_by_side_are_answered_in_their_order(monkeypatch):
    """As one after the other: whatever a piece is, and as soon as there are enough of them."""
    from discreet.inference import elimination
    from discreet.inference import query as module

    network = Network([Variable(name, list("012")) for name in "abc"], {"b": ["a"], "c": ["b"]})
    posterior = DirichletPosterior(network)
    monkeypatch.setattr(elimination, "PIECE_CELLS", 90)
    found = []
    for fewest in (2, 10**6):
        monkeypatch.setattr(module, "_FEWEST_PIECES", fewest)
        found.append(module.query_draws(posterior, "c", {"a": "1"}, draws=500, generator=3))
    np.testing.assert_array_equal(*found)
    assert len(np.unique(found[0][0])) == 500
