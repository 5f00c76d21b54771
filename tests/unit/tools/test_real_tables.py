import subprocess
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import discreet as dc
from discreet.chains.family_chain import Effort
from discreet.inference.query import query_draws

ROOT = Path(__file__).parents[3]
NETWORK = dc.Network(
    [dc.Variable("a", ["x", "y"]), dc.Variable("b", ["x", "y", "z"]), dc.Variable("c", ["x", "y"])],
    {"b": ["a"], "c": ["a", "b"]},
)
TRUTH = dc.PointPosterior(
    NETWORK,
    {
        "a": [[0.3, 0.7]],
        "b": [[0.2, 0.5, 0.3], [0.996, 0.003, 0.001]],
        "c": [[0.5, 0.5], [0.1, 0.9], [0.0, 1.0], [0.7, 0.3], [1.0, 0.0], [0.6, 0.4]],
    },
)


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    return import_module("benchmarks.real_tables")


@pytest.fixture
def page(study):
    return import_module("benchmarks.real_tables_page")


@pytest.fixture
def results(study):
    return import_module("benchmarks.real_tables_results")


def believed(lower, upper):
    """Somebody who takes every level of a row for equally probable, and gives every interval the same ends."""

    def interval(node, _):
        shape = TRUTH.mean(node).shape
        return np.full(shape, lower), np.full(shape, upper)

    def mean(node):
        return np.full(TRUTH.mean(node).shape, 1 / TRUTH.mean(node).shape[1])

    return SimpleNamespace(network=NETWORK, mean=mean, interval=interval)


def test_the_tables_of_intervals_on_real_tables_are_what_the_committed_results_give(study, page):
    committed, text = study.read_found(study.RESULTS), page.GUIDE.read_text(encoding="utf-8")
    assert {key.contender for key in committed} == {"learned", "uniform", "before"}
    assert {measured.commit.split()[0] for key, measured in committed.items() if key.contender == "before"} == {"a4adad0"}
    assert page.with_tables(text, committed) == text
    assert page.with_tables(text, {}) != text


def test_only_entries_that_are_not_near_0_or_1_are_asked_for(study):
    """Of 20 entries seven lie beyond 0.5 % and 99.5 %; of the others, those between the ends are held."""
    found = study.measure_entries(TRUTH, believed(0.25, 0.65))
    between = [0.3, 0.7, 0.2, 0.5, 0.3, 0.5, 0.5, 0.1, 0.9, 0.7, 0.3, 0.6, 0.4]
    assert found["entries"] == pytest.approx(np.mean([0.25 <= one <= 0.65 for one in between]))
    assert found["entry width"] == pytest.approx(0.4)


def test_the_divergence_is_that_of_the_joint_distributions(study):
    """The rows' divergences, weighted by how probable the rows are, add up to that of the whole networks."""
    truth = TRUTH.query(["a", "b", "c"], interval=None).probability
    other = np.full(truth.shape, 1 / truth.size)
    seen = truth > 0
    expected = (truth[seen] * np.log(truth[seen] / other[seen])).sum()
    assert study.measure_entries(TRUTH, believed(0, 1))["divergence"] == pytest.approx(expected)


def test_questions_observe_up_to_two_nodes_of_one_record_and_know_the_true_answer(study):
    questions = list(study.draw_questions(TRUTH, np.random.default_rng(1), 60))
    again = list(study.draw_questions(TRUTH, np.random.default_rng(1), 60))
    assert {len(each.given) for each in questions} == {0, 1, 2}
    assert {each.target for each in questions} == {"a", "b", "c"}
    assert {each.given["c"] for each in questions if "c" in each.given} == {"x", "y"}
    for each, same in zip(questions, again, strict=True):
        assert (each.target, each.given) == (same.target, same.given)
        assert each.target not in each.given
        assert each.answer.tolist() == TRUTH.query(each.target, each.given, interval=None).probability.tolist()


def test_queries_are_measured_by_what_the_posterior_answers(study):
    """Beliefs that are certain and right hold all; certain and wrong, none of what is not the same by chance."""
    sure = {node: 1e9 * TRUTH.mean(node) + 1e-3 for node in NETWORK.nodes}
    wrong = {node: table[:, ::-1].copy() for node, table in sure.items()}
    questions = [study.Question("b", {}, TRUTH.query("b", interval=None).probability)]
    for tables, share in ((sure, 1), (wrong, 0)):
        posterior = dc.NoiseAwarePosterior(NETWORK, dc.TablePrior(NETWORK, tables))
        found = study.measure_queries(posterior, questions, seed=1)
        assert found["queries"] == found["queries between"] == share
        assert found["query width"] < 0.001
        expected = np.abs(posterior.query("b", interval=None).probability - questions[0].answer).mean()
        assert found["error"] == pytest.approx(expected)


def test_agreement_on_a_query_is_what_the_posterior_says_of_it(study):
    records = TRUTH.sample(2_000, 1)
    posterior = dc.release(records, NETWORK, dc.Auto("0.1"), ledger=dc.Ledger.unlimited()).posterior
    short = dc.NoiseAwarePosterior(NETWORK, released=posterior.released, effort=Effort(chains=4, warm_up=0, rounds=4))
    drawn = query_draws(short, "c", {}, 1000, 1)
    drawn[..., ::4] += 1  # one chain of four is elsewhere
    assert study.r_hat(drawn, 4) > 1.1
    assert f"R-hat {study.r_hat(drawn, 4):.3f}" in short.doubt(drawn)


def test_a_data_set_follows_from_its_seed(study, results):
    without = [study.replicate(TRUTH, 500, results.NOT_PRIVATE, ("uniform",), [1, number]) for number in (1, 1, 2)]
    errors = [found["uniform"]["error"] for found in without]
    assert errors[0] == errors[1] != errors[2]
    assert set(without[0]["uniform"]) == set(results.MEASURES)


def test_all_contenders_answer_the_same_questions_about_the_same_release(study, monkeypatch):
    asked = []

    def measure(truth, posterior, questions, seed):
        asked.append((posterior.released, tuple(each.target for each in questions), posterior.prior))
        return {"R-hat": 1.0}

    monkeypatch.setattr(study, "measure", measure)
    found = study.replicate(TRUTH, 500, "1", ("learned", "uniform"), [1, 1])
    assert [values["R-hat"] for values in found.values()] == [1.0, 1.0]
    (released, questions, prior), (same, again, other) = asked
    assert released is same is not None
    assert questions == again
    assert (prior, other) == (dc.model.prior.LEARNED, dc.UNIFORM)


def values(results, number):
    return dict.fromkeys(results.MEASURES, number)


def test_a_study_goes_on_where_it_stopped_and_begins_anew_with_another_commit(study, results):
    sets, names = {"asia": 3}, ("learned", "uniform")
    jobs = study.list_jobs(sets, [500], ["1"], names, {})
    assert [(job.number, job.contenders) for job in jobs] == [(0, names), (1, names), (2, names)]
    found = study.add({}, jobs[0], {name: values(results, 0.5) for name in names}, "aaa first")
    found = study.add(found, jobs[1], {"learned": values(results, 0.7)}, "aaa first")
    rest = study.list_jobs(sets, [500], ["1"], names, found)
    assert [(job.number, job.contenders) for job in rest] == [(1, ("uniform",)), (2, names)]
    learned = results.Setting("asia", 500, "1", "learned")
    assert found[learned].values["error"] == [0.5, 0.7]
    anew = study.add(found, jobs[0], {"learned": values(results, 0.9)}, "bbb second")
    assert (anew[learned].commit, anew[learned].values["error"]) == ("bbb second", [0.9])


def test_what_another_commit_measured_is_kept_only_on_demand_and_if_it_is_enough(study, results):
    first = results.Measured("aaa first").plus(values(results, 0.5))
    found = {
        results.Setting("asia", 500, "1", name): one
        for name, one in (("learned", first), ("uniform", first.plus(values(results, 0.5))))
    }
    kept = [
        [key.contender for key in study.usable(found, {"asia": sets}, commit, keep)]
        for sets, commit, keep in (
            (2, "aaa first", False),
            (2, "bbb second", False),
            (2, "bbb second", True),
            (1, "bbb second", True),
        )
    ]
    assert kept == [["learned", "uniform"], [], ["uniform"], ["learned", "uniform"]]


def test_results_survive_the_file(results, tmp_path):
    setting, other = results.Setting("asia", 500, "1", "learned"), results.Setting("alarm", 500, "none", "uniform")
    one = results.Measured("aaa first").plus(values(results, 0.123456)).plus(values(results, None))
    results.write_found(tmp_path / "some.json", {setting: one, other: one})
    again = results.read_found(tmp_path / "some.json")
    assert again == {other: one, setting: one}
    assert again[setting].values["error"] == [0.1235, None]
    assert [path.name for path in tmp_path.iterdir()] == ["some.json"]


def test_means_are_over_data_sets_that_have_a_value_with_their_standard_error(results):
    one = results.Measured("aaa first")
    for number in (0.1, 0.3, None, 0.5):
        one = one.plus(values(results, number))
    assert one.mean("error") == pytest.approx((0.3, 0.2 / np.sqrt(3)))
    assert np.isnan(results.Measured("aaa first").mean("error")[0])


def test_a_line_has_means_errors_and_who_was_not_measured(page, results):
    one = results.Measured("aaa first").plus(values(results, 0.8)).plus(values(results, 0.9))
    without = results.Measured("aaa first").plus(values(results, 0.95))
    found = {
        results.Setting("asia", 5000, "1", "learned"): one,
        results.Setting("asia", 5000, results.NOT_PRIVATE, "learned"): without,
    }
    line = page.table(found, page.TABLES["Queries whose interval holds the truth, in percent"]).splitlines()[-1]
    assert line == "| asia | 5,000 | 1 | 1 to 2 | 85.0 ± 5.0 | not measured | not measured | 95.0 | not measured |"


def test_a_library_with_changes_of_its_own_is_not_measured(results, tmp_path, monkeypatch):
    def git(*words):
        subprocess.run(["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e", *words], check=True)

    source = tmp_path / "library.py"
    source.write_text("1", encoding="utf-8")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "As it was")
    monkeypatch.setattr(results.dc, "__file__", str(source))
    assert results.commit().endswith(" As it was")
    source.write_text("2", encoding="utf-8")
    with pytest.raises(SystemExit, match="Commit what was changed"):
        results.commit()
