"""What the study of real tables found, a value of each measure for each data set, and the file that keeps it."""

from __future__ import annotations

import json
import math
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import discreet as dc

__all__ = ["MEASURES", "NOT_PRIVATE", "Found", "Measured", "Setting", "commit", "read_found", "write_found"]

MEASURES = (
    "queries", "queries between", "entries", "error", "divergence", "query width", "entry width", "seconds", "R-hat",
)  # fmt: skip
"""Shares of intervals that hold the truth: of all queries, of those whose truth is not near 0 or 1, of entries of tables whose
truth is not; how far off answers are and the whole network is; how wide intervals are; seconds of one core for the posterior;
how well the chains agree on the query on which they agree worst."""
NOT_PRIVATE = "none"
"""The epsilon of those who see the records themselves."""


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """Who is measured where."""

    network: str
    rows: int
    epsilon: str
    contender: str


@dataclass(frozen=True, slots=True)
class Measured:
    """What a setting gave, and the commit of the library that gave it."""

    commit: str
    values: dict[str, list[float | None]] = field(default_factory=lambda: {measure: [] for measure in MEASURES})

    @property
    def sets(self) -> int:
        """How many data sets there were."""
        return len(self.values["seconds"])

    def plus(self, further: dict[str, float | None]) -> Measured:
        """With one more data set."""
        return Measured(self.commit, {measure: [*self.values[measure], _short(further[measure])] for measure in MEASURES})

    def mean(self, measure: str) -> tuple[float, float]:
        """The mean over data sets that have such a value, and its standard error."""
        values = [value for value in self.values[measure] if value is not None]
        if not values or not np.isfinite(values).all():
            return (math.inf if values else math.nan), math.nan
        error = np.std(values, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
        return float(np.mean(values)), float(error)


Found = dict[Setting, Measured]


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def commit() -> str:
    """The last commit that changed the library that is measured. It must be all there is of it, or results would lie."""
    source = Path(dc.__file__).parent
    if _git(source, "status", "--porcelain", "--", "."):
        raise SystemExit(f"Commit what was changed in {source} first: results are kept with the commit they were made with.")
    return _git(source, "log", "-1", "--format=%h %s", "--", ".")


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True).stdout.strip()


def read_found(path: Path) -> Found:
    """Results by setting; none if there is no file."""
    if not path.exists():
        return {}
    return {
        Setting(row["network"], row["records"], row["epsilon"], row["contender"]): Measured(
            row["commit"], {measure: row[measure] for measure in MEASURES}
        )
        for row in json.loads(path.read_text(encoding="utf-8"))
    }


def write_found(path: Path, found: Found) -> None:
    """One line for each setting. The old file stays until the new one is whole."""
    rows = [
        {"network": setting.network, "records": setting.rows, "epsilon": setting.epsilon, "contender": setting.contender}
        | {"commit": found[setting].commit}
        | found[setting].values
        for setting in sorted(found)
    ]
    whole = path.with_suffix(".part")
    whole.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")
    whole.replace(path)
