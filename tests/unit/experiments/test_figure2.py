"""Figure 2, shrunken: orderings that are safe, costs, its table, and files instead of the synthetic census."""

import csv

import numpy as np
import polars as pl
import pytest

from discreet import DataError
from discreet.experiments.figure2 import COLUMNS, ESTIMATORS, PRECISIONS, SAMPLER, figure2, write_figure2
from discreet.experiments.study import averages, run


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """A tenth of the size. The chains that learn the noise run in the test of another file alone."""
    study = figure2(rows=40_000, repeats=1, seed=3)
    study.settings["precisions"][:] = [1, 10_000]
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(ESTIMATORS, "noisy moments, noise learned, at epsilon 1")
        return run(study, tmp_path_factory.mktemp("figure2"), processes=1)


def test_small_balls_are_cheap_and_useless(outcome):
    found = averages(outcome.rows, (1, 2), 5)
    assert found[SAMPLER, 10_000].mean > 3 * found[SAMPLER, 1].mean
    assert found[SAMPLER, 1].mean < 1.2 * found["no privacy", 1].mean
    assert found["sampler at epsilon 1", 1].mean > found[SAMPLER, 1].mean


def test_the_true_epsilon_is_that_of_the_radius_and_the_printed_one_is_far_from_it(outcome):
    costs = {row[2]: (row[3], row[4]) for row in outcome.rows if row[1] == SAMPLER}
    assert costs[1][0] == 121
    assert costs[10_000][0] == pytest.approx(0.4)
    assert all(printed > 1000 * true for true, printed in costs.values())
    tempered = {row[2]: row[3] for row in outcome.rows if row[1] == "sampler at epsilon 1"}
    assert tempered == {1: 1.0, 10_000: pytest.approx(0.4)}  # no more is charged than a whole draw costs
    assert {row[3] for row in outcome.rows if row[1].startswith("noisy moments")} == {1.0}


def test_the_error_is_that_of_the_predictions(outcome):
    """Without privacy and with hardly any prior it is the residual variance, about a quarter squared."""
    assert averages(outcome.rows, (1, 2), 5)["no privacy", 1].mean == pytest.approx(0.0635, rel=0.05)


def test_the_files_hold_what_was_found(outcome, tmp_path):
    csv_path, png, _, page = write_figure2(outcome, tmp_path, 1.0)
    with csv_path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    assert tuple(lines[0]) == COLUMNS
    assert len(lines) == 1 + 2 * (len(ESTIMATORS) - 1)
    assert png.stat().st_size < 150_000
    assert "| bounds | declared |" in page.read_text(encoding="utf-8")


def test_bounds_of_another_file_are_read_off_it_and_said_to_be(tmp_path):
    generator = np.random.default_rng(1)
    x = generator.uniform(5, 9, 400)
    frame = pl.DataFrame({"x": x, "y": 3 * x, "name": ["a"] * 400, "same": [1] * 400})
    frame.write_parquet(tmp_path / "public.parquet")
    study = figure2(repeats=1, data=str(tmp_path / "public.parquet"), target="y")
    assert study.settings["bounds"] == "read off the public file"
    study.settings["precisions"][:] = [PRECISIONS[0]]
    rows = run(study, tmp_path, processes=1).rows
    assert rows[0][1] == "no privacy"
    assert rows[0][5] < 0.01
    with pytest.raises(DataError, match="--target"):
        figure2(data=str(tmp_path / "public.parquet"), target="z")
    with pytest.raises(DataError, match="numeric"):
        figure2(data=str(tmp_path / "public.parquet"), target="name")
