"""The main job from end to end on synthetic patients: a steward releases, a third party uses what was released."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from discreet.errors import DiscreetError, FormatError
from discreet.experiments.chest_clinic import QUESTIONS, Question, chest_clinic
from discreet.inference.query import query_draws
from discreet.kernel.ledger import Ledger
from discreet.mechanisms import Laplace, release
from discreet.output_file import write_atomically
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.release_file.document import load
from discreet.releases import Release

if TYPE_CHECKING:
    from discreet.arrays import Floats
    from discreet.posterior.posterior import Posterior

__all__ = ["PAGE", "PICTURE", "Demonstration", "Finding", "check_folder", "demonstrate"]

RELEASE, LEDGER, PICTURE, PAGE = "clinic.json", "clinic.ledger", "posteriors.png", "clinic.html"
_DATASET = re.compile(r"patients \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}")
"""What the demonstration calls its patients in a ledger. By this it knows its own files again."""
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


def check_folder(folder: Path, *, overwrite: bool = False) -> None:
    """Refuse a folder with files of somebody else where the demonstration would put its own. A ledger is never replaced."""
    there = {name for name in (RELEASE, LEDGER, PICTURE, PAGE) if (folder / name).is_symlink() or (folder / name).exists()}
    own = {name for name, made_here in ((LEDGER, _own_ledger), (RELEASE, _own_release)) if made_here(folder / name)}
    # A picture and a page do not say who made them.
    own |= {name for name in (PICTURE, PAGE) if own and not (folder / name).is_symlink()}
    foreign = sorted(there - own)
    if LEDGER in foreign:
        raise FormatError(f"{str(folder)!r} holds a {LEDGER} that is not the demo's. It is left alone: choose another folder.")
    if foreign and not overwrite:
        raise FormatError(
            f"{str(folder)!r} holds {' and '.join(foreign)}, not made by the demo. Choose another folder, or replace what is "
            "there with overwrite=True."
        )


def _own_ledger(path: Path) -> bool:
    """Whether all data sets of a ledger are patients of earlier demonstrations."""
    if path.is_symlink():
        return False
    try:
        accounts = Ledger.datasets(path)
    except DiscreetError:
        return False
    return bool(accounts) and all(_DATASET.fullmatch(account.dataset) for account in accounts)


def _own_release(path: Path) -> bool:
    """Whether a release is of the patients of an earlier demonstration."""
    if path.is_symlink():
        return False
    try:
        receipts = load(path).receipts
    except DiscreetError:
        return False
    return bool(receipts) and all(_DATASET.fullmatch(receipt.dataset) for receipt in receipts)


def demonstrate(folder: Path, *, overwrite: bool = False) -> Demonstration:
    """Make patients, release their posterior at epsilon 1, and use it as a third party with patients of its own."""
    check_folder(folder, overwrite=overwrite)
    folder.mkdir(parents=True, exist_ok=True)
    truth = chest_clinic()
    generator = np.random.default_rng(_SEED)
    patients = truth.sample(PATIENTS, generator)

    # The steward. These patients are new, so they get a budget of their own.
    ledger = Ledger(folder / LEDGER, cap="1", dataset=f"patients {datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}")
    release(patients, truth.network, Laplace(epsilon="1"), ledger=ledger).save(folder / RELEASE, overwrite=True)

    # The third party, who has the file and patients of its own.
    received = cast("Release[DirichletPosterior]", load(folder / RELEASE))
    updated = received.posterior.update(truth.sample(OWN_PATIENTS, generator))

    exact = DirichletPosterior(truth.network).update(patients)
    beliefs = (exact, received.posterior, updated)
    write_atomically(folder / PAGE, received.to_html(file=RELEASE))
    findings = tuple(_finding(question, truth, beliefs, generator) for question in QUESTIONS)
    return Demonstration(received, findings, OWN_PATIENTS, folder)


def _finding(
    question: Question, truth: Posterior, beliefs: tuple[Posterior, Posterior, Posterior], generator: np.random.Generator
) -> Finding:
    level = truth.network.level_index(question.target, question.level)
    answers = [query_draws(belief, question.target, question.given, DRAWS, generator)[level] for belief in beliefs]
    known = truth.query(question.target, question.given, interval=None)[question.level]
    return Finding(question, known, *answers)
