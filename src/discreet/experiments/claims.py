"""Every statement of the paper, examined: `docs/paper-map.md` as computations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from discreet.experiments.claims_fourier import FOURIER
from discreet.experiments.claims_laplace import LAPLACE
from discreet.experiments.claims_regression import REGRESSION
from discreet.experiments.claims_sampling import PREDICTIVE, SAMPLING
from discreet.experiments.evidence import Statement

__all__ = ["STATEMENTS", "Finding", "examine"]

STATEMENTS: tuple[Statement, ...] = (*LAPLACE, *FOURIER, *SAMPLING, *REGRESSION, *PREDICTIVE)


@dataclass(frozen=True, slots=True)
class Finding:
    """A statement with what its examination found."""

    item: str
    verdict: str
    numbers: str
    agrees: bool

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can carry."""
        return asdict(self)


def examine(progress: Callable[[int], None] = lambda _: None) -> list[Finding]:
    """Examine every statement, in the paper's order."""
    findings = []
    for place, statement in enumerate(STATEMENTS, start=1):
        evidence = statement.examine()
        findings.append(Finding(statement.item, statement.verdict, evidence.numbers, bool(evidence.agrees)))
        progress(place)
    return findings
