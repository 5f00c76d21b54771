"""Rounded K-norm noise, all coordinates at a time: what integers can be sure of, from the first bits of the uniform numbers.

This is ball arithmetic in whole numbers: a value is a count of units of 2^-54, and beside each row of values stands a bound on
how far any of them may be from the truth, in the same units. Sums are exact, products and quotients are cut off and say so in
the bound. Where a bound leaves two roundings, the row is open, and left to ``knorm.py``. No floating point takes part.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers, WholeNumbers
from discreet.kernel.digits import LOG_ERROR, PLACES, SIGNED_ERROR, Digits
from discreet.kernel.noise.knorm_bodies import Body, Interval, Product, Sum, runs, uniforms_of

__all__ = ["noise_rows"]

_LOST = 1 << 200
"""A bound for rows of which nothing is known."""
_HALF_WORD = 27
_SURE_BITS = 60
"""Rounded numbers, with the places behind the point that decide, stay below 2^60."""


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """A point in each row, its norm, and a bound on the error of the norm and of each coordinate."""

    values: WholeNumbers
    """Rows x coordinates."""
    norms: WholeNumbers
    errors: WholeNumbers


def noise_rows(body: Body, scale: Fraction, digits: Digits) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """What all bits of the uniform numbers would give, rounded, and of which rows that is sure.

    Claim:      a row that is sure holds the integers that ``knorm_vector`` makes of the same uniform numbers, whatever their
                further bits. Proof: gamma numbers are sums of exponentials, minus the log of the product that ball arithmetic
                takes. With an accent for the truth and e for bounds, in real numbers: |r p - r' p'| <= r e_p + |p'| e_r with
                |p'| <= 1 for a point of a body; the largest of some norms is off by at most the largest of their errors;
                |s / T - s' / T'| <= (e_s + e_T) / T for |s'| <= T', T > 0; and every integer division adds less than one unit.
                A rounding is sure if the fraction is further from the half between two integers than the bound; a row of
                which a logarithm is not known is not, whatever the scale. No radius is negative (``Digits.logarithms``).
    Requires:   a body of unit intervals, so that coordinates of its points are at most one (``is_unit``, by the caller); a row
                of digits for each vector: those of the radius first.
    Checked by: tests/unit/kernel/noise/test_knorm_rows.py::test_all_at_a_time_and_value_by_value_give_the_same_integers
                tests/unit/kernel/noise/test_knorm_rows.py::test_bounds_hold_the_truth
                tests/unit/kernel/noise/test_knorm_rows.py::test_a_bound_that_is_too_small_is_noticed
    """
    ours, others = digits.split(body.dimension + 1)
    radius, off = _gamma(ours)
    point = _uniform_point(body, others)
    reach = max(radius) * scale.numerator // (scale.denominator << PLACES)
    behind = max(0, _SURE_BITS - int(reach).bit_length())  # places behind the point of what is rounded
    divisor = scale.denominator << (2 * PLACES - behind)
    scaled = (point.values * (radius * scale.numerator)[:, None]) // divisor
    errors = (point.errors * radius + (off << PLACES)) * scale.numerator // divisor + 3
    errors[(np.maximum(off, point.errors) >= _LOST).astype(np.bool_)] = _LOST  # no scale makes up for what is not known
    return _round(scaled, errors, behind)


def _round(scaled: WholeNumbers, errors: WholeNumbers, behind: int) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """The nearest integers of numbers with so many places behind the point, and of which rows they are sure."""
    bound = np.minimum(errors, 1 << _SURE_BITS).astype(np.int64)[:, None]
    moved = np.clip(scaled, -(1 << 62), (1 << 62) - 1).astype(np.int64) + ((1 << behind) >> 1)
    rest = moved & ((1 << behind) - 1)
    sure = (rest >= bound) & (rest < (1 << behind) - bound)
    return moved >> behind, np.asarray(sure.all(axis=1))


def _uniform_point(body: Body, digits: Digits) -> _Points:
    """A uniform point of the body in each row."""
    if isinstance(body, Interval):
        sizes, signs, _ = digits.signed()
        return _Points(sizes * signs, sizes[:, 0], np.full(len(sizes), SIGNED_ERROR, dtype=object))
    pieces = []
    for part, count in runs(body):
        taken = uniforms_of(part)
        if isinstance(body, Sum) and not isinstance(part, Interval):
            taken += part.dimension + 1
        ours, digits = digits.split(count * taken)
        found = (_spread if isinstance(body, Sum) else _uniform_point)(part, ours.rows_of(taken))
        pieces.append(
            _Points(*(each.reshape(-1, count * each[:1].size) for each in (found.values, found.norms, found.errors)))
        )
    values = np.concatenate([piece.values for piece in pieces], axis=1)
    norms, errors = (np.concatenate(each, axis=1) for each in zip(*((one.norms, one.errors) for one in pieces), strict=True))
    if isinstance(body, Product):
        return _Points(values, norms.max(axis=1), errors.max(axis=1))
    return _shrink(values, _sum(norms), _sum(errors), digits)


def _spread(part: Body, digits: Digits) -> _Points:
    """A point with density proportional to exp(-norm) in each row. In one dimension: an exponential with a sign."""
    if isinstance(part, Interval):
        _, signs, size = digits.signed()
        logs, known = size.logarithms()
        return _Points(logs * signs, logs[:, 0], _bounds(known, LOG_ERROR))
    ours, others = digits.split(part.dimension + 1)
    radius, off = _gamma(ours)
    point = _uniform_point(part, others)
    values = (point.values * radius[:, None]) >> PLACES
    return _Points(values, (point.norms * radius) >> PLACES, ((point.errors * radius) >> PLACES) + off + 3)


def _shrink(values: WholeNumbers, total: WholeNumbers, errors: WholeNumbers, digits: Digits) -> _Points:
    """Divide by the norm plus an exponential number."""
    exponential, off = _gamma(digits)
    whole, bound = total + exponential, errors + off
    divisor = np.maximum(whole, 1)
    known = whole > bound  # else the truth might be zero
    shrunk = (values.astype(object) << PLACES) // divisor[:, None]
    inside = ((2 * bound) << PLACES) // divisor + 3
    return _Points(shrunk, (total << PLACES) // divisor, np.where(known, inside, _LOST))


def _gamma(digits: Digits) -> tuple[WholeNumbers, WholeNumbers]:
    """In each row a sum of exponentials, one for each number, and a bound on its error."""
    logs, known = digits.logarithms()
    return _sum(logs), _bounds(known, digits.columns * LOG_ERROR)


def _bounds(known: npt.NDArray[np.bool_], error: int) -> WholeNumbers:
    bounds = np.full(known.shape, error, dtype=object)
    bounds[~known] = _LOST
    return bounds


def _sum(numbers: WholeNumbers) -> WholeNumbers:
    """The sums of rows as Python's integers: those of many numbers could leave 64 bits."""
    if numbers.dtype == object:
        return np.asarray(numbers.sum(axis=1), dtype=object)
    upper, lower = (numbers >> _HALF_WORD).sum(axis=1), (numbers & ((1 << _HALF_WORD) - 1)).sum(axis=1)
    return np.asarray((upper.astype(object) << _HALF_WORD) + lower.astype(object), dtype=object)
