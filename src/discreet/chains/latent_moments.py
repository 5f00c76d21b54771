"""The true moments of a regression as unknowns: their density given the noisy ones, for sampling.

T is the true sum of u u' over the records, u = (features with the constant, target), with blocks A (features), b and c. Given
the features, b and c have an exact law under the model: with the residual s = c - b'A^-1 b,

    p(b, c | A, w, v) is proportional to |A|^-1/2 v^-n/2 s^((n - q)/2 - 1) exp(-(c - 2 b'w + w'A w) / (2 v)),

v the noise variance and q the number of weights. No law of the features is assumed beyond a prior density |A|^2 of A, a mild
preference for features that are not collinear, and the knowledge that no square exceeds one. The weights have a Gaussian
prior and are integrated out; v is declared or has an inverse-gamma prior. The noise of a release is taken as Gaussian with its
true variances: what moves a weight is a sum over a row of noise.

T = (B M)(B M)' for a fixed lower triangle B and an unknown one M with positive diagonal, so that T is positive definite
whatever the coordinates are: the entries of M, logarithms on its diagonal, and log(n v / s) where v is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats

__all__ = ["NOISE_RATE", "NOISE_SHAPE", "LatentMoments", "WeightLaw"]

NOISE_SHAPE, NOISE_RATE = 1.0, 0.02
"""Inverse-gamma prior of the noise variance of a target in [-1, 1]: about what two records say, with a median of 0.17^2."""

_COLLINEARITY = 2.0
"""Power of |A| in the prior of the features' moments."""
_BLUR = 0.05
"""A sum of squares of values in [-1, 1] is at most the number of records; the prior falls off beyond, over this share of it,
so that columns whose squares are all one, as those of two values, are not pushed away from where they are."""
_FARTHEST = 15.0
"""Coordinates beyond this are out of all reason and would overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class WeightLaw:
    """Given the moments the weights are Gaussian: means and covariances of that law, and noise variances, one per point."""

    mean: Floats
    covariance: Floats
    variance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class LatentMoments:
    """The density of the coordinates of T, with its gradient; see above. In units where all columns lie in [-1, 1]."""

    noisy: Floats
    """The released matrix; where there is an intercept its first entry is the number of records."""
    variances: Floats
    rows: int
    precisions: Floats
    variance: float | None
    intercept: bool
    own: Floats
    """Exact moments of the holder's own records, and their number in ``own_rows``."""
    own_rows: int
    base: Floats = field(init=False)
    _places: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]] = field(init=False)
    _on_diagonal: npt.NDArray[np.bool_] = field(init=False)
    _weights: Floats = field(init=False)
    _powers: Floats = field(init=False)

    def __post_init__(self) -> None:
        size = len(self.noisy)
        rows, columns = np.tril_indices(size)
        skipped = int(self.intercept)  # the number of records is known
        with np.errstate(divide="ignore"):
            weights = np.where(self.variances > 0, 1 / self.variances, 0.0)
        # A record count below the number of weights leaves no residual; then one degree of freedom is assumed.
        effective = max(self.rows, size + 1)
        place = np.arange(size)
        determinant = np.where(place < size - 1, 2 * _COLLINEARITY - 1, effective - size - 1.0)
        object.__setattr__(self, "_places", (rows[skipped:], columns[skipped:]))
        object.__setattr__(self, "_on_diagonal", rows[skipped:] == columns[skipped:])
        object.__setattr__(self, "_weights", weights)
        object.__setattr__(self, "_powers", (determinant + size - place + 1)[skipped:])  # with the change of coordinates
        object.__setattr__(self, "base", _nearby(self.noisy, self.variances, self.rows, self.intercept))

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self._places[0]) + int(self.variance is None)

    def density(self, points: Floats) -> tuple[Floats, Floats]:
        """Log density and gradient at each point (rows), up to a constant."""
        far = ~(np.abs(points).max(axis=1) < _FARTHEST)
        points = np.where(far[:, None], 0.0, points)
        root, moments = self._moments(points)
        variance = self._variance(points, root)
        inverse, weights, residual, volume = self._regress(moments, variance)
        total = self._effective_rows()
        power = (self._count - total) / 2 - NOISE_SHAPE
        error = self.noisy - moments
        pull = error * self._weights
        logs = points[:, : len(self._places[0])][:, self._on_diagonal]
        value = -(np.sum(error * pull, axis=(1, 2)) + np.einsum("cii->c", error * pull)) / 4
        value += power * np.log(variance) - (NOISE_RATE + residual / 2) / variance - volume / 2 + logs @ self._powers
        slope = pull / 2
        np.einsum("cii->ci", slope)[...] *= 2
        beyond = np.maximum(np.einsum("cii->ci", moments) / self.rows - 1, 0.0) / _BLUR
        value -= np.sum(beyond**2, axis=1) / 2
        np.einsum("cii->ci", slope)[...] -= beyond / (_BLUR * self.rows)
        contrast = np.concatenate([-weights, np.ones((len(points), 1))], axis=1)
        slope -= contrast[:, :, None] * contrast[:, None, :] / (2 * variance)[:, None, None]
        slope[:, :-1, :-1] -= inverse / 2
        gradient = (2 * (self.base.T @ slope @ root))[:, self._places[0], self._places[1]]
        gradient[:, self._on_diagonal] = gradient[:, self._on_diagonal] * np.exp(logs) + self._powers
        if self.variance is None:
            shrink = np.einsum("cii,i->c", inverse, self.precisions) * variance + weights**2 @ self.precisions
            rise = power + (NOISE_RATE + residual / 2) / variance - shrink / 2
            gradient[:, -1] += 2 * rise
            gradient = np.concatenate([gradient, rise[:, None]], axis=1)
        value[far] = -np.inf
        return value, gradient

    def weights(self, points: Floats) -> WeightLaw:
        """The law of the weights given the moments and the noise variance of each point."""
        root, moments = self._moments(points)
        variance = self._variance(points, root)
        inverse, mean, _, _ = self._regress(moments, variance)
        return WeightLaw(mean, inverse * variance[:, None, None], variance)

    def move(self, point: Floats) -> tuple[LatentMoments, Floats]:
        """The same density with the triangle of a point as its base, and the point's new coordinates."""
        fresh = replace(self)
        object.__setattr__(fresh, "base", self.base @ self._triangles(point[None])[0])
        place: Floats = np.zeros(self.dimension)
        if self.variance is None:
            place[-1] = point[-1]
        return fresh, place

    @property
    def _count(self) -> int:
        return len(self.precisions)

    def _effective_rows(self) -> int:
        return max(self.rows, len(self.noisy) + 1) + self.own_rows

    def _triangles(self, points: Floats) -> Floats:
        size = len(self.noisy)
        entries = points[:, : len(self._places[0])].copy()
        entries[:, self._on_diagonal] = np.exp(entries[:, self._on_diagonal])
        triangles: Floats = np.zeros((len(points), size, size))
        triangles[:, 0, 0] = 1.0
        triangles[:, self._places[0], self._places[1]] = entries
        return triangles

    def _moments(self, points: Floats) -> tuple[Floats, Floats]:
        root = self.base @ self._triangles(points)
        return root, root @ root.transpose(0, 2, 1)

    def _variance(self, points: Floats, root: Floats) -> Floats:
        if self.variance is not None:
            return np.full(len(points), self.variance)
        return np.asarray(root[:, -1, -1] ** 2 / self.rows * np.exp(points[:, -1]))

    def _regress(self, moments: Floats, variance: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Inverse of A + v Lambda, mean weights, residual, and the log determinant; with the holder's own records."""
        whole = moments + self.own
        normal = whole[:, :-1, :-1] + variance[:, None, None] * np.diag(self.precisions)
        inverse = np.linalg.inv(normal)
        cross = whole[:, :-1, -1]
        weights = (inverse @ cross[:, :, None])[:, :, 0]
        residual = whole[:, -1, -1] - np.sum(cross * weights, axis=1)
        return np.asarray(inverse, np.float64), weights, residual, np.linalg.slogdet(normal)[1]


def _nearby(noisy: Floats, variances: Floats, rows: int, intercept: bool) -> Floats:
    """A triangle whose square is positive definite and near the noisy moments: where to begin."""
    values, vectors = np.linalg.eigh(noisy)
    least = float(np.clip(np.sqrt(variances.max()) / 2, 1e-3 * rows, 0.3 * rows))
    matrix = (vectors * np.maximum(values, least)) @ vectors.T
    squares = np.diag(matrix)
    shrink = np.sqrt(np.minimum(rows / squares, 1.0))
    if intercept:
        shrink[0] = np.sqrt(rows / squares[0])
    root: Floats = np.linalg.cholesky(shrink[:, None] * matrix * shrink)
    return root
