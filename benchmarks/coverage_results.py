"""What the study of coverage found, by setting, and the file that keeps it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["KINDS", "Result", "Setting", "Tally", "read_results", "write_results"]

KINDS = ("roots", "others", "queries", "plug-in roots", "plug-in others")


@dataclass(frozen=True, slots=True)
class Setting:
    """One cell of the study."""

    network: str
    mechanism: str
    epsilon: str
    rows: int


@dataclass(slots=True)
class Tally:
    """Intervals that hold the truth, and all intervals."""

    held: int = 0
    asked: int = 0

    def add(self, truth: Any, lower: Any, upper: Any) -> None:
        """Count the intervals of one table."""
        inside = (np.asarray(lower) <= truth) & (truth <= np.asarray(upper))
        self.held += int(inside.sum())
        self.asked += inside.size

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.held + other.held, self.asked + other.asked)

    @property
    def share(self) -> float:
        """Which share of the intervals holds the truth."""
        return self.held / self.asked if self.asked else float("nan")


@dataclass(frozen=True, slots=True)
class Result:
    """What one setting gave: how many data sets, seconds of one core for each, and the intervals."""

    sets: int
    seconds: float
    tallies: dict[str, Tally]


def read_results(path: Path) -> dict[Setting, Result]:
    """Results by setting; none if there is no file."""
    if not path.exists():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {
        Setting(row["network"], row["mechanism"], row["epsilon"], row["records"]): Result(
            row["sets"], row["seconds"], {kind: Tally(*row["held of asked"][kind]) for kind in KINDS}
        )
        for row in rows
    }


def write_results(path: Path, results: dict[Setting, Result], study: list[Setting]) -> None:
    """One line for each setting, in the order of the study."""
    order = {setting: place for place, setting in enumerate(study)}
    rows = [
        {
            "network": setting.network,
            "mechanism": setting.mechanism,
            "epsilon": setting.epsilon,
            "records": setting.rows,
            "sets": result.sets,
            "seconds": round(result.seconds, 2),
            "held of asked": {kind: [tally.held, tally.asked] for kind, tally in result.tallies.items()},
        }
        for setting, result in sorted(results.items(), key=lambda item: order.get(item[0], len(order)))
    ]
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")
