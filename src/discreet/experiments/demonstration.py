"""The main job from end to end on synthetic patients: a steward releases, a third party uses what was released."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from discreet.experiments.chest_clinic import QUESTIONS, Question, chest_clinic
from discreet.inference.query import query_draws
from discreet.kernel.ledger import Ledger
from discreet.mechanisms import Laplace, release
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.release_file.writer import load
from discreet.releases import Release

if TYPE_CHECKING:
    from discreet.arrays import Floats
    from discreet.posterior.posterior import Posterior

__all__ = ["Demonstration", "Finding", "demonstrate"]

PATIENTS, OWN_PATIENTS, DRAWS = 10_000, 500, 1000
_SEED = 1988  # of the synthetic patients, who are public; the noise has no seed


@dataclass(frozen=True, slots=True)
class Finding:
    """One question with its true answer and the beliefs of those who ask it, as draws of the answer."""

    question: Question
    truth: float
    without_privacy: Floats
    released: Floats
    updated: Floats


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What the demonstration did and where it left its files."""

    release: Release[DirichletPosterior]
    findings: tuple[Finding, ...]
    own_rows: int
    folder: Path


def demonstrate(folder: Path) -> Demonstration:
    """Make patients, release their posterior at epsilon 1, and use it as a third party with patients of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    truth = chest_clinic()
    generator = np.random.default_rng(_SEED)
    patients = truth.sample(PATIENTS, generator)

    # The steward. These patients are new, so they get a budget of their own.
    ledger = Ledger(folder / "clinic.ledger", cap="1", dataset=f"patients {datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}")
    release(patients, truth.network, Laplace(epsilon="1"), ledger=ledger).save(folder / "clinic.json", overwrite=True)

    # The third party, who has the file and patients of its own.
    received = cast("Release[DirichletPosterior]", load(folder / "clinic.json"))
    updated = received.posterior.update(truth.sample(OWN_PATIENTS, generator))

    exact = DirichletPosterior(truth.network).update(patients)
    beliefs = (exact, received.posterior, updated)
    findings = tuple(_finding(question, truth, beliefs, generator) for question in QUESTIONS)
    return Demonstration(received, findings, OWN_PATIENTS, folder)


def _finding(
    question: Question, truth: Posterior, beliefs: tuple[Posterior, Posterior, Posterior], generator: np.random.Generator
) -> Finding:
    level = truth.network.level_index(question.target, question.level)
    answers = [query_draws(belief, question.target, question.given, DRAWS, generator)[level] for belief in beliefs]
    known = truth.query(question.target, question.given, interval=None)[question.level]
    return Finding(question, known, *answers)
