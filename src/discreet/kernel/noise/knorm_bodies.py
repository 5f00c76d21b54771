"""Convex bodies whose norms K-norm noise is measured in.

Bodies are made of intervals by products and sums, and each is the unit ball of its norm. An interval of half width h measures
|z| / h; a product measures the largest norm of its parts, a sum the sum of their norms. So a box is a product of intervals and
an L1 ball is a sum of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import TypeAlias

from discreet.kernel.noise import is_exact

__all__ = ["Body", "Interval", "Product", "Sum", "box", "is_unit", "l1_ball", "runs", "uniforms_of"]


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers z with |z| <= half_width; its norm is |z| / half_width."""

    half_width: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not is_exact(self.half_width):
            raise ValueError("An interval needs a positive half width, as an exact fraction.")

    @property
    def dimension(self) -> int:
        """One coordinate."""
        return 1

    @property
    def reach(self) -> Fraction:
        """The largest absolute value of a coordinate."""
        return self.half_width


@dataclass(frozen=True, slots=True)
class Product:
    """Points whose every part lies in its body; the norm is the largest of the norms of the parts."""

    parts: tuple[Body, ...]
    dimension: int = field(init=False)
    reach: Fraction = field(init=False)

    def __post_init__(self) -> None:
        _measure(self)


@dataclass(frozen=True, slots=True)
class Sum:
    """Points the norms of whose parts sum to at most one; the norm is the sum of the norms of the parts."""

    parts: tuple[Body, ...]
    dimension: int = field(init=False)
    reach: Fraction = field(init=False)

    def __post_init__(self) -> None:
        _measure(self)


Body: TypeAlias = Interval | Product | Sum


def l1_ball(dimension: int) -> Body:
    """All points of so many coordinates whose absolute values sum to at most one.

    Claim:      the norm of the body is the L1 norm.
    Requires:   dimension >= 1.
    Checked by: tests/unit/kernel/noise/test_knorm.py::test_an_l1_ball_is_a_sum_of_intervals
    """
    return Sum((Interval(),) * dimension) if dimension > 1 else Interval()


def box(half_widths: Iterable[Fraction]) -> Body:
    """All points with |z_i| <= half_widths[i].

    Claim:      the norm of the body is the largest |z_i| / half_widths[i].
    Requires:   positive half widths (checked by ``Interval``).
    Checked by: tests/statistical/test_knorm.py::test_a_box_with_unequal_half_widths_has_the_exact_law
    """
    return Product(tuple(Interval(Fraction(width)) for width in half_widths))


def _measure(body: Product | Sum) -> None:
    if not body.parts:
        raise ValueError("A body needs at least one part.")
    object.__setattr__(body, "dimension", sum(part.dimension for part in body.parts))
    object.__setattr__(body, "reach", max(part.reach for part in body.parts))


def runs(body: Product | Sum) -> Iterator[tuple[Body, int]]:
    """The parts, each with the number of equal ones that stand together; large bodies consist of few such runs.

    Claim:      repeated so often, in this order, they are the parts.
    Requires:   nothing.
    Checked by: tests/unit/kernel/noise/test_knorm_rows.py::test_a_body_is_its_runs
    """
    return ((part, sum(1 for _ in same)) for part, same in groupby(body.parts))


def is_unit(body: Body) -> bool:
    """Whether all intervals have half width one.

    Claim:      true exactly then.
    Requires:   nothing.
    Checked by: tests/unit/kernel/noise/test_knorm_rows.py::test_only_bodies_of_unit_intervals_are_drawn_together
    """
    return body.half_width == 1 if isinstance(body, Interval) else all(is_unit(part) for part, _ in runs(body))


def uniforms_of(body: Body) -> int:
    """How many uniform numbers a uniform point of the body takes.

    Claim:      one for each interval, one for each sum, and dimension + 1 for each part of a sum that is no interval.
    Requires:   nothing.
    Checked by: tests/unit/kernel/noise/test_knorm.py::test_exactly_the_planned_bytes_are_read
    """
    if isinstance(body, Interval):
        return 1
    inside = sum(count * uniforms_of(part) for part, count in runs(body))
    if isinstance(body, Product):
        return inside
    radii = sum(count * (part.dimension + 1) for part, count in runs(body) if not isinstance(part, Interval))
    return inside + 1 + radii
