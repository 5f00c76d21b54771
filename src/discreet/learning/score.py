"""How far a table of counts is from a public reference: what graphs are chosen by, in exact integers.

For counts c and a reference q > 0 the score of a cell is the largest of the straight lines t c - (e^t - 1) q over slopes t of
a grid from -B to B. Over all slopes the largest would be c ln(c / q) - c + q, the cell's part of the Kullback-Leibler
divergence, as long as |ln(c / q)| <= B, continued with slope B or -B: the derivative is clipped, as Huber does with squares.
The score of a table is the sum over its cells. Everything is a whole number of small units, so there is nothing to round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, WholeNumbers

__all__ = ["UNIT", "Curve", "divergence_curve", "expected_score", "public_reference", "score", "variation_curve"]

_STEPS = 64
"""Slopes are multiples of 1/64: of a table of n records the grid hides at most n / 32768 of the divergence."""
_REFERENCE_PLACES = 10
"""References are multiples of 2^-10 records."""
_DROP_PLACES = 14
"""Binary places of e^t - 1."""
_SCALE: int = 2**_REFERENCE_PLACES * 2**_DROP_PLACES
UNIT = _STEPS * _SCALE
"""Units of a score in one nat, for records."""
_TERMS = 20
_MOST = 2**62
_CELLS_AT_ONCE = 2**16
_NODES = 32


@dataclass(frozen=True, slots=True)
class Curve:
    """Straight lines: slopes in 1/64, and what each loses for one record of the reference, in units of 2^-14 / 64."""

    slopes: tuple[int, ...]
    drops: tuple[int, ...]

    @property
    def steepest(self) -> int:
        """The largest slope, whichever way."""
        return max(map(abs, self.slopes))

    def sensitivity(self, parts: int = 1) -> int:
        """How far replacing one contribution moves the score of a table, in units; it counts ``parts`` in the table.

        Claim:      at most 2 B, B the steepest slope, in units; attained. Proof: the score of a cell is the largest of lines
                    whose slopes are at most B either way. If the count grows by x, no line moves by more than B x, so
                    neither does the largest of them. One record, or one person in parts, takes cells of the table by x_i
                    up and by y_i down, the x_i and the y_i summing to one each, so the sum moves by at most 2 B. The
                    reference is public and stays. It does not matter where the lines lie, nor how many cells there are.
        Requires:   neighbours replace one record or person, and the reference does not depend on the records but through
                    what was published.
        Checked by: tests/unit/learning/test_score.py::test_no_neighbour_moves_a_score_by_more_than_the_sensitivity
                    tests/unit/learning/test_score.py::test_the_sensitivity_is_attained
                    tests/unit/learning/test_score.py::test_a_normalised_score_with_the_sensitivity_of_another_is_caught
        """
        return 2 * self.steepest * _SCALE * parts


@lru_cache(maxsize=16)
def divergence_curve(bound: Fraction) -> Curve:
    """The curve of the Kullback-Leibler divergence whose derivative is clipped at ``bound``.

    Claim:      drops are 64 * 2^14 (e^t - 1), rounded. Their rounding moves what a score means by less than q 2^-20 a cell,
                and its sensitivity not at all.
    Requires:   a bound that is a multiple of 1/64, at most 8.
    Checked by: tests/unit/learning/test_score.py::test_the_score_is_the_clipped_divergence
    """
    most = bound * _STEPS
    if most.denominator != 1 or not 1 <= most <= 8 * _STEPS:
        raise ValueError("The slopes of a score are clipped at a multiple of 1/64.")
    slopes = range(-int(most), int(most) + 1)
    return Curve(tuple(slopes), tuple(round(_STEPS * 2**_DROP_PLACES * _exponential(Fraction(t, _STEPS))) for t in slopes))


def variation_curve() -> Curve:
    """The curve of total variation: half of the distance of each cell, in records.

    Claim:      with slopes of -1/2 and 1/2 the larger of both lines is |c - q| / 2, so a table scores its total variation in
                records, in ``UNIT``, and one record moves it by at most one record, by the proof of ``Curve.sensitivity``.
    Requires:   nothing.
    Checked by: tests/unit/learning/test_score.py::test_half_of_the_distance_is_the_total_variation
                tests/unit/learning/test_score.py::test_no_neighbour_moves_a_score_by_more_than_the_sensitivity
    """
    half = _STEPS // 2
    return Curve((-half, half), (-half * 2**_DROP_PLACES, half * 2**_DROP_PLACES))


def _exponential(power: Fraction) -> Fraction:
    """e^power - 1, to many digits."""
    halved, doublings = power / 8, 3
    found = sum((halved**number / math.factorial(number) for number in range(1, _TERMS)), Fraction(0))
    for _ in range(doublings):
        found = found * (found + 2)
    return Fraction(round(found * 2**80), 2**80)


def public_reference(expected: Floats) -> Integers:
    """What a table is held against, from expected counts: whole multiples of 2^-10 records, at least one.

    Claim:      positive, whatever is expected.
    Requires:   ``expected`` is public: a function of what was published.
    Checked by: tests/unit/learning/test_score.py::test_a_reference_is_positive
    """
    scaled = np.nan_to_num(np.asarray(expected, dtype=np.float64) * 2**_REFERENCE_PLACES, nan=0.0, posinf=0.0, neginf=0.0)
    return np.asarray(np.clip(np.rint(scaled), 1, 2**52), dtype=np.int64)


def score(counts: WholeNumbers, reference: Integers, curve: Curve, parts: int = 1) -> int:
    """How far counts are from a reference of the same shape, in units; of persons in parts, in units of their parts.

    Claim:      the sum over cells of the largest of slope * count - drop * reference: exact.
    Requires:   a reference from ``public_reference``.
    Checked by: tests/unit/learning/test_score.py::test_the_score_is_the_clipped_divergence
    """
    if counts.shape != reference.shape:
        raise ValueError("A table and its reference have the same shape.")
    cells, held = counts.ravel(), reference.ravel()
    largest = int(cells.sum()) * curve.steepest * _SCALE
    largest += int(held.astype(object).sum()) * parts * max(abs(drop) for drop in curve.drops)
    kind: npt.DTypeLike = np.int64 if largest < _MOST else object
    slopes = np.array([slope * _SCALE for slope in curve.slopes], dtype=kind)
    drops = np.array([drop * parts for drop in curve.drops], dtype=kind)
    total = 0
    height = max(1, _CELLS_AT_ONCE // len(slopes))
    for start in range(0, cells.size, height):
        counted, expected = (each[start : start + height].astype(kind)[:, None] for each in (cells, held))
        total += int((slopes * counted - drops * expected).max(axis=1).sum())
    return total


def expected_score(reference: Floats, deviation: Floats, bound: float) -> float:
    """What a table would score, in nats, if nothing but noise of this deviation told it from its reference. Public.

    Claim:      the mean of the clipped divergence over a normal law, by the nodes of Gauss and Hermite.
    Requires:   reference and deviation are public.
    Checked by: tests/unit/learning/test_score.py::test_noise_alone_scores_what_is_expected_of_it
    """
    expected = np.maximum(np.asarray(reference, dtype=np.float64), 2.0**-_REFERENCE_PLACES)
    nodes, weights = _normal_law()
    moved = np.maximum(expected[..., None] + np.asarray(deviation)[..., None] * nodes, 1e-12)
    slope = np.clip(np.log(moved / expected[..., None]), -bound, bound)
    found = slope * moved - np.expm1(slope) * expected[..., None]
    return float((found @ weights).sum() / weights.sum())


@lru_cache(maxsize=1)
def _normal_law() -> tuple[Floats, Floats]:
    """The nodes and weights of Gauss and Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return np.asarray(nodes), np.asarray(weights)
