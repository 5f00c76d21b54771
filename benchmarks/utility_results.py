"""What a run of the benchmark of utility leaves behind: the scores of every split, and the file that holds them."""

from __future__ import annotations

import json
import math
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

__all__ = ["MEASURES", "Difference", "Score", "UtilityResults", "read_utility", "versions", "write_utility"]

MEASURES = {"accuracy": 1, "log-loss": -1}
"""What is measured, and whether more of it is better."""


@dataclass(frozen=True, slots=True)
class Score:
    """How one contender did on one split."""

    data: str
    epsilon: str
    contender: str
    split: int
    accuracy: float
    log_loss: float

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


@dataclass(frozen=True, slots=True)
class UtilityResults:
    """All scores of a run."""

    versions: dict[str, str]
    scores: tuple[Score, ...]
    seconds: float

    def values(self, data: str, epsilon: str, contender: str, measure: str) -> dict[int, float]:
        """Split -> what was measured."""
        wanted = (data, epsilon, contender)
        return {one.split: one.measure(measure) for one in self.scores if (one.data, one.epsilon, one.contender) == wanted}

    def gain(self, data: str, epsilon: str, contender: str, reference: str, measure: str) -> Difference | None:
        """By how much a contender is better than the reference, split by split; None unless both ran on two splits or more."""
        one, other = (self.values(data, epsilon, name, measure) for name in (contender, reference))
        both = sorted(one.keys() & other.keys())
        if len(both) < 2:
            return None
        better = MEASURES[measure] * np.array([one[split] - other[split] for split in both])
        return Difference(float(better.mean()), float(better.std(ddof=1) / math.sqrt(len(better))))


def versions() -> dict[str, str]:
    """What was compared."""
    found = {"Python": platform.python_version()}
    for package in ("discreet", "mbi"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def write_utility(results: UtilityResults, path: Path) -> None:
    """Write one line for each contender at each epsilon, with five decimals: less than a record in the test part."""
    grouped: dict[tuple[str, str, str], list[Score]] = {}
    for score in sorted(results.scores, key=lambda score: (score.data, score.epsilon)):
        grouped.setdefault((score.data, score.epsilon, score.contender), []).append(score)
    lines = [
        json.dumps([*case, [[one.split, round(one.accuracy, 5), round(one.log_loss, 5)] for one in scores]])
        for case, scores in grouped.items()
    ]
    head = f'"versions": {json.dumps(results.versions)},\n"seconds": {results.seconds:.0f}'
    path.write_text(f'{{\n{head},\n"scores": [\n' + ",\n".join(lines) + "\n]\n}\n", encoding="utf-8")


def read_utility(path: Path) -> UtilityResults:
    """Read what ``write_utility`` wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    scores = tuple(Score(*case, *one) for *case, splits in content["scores"] for one in splits)
    return UtilityResults(content["versions"], scores, content["seconds"])
