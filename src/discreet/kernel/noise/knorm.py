"""Exact K-norm noise, rounded to integers: a real vector with density proportional to exp(-|z| / scale), |.| a body's norm.

Uniform numbers are revealed bit by bit. The noise is computed from what is known of them in ball arithmetic; where the ball
does not decide the nearest integer, more bits are drawn. So the result is the ideal real noise, rounded, and no floating
point takes part.

Large vectors are computed in 64-bit integers first, all coordinates at a time, from the same uniform numbers
(``knorm_rows.py``). Ball arithmetic then is for those of which a rounding stays open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Integers
from discreet.balls import ball
from discreet.errors import BudgetError
from discreet.guarantee import PureDP
from discreet.kernel.bits import Bits
from discreet.kernel.digits import first_digits
from discreet.kernel.exact import FIRST_BITS, Uniform, gamma, nearest, rounded, settle
from discreet.kernel.noise import check_room, is_exact
from discreet.kernel.noise.knorm_bodies import Body, Interval, Product, Sum, is_unit, uniforms_of
from discreet.kernel.noise.knorm_rows import noise_rows

if TYPE_CHECKING:
    from flint import arb

__all__ = ["KNormLaw", "LARGEST_DIMENSION", "LARGEST_NOISE_SCALE", "check_knorm", "knorm_noise", "knorm_vector"]

LARGEST_NOISE_SCALE = 2**40
"""Above this scale, times the widest half width, a draw could leave 64-bit integers; see ``check_knorm``."""
LARGEST_DIMENSION = 2**20
_LARGEST_NUMBER = 2**61
_FEW = 256
"""Up to so many uniform numbers ball arithmetic takes no longer than all coordinates at a time; a public quantity."""


@dataclass(frozen=True, slots=True)
class KNormLaw:
    """Rounded noise of density proportional to exp(-norm / scale), scale = sensitivity / epsilon, in the norm of a body.

    Claim:      publishing the statistic costs epsilon. Proof: the density of the statistic at an output moves by a factor of
                at most exp(norm(c - c') / scale) <= exp(epsilon) between neighbours. Rounding is post-processing, and
                round(c + z) = c + round(z) for integers c.                                       [GUARANTEES 10, 11]
    Requires:   neighbouring data sets move the statistic by at most ``sensitivity`` in the norm of the body (the caller's
                claim, in ``counts``); body, sensitivity and epsilon are public.
    Checked by: tests/audit/test_knorm_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/unit/kernel/test_publish.py::test_shares_of_more_than_epsilon_are_refused_before_the_charge
    """

    body: Body
    sensitivity: Fraction
    epsilon: Fraction

    @property
    def scale(self) -> Fraction:
        """The scale of the noise's norm."""
        return self.sensitivity / self.epsilon

    @property
    def cost(self) -> PureDP:
        """The given epsilon."""
        return PureDP(self.epsilon)

    def check(self, numbers: Integers) -> None:
        """Refuse what could not be published."""
        if not (is_exact(self.sensitivity) and is_exact(self.epsilon)):
            raise ValueError("A release needs a sensitivity and an epsilon greater than zero, as exact fractions.")
        if numbers.shape != (self.body.dimension,):
            raise ValueError("A release needs one 64-bit integer for each coordinate of the body.")
        check_knorm(self.body, self.scale)
        check_room(numbers, _LARGEST_NUMBER)

    def draw(self, shape: tuple[int, ...], bits: Bits) -> Integers:
        """Noise for the whole statistic, by one radius."""
        return knorm_noise(self.body, self.scale, 1, bits).reshape(shape)


def check_knorm(body: Body, scale: Fraction) -> None:
    """Refuse noise that could leave 64-bit integers.

    Claim:      below the limits a draw leaves the range of +-2^62 with probability less than exp(-2^20). Proof: a coordinate
                is at most radius times reach, and for the Gamma law of shape k = dimension + 1 <= 2^20 + 1, in units of the
                scale, P(radius > x) <= 2^k exp(-x / 2) (Chernoff); x = 2^22 gives exp(k ln 2 - 2^21) < exp(-2^20).
    Requires:   nothing.
    Checked by: tests/unit/kernel/noise/test_knorm.py::test_noise_out_of_range_is_refused
    """
    if body.dimension > LARGEST_DIMENSION:
        raise BudgetError("The noise would have too many coordinates. Use a network with fewer or smaller families.")
    if not 0 < scale * body.reach <= LARGEST_NOISE_SCALE:
        raise BudgetError("The noise would be too large for 64-bit integers. Choose a larger epsilon.")


def knorm_noise(body: Body, scale: Fraction, count: int, bits: Bits) -> Integers:
    """Draw ``count`` independent vectors round(z), z with density proportional to exp(-norm(z) / scale); one in each row.

    Claim:      the rows follow this law exactly, given uniform bits, and round(z + c) = round(z) + c for integers c: integer
                counts plus these draws are the ideal real mechanism, rounded. A statistic that neighbours move by at most D
                in norm is released with (D / scale)-differential privacy, because by the triangle inequality
                exp(-norm(x - c) / scale) <= exp(norm(c - c') / scale) exp(-norm(x - c') / scale).
                Proof of the law. Radius times uniform point of the body, the radius of the Gamma law of shape m + 1 with m the
                dimension, has at a point of norm s a density proportional to the integral over r > s of
                r^m exp(-r / scale) r^-m dr, which is proportional to exp(-s / scale). Uniform points: of a product, uniform
                points of its parts. Of a sum: let z_i have density proportional to exp(-norm(z_i)) in each part and E be
                exponential; the norm s of (z_i) is of the Gamma law of shape m and independent of the direction, so
                s / (s + E) is of the law Beta(m, 1), as is the norm of a uniform point. A ball that contains two roundings
                draws more bits of the same uniform numbers: the integer returned is the one that all their bits would give.
                So are the integers that ``noise_rows`` is sure of, as it computes the same function of the same numbers:
                whichever way a vector is computed, it is the same vector, of the same bytes. Which way that is, and how
                long it takes, depends on public quantities and on the draws alone.
                                                                  [Hardt & Talwar 2010; GUARANTEES 10, 11]
    Requires:   0 < scale and the limits of ``check_knorm`` (checked here); uniform independent bytes (``kernel/bits.py``).
    Checked by: tests/statistical/test_knorm.py::test_one_coordinate_has_the_exact_law
                tests/statistical/test_knorm.py::test_a_wrong_shape_or_scale_is_noticed
                tests/unit/kernel/noise/test_knorm.py::test_an_open_rounding_draws_more_bits_of_the_same_numbers
                tests/unit/kernel/noise/test_knorm_rows.py::test_all_at_a_time_and_value_by_value_give_the_same_integers
    """
    check_knorm(body, scale)
    needed = _needed(body)
    if count * needed <= _FEW or not is_unit(body):
        drawn = [knorm_vector(body, scale, bits) for _ in range(count)]
        return np.array(drawn, dtype=np.int64).reshape(count, body.dimension)
    digits = first_digits(bits.read(count * needed * FIRST_BITS // 8), needed)
    found, sure = noise_rows(body, scale, digits)
    for row in np.flatnonzero(~sure).tolist():
        found[row] = settle(digits.uniforms(row), partial(_attempt, body, scale), bits)
    return found


def knorm_vector(body: Body, scale: Fraction, bits: Bits) -> list[int]:
    """Draw one vector of the law of ``knorm_noise`` as Python integers, which hold noise of any size.

    Claim:      the law and the privacy are those of ``knorm_noise``.                                   [GUARANTEES 10, 11]
    Requires:   scale > 0 (checked here); uniform independent bytes (``kernel/bits.py``).
    Checked by: tests/unit/kernel/noise/test_wishart.py::test_one_vector_of_box_noise_is_a_row_of_many
    """
    if scale <= 0:
        raise ValueError("Noise needs a scale greater than zero.")
    return rounded(_needed(body), lambda uniforms: _noise(body, scale, uniforms), bits)


def _needed(body: Body) -> int:
    """How many uniform numbers a vector takes: those of the radius, and those of a point of the body."""
    return body.dimension + 1 + uniforms_of(body)


def _attempt(body: Body, scale: Fraction, uniforms: list[Uniform]) -> list[int] | None:
    return nearest(_noise(body, scale, iter(uniforms)))


def _noise(body: Body, scale: Fraction, uniforms: Iterator[Uniform]) -> list[arb]:
    """The real noise that the uniform numbers lead to."""
    radius = gamma(body.dimension + 1, uniforms) * ball(scale)
    return [radius * value for value in _uniform_point(body, uniforms)[0]]


def _uniform_point(body: Body, uniforms: Iterator[Uniform]) -> tuple[list[arb], arb]:
    """A uniform point of the body, and its norm."""
    if isinstance(body, Interval):
        value = next(uniforms).signed()
        return [_times(value, body.half_width)], abs(value)
    drawn = [_spread(part, uniforms) if isinstance(body, Sum) else _uniform_point(part, uniforms) for part in body.parts]
    norms = [norm for _, norm in drawn]
    if isinstance(body, Product):
        largest = norms[0]
        for norm in norms[1:]:
            largest = largest.max(norm)
        return [value for point, _ in drawn for value in point], largest
    total = sum(norms[1:], norms[0])
    shrink = 1 / (total + gamma(1, uniforms))
    return [value * shrink for point, _ in drawn for value in point], total * shrink


def _spread(part: Body, uniforms: Iterator[Uniform]) -> tuple[list[arb], arb]:
    """A point with density proportional to exp(-norm), and its norm. In one dimension: an exponential with a sign."""
    if isinstance(part, Interval):
        value = next(uniforms).signed()
        size = -abs(value).log()
        return [_times(size * value.sgn(), part.half_width)], size
    radius = gamma(part.dimension + 1, uniforms)
    point, norm = _uniform_point(part, uniforms)
    return [value * radius for value in point], norm * radius


def _times(value: arb, factor: Fraction) -> arb:
    """The product with an exact fraction; one is not worth a multiplication."""
    return value if factor == 1 else value * ball(factor)
