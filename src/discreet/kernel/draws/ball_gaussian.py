"""Exact draws from a Gaussian that is truncated to a ball, rounded to a public grid.

Proposals come from a Gaussian that is tilted towards the centre, so that it seldom leaves the ball, and are accepted with the
probability that undoes the tilt. Every comparison and every rounding is decided in ball arithmetic on uniforms that are known
bit by bit: where the bits so far leave it open, more are drawn. Nothing is approximated, and there is no Markov chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.balls import ball, working_precision
from discreet.kernel.bits import Bits
from discreet.kernel.exact import FIRST_BITS, SPARE_BITS, Uniform, decide, nearest, normals

if TYPE_CHECKING:
    from flint import arb, arb_mat

__all__ = ["PLACES", "BallGaussian", "best_tilt"]

PLACES = 32
"""Binary places of a released coordinate."""

_REJECTED: tuple[int, ...] = ()
"""Stands for a proposal that was not accepted: no draw is without coordinates."""


@dataclass(frozen=True, slots=True)
class _Factor:
    """The proposal at one precision: its mean, a matrix that turns standard normals into deviations, R^2 and half the tilt."""

    mean: arb_mat
    spread: arb_mat
    radius_squared: arb
    half_tilt: arb


@dataclass(slots=True)
class BallGaussian:
    """The law with density proportional to exp(-w'Pw/2 + h'w) on ||w|| <= R, for a positive definite P; all of it rational.

    Claim:      ``draw`` returns the nearest point of the grid 2^-PLACES of an exact draw of this law, given uniform bits, for
                every ``tilt`` k >= 0. Proof: proposals are w ~ N(m, Q^-1), Q = P + k I, Q m = h, whose density is proportional
                to exp(-w'Pw/2 + h'w - k||w||^2/2). In the ball the wanted density over the proposal's is proportional to
                exp(k||w||^2/2) <= exp(k R^2/2), so accepting with probability exp(-k(R^2 - ||w||^2)/2) gives the wanted law
                (von Neumann). Standard normals are exact functions of two uniforms (Box and Muller); w = m + L^-T n for the
                Cholesky factor Q = L L'. Each comparison and rounding is taken only when the balls of all quantities, which
                contain the real numbers for every continuation of the bits drawn so far, leave one answer.
                                                                                                    [GUARANTEES 6, 11]
    Requires:   P symmetric and positive definite; R > 0 and k >= 0 (checked); uniform independent bytes. The time that a
                draw takes depends on P and h: who publishes it says so.
    Checked by: tests/statistical/test_ball_gaussian.py::test_draws_follow_the_law_of_quadrature
                tests/unit/kernel/draws/test_ball_gaussian.py::test_a_scripted_draw_equals_one_in_high_precision
    """

    precision: Sequence[Sequence[Fraction]] = field(repr=False)
    linear: Sequence[Fraction] = field(repr=False)
    radius_squared: Fraction
    tilt: Fraction = field(repr=False)
    _factors: dict[int, _Factor] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.tilt < 0 or self.radius_squared <= 0 or len(self.precision) != len(self.linear):
            raise ValueError("A Gaussian in a ball needs a positive radius, no negative tilt, and matching dimensions.")
        self._factor(FIRST_BITS)  # whatever may fail fails here, before anything is charged

    def draw(self, bits: Bits) -> tuple[int, ...]:
        """One draw, as whole multiples of 2^-PLACES."""
        while True:
            accepted = self._propose(bits)
            if accepted is not _REJECTED:
                return accepted

    def _propose(self, bits: Bits) -> tuple[int, ...]:
        """One proposal, rounded, or _REJECTED. It takes two uniform numbers for each pair of normals, and one that judges."""
        pairs = (len(self.linear) + 1) // 2
        return decide(2 * pairs + 1, self._verdict, bits)

    def _verdict(self, uniforms: list[Uniform]) -> tuple[int, ...] | None:
        """The rounded proposal, _REJECTED for a certain rejection, or None where more bits must decide."""
        from flint import arb

        *given, judge = uniforms
        factor = self._factor(judge.known)
        drawn = normals(len(self.linear), iter(given))
        weights = _column(factor.mean + factor.spread * _matrix([[normal] for normal in drawn]))
        inside = factor.radius_squared - sum((weight * weight for weight in weights), arb(0))
        if inside < 0:
            return _REJECTED
        threshold = -factor.half_tilt * inside
        level = judge.ball().log()
        if inside > 0 and level > threshold:
            return _REJECTED
        if not (inside > 0 and level < threshold):
            return None
        rounded = nearest(weight * 2**PLACES for weight in weights)
        return None if rounded is None else tuple(rounded)

    def _factor(self, known: int) -> _Factor:
        """The proposal, precise enough for uniforms of so many bits; computed once for each number of bits."""
        if known not in self._factors:
            precision = known + SPARE_BITS
            factor = None
            while factor is None:
                with working_precision(precision):
                    factor = self._factorised()
                precision *= 2
            self._factors[known] = factor
        return self._factors[known]

    def _factorised(self) -> _Factor | None:
        """The mean and L^-T at the current precision; None if it does not show that they exist."""
        tilt = self.tilt
        tilted = [
            [ball(entry + tilt if row == column else entry) for column, entry in enumerate(entries)]
            for row, entries in enumerate(self.precision)
        ]
        lower = _cholesky(tilted)
        if lower is None:
            return None
        try:
            inverse = _matrix(lower).inv()
        except ZeroDivisionError:  # balls of a matrix with a very large condition number can be too wide
            return None
        spread = inverse.transpose()
        mean = spread * (inverse * _matrix([[ball(entry)] for entry in self.linear]))
        return _Factor(mean, spread, ball(self.radius_squared), ball(self.tilt / 2))


def best_tilt(precision: Sequence[Sequence[Fraction]], linear: Sequence[Fraction], radius_squared: Fraction) -> Fraction:
    """The tilt with the fewest proposals per draw: none if the Gaussian stays in the ball on average, else as much as needed.

    Claim:      the result is not negative, and that is all that the law of a draw needs. (The mean number of proposals is
                log-convex in the tilt k, smallest where E||w||^2 = ||m||^2 + tr Q^-1 is R^2, or at k = 0.)    [GUARANTEES 6]
    Requires:   nothing: floating point, since a bad tilt costs time and never changes the law.
    Checked by: tests/statistical/test_ball_gaussian.py::test_the_tilt_does_not_change_the_law
    """
    values, vectors = np.linalg.eigh(np.array(precision, dtype=np.float64))
    values = np.maximum(values, values[-1] * 1e-15)
    turned = vectors.T @ np.array(linear, dtype=np.float64)

    def excess(tilt: float) -> float:
        return float(np.sum((turned / (values + tilt)) ** 2) + np.sum(1 / (values + tilt))) - float(radius_squared)

    if excess(0.0) <= 0:
        return Fraction(0)
    high = float(values[-1])
    while excess(high) > 0:
        high *= 2
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return Fraction(high)


def _matrix(entries: list[list[arb]]) -> arb_mat:
    from flint import arb_mat

    return arb_mat(entries)


def _column(matrix: arb_mat) -> list[arb]:
    return [row[0] for row in matrix.tolist()]


def _cholesky(matrix: list[list[arb]]) -> list[list[arb]] | None:
    """The lower triangle L with L L' = matrix; None where a pivot is not certainly positive."""
    from flint import arb

    size = len(matrix)
    lower = [[arb(0)] * size for _ in range(size)]
    for row in range(size):
        for column in range(row + 1):
            rest = matrix[row][column]
            for place in range(column):
                rest -= lower[row][place] * lower[column][place]
            if column < row:
                lower[row][column] = rest / lower[column][column]
            elif rest > 0:
                lower[row][row] = rest.sqrt()
            else:
                return None
    return lower
