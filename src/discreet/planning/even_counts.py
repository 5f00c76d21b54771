"""Theorem 1 without data: the divergence that noise brings if records are spread evenly over all parent configurations."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

from discreet.model.network import Network
from discreet.theorems.of_true_counts import expected_divergence_bound

__all__ = ["divergence_at_even_counts"]


def divergence_at_even_counts(network: Network, rows: int, scale: Fraction) -> float:
    """A bound on the expected divergence of the released posterior from the exact one, at even counts; in nats.

    Claim:      ``expected_divergence_bound`` for a uniform prior and rows / cells records, rounded, in every cell of every
                family. A function of public quantities: it may be shown to anybody, and says little about uneven data.
                                                                                      [Paper, Theorem 1; GUARANTEES 1.4 (c)]
    Requires:   variables of two levels; noise of ``scale`` on every count, clamped to [0, rows].
    Checked by: tests/unit/planning/test_plan.py::test_the_divergence_of_even_counts_is_that_of_the_steward
    """
    alike: Counter[int] = Counter()
    for family in network.families:
        alike[family.cells] += family.configurations
    return math.fsum(
        repeats * expected_divergence_bound((1, 1), [[round(rows / cells)] * 2], scale, rows)
        for cells, repeats in alike.items()
    )
