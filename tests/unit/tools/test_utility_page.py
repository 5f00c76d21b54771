"""The page about utility: every number from the file of results, and a peer that is ahead is named."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
OURS, PEER, APPROXIMATE_PEER = "discreet Auto", "private-pgm", "private-pgm, zCDP"


@pytest.fixture
def results(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    return import_module("benchmarks.utility_results")


@pytest.fixture
def page(results):
    return import_module("benchmarks.utility_page")


def measured(results, *scores, data="paper", epsilon="1"):
    """Scores (contender, accuracies, log-losses) on the splits 0, 1, ... of one data set at one epsilon."""
    run = results.Run("abc Words", (("discreet", "1"),))
    listed = [
        results.Score(data, epsilon, name, split, *both, run)
        for name, accuracies, losses in scores
        for split, both in enumerate(zip(accuracies, losses, strict=True))
    ]
    return results.UtilityResults(tuple(listed), {run: 60.0})


def test_differences_are_taken_split_by_split(results):
    # Splits differ by far more than the contenders, who differ by 0.01 on each of them.
    run = measured(results, (OURS, [0.5, 0.7, 0.9], [0.3, 0.2, 0.1]), (PEER, [0.49, 0.69, 0.89], [0.31, 0.21, 0.11]))
    for measure in results.MEASURES:
        gain = run.gain("paper", "1", PEER, OURS, measure)
        assert (gain.mean, gain.error) == pytest.approx((-0.01, 0), abs=1e-12)
        assert not gain.ahead


def test_splits_that_only_one_contender_ran_on_do_not_count(results):
    run = measured(results, (OURS, [0.5, 0.7], [0.3, 0.2]), (PEER, [0.6, 0.8, 0.1], [0.3, 0.2, 9.0]))
    assert run.gain("paper", "1", PEER, OURS, "accuracy").mean == pytest.approx(0.1)
    assert measured(results, (OURS, [0.5], [0.3]), (PEER, [0.6], [0.3])).gain("paper", "1", PEER, OURS, "accuracy") is None


def test_a_peer_that_is_ahead_is_named_and_bold(results, page):
    run = measured(results, (OURS, [0.5, 0.7, 0.9], [0.3, 0.2, 0.1]), (PEER, [0.5, 0.7, 0.9], [0.2, 0.11, 0.0]))
    assert page.behind(run, page.OURS) == ["private-pgm in log-loss on paper at epsilon 1 (0.09667)"]
    assert "(**+0.0967** ± 0.0033)" in page.page(run)
    assert "as released, and by how much:\n\n- private-pgm in log-loss on paper at epsilon 1 (0.09667)\n" in page.page(run)


def test_a_peer_that_is_ahead_within_two_standard_errors_is_not_named(results, page):
    run = measured(results, (OURS, [0.5, 0.7, 0.9], [0.3, 0.2, 0.1]), (PEER, [0.6, 0.7, 0.85], [0.3, 0.2, 0.1]))
    assert page.behind(run, page.OURS) == []
    assert "(+0.0167 ± 0.0441)" in page.page(run)
    assert "Ahead of discreet, as released: nobody." in page.page(run)


def test_a_peer_is_compared_under_its_own_guarantee(results, page):
    run = measured(results, (OURS, [0.5, 0.7], [0.3, 0.2]), (APPROXIMATE_PEER, [0.9, 0.9], [0.1, 0.1]))
    assert page.behind(run, page.OURS) == []


def test_the_goals_stand_beside_what_was_reached(results, page):
    run = results.Run("abc Words", ())
    reached = (("0.5", 0.74), ("1", 0.9))
    scores = [results.Score("paper", epsilon, OURS, 0, accuracy, 0.5, run) for epsilon, accuracy in reached]
    text = page.page(results.UtilityResults(tuple(scores), {run: 1.0}))
    assert "0.75 at epsilon 0.5, missed with 0.740; 0.85 at epsilon 1, reached with 0.900." in text


def test_where_few_records_train_ours_are_held_against_the_better_of_coin_and_frequencies(results, page):
    references = (("coin", [0.5, 0.5], [0.69, 0.69]), ("class frequencies", [0.6, 0.6], [0.65, 0.67]))
    ours = ((OURS, [0.6, 0.6], [0.61, 0.65]), ("discreet Gaussian", [0.6, 0.6], [0.68, 0.7]))
    text = page.page(measured(results, *references, *ours, data="adult-500", epsilon="0.1"))
    assert "Goal for the log-loss at epsilon 0.1: not above that of class frequencies, 0.6600." in text
    assert "*discreet Auto* reaches it, 0.0300 ± 0.0100 below. *discreet Gaussian* misses it, 0.0300 ± 0.0000 above." in text
    assert "Goal for the log-loss" not in page.page(measured(results, *references, *ours, data="adult", epsilon="0.1"))


def test_the_better_reference_may_be_the_coin(results, page):
    scores = (
        ("coin", [0.5, 0.5], [0.69, 0.69]),
        ("class frequencies", [0.6, 0.6], [0.65, 0.75]),
        (OURS, [0.6, 0.6], [0.7, 0.7]),
    )
    text = page.page(measured(results, *scores, data="nltcs-500", epsilon="0.1"))
    assert "not above that of coin, 0.6900. *discreet Auto* misses it, 0.0100 ± 0.0000 above." in text


def test_the_page_says_which_run_measured_whom(results, page):
    first = measured(results, (OURS, [0.5, 0.7], [0.3, 0.2]), (PEER, [0.6, 0.8], [0.3, 0.2]))
    assert (
        "Measured in one run:\n\n- commit abc, discreet 1, 1 minutes:\n  - on paper: *discreet Auto*, *private-pgm*\n"
        in page.page(first)
    )
    later = results.Run("def Better", (("discreet", "2"), ("mbi", "not installed")))
    other = [results.Score("paper", epsilon, OURS, split, 0.9, 0.1, later) for epsilon in ("1", "5") for split in (0, 1)]
    text = page.page(first.renew(other, later, 120.0))
    assert "- commit abc, discreet 1, 1 minutes:\n  - on paper: *private-pgm* at epsilon 1\n" in text
    assert "- commit def, discreet 2, mbi not installed, 2 minutes:\n  - on paper: *discreet Auto*\n" in text


def test_results_survive_their_file(results, tmp_path):
    run = measured(results, (OURS, [0.5, 0.7], [0.3, 0.2]), (PEER, [0.25, 0.75], [0.125, 0.5]))
    results.write_utility(run, tmp_path / "utility.json")
    assert results.read_utility(tmp_path / "utility.json") == run


def test_the_page_is_what_the_committed_results_give(results, page):
    committed = results.read_utility(ROOT / "benchmarks" / "utility.json")
    assert (ROOT / "docs" / "utility.md").read_text(encoding="utf-8") == page.page(committed)
