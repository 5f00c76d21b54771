"""Pictures of the studies: what is drawn is what was measured."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def drawn(monkeypatch):
    """The module, and the curves that it gives to be drawn."""
    monkeypatch.syspath_prepend(ROOT)
    pictures, found = import_module("benchmarks.pictures"), []
    monkeypatch.setattr(pictures, "plot_curves", lambda curves, _chart, path: found.append((path.name, list(curves))))
    return pictures, found


def test_coverage_is_drawn_as_it_was_counted(drawn):
    pictures, found = drawn
    results = import_module("benchmarks.coverage_results")
    tallies = {kind: results.Tally(place, 10) for place, kind in enumerate(results.KINDS)}
    measured = {
        results.Setting("alarm", mechanism, epsilon, 50): results.Result(400, 1.0, tallies)
        for mechanism in ("auto", "knorm")
        for epsilon in ("0.1", "1")
    }
    pictures.draw_coverage(measured, "alarm", "ALARM", Path("coverage.png"))
    ((name, (aware, plugin)),) = found
    assert (name, aware.label, plugin.label) == ("coverage.png", "knows the noise, 50 records", "plug-in, 50 records")
    assert (list(aware.x), list(aware.y), list(plugin.y)) == ([0.1, 1], [10, 10], [40, 40])
    assert (aware.dashed, plugin.dashed) == (False, True)


def test_accuracy_is_drawn_for_each_contender_that_ran(drawn, tmp_path):
    _, found = drawn
    results, page = (import_module(f"benchmarks.utility_{name}") for name in ("results", "page"))
    run = results.Run("abc Words", ())
    scores = [
        results.Score("adult", epsilon, name, split, accuracy + split / 10, 0.5, run)
        for epsilon, accuracy in (("1", 0.6), ("0.1", 0.5))
        for name in ("discreet Auto", "discreet Gaussian")
        for split in (0, 1)
    ]
    page.draw_pictures(results.UtilityResults(tuple(scores), {run: 1.0}), tmp_path)
    ((name, (curve,)),) = found  # Gaussian noise promises something else and is not drawn
    assert name == page.picture("adult")
    assert f"](pictures/{name})" in page.page(results.UtilityResults(tuple(scores), {run: 1.0}))
    assert list(curve.x) == [0.1, 1]
    assert [*curve.y, *curve.error] == pytest.approx([0.55, 0.65, 0.05, 0.05])
