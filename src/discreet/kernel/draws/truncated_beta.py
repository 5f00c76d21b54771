"""Exact draws of a Beta variable cut to [floor, 1 - floor] and rounded to a public grid.

A draw is the inverse of the distribution function at a uniform number. Floating point proposes where to look; which grid point
it is is decided in ball arithmetic, whose numbers carry a proven bound on their error. Where a comparison stays open, the
precision and the number of uniform bits are raised. There is no rejection, and nothing that can fail: a window that holds
a millionth of a millionth of the mass is as good as any other, because masses are computed from the nearer end.

Joint draws of all split probabilities of a network, once their Beta parameters are known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.balls import ball, working_precision
from discreet.kernel.bits import Bits
from discreet.kernel.exact import Uniform, draw_uniforms

if TYPE_CHECKING:
    from flint import arb

__all__ = ["GRID", "Shapes", "draw_splits", "truncated_beta"]

GRID = 2**32
"""Results are multiples of 1 / GRID."""

_PRECISION = 128
_POINTS = 4096
_FEW_TERMS = 256
_REACH = 50.0
"""How far below its highest point, as a logarithm, the density is looked at when a place is proposed."""


def truncated_beta(first: Fraction, second: Fraction, floor: int, bits: Bits) -> int:
    """Draw k, where k / GRID is a Beta(first, second) variable in [floor / GRID, 1 - floor / GRID], rounded to the nearest.

    With floor 0 the variable is not cut; what would round to 0 or to 1 becomes the grid point next to it.

    Claim:      k is exactly "the ideal draw, rounded". With F the distribution function of the ideal draw, increasing and
                continuous, and U uniform, F^-1(U) is an ideal draw. The result is the largest allowed k with k minimal or
                F((k - 1/2) / GRID) <= U, which is F^-1(U) rounded. So k is a function of an ideal draw, and whatever privacy
                that has, k has.                                                                          [GUARANTEES 11]
    Requires:   first, second > 0 and 0 <= floor < GRID / 2 (checked); uniform independent bytes. The number of operations
                depends on the parameters: whoever can time it learns something about them.
    Checked by: tests/unit/kernel/draws/test_truncated_beta.py::test_scripted_uniforms_give_the_rounded_inverse
                tests/statistical/test_truncated_beta.py::test_draws_follow_the_law
    """
    if not (first > 0 and second > 0 and 0 <= floor < GRID // 2):
        raise ValueError("A Beta draw needs positive parameters and a floor below one half.")
    (uniform,) = draw_uniforms(1, bits)
    law = _Law(first, second, Fraction(floor, GRID))
    low, high = max(floor, 1), GRID - max(floor, 1) + 1  # the result is at least low and below high
    expected: tuple[int, ...] = (_proposal(float(first), float(second), floor, float(uniform)),)
    steps = 0
    while high - low > 1:
        steps += 1
        likely = [place for place in expected if low < place < high]
        place = likely[0] if likely and steps % 4 else (low + high) // 2  # every fourth step halves, whatever is expected
        low, high = (place, high) if law.reached(place, uniform, bits) else (low, place)
        expected = law.expected(uniform)
    return low


@dataclass(slots=True)
class _Law:
    """The distribution function of a cut Beta variable, in balls. Its parameters are private, and are not printed."""

    a: Fraction = field(repr=False)
    b: Fraction = field(repr=False)
    floor: Fraction
    anchor: tuple[Fraction, arb] | None = field(default=None, repr=False)
    """The last edge at which the function was computed, with its value."""
    wholes: dict[int, arb] = field(default_factory=dict, repr=False)
    """The integral over the window, by precision."""

    def reached(self, place: int, uniform: Uniform, bits: Bits) -> bool:
        """Whether the draw is at least the lower edge of this grid point, certified."""
        edge = Fraction(2 * place - 1, 2 * GRID)
        precision = _PRECISION
        with working_precision(precision):
            decided = None if self.anchor is None else uniform.reaches(self._near(edge, *self.anchor))
        while decided is None:
            with working_precision(precision):
                share = self._between(self.floor, edge) / self._whole()
                decided = uniform.reaches(share)
            self.anchor = edge, share
            if decided is None and uniform.finer_than(share):
                precision *= 2
            elif decided is None:
                uniform.extend(bits)
                precision = max(precision, uniform.known)  # so that the uniform number itself is not rounded
        return decided

    def expected(self, uniform: Uniform) -> tuple[int, ...]:
        """The two grid points between whose lower edges the draw should lie: a step of Newton's method from the anchor."""
        if self.anchor is None:
            return ()
        edge, share = self.anchor
        with working_precision(_PRECISION):
            place = ball(edge * GRID) + (uniform.ball().mid() - share.mid()) * self._whole() / self._density(ball(edge)) * GRID
            if not (place > -1 and place < GRID + 1):  # not finite, or nowhere
                return ()
            below = (place.mid() + ball(Fraction(1, 2))).floor().unique_fmpz()
        return () if below is None else (int(below), int(below) + 1)

    def _near(self, edge: Fraction, anchor: Fraction, share: arb) -> arb:
        """The value at an edge near the anchor: the mean value theorem, the density over all that lies between as a ball."""
        between = ball(anchor).union(ball(edge))
        return share + ball(edge - anchor) * self._density(between) / self._whole()

    def _density(self, x: arb) -> arb:
        """The integrand t^(a-1) (1-t)^(b-1); for a ball of t the ball contains all its values."""
        return ((ball(self.a) - 1) * x.log() + (ball(self.b) - 1) * (1 - x).log()).exp()

    def _whole(self) -> arb:
        from flint import ctx

        if ctx.prec not in self.wholes:
            self.wholes[ctx.prec] = self._between(self.floor, 1 - self.floor)
        return self.wholes[ctx.prec]

    def _between(self, start: Fraction, end: Fraction) -> arb:
        """The integral of the integrand, from the ends that are nearer than the mean."""
        mean = self.a / (self.a + self.b)
        if end <= mean:
            return _tail(self.a, self.b, end) - _tail(self.a, self.b, start)
        if start >= mean:
            return _tail(self.b, self.a, 1 - start) - _tail(self.b, self.a, 1 - end)
        a, b = ball(self.a), ball(self.b)
        complete = (a.lgamma() + b.lgamma() - (a + b).lgamma()).exp()
        return complete - _tail(self.a, self.b, start) - _tail(self.b, self.a, 1 - end)


def _tail(a: Fraction, b: Fraction, x: Fraction) -> arb:
    """The integral from 0 to x, for x up to the mean: x^a (1 - x)^b / a times 2F1(1, a + b; a + 1; x).

    The series has positive terms only, so nothing cancels however small the tail is. Three ways to sum it, each where it is
    fast; all of them give a ball that contains the sum.
    """
    from flint import arb, ctx

    if x == 0:
        return arb(0)
    place = ball(x)
    front = (ball(a) * place.log() + ball(b) * (1 - place).log()).exp() / ball(a)
    ratio = x * max((a + b) / (a + 1), Fraction(1))
    if b.denominator == 1 and b <= _FEW_TERMS:  # Pfaff's transformation: a polynomial, whose terms are positive too
        return front * (-place / (1 - place)).hypgeom([1, 1 - ball(b)], [ball(a) + 1]) / (1 - place)
    if x > Fraction(7, 10) and ratio < Fraction(98, 100):
        return front * _series(a, b, x, ratio)
    # A little doubt about a keeps the library from summing integers of ever more digits; the ball stays true.
    shape = ball(a) * (1 + arb(0, arb(2) ** -ctx.prec))
    return front * place.hypgeom_2f1(1, shape + ball(b), shape + 1)


def _series(a: Fraction, b: Fraction, x: Fraction, ratio: Fraction) -> arb:
    """The sum of the series term by term, in integers; ``ratio`` < 1 bounds the quotient of every two successive terms.

    The quotients x (a + b + n) / (a + 1 + n) are monotone in n and tend to x. Terms are rounded down to whole units: if
    one is too small by e units, the next is by at most ratio e + 1, so none by more than 1 / (1 - ratio). The last one that is
    looked at rounds to zero, so it is at most that; those behind it sum to at most ratio / (1 - ratio) times it.
    """
    from flint import arb, ctx

    scale = math.lcm(a.denominator, b.denominator)
    above, below = int((a + b) * scale), int((a + 1) * scale)
    term = total = unit = 2**ctx.prec
    count = 0
    while term:
        term = term * (x.numerator * above) // (x.denominator * below)
        total += term
        above, below, count = above + scale, below + scale, count + 1
    doubt = (count + 1 / (1 - ratio)) / (1 - ratio) / (2 * unit)
    return ball(Fraction(total, unit) + doubt) + arb(0, 1) * ball(doubt)


def _proposal(a: float, b: float, floor: int, uniform: float) -> int:
    """Where the draw should be, in floating point: it decides how long the search takes, and nothing else."""
    low, high = max(floor, 0.5) / GRID, 1 - max(floor, 0.5) / GRID

    def log_density(t: npt.ArrayLike) -> npt.NDArray[np.float64]:
        return np.asarray((a - 1) * np.log(t) + (b - 1) * np.log1p(np.negative(t)))

    if a >= 1 and b >= 1 and a + b > 2:
        mode = min(max((a - 1) / (a + b - 2), low), high)
    else:
        mode = low if log_density(low) > log_density(high) else high
    # The density falls from its highest point at least as fast as exp(-slope d - curvature d^2 / 2).
    slope = abs((a - 1) / mode - (b - 1) / (1 - mode))
    curvature = max((a - 1) / mode**2 + (b - 1) / (1 - mode) ** 2, 1e-300)
    reach = 2 * _REACH / (slope + np.sqrt(slope**2 + 2 * _REACH * curvature))
    places = np.linspace(max(low, mode - reach), min(high, mode + reach), _POINTS)
    heights = log_density(places)
    heights = np.exp(heights - heights.max())
    masses = np.concatenate([[0.0], np.cumsum(heights[1:] + heights[:-1])])
    place = float(np.interp(uniform * masses[-1], masses, places)) * GRID
    return int(place) if math.isfinite(place) else 0


Shapes: TypeAlias = Sequence[Sequence[tuple[Fraction, Fraction]]]
"""Beta parameters, configurations x splits."""


def draw_splits(shapes: Mapping[str, Shapes], floor: int, draws: int, bits: Bits) -> dict[str, npt.NDArray[np.int64]]:
    """Draw every split of every configuration of every node, independently: node -> draws x configurations x splits.

    Claim:      each draw is a joint draw of independent Beta(a, b) variables, all cut to [floor, 1 - floor] / GRID and rounded
                to the grid; draws are independent of one another.                                  [GUARANTEES 5.2b, 11]
    Requires:   positive parameters; 0 <= floor < GRID / 2 (checked in ``truncated_beta``).
    Checked by: tests/unit/kernel/draws/test_split_draws.py::test_every_split_gets_its_own_bits_and_its_own_parameters
    """
    return {
        node: np.array(
            [[[truncated_beta(a, b, floor, bits) for a, b in row] for row in table] for _ in range(draws)], dtype=np.int64
        )
        for node, table in shapes.items()
    }
