"""How far one record moves the score of candidate parameters, and how good the chosen one will be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from discreet.arrays import Floats
from discreet.balls import ball, rounded_up, working_precision
from discreet.model.network import Network

__all__ = ["candidate_oscillation", "map_failure"]

_PRECISION = 192
_PLACES = 64


def candidate_oscillation(network: Network, candidates: Sequence[Mapping[str, Floats]]) -> Fraction:
    """The most that replacing one record can change differences of log-likelihoods between the candidates; rounded up.

    Claim:      for every pair of records, g = log p(x) - log p(y) oscillates over the candidates by at most the sum over
                families of r_i + r'_i, the two largest ranges max log theta_u - min log theta_u of the cells u of table i: the
                records pass one cell of each table each, and if it is the same cell the two terms cancel.
                                                                                                [GUARANTEES 4.2]
    Requires:   positive tables, read as exact numbers; they need not sum to one exactly.
    Checked by: tests/unit/measure/strategies/test_candidates.py::test_the_oscillation_covers_every_replacement
    """
    total = Fraction(0)
    with working_precision(_PRECISION):
        for family in network.families:
            stacked = np.stack([tables[family.node] for tables in candidates])
            low, high = stacked.min(axis=0).ravel().tolist(), stacked.max(axis=0).ravel().tolist()
            ranges = sorted(
                rounded_up(ball(Fraction(most) / Fraction(least)).log(), _PLACES)
                for least, most in zip(low, high, strict=True)
            )
            total += ranges[-1] + ranges[-2]
    return total


def map_failure(exponent: float, distance: float, mass: float) -> float:
    """A bound on the probability that the chosen parameters score worse than the best by more than twice the distance.

    Claim:      if theta is drawn with density proportional to exp(exponent u(theta)) against a base measure, then
                Pr[u < u* - 2 t] <= exp(-exponent t) / mass, mass the base measure of {u > u* - t}. Proof: outside the larger
                set the density is at most exp(exponent (u* - 2 t)), inside the smaller one at least exp(exponent (u* - t)).
                The paper's bound has exponent epsilon where its mechanism has epsilon / (2 Delta). [Paper, Lemma 4; GUARANTEES
                4.3]
    Requires:   distance > 0; 0 < mass <= 1.
    Checked by: tests/paper/test_lemma_4.py::test_the_corrected_bound_holds_where_the_printed_one_fails
    """
    return min(1.0, math.exp(-exponent * distance) / mass)
