"""Every statement of the paper, examined: `docs/paper-map.md` as computations.

A statement has our verdict on it, and a computation that would contradict the verdict if it were wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from discreet.model.network import Network
from discreet.model.templates import naive_bayes
from discreet.model.variable import Variable

__all__ = ["Evidence", "Finding", "Statement", "chain", "examine", "independent", "naive_bayes_16", "statements"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was computed, in words and numbers, and whether it bears the verdict out."""

    numbers: str
    agrees: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """One item of the paper. ``verdict`` is holds, sharpened, corrected or rejected."""

    item: str
    verdict: str
    examine: Callable[[], Evidence]


def naive_bayes_16() -> Network:
    """The network of the paper's first experiment: a class and sixteen features."""
    return naive_bayes("y", [f"x{place}" for place in range(16)])


def independent(nodes: int) -> Network:
    """Binary nodes without edges."""
    return Network([Variable(f"x{place}", ["0", "1"]) for place in range(nodes)], {})


def chain(nodes: int) -> Network:
    """Binary nodes, each the parent of the next."""
    names = [f"x{place}" for place in range(nodes)]
    return Network([Variable(name, ["0", "1"]) for name in names], {after: [before] for before, after in pairwise(names)})


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


def statements() -> tuple[Statement, ...]:
    """All of them, in the paper's order."""
    # Asked for here and not above: these files are written in the words that this one defines.
    from discreet.experiments.claims_noise import FOURIER, LAPLACE
    from discreet.experiments.claims_sampling import PREDICTIVE, REGRESSION, SAMPLING

    return (*LAPLACE, *FOURIER, *SAMPLING, *REGRESSION, *PREDICTIVE)


def examine(progress: Callable[[int], None] = lambda _: None) -> list[Finding]:
    """Examine every statement, in the paper's order."""
    findings = []
    for place, statement in enumerate(statements(), start=1):
        evidence = statement.examine()
        findings.append(Finding(statement.item, statement.verdict, evidence.numbers, bool(evidence.agrees)))
        progress(place)
    return findings
