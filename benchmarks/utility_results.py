"""What runs of the benchmark of utility leave behind: the scores of every split, which run each is from, and their file."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

__all__ = ["MEASURES", "Difference", "Run", "Score", "UtilityResults", "read_utility", "versions", "write_utility"]

MEASURES = {"accuracy": 1, "log-loss": -1}
"""What is measured, and whether more of it is better."""


@dataclass(frozen=True, slots=True)
class Run:
    """What was run: the commit of the library, and the versions of what was compared."""

    commit: str
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """How one contender did on one split, in which run."""

    data: str
    epsilon: str
    contender: str
    split: int
    accuracy: float
    log_loss: float
    run: Run

    @property
    def case(self) -> tuple[str, str, str]:
        """Who was measured where: all splits of a case are from one run."""
        return self.data, self.epsilon, self.contender

    def measure(self, name: str) -> float:
        """One of the two by its name."""
        return self.accuracy if name == "accuracy" else self.log_loss


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better a contender is than another on the same splits: mean and standard error."""

    mean: float
    error: float

    @property
    def ahead(self) -> bool:
        """Whether it is better by more than two standard errors."""
        return self.mean > 2 * self.error


@dataclass(frozen=True)
class UtilityResults:
    """All scores, and how long each run took."""

    scores: tuple[Score, ...] = ()
    seconds: Mapping[Run, float] = field(default_factory=dict)

    @cached_property
    def cases(self) -> dict[tuple[str, str, str], list[Score]]:
        """The scores of each case."""
        found: dict[tuple[str, str, str], list[Score]] = {}
        for score in self.scores:
            found.setdefault(score.case, []).append(score)
        return found

    def values(self, data: str, epsilon: str, contender: str, measure: str) -> dict[int, float]:
        """Split -> what was measured."""
        return {one.split: one.measure(measure) for one in self.cases.get((data, epsilon, contender), ())}

    def gain(self, data: str, epsilon: str, contender: str, reference: str, measure: str) -> Difference | None:
        """By how much a contender is better than the reference, split by split; None unless both ran on two splits or more."""
        one, other = (self.values(data, epsilon, name, measure) for name in (contender, reference))
        both = sorted(one.keys() & other.keys())
        if len(both) < 2:
            return None
        better = MEASURES[measure] * np.array([one[split] - other[split] for split in both])
        return Difference(float(better.mean()), float(better.std(ddof=1) / math.sqrt(len(better))))

    def splits(self, data: str, epsilon: str) -> list[int]:
        """On which splits anybody was measured."""
        return sorted({score.split for score in self.scores if (score.data, score.epsilon) == (data, epsilon)})

    def due(self, data: str, epsilon: str, contenders: Iterable[str], run: Run) -> list[str]:
        """Who was not measured yet in this run."""
        stored = {name: self.cases.get((data, epsilon, name), ()) for name in contenders}
        return [name for name, scores in stored.items() if all(score.run != run for score in scores)]

    def renew(self, scores: Iterable[Score], run: Run, seconds: float) -> UtilityResults:
        """With the scores of more cases from a run, in the place of their older ones; all others stay as they are."""
        cases = {**self.cases, **UtilityResults(tuple(scores)).cases}
        whole = tuple(score for scores in cases.values() for score in scores)
        taken = {**self.seconds, run: self.seconds.get(run, 0) + seconds}
        alive = {score.run for score in whole}
        return UtilityResults(whole, {one: time for one, time in taken.items() if one in alive})


def versions() -> tuple[tuple[str, str], ...]:
    """What was compared."""
    found = {"Python": platform.python_version()}
    for package in ("discreet", "mbi"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return tuple(found.items())


def write_utility(results: UtilityResults, path: Path) -> None:
    """One line for each case, with its run and five decimals: less than a record in the test part.

    The old file stays until the new one is whole.
    """
    runs = list(results.seconds)
    lines = [
        json.dumps([*case, runs.index(scores[0].run), [_short(one) for one in scores]])
        for case, scores in sorted(results.cases.items(), key=lambda item: item[0][:2])
    ]
    heads = [
        json.dumps({"commit": run.commit, "versions": dict(run.versions), "seconds": round(seconds)})
        for run, seconds in results.seconds.items()
    ]
    part = path.with_suffix(".part")
    content = '{\n"runs": [\n' + ",\n".join(heads) + '\n],\n"scores": [\n' + ",\n".join(lines) + "\n]\n}\n"
    part.write_text(content, encoding="utf-8")
    part.replace(path)


def _short(score: Score) -> tuple[int, float, float]:
    return score.split, round(score.accuracy, 5), round(score.log_loss, 5)


def read_utility(path: Path) -> UtilityResults:
    """Read what ``write_utility`` wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    seconds = {Run(run["commit"], tuple(run["versions"].items())): run["seconds"] for run in content["runs"]}
    runs = list(seconds)
    scores = tuple(Score(*case, *one, runs[run]) for *case, run, splits in content["scores"] for one in splits)
    return UtilityResults(scores, seconds)
