"""Contenders of the benchmark of utility are measured anew on the stored splits, and what is stored of all others stays."""

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]
OURS, PEER = "discreet Auto", "private-pgm"


@pytest.fixture
def results(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    return import_module("benchmarks.utility_results")


@pytest.fixture
def before(results):
    return results.Run("abc Before", (("discreet", "1"), ("mbi", "2")))


@pytest.fixture
def now(results):
    return results.Run("def Now", (("discreet", "1"), ("mbi", "not installed")))


@pytest.fixture
def stored(results, before):
    """Ours and a peer on two splits at two epsilons."""
    scores = [
        results.Score("adult", epsilon, name, split, 0.25, 0.5, before)
        for epsilon in ("0.1", "1")
        for name in (OURS, PEER)
        for split in (2003, 2007)
    ]
    return results.UtilityResults(tuple(scores), {before: 60.0})


class Inline:
    """A pool that works here and now."""

    def __init__(self, *_words, **_options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        pass

    map = staticmethod(map)


@pytest.fixture
def utility(results, monkeypatch):
    """The benchmark with two contenders: ours is always right, the peer is not installed. It tells what it measured."""
    module = import_module("benchmarks.utility")
    asked = []

    def predict(_task, epsilon, split):
        asked.append((epsilon, split))
        return np.array([[0.75, 0.25]])

    contenders = {OURS: SimpleNamespace(predict=predict), PEER: SimpleNamespace(predict=lambda *_: None)}
    monkeypatch.setattr(module, "CONTENDERS", contenders)
    monkeypatch.setattr(module, "ProcessPoolExecutor", Inline)
    monkeypatch.setattr(module, "task", lambda _data, _split: SimpleNamespace(truth=np.array([0])))
    return SimpleNamespace(module=module, asked=asked)


BLOCKS = [("adult", "0.1"), ("adult", "1")]


def test_only_who_is_renewed_changes_and_on_the_stored_splits(utility, results, stored, before, now):
    *_, found = utility.module.renew(stored, BLOCKS, [OURS], now)
    assert [(score.case, score.split) for score in found.scores] == [(score.case, score.split) for score in stored.scores]
    assert [score for score in found.scores if score.contender == PEER] == [
        one for one in stored.scores if one.contender == PEER
    ]
    assert {(score.accuracy, score.log_loss, score.run) for score in found.scores if score.contender == OURS} == {
        (1.0, -np.log(0.75), now)
    }
    assert set(found.seconds) == {before, now}


def test_a_peer_that_is_not_installed_keeps_its_scores(utility, stored, now):
    *_, found = utility.module.renew(stored, BLOCKS, [OURS, PEER], now)
    assert [score for score in found.scores if score.contender == PEER] == [
        one for one in stored.scores if one.contender == PEER
    ]


def test_a_run_that_was_stopped_goes_on_where_it_was(utility, stored, now):
    first = next(utility.module.renew(stored, BLOCKS, [OURS, PEER], now))
    assert utility.asked == [("0.1", 2003), ("0.1", 2007)]
    *_, found = utility.module.renew(first, BLOCKS, [OURS, PEER], now)
    assert utility.asked == [("0.1", 2003), ("0.1", 2007), ("1", 2003), ("1", 2007)]
    assert {score.run for score in found.scores if score.contender == OURS} == {now}


def test_another_commit_measures_anew(utility, results, stored, now):
    *_, found = utility.module.renew(stored, BLOCKS, [OURS], now)
    *_, again = utility.module.renew(found, BLOCKS, [OURS], results.Run("fed Later", now.versions))
    assert len(utility.asked) == 8
    assert now not in again.seconds  # nothing that it measured is left


def test_no_number_mixes_two_runs_wherever_a_run_is_stopped(utility, stored, now):
    for found in utility.module.renew(stored, BLOCKS, [OURS], now):
        for case in {score.case for score in found.scores}:
            assert len({score.run for score in found.scores if score.case == case}) == 1


def test_data_that_were_never_measured_get_the_usual_splits(utility, stored, now):
    *_, found = utility.module.renew(stored, [("adult-500", "1")], [OURS], now)
    assert found.splits("adult-500", "1") == list(range(2000, 2010))
    *_, short = utility.module.renew(stored, [("paper", "1")], [OURS], now, splits=3)
    assert short.splits("paper", "1") == [2000, 2001, 2002]


def test_times_of_a_run_add_up_over_its_parts(results, stored, before, now):
    score = results.Score("adult", "1", OURS, 2003, 0.5, 0.5, now)
    twice = stored.renew([score], now, 20.0).renew([], now, 5.0)
    assert twice.seconds == {before: 60.0, now: 25.0}


def test_runs_survive_their_file(results, stored, now, tmp_path):
    found = stored.renew([results.Score("adult", "1", OURS, 2003, 0.5, 0.25, now)], now, 20.0)
    results.write_utility(found, tmp_path / "utility.json")
    assert results.read_utility(tmp_path / "utility.json") == found
    assert [path.name for path in tmp_path.iterdir()] == ["utility.json"]


@pytest.fixture
def files(utility, results, stored, tmp_path, monkeypatch):
    """The benchmark with files of its own, run as a command."""
    module, file, page = utility.module, tmp_path / "benchmarks" / "utility.json", tmp_path / "docs" / "utility.md"
    file.parent.mkdir()
    page.parent.mkdir()
    results.write_utility(stored, file)
    drawn = []
    monkeypatch.setattr(module, "_FOLDER", file.parent)
    monkeypatch.setattr(module, "_RESULTS", file)
    monkeypatch.setattr(module, "_PAGE", page)
    monkeypatch.setattr(module, "commit", lambda: "def Now")
    monkeypatch.setattr(module, "at_hand", lambda _data: True)
    monkeypatch.setattr(module, "draw_pictures", lambda found, _folder: drawn.append(found))

    def run(*words):
        monkeypatch.setattr("sys.argv", ["utility", *words])
        return module.main()

    return SimpleNamespace(run=run, results=file, page=page, drawn=drawn)


def test_renewal_writes_the_file_the_page_and_the_pictures(files, results):
    assert files.run("--renew", "--data", "adult", "--epsilon", "1", "--contenders", OURS) == 0
    found = results.read_utility(files.results)
    assert found.values("adult", "1", OURS, "accuracy") == {2003: 1.0, 2007: 1.0}
    assert found.values("adult", "0.1", OURS, "accuracy") == {2003: 0.25, 2007: 0.25}
    assert f"*{OURS}* at epsilon 1" in files.page.read_text(encoding="utf-8")
    assert files.drawn == [found]


def test_a_part_without_renewal_is_printed_and_written_nowhere(files, results, stored, capsys):
    assert files.run("--data", "adult", "--epsilon", "1", "--contenders", OURS, "--splits", "2") == 0
    assert f"| {OURS} | 1.0000 |" in capsys.readouterr().out
    assert results.read_utility(files.results) == stored
    assert not files.page.exists()


def test_renewal_refuses_a_number_of_splits(files, capsys):
    with pytest.raises(SystemExit):
        files.run("--renew", "--splits", "2")
    assert "leave out --splits" in capsys.readouterr().err
