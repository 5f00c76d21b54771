"""Probabilities that were drawn evenly: their mean entropy, and how much a parent and its child have in common."""

from __future__ import annotations

import math
from functools import lru_cache

__all__ = ["even_dependence", "even_entropy"]


@lru_cache(maxsize=4096)
def even_entropy(size: int) -> float:
    """The mean entropy of probabilities of so many levels that were drawn evenly."""
    return math.fsum(1 / number for number in range(2, size + 1))


@lru_cache(maxsize=4096)
def even_dependence(configurations: int, size: int) -> float:
    """The mean mutual information of a node of so many levels and a parent of so many, if all tables are equally likely.

    The mean of several even rows is about a Dirichlet with their variance: its entropy is known, and so is that of a row.
    """
    if configurations < 2 or size < 2:
        return 0.0
    weight = configurations * (size + 1) - 1.0
    return _digamma(weight + 1) - _digamma(weight / size + 1) - even_entropy(size)


def _digamma(value: float) -> float:
    """The derivative of the logarithm of the gamma function, for positive numbers: by its recurrence and a series."""
    found = 0.0
    while value < 8:
        found -= 1 / value
        value += 1
    square = 1 / value**2
    return found + math.log(value) - 0.5 / value - square * (1 / 12 - square * (1 / 120 - square / 252))
