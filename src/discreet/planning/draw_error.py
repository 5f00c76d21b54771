"""How far released draws will be from the truth: a prediction from the graph and the number of records, for choosing a law.

Records are taken to spread evenly over parent configurations and levels, and true split probabilities to be anything between
0 and 1 alike. It is a prediction, not a bound.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.measure.strategies.draw_law import DrawLaw
from discreet.model.network import Network
from discreet.model.splits import splits

__all__ = ["draw_error"]

_TRUTHS = (np.arange(12) + 0.5) / 12
_PLACES = (np.arange(600) + 0.5) / 600


def draw_error(network: Network, rows: int, law: DrawLaw, draws: int = 1) -> float:
    """Predicted mean absolute error of a split probability, estimated by the average of the draws.

    Claim:      depends on public quantities alone.
    Requires:   rows >= 1, draws >= 1.
    Checked by: tests/unit/planning/test_draw_error.py::test_the_prediction_is_near_the_error_that_happens
    """
    sizes: Counter[Fraction] = Counter()
    for family in network.families:
        for split in splits(family.levels):
            share = Fraction(split.end - split.start, family.levels)
            sizes[rows * share / family.configurations] += family.configurations
    total = sum(sizes.values())
    return sum(count * _error(size, law, draws) for size, count in sizes.items()) / total


@lru_cache(maxsize=4096)
def _error(records: Fraction, law: DrawLaw, draws: int) -> float:
    """The error of one split that so many records pass, averaged over truths."""
    floor, strength = float(law.floor), float(law.temper) * float(records)
    places = floor + (1 - 2 * floor) * _PLACES
    truths = _TRUTHS[:, None]
    log_density = strength * (truths * np.log(places) + (1 - truths) * np.log1p(-places))
    weights = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    mean = weights @ places
    variance = weights @ places**2 - mean**2
    # Where the law is narrower than the places it is looked at, they see no variance; the asymptotic one is then right.
    variance = np.maximum(variance, 0) + np.where(variance < 1e-12, _TRUTHS * (1 - _TRUTHS) / (strength + 1), 0)
    sampling = _TRUTHS * (1 - _TRUTHS) / max(float(records), 1.0) * (strength / (strength + 2)) ** 2
    squared = (mean - _TRUTHS) ** 2 + variance / draws + sampling
    return float(np.sqrt(2 / math.pi * squared).mean())
