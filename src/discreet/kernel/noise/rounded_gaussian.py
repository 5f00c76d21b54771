"""Exact Gaussian noise, rounded to integers: as many coordinates as wanted, each with a variance of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.balls import ball
from discreet.kernel.bits import Bits
from discreet.kernel.exact import Uniform, normals, rounded

if TYPE_CHECKING:
    from flint import arb

__all__ = ["rounded_gaussian"]


def rounded_gaussian(variances: Sequence[Fraction], bits: Bits) -> list[int]:
    """Draw round(z_i) for independent normal z_i of mean zero with the given variances.

    Claim:      the integers follow this law exactly, given uniform bits; added to integers they are the Gaussian mechanism,
                rounded. Integers that neighbours change by D_i are released with zero-concentrated privacy
                rho = sum D_i^2 / (2 variance_i), since the Renyi divergence of order a between N(x, V) and N(y, V) is
                a (x - y)^2 / (2 V), adds over independent coordinates, and rounding is post-processing. Unlike draws of the
                discrete Gaussian law, these take the same time whatever they are, and variances have no limit.
                                                                        [Bun & Steinke 2016; GUARANTEES 7.2, 11]
    Requires:   at least one variance, all greater than zero (checked here); uniform independent bytes (``kernel/bits.py``).
    Checked by: tests/statistical/test_rounded_gaussian.py::test_draws_follow_the_exact_law
                tests/statistical/test_rounded_gaussian.py::test_a_variance_wrong_by_a_fifth_is_noticed_on_both_sides
    """
    if not variances or min(variances) <= 0:
        raise ValueError("Gaussian noise needs variances greater than zero.")
    needed = len(variances) + len(variances) % 2
    return rounded(needed, lambda uniforms: _noise(variances, uniforms), bits)


def _noise(variances: Sequence[Fraction], uniforms: Iterator[Uniform]) -> list[arb]:
    deviations = {each: ball(each).sqrt() for each in set(variances)}
    drawn = normals(len(variances), uniforms)
    return [normal * deviations[variance] for normal, variance in zip(drawn, variances, strict=True)]
