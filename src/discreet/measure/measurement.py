"""What a release measured, said so that one can compute with the noise: margin, published numbers, law of the noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from discreet.arrays import Floats

__all__ = ["GaussianNoise", "KNormNoise", "LaplaceNoise", "Measurement", "NoiseLaw"]


@dataclass(frozen=True, slots=True)
class LaplaceNoise:
    """Each number has a draw k of its own among the multiples of ``step``, P(k) proportional to exp(-|k| / scale)."""

    scale: float
    step: float = 1.0

    @property
    def variance(self) -> float:
        """Variance of the discrete law."""
        ratio = self.step / (2 * self.scale)
        return float((self.step / (2 * np.sinh(ratio))) ** 2 * 2) if ratio < 300 else 1e-200


@dataclass(frozen=True, slots=True)
class GaussianNoise:
    """Each number has a draw k of its own, P(k) proportional to exp(-k^2 / (2 variance))."""

    variance: float


@dataclass(frozen=True, slots=True)
class KNormNoise:
    """The numbers of one part have density proportional to Gamma(shape, q / scale), upper incomplete, q their L1 norm.

    This is the law of one part of a block of K-norm noise: given the radius the part is uniform in its L1 ball. A block of m
    coordinates with density exp(-norm / scale), the norm the largest over its parts, has a radius of the law
    Gamma(m + 1, scale); the part of l coordinates then has density proportional to the integral over r > q of
    r^(m - l) exp(-r / scale), so shape = m - l + 1.
    """

    shape: float
    scale: float
    variance: float
    part: int = 1
    """Numbers of one part: one, or those of all levels of the last member."""


NoiseLaw: TypeAlias = LaplaceNoise | GaussianNoise | KNormNoise


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """Published numbers of one margin.

    The last ``contrasts`` members have two levels each and no axis: each number is the count of the records that have an even
    number of second levels there minus the count of the others. With one contrast that is first level minus second.
    """

    members: tuple[str, ...]
    noisy: Floats
    """One axis for each member but those contrasted."""
    law: NoiseLaw
    contrasts: int = 0
