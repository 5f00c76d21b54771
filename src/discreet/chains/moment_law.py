"""The true moments of a regression as unknowns: their law given the noisy ones, with its slopes, for sampling.

T is the true sum of u u' over the records, u = (features with the constant, target), with blocks A (features), b and c. Given
the features, b and c have an exact law under the model: with the residual s = c - b'A^-1 b,

    p(b, c | A, w, v) is proportional to |A|^-1/2 v^-n/2 s^((n - q)/2 - 1) exp(-(c - 2 b'w + w'A w) / (2 v)),

v the noise variance and q the number of weights. The weights have a Gaussian prior of given precisions and are integrated
out; v is known or has an inverse-gamma prior. No square exceeds one. The noise of a release is taken as Gaussian with its true
variances: what moves a weight is a sum over a row of noise.

Powers of |A| and s belong to the coordinates in which T is written (``latent_moments.py``, ``learned_moments.py``), and so
does the law of the features.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats

__all__ = ["COLLINEARITY", "FARTHEST", "NOISE_RATE", "NOISE_SHAPE", "Height", "MomentLaw", "WeightLaw", "find_nearby"]

NOISE_SHAPE, NOISE_RATE = 1.0, 0.02
"""Inverse-gamma prior of the noise variance of a target in [-1, 1]: about what two records say, with a median of 0.17^2."""
COLLINEARITY = 2.0
"""Power of |A| in the prior of the features' moments: a mild preference for features that are not collinear."""
FARTHEST = 15.0
"""Coordinates beyond this are out of all reason and would overflow."""
_BLUR = 0.05
"""A sum of squares of values in [-1, 1] is at most the number of records; the prior falls off beyond, over this share of it,
so that columns whose squares are all one, as those of two values, are not pushed away from where they are."""


@dataclass(frozen=True, slots=True, eq=False)
class WeightLaw:
    """Given the moments the weights are Gaussian: means and covariances of that law, and noise variances, one per point."""

    mean: Floats
    covariance: Floats
    variance: Floats
    watched: Floats
    """What else the chains must agree on: logarithms of what is learned beside the weights, points x quantities."""


@dataclass(frozen=True, slots=True, eq=False)
class Height:
    """The log density at each point and how it changes."""

    value: Floats
    slope: Floats
    """By the entries of T: a symmetric matrix whose two halves add up."""
    rise: Floats
    """By log v, the moments held still."""
    shrink: Floats
    """Precision times mean square of each weight: one where a weight is as large as its prior expects."""


@dataclass(frozen=True, slots=True, eq=False)
class MomentLaw:
    """The log density of T and v for given precisions of the weights. In units where all columns lie in [-1, 1]."""

    noisy: Floats
    """The released matrix; where there is an intercept its first entry is the number of records."""
    variances: Floats
    rows: int
    intercept: bool
    own: Floats
    """Exact moments of the holder's own records, and their number in ``own_rows``."""
    own_rows: int
    noise_rate: float = NOISE_RATE
    _certainty: Floats = field(init=False)

    def __post_init__(self) -> None:
        with np.errstate(divide="ignore"):
            object.__setattr__(self, "_certainty", np.where(self.variances > 0, 1 / self.variances, 0.0))

    @property
    def size(self) -> int:
        """Number of columns, the constant and the target among them."""
        return len(self.noisy)

    @property
    def effective_rows(self) -> int:
        """A record count below the number of weights leaves no residual; then one degree of freedom is assumed."""
        return max(self.rows, self.size + 1)

    def height(self, moments: Floats, variance: Floats, precisions: Floats) -> Height:
        """The log density and its slopes, one for each matrix; precisions for all points, or one row for each."""
        inverse, weights, residual, volume = self._regress(moments, variance, precisions)
        power = (self.size - 1 - self.effective_rows - self.own_rows) / 2 - NOISE_SHAPE
        value, slope = self._noise_and_bounds(moments)
        value += power * np.log(variance) - (self.noise_rate + residual / 2) / variance - volume / 2
        contrast = np.concatenate([-weights, np.ones((len(moments), 1))], axis=1)
        slope -= contrast[:, :, None] * contrast[:, None, :] / (2 * variance)[:, None, None]
        slope[:, :-1, :-1] -= inverse / 2
        shrink = precisions * (np.einsum("cii->ci", inverse) * variance[:, None] + weights**2)
        rise = power + (self.noise_rate + residual / 2) / variance - shrink.sum(axis=1) / 2
        return Height(value, slope, rise, shrink)

    def weights(self, moments: Floats, variance: Floats, precisions: Floats, watched: Floats) -> WeightLaw:
        """The law of the weights given moments and noise variances."""
        inverse, mean, _, _ = self._regress(moments, variance, precisions)
        return WeightLaw(mean, inverse * variance[:, None, None], variance, watched)

    def _noise_and_bounds(self, moments: Floats) -> tuple[Floats, Floats]:
        """What the noise says, and that no square exceeds one: log density and slope."""
        error = self.noisy - moments
        pull = error * self._certainty
        value = -(np.sum(error * pull, axis=(1, 2)) + np.einsum("cii->c", error * pull)) / 4
        slope = pull / 2
        np.einsum("cii->ci", slope)[...] *= 2
        beyond = np.maximum(np.einsum("cii->ci", moments) / self.rows - 1, 0.0) / _BLUR
        value -= np.sum(beyond**2, axis=1) / 2
        np.einsum("cii->ci", slope)[...] -= beyond / (_BLUR * self.rows)
        return value, slope

    def _regress(self, moments: Floats, variance: Floats, precisions: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Inverse of A + v Lambda, mean weights, residual, and the log determinant; with the holder's own records."""
        whole = moments + self.own
        normal = whole[:, :-1, :-1].copy()
        np.einsum("cii->ci", normal)[...] += variance[:, None] * precisions
        inverse = np.linalg.inv(normal)
        cross = whole[:, :-1, -1]
        weights = (inverse @ cross[:, :, None])[:, :, 0]
        residual = whole[:, -1, -1] - np.sum(cross * weights, axis=1)
        return np.asarray(inverse, np.float64), weights, residual, np.linalg.slogdet(normal)[1]


def find_nearby(law: MomentLaw) -> Floats:
    """A triangle whose square is positive definite and near the noisy moments: where to begin."""
    values, vectors = np.linalg.eigh(law.noisy)
    least = float(np.clip(np.sqrt(law.variances.max()) / 2, 1e-3 * law.rows, 0.3 * law.rows))
    matrix = (vectors * np.maximum(values, least)) @ vectors.T
    squares = np.diag(matrix)
    shrink = np.sqrt(np.minimum(law.rows / squares, 1.0))
    if law.intercept:
        shrink[0] = np.sqrt(law.rows / squares[0])
    root: Floats = np.linalg.cholesky(shrink[:, None] * matrix * shrink)
    return root
