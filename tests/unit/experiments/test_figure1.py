"""Figure 1, shrunken: orderings that are safe, its table, and files instead of synthetic records."""

import csv

import numpy as np
import polars as pl
import pytest

from discreet import DataError
from discreet.experiments import figure1 as figure1_page
from discreet.experiments import figure1 as module
from discreet.experiments.figure1 import COLUMNS, CONTENDERS, figure1, write_figure1
from discreet.experiments.study import Outcome, averages, run


def at(study, *epsilons):
    study.settings["epsilons"][:] = epsilons
    return study


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Five features, 200 records for training, six repeats: much better than chance without privacy."""
    study = at(figure1(rows=200, features=5, repeats=6, seed=3), "0.1", "20")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "EFFORT", module.Effort(8, 3, 4))
        return run(study, tmp_path_factory.mktemp("figure1"), processes=1)


def test_large_epsilons_come_near_to_no_privacy_and_small_ones_do_not(outcome):
    found = averages(outcome.rows, (1, 2), 4)
    best = found["no privacy", None].mean
    for name in ("Laplace", "our best"):
        assert found[name, 20.0].mean > best - 0.04
        assert found[name, 20.0].mean > found[name, 0.1].mean
    assert found["sampler", 0.1].mean < best - 0.05


def test_only_the_printed_sampler_spends_more_than_it_says(outcome):
    for _, name, epsilon, true, accuracy in outcome.rows:
        assert 0 <= accuracy <= 1
        if name == "sampler as printed":
            assert true > 5 * epsilon
        elif name != "no privacy":
            assert true == epsilon


def test_the_printed_sampler_has_no_point_where_it_is_not_defined(outcome):
    assert {row[2] for row in outcome.rows if row[1] == "sampler as printed"} == {20.0}
    assert {row[1] for row in outcome.rows} == {"no privacy", *CONTENDERS}


def test_the_picture_says_what_our_best_is(outcome, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(figure1_page, "plot_curves", lambda curves, chart, *_: drawn.append((curves, chart)))
    write_figure1(outcome, tmp_path, 1.0)
    ((curves, chart),) = drawn
    assert "our best" in [curve.label for curve in curves]
    assert "\nour best: the mechanism with the least predicted error" in chart.note


def test_the_files_hold_what_was_found(outcome, tmp_path):
    csv_path, png, svg, page = write_figure1(outcome, tmp_path, 1.0)
    with csv_path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    assert tuple(lines[0]) == COLUMNS == ("repeat", "mechanism", "epsilon", "true_epsilon", "accuracy")
    assert len(lines) == 1 + len(outcome.rows)
    assert [float(line[4]) for line in lines[1:]] == [row[4] for row in outcome.rows]
    assert png.stat().st_size < 150_000
    assert "true epsilon" in page.read_text(encoding="utf-8")
    assert svg.read_text(encoding="utf-8").startswith("<?xml")


def test_a_partial_study_says_so_on_its_page(outcome, tmp_path):
    partial = Outcome(outcome.study, 2, tuple(row for row in outcome.rows if row[0] < 2))
    page = write_figure1(partial, tmp_path, 1.0)[3].read_text(encoding="utf-8")
    assert "partial: 2 of 6" in page
    assert "2 of 6" in page.split("What was run")[1]


def test_public_records_may_have_any_number_of_levels(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "EFFORT", module.Effort(4, 1, 4))
    generator = np.random.default_rng(1)
    label = generator.integers(0, 3, 300)
    frame = pl.DataFrame({"label": label, "twin": label, "other": generator.integers(0, 2, 300)})
    frame.write_csv(tmp_path / "public.csv")
    study = at(figure1(rows=200, repeats=1, data=str(tmp_path / "public.csv"), target="label"), "20")
    rows = run(study, tmp_path, processes=1).rows
    assert {row[1] for row in rows} == {"no privacy", "Laplace", "sampler", "MAP", "our best"}  # the others need two levels
    assert rows[0][4] == 1
    with pytest.raises(DataError, match="--target"):
        study.work({**study.settings, "target": "missing"}, 0)
    with pytest.raises(DataError, match="--rows"):
        study.work({**study.settings, "rows": 300}, 0)
