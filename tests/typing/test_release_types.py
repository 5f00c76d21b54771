"""What a type checker knows about a release. `make check` runs mypy on this file; pytest runs it for the values."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import polars as pl

import discreet as dc

LINE = dc.LinearModel({"x": (0, 1)}, ("t", (0, 1)))
NUMBERS = pl.DataFrame({"x": [0.1, 0.9] * 20, "t": [0.2, 0.7] * 20})
NETWORK = dc.naive_bayes("y", ["a"])
RECORDS = pl.DataFrame({"y": ["0", "1"] * 20, "a": ["1", "1"] * 20})


def test_the_posterior_of_noisy_counts_knows_about_the_noise() -> None:
    made = dc.release(RECORDS, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited())
    assert_type(made, dc.Release[dc.DirichletPosterior])
    assert_type(made.posterior, dc.NoiseAwarePosterior | dc.DirichletPosterior)
    assert isinstance(made.posterior, dc.NoiseAwarePosterior)
    assert_type(made.posterior.query("y", interval=None)["0"], float)


def test_the_posterior_of_draws_is_the_draws() -> None:
    made = dc.release(RECORDS, NETWORK, dc.Sampler("1"), ledger=dc.Ledger.unlimited())
    assert_type(made.posterior, dc.PosteriorDraws)
    assert made.posterior is made.value


def test_who_loads_a_file_must_ask_what_is_in_it(tmp_path: Path) -> None:
    dc.release(RECORDS, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited()).save(tmp_path / "release.json")
    posterior = dc.load(tmp_path / "release.json").posterior
    assert_type(posterior, dc.ReleasedPosterior)
    assert isinstance(posterior, dc.Posterior)
    assert_type(posterior.query("y", interval=None).most_probable, str | tuple[str, ...])


def test_the_posterior_is_made_once() -> None:
    made = dc.release(RECORDS, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited())
    assert made.posterior is made.posterior


def test_lines_and_networks_are_released_and_planned_in_one_way() -> None:
    made = dc.release(NUMBERS, LINE, dc.RegressionMoments("1"), ledger=dc.Ledger.unlimited())
    assert_type(made, dc.Release[dc.RegressionPosterior])
    assert_type(made.posterior, dc.RegressionPosterior)
    assert_type(dc.plan(LINE, rows=10, epsilon="1")["regression-moments"], dc.Plan)
    assert_type(dc.plan(NETWORK, rows=10, epsilon="1")["laplace"], dc.Plan)
    assert made.posterior.model is LINE
