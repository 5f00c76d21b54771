"""The laws of noise that measurements have: exact, public, nothing but data; and their variances, for computing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from discreet.arrays import Floats
from discreet.measure.blocks import Bundle, Group

__all__ = [
    "HEAVY",
    "GaussianNoise",
    "KNormNoise",
    "LaplaceNoise",
    "Law",
    "MomentNoise",
    "NoiseForm",
    "Triangle",
    "WeightedNoise",
    "coordinate_variance",
    "gaussian_variance",
    "noise_variance",
    "standard_deviation",
]

_LEAST = 1e-200
"""Variances are never quite zero, so that they can be weights."""
_SMOOTH = 4.0
"""From this variance on, rounding to integers adds 1/12 to it, to many digits."""
_GRID = (240, 120)


@dataclass(frozen=True, slots=True)
class LaplaceNoise:
    """Each number has a draw k of its own, P(k) proportional to exp(-|k| / scale)."""

    scale: Fraction

    @property
    def variance(self) -> float:
        """Variance of the discrete law."""
        return max(noise_variance(self.scale), _LEAST)


@dataclass(frozen=True, slots=True)
class WeightedNoise:
    """Laplace noise of scale sensitivity / (epsilon weight): all numbers of a release together move by the sensitivity.

    One record moves the numbers by at most ``sensitivity``, each move counted with the number's weight.
    """

    weight: int
    sensitivity: int
    epsilon: Fraction

    @property
    def scale(self) -> Fraction:
        """As of ``LaplaceNoise``."""
        return self.sensitivity / (self.epsilon * self.weight)

    @property
    def variance(self) -> float:
        """Variance of the discrete law."""
        return max(noise_variance(self.scale), _LEAST)


@dataclass(frozen=True, slots=True)
class GaussianNoise:
    """Each number has a draw k of its own, P(k) proportional to exp(-k^2 / (2 parameter))."""

    parameter: Fraction

    @property
    def scale(self) -> Fraction:
        """The standard deviation, to three places."""
        return standard_deviation(self.parameter)

    @property
    def variance(self) -> float:
        """Variance of the discrete law: the parameter itself, unless it is small."""
        return gaussian_variance(self.parameter)


@dataclass(frozen=True, slots=True)
class KNormNoise:
    """One part of a bundle whose numbers share one radius of noise; ``measure/blocks.py`` has the law of the whole bundle."""

    bundle: Bundle
    group: int
    """Which group of the bundle."""
    part: int
    """Which part of the group's blocks."""

    @property
    def scale(self) -> Fraction:
        """What the norm of the bundle's noise is measured in."""
        return self.bundle.scale

    @property
    def size(self) -> int:
        """Numbers of the part in each block: one, or those of all levels of the last node."""
        return self._group.parts[self.part]

    @property
    def variance(self) -> float:
        """Variance of one rounded coordinate; any two coordinates are uncorrelated."""
        whole, mine, width = self.bundle.dimension, self._group.dimension, self._group.width
        return max(coordinate_variance(self.scale, whole, mine, width, self.size), _LEAST)

    @property
    def tail(self) -> tuple[float, float]:
        """Shape and scale of the density of a part, Gamma(shape, q / scale), upper incomplete, q the L1 norm of the part.

        A block's radius is r t, r of the law Gamma(D + 1), t of the law Beta(m + 1, G - m). Given the radius the part of l
        coordinates is uniform in its L1 ball, so a radius of the law Gamma(k, scale) gives the density above with shape
        k - l. In a bundle of one block k is m + 1; else it is chosen to fit the first two moments of the radius.
        """
        whole, mine, width = self.bundle.dimension, self._group.dimension, self._group.width
        scale = max(float(self.scale), _LEAST**0.25)  # its square must not vanish: noise so small moves no count
        mean = scale * (whole + 1) * (width + 1) / (mine + 1)
        square = scale**2 * (whole + 1) * (whole + 2) * (width + 1) * (width + 2) / ((mine + 1) * (mine + 2))
        spread = square - mean**2
        return max(mean**2 / spread - self.size, 0.5), spread / mean

    @property
    def _group(self) -> Group:
        return self.bundle.groups[self.group]


HEAVY = 2
"""The weight of the constant and of the target in weighted noise. A line leans on its means and on what goes with the target;
moments of two features matter by the squares of slopes, which are small."""


class NoiseForm(Enum):
    """The form of the noise of moments: a real law, whose draws are rounded to integers."""

    BOX = "box"
    """K-norm noise: density proportional to exp(-max |z_i| / (h_i scale)), h_i = 1 on the diagonal and 2 elsewhere."""
    WISHART = "wishart"
    """P - Q for independent positive matrices with density proportional to exp(-trace / scale)."""
    WEIGHTED = "weighted-wishart"
    """The same, divided by the weights of row and column: two for the constant and the target, one for features."""
    GAUSSIAN = "gaussian"
    """Independent, with variance scale, and scale times 2 / (size + 1) on the diagonal."""


@dataclass(frozen=True, slots=True)
class Triangle:
    """Which moments: the upper triangle, row by row, of the sum of u u' over all records, in steps of 4^-resolution.

    u has ``size`` coordinates in [-1, 1]. With ``constant`` the first is 1, and its square, the public number of records, is
    left out.
    """

    size: int
    constant: bool
    resolution: int

    @property
    def places(self) -> list[tuple[int, int]]:
        """Row and column of every moment, in order."""
        places = [(row, column) for row in range(self.size) for column in range(row, self.size)]
        return places[1:] if self.constant else places

    @property
    def unit(self) -> int:
        """Steps in one."""
        return int(4**self.resolution)

    @property
    def weights(self) -> tuple[int, ...]:
        """Of each coordinate, in weighted noise."""
        return (HEAVY if self.constant else 1, *[1] * (self.size - 2), HEAVY)


@dataclass(frozen=True, slots=True)
class MomentNoise:
    """Noise of all moments of a triangle together, of a form and a scale in steps (of their squares for the Gaussian)."""

    form: NoiseForm
    scale: Fraction
    triangle: Triangle

    @property
    def variance(self) -> float:
        """Variance of the noisiest moment, in squares of steps."""
        return float(self.variances.max()) * float(self.triangle.unit) ** 2

    @property
    def variances(self) -> Floats:
        """Variance of the noise of every entry of the sum of u u', in units of 1; the constant's entry has none.

        Claim:      exact but for rounding to the grid. In a box of dimension k noise is r h U, r of the Gamma law of shape
                    k + 1 and U uniform in [-1, 1]: (k + 1)(k + 2) scale^2 h^2 / 3. An entry of the sum of g g' over m + 1
                    normal vectors has variance m + 1, on the diagonal twice that; two such sums, in units of scale / 2.
                    Weights divide it by their squares.
        Requires:   nothing.
        Checked by: tests/unit/measure/strategies/test_moment_noise.py::test_variances_are_those_of_drawn_noise
        """
        size, unit = self.triangle.size, float(self.triangle.unit)
        scale = float(self.scale) / unit
        if self.form is NoiseForm.BOX:
            dimension = len(self.triangle.places)
            off = (dimension + 1) * (dimension + 2) * 4 * scale**2 / 3
            diagonal = off / 4
        elif self.form in (NoiseForm.WISHART, NoiseForm.WEIGHTED):
            off = (size + 1) * scale**2 / 2
            diagonal = 2 * off
        else:
            off = scale / unit
            diagonal = off * 2 / (size + 1)
        variances: Floats = np.full((size, size), off)
        np.fill_diagonal(variances, diagonal)
        if self.form is NoiseForm.WEIGHTED:
            weights = np.array(self.triangle.weights, dtype=np.float64)
            variances /= np.outer(weights, weights) ** 2
        if self.triangle.constant:
            variances[0, 0] = 0.0
        return variances


Law: TypeAlias = LaplaceNoise | WeightedNoise | GaussianNoise | KNormNoise | MomentNoise


def noise_variance(scale: Fraction) -> float:
    """Variance of a noisy count, before clamping.

    Claim:      Var k = 2 q / (1 - q)^2 = 1 / (2 sinh(1 / (2 scale))^2), a little less than the continuous 2 scale^2.
    Requires:   scale > 0.
    Checked by: tests/unit/measure/strategies/test_laplace_strategy.py::test_moments_equal_sums_over_the_law
    """
    return 1 / (2 * math.sinh(1 / (2 * scale)) ** 2) if scale > Fraction(1, 700) else 0.0


@lru_cache(maxsize=4096)
def gaussian_variance(parameter: Fraction) -> float:
    """The variance of the discrete Gaussian law with this variance parameter.

    Claim:      sum k^2 exp(-k^2 / (2 v)) / sum exp(-k^2 / (2 v)): v itself, to many digits, from v = 4 on, and less below.
    Requires:   parameter > 0.
    Checked by: tests/unit/measure/strategies/test_gaussian_strategy.py::test_the_variance_is_that_of_the_law
    """
    if parameter >= 4:
        return float(parameter)
    squares = np.arange(1, 41, dtype=float) ** 2
    weights = np.exp(-squares / (2 * float(parameter)))
    return max(float(2 * (squares * weights).sum() / (1 + 2 * weights.sum())), 1e-200)


def standard_deviation(variance: Fraction) -> Fraction:
    """The root of a variance, to three places.

    Claim:      never below the root.
    Requires:   variance > 0.
    Checked by: tests/unit/measure/strategies/test_gaussian_strategy.py::test_the_variance_is_that_of_the_law
    """
    return Fraction(math.isqrt(math.ceil(variance * 10**6)) + 1, 1000)


@lru_cache(maxsize=4096)
def coordinate_variance(scale: Fraction, bundle: int, group: int, width: int, part: int) -> float:
    """Variance of one rounded coordinate of a part, given the dimensions of its bundle, its group, its block and itself.

    Claim:      before rounding it is scale^2 (D + 1)(D + 2) (m + 1)(m + 2) / ((G + 1)(G + 2)) 2 / ((p + 1)(p + 2)) for
                dimensions D, G, m, p. Proof: the noise is r u, r of the Gamma law of shape D + 1 and u uniform in the product
                of the groups' bodies. A block of a uniform point of its group's body is t w with w uniform in the block's body
                and t of the law Beta(m + 1, G - m), by the laws of the norms; a coordinate of a uniform point of an L1 ball of
                p dimensions has the law Beta(1, p) with a sign. The second moments of these laws multiply to the claim.
                Rounding adds 1/12 where the law is smooth; where it is not, the sum over the rounded law is computed.
                Coordinates are uncorrelated, because the law stays the same when one changes its sign.    [GUARANTEES 10]
    Requires:   scale > 0; D >= G >= m >= p >= 1.
    Checked by: tests/unit/measure/strategies/test_knorm_strategy.py::test_simulated_noise_has_the_predicted_variance
    """
    spread = (bundle + 1) * (bundle + 2) * (width + 1) * (width + 2) / ((group + 1) * (group + 2))
    ideal = float(scale) ** 2 * spread * 2 / ((part + 1) * (part + 2))
    return ideal + (1 / 12 if ideal >= _SMOOTH else _rounding(float(scale), bundle, group, width, part))


def _rounding(scale: float, bundle: int, group: int, width: int, part: int) -> float:
    """How much rounding changes the variance of small noise: E round(z)^2 - E z^2 on a grid of quantiles of r t."""
    from scipy.stats import beta, gamma

    radii = gamma.ppf((np.arange(_GRID[0]) + 0.5) / _GRID[0], bundle + 1)
    if group > width:
        inner = beta.ppf((np.arange(_GRID[1]) + 0.5) / _GRID[1], width + 1, group - width)
        radii = np.multiply.outer(radii, inner).ravel()
    radii = scale * radii
    rounded, place = 0.0, 1
    while (beyond := np.maximum(1 - (place - 0.5) / radii, 0) ** part).any():
        rounded += (2 * place - 1) * float(beyond.mean())
        place += 1
    return rounded - float((radii**2).mean()) * 2 / ((part + 1) * (part + 2))
