"""What was found about a question: the numbers of an answer, apart from its words."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.arrays import Floats

__all__ = ["Found"]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Probabilities of the levels of the targets, the ends of their intervals, which share of these is noise, and doubts."""

    probability: Floats
    lower: Floats | None = None
    upper: Floats | None = None
    noise: Floats | None = None
    caution: str | None = None
