"""A statement of the paper, our verdict on it, and a computation that would contradict the verdict if it were wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from discreet.model.network import Network
from discreet.model.templates import naive_bayes
from discreet.model.variable import Variable

__all__ = ["Evidence", "Statement", "chain", "independent", "naive_bayes_16"]


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
