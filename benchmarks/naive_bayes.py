"""Counts of naive Bayes: a label and sixteen features, all of them binary, one byte per value, in memory."""

from __future__ import annotations

from functools import partial

import numpy as np

import discreet as dc

from . import peers
from .counting import LIMIT, count, read_once
from .results import OURS, Goal, Kind, Row
from .timing import measured

_LABEL, _FEATURES = "label", [f"feature_{number}" for number in range(16)]
_BERNOULLI, _ONE_THREAD = "scikit-learn BernoulliNB, float64", "the same, one BLAS thread"
_CATEGORICAL = "scikit-learn CategoricalNB, int64"


def run() -> list[Row]:
    """A million and ten million rows; CategoricalNB stops at a million."""
    network = dc.naive_bayes(_LABEL, _FEATURES)
    generator = np.random.default_rng(5)
    codes = {node: (generator.random(10_000_000) < 0.3).astype(np.uint8) for node in network.nodes}
    goals = {_BERNOULLI: Goal(Kind.FASTER, 20), _ONE_THREAD: Goal(Kind.FASTER, 20)}
    rows = []
    for size in (1_000_000, 10_000_000):
        part = {node: column[:size] for node, column in codes.items()}
        contenders = {
            OURS: lambda part=part: partial(count, network, part),
            LIMIT: lambda part=part: partial(read_once, part),
            _BERNOULLI: lambda part=part: peers.bernoulli_naive_bayes(part, _LABEL),
            _ONE_THREAD: lambda part=part: peers.bernoulli_naive_bayes_on_one_thread(part, _LABEL),
        }
        if size <= 1_000_000:
            contenders[_CATEGORICAL] = lambda part=part: peers.categorical_naive_bayes(part, _LABEL)
        else:  # fewer bytes than these stay in the cache between two calls, and reading them from memory is the limit
            goals[LIMIT] = Goal(Kind.SLOWER, 3)
        rows += measured("naive_bayes", f"{size:,} rows", contenders, goals, repeats=9 if size <= 1_000_000 else 5)
    return rows
