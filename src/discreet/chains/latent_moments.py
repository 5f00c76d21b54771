"""True moments under a declared prior: coordinates in which they stay positive definite, for sampling.

No law of the features is assumed beyond a prior density |A|^2 of A (``moment_law.py`` has the rest). The precisions of the
weights are declared; the noise variance v is declared, too, or has a prior.

T = (B M)(B M)' for a fixed lower triangle B and an unknown one M with positive diagonal, so that T is positive definite
whatever the coordinates are: the entries of M, logarithms on its diagonal, and log(n v / s) where v is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.chains.moment_law import COLLINEARITY, FARTHEST, MomentLaw, WeightLaw, find_nearby

__all__ = ["LatentMoments"]


@dataclass(frozen=True, slots=True, eq=False)
class LatentMoments:
    """The density of the coordinates of T, with its gradient; see above."""

    law: MomentLaw
    precisions: Floats
    variance: float | None
    base: Floats = field(init=False)
    _places: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]] = field(init=False)
    _on_diagonal: npt.NDArray[np.bool_] = field(init=False)
    _powers: Floats = field(init=False)

    def __post_init__(self) -> None:
        size, skipped = self.law.size, int(self.law.intercept)  # the number of records is known
        rows, columns = np.tril_indices(size)
        place = np.arange(size)
        determinant = np.where(place < size - 1, 2 * COLLINEARITY - 1, self.law.effective_rows - size - 1.0)
        object.__setattr__(self, "_places", (rows[skipped:], columns[skipped:]))
        object.__setattr__(self, "_on_diagonal", rows[skipped:] == columns[skipped:])
        object.__setattr__(self, "_powers", (determinant + size - place + 1)[skipped:])  # with the change of coordinates
        object.__setattr__(self, "base", find_nearby(self.law))

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self._places[0]) + int(self.variance is None)

    def density(self, points: Floats) -> tuple[Floats, Floats]:
        """Log density and gradient at each point (rows), up to a constant."""
        far = ~(np.abs(points).max(axis=1) < FARTHEST)
        points = np.where(far[:, None], 0.0, points)
        root, moments = self._moments(points)
        found = self.law.height(moments, self._variance(points, root), self.precisions)
        logs = points[:, : len(self._places[0])][:, self._on_diagonal]
        value = np.where(far, -np.inf, found.value + logs @ self._powers)
        gradient = (2 * (self.base.T @ found.slope @ root))[:, self._places[0], self._places[1]]
        gradient[:, self._on_diagonal] = gradient[:, self._on_diagonal] * np.exp(logs) + self._powers
        if self.variance is None:
            gradient[:, -1] += 2 * found.rise
            gradient = np.concatenate([gradient, found.rise[:, None]], axis=1)
        return value, gradient

    def weights(self, points: Floats) -> WeightLaw:
        """The law of the weights given the moments and the noise variance of each point."""
        root, moments = self._moments(points)
        variance = self._variance(points, root)
        learned = np.log(variance)[:, None] if self.variance is None else np.empty((len(points), 0))
        return self.law.weights(moments, variance, self.precisions, learned)

    def move(self, point: Floats) -> tuple[LatentMoments, Floats]:
        """The same density with the triangle of a point as its base, and the point's new coordinates."""
        fresh = replace(self)
        object.__setattr__(fresh, "base", self.base @ self._triangles(point[None])[0])
        place: Floats = np.zeros(self.dimension)
        if self.variance is None:
            place[-1] = point[-1]
        return fresh, place

    def _triangles(self, points: Floats) -> Floats:
        size = self.law.size
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
        return np.asarray(root[:, -1, -1] ** 2 / self.law.rows * np.exp(points[:, -1]))
