"""What a type checker knows about a release. `make check` runs mypy on this file; pytest runs it for the values."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import polars as pl

import discreet as dc

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
