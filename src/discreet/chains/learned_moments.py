"""True moments under a prior that is learned with them: the size of the slopes is unknown, too, and so is the noise.

Slopes are normal with one unknown standard deviation tau, whose logarithm is normal about that of 0.5 / sqrt(d) for d slopes,
in units where all columns lie in [-1, 1], but for a tail to the left that falls off like a power of tau: there may be no
slopes to speak of. The intercept is normal with standard deviation 1, which says little about a target
in [-1, 1]. A feature's mean and variance are even over what its bounds leave room for. Correlations are free of them, with the
law that an inverse Wishart matrix of d + 3 degrees of freedom gives them: that of any two features has the density 1 - r^2,
however many there are. A power of |R| would draw the correlations of many features to nothing where noise hides them, and
believe noise about differences between features that are all but the same. A flat density of A would draw means to the middle
and squares to the bounds.

T = L L' for a lower triangle L with these coordinates, B a fixed one and M one with ones on its diagonal. Of a feature's row,
L is the mean, as in B M, and exp(e) times the rest of B M, so that correlations do not shrink with a variance. The last row is
the mean of the target, f(tau) times B M, and exp(e) on the diagonal. Small slopes leave the last row little room where noise
hides it, and much data leave it none whatever the slopes are; f is about as wide as the row is for such a tau, so that no
chain is caught in a funnel. Coordinates are the entries of M, each e in its place on the diagonal, log(n v / s), and log tau
less its centre.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.chains.moment_law import FARTHEST, MomentLaw, WeightLaw, find_nearby
from discreet.model.linear import SLOPE_SCALE

__all__ = ["INTERCEPT_PRECISION", "SLOPE_WIDTH", "LearnedMoments"]

SLOPE_WIDTH = 0.7
"""The standard deviation of log tau, beyond which to the left the density is a power of tau; the mode is SLOPE_SCALE."""
INTERCEPT_PRECISION = 1.0
_FREEDOM = 3
"""Degrees of freedom of the law of correlations beyond the number of features. With 1 they would be even over [-1, 1], but
chains are slow to go where features are all but collinear."""
_TYPICAL_VARIANCE = 0.03
"""Of the target about the line, to tell how much the holder's own records say about the last row."""


@dataclass(frozen=True, slots=True, eq=False)
class LearnedMoments:
    """The density of the coordinates of T, v and tau, with its gradient; see above."""

    law: MomentLaw
    base: Floats = field(init=False)
    _places: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]] = field(init=False)
    _on_diagonal: npt.NDArray[np.bool_] = field(init=False)
    _powers: Floats = field(init=False)
    _room: tuple[float, float, float] = field(init=False)

    def __post_init__(self) -> None:
        size, first = self.law.size, self._first
        rows, columns = np.tril_indices(size)
        place = np.arange(size)
        # The power of |A| and that of s, by the diagonal of L; then T as a function of L, and of each row its scaled entries.
        features = place - first - 2 * self._slopes - 1 - _FREEDOM
        powers = np.where(place < size - 1, features, self.law.effective_rows - size) + size - place
        object.__setattr__(self, "_places", (rows[first:], columns[first:]))
        object.__setattr__(self, "_on_diagonal", rows[first:] == columns[first:])
        object.__setattr__(self, "_powers", powers[first:].astype(np.float64))
        object.__setattr__(self, "_room", self._measure_room())
        object.__setattr__(self, "base", find_nearby(self.law))

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self._places[0]) + 2

    def density(self, points: Floats) -> tuple[Floats, Floats]:
        """Log density and gradient at each point (rows), up to a constant."""
        far = ~(np.abs(points).max(axis=1) < FARTHEST)
        points = np.where(far[:, None], 0.0, points)
        root = self._root(points)
        moments, scale = root @ root.transpose(0, 2, 1), points[:, -1]
        found = self.law.height(moments, self._variance(points, root), self._precisions(points))
        features, by_features = self._feature_law(root)
        value = found.value + features + self._logs(points) @ self._powers
        width, widening = self._row_width(scale)
        expected, by_expected = _scale_law(scale)
        value += self._slopes * (width - scale) + expected
        by_root = 2 * found.slope @ root
        by_root[:, self._first : -1, self._first : -1] += by_features
        gradient = self._pull_back(by_root, root, points)
        gradient[:, -1] += 2 * found.rise
        moved = np.sum(by_root[:, -1, self._first : -1] * root[:, -1, self._first : -1], axis=1)
        by_scale = widening * (moved + self._slopes) + by_expected
        by_scale += np.sum(found.shrink[:, self._first :] - 1, axis=1)
        return np.where(far, -np.inf, value), np.column_stack([gradient, found.rise, by_scale])

    def weights(self, points: Floats) -> WeightLaw:
        """The law of the weights given the moments, the noise variance and the size of the slopes of each point."""
        root, precisions = self._root(points), self._precisions(points)
        variance = self._variance(points, root)
        learned = np.log(np.column_stack([variance, precisions[:, -1]]))
        return self.law.weights(root @ root.transpose(0, 2, 1), variance, precisions, learned)

    def move(self, point: Floats) -> tuple[LearnedMoments, Floats]:
        """The same density with the triangle of a point as its base, and the point's new coordinates."""
        fresh = replace(self)
        object.__setattr__(fresh, "base", self._unstretched(point[None])[0])
        place: Floats = np.zeros(self.dimension)
        place[-2:] = point[-2:]
        return fresh, place

    @property
    def _first(self) -> int:
        """The place of the first feature."""
        return int(self.law.intercept)

    @property
    def _slopes(self) -> int:
        return self.law.size - 1 - self._first

    def _measure_room(self) -> tuple[float, float, float]:
        """Of an entry of the last row: what slopes of the usual size add to its variance, what records add, what data show."""
        law = self.law
        shown = 1 / np.median(law.variances[-1, self._first : -1]) + law.own_rows / (law.rows**2 * _TYPICAL_VARIANCE)
        return (SLOPE_SCALE * law.rows) ** 2 / self._slopes, law.rows * _TYPICAL_VARIANCE, float(shown)

    def _row_width(self, scale: Floats) -> tuple[Floats, Floats]:
        """The logarithm of f, which is 0 at the centre of log tau, and its slope: near 1 where the prior alone decides."""
        slopes, records, shown = self._room
        grown = slopes * np.exp(2 * scale)
        open_share = 1 / (1 + shown * (grown + records))
        at_centre = (slopes + records) / (1 + shown * (slopes + records))
        return np.log((grown + records) * open_share / at_centre) / 2, grown / (grown + records) * open_share

    def _logs(self, points: Floats) -> Floats:
        return points[:, : len(self._places[0])][:, self._on_diagonal]

    def _unstretched(self, points: Floats) -> Floats:
        """L but for the factor of tau."""
        size, first, factors = self.law.size, self._first, np.exp(self._logs(points))
        triangles: Floats = np.zeros((len(points), size, size))
        triangles[:, self._places[0], self._places[1]] = points[:, : len(self._places[0])]
        np.einsum("cii->ci", triangles)[...] = 1.0
        root = self.base @ triangles
        root[:, first:-1, first:] *= factors[:, :-1, None]
        root[:, -1, -1] *= factors[:, -1]
        return root

    def _root(self, points: Floats) -> Floats:
        root = self._unstretched(points)
        root[:, -1, self._first : -1] *= np.exp(self._row_width(points[:, -1:])[0])
        return root

    def _pull_back(self, by_root: Floats, root: Floats, points: Floats) -> Floats:
        """The gradient by the coordinates of L, from that by L; with the powers of its diagonal."""
        first, by_root = self._first, np.tril(by_root)
        by_factor = np.sum((by_root * root)[:, first:, first:], axis=2)
        by_factor[:, -1] = by_root[:, -1, -1] * root[:, -1, -1]
        by_root[:, first:-1, first:] *= np.exp(self._logs(points))[:, :-1, None]
        by_root[:, -1, first:-1] *= np.exp(self._row_width(points[:, -1:])[0])
        gradient = (self.base.T @ by_root)[:, self._places[0], self._places[1]]
        gradient[:, self._on_diagonal] = by_factor + self._powers
        return np.asarray(gradient)

    def _precisions(self, points: Floats) -> Floats:
        precisions: Floats = np.full((len(points), self.law.size - 1), INTERCEPT_PRECISION)
        precisions[:, self._first :] = self._slopes / SLOPE_SCALE**2 * np.exp(-2 * points[:, -1:])
        return precisions

    def _variance(self, points: Floats, root: Floats) -> Floats:
        return np.asarray(root[:, -1, -1] ** 2 / self.law.rows * np.exp(points[:, -2]))

    def _feature_law(self, root: Floats) -> tuple[Floats, Floats]:
        """The law of the features beyond its power of |A|: log density and its slope by L.

        With k degrees of freedom that of d features is |R|^-(k + d + 1)/2 times the product of (R^-1)_ii^-k/2.
        """
        rows = root[:, self._first : -1, self._first : -1]
        squares = np.sum(rows**2, axis=2)  # the variances, times the number of records
        inverse = np.linalg.inv(rows)
        certain = np.sum(inverse**2, axis=1)  # the diagonal of C^-1
        power = (self._slopes + _FREEDOM) / 2
        value = np.log(squares).sum(axis=1) - power * np.log(certain).sum(axis=1)
        turned = inverse.transpose(0, 2, 1)
        return value, 2 * rows / squares[:, :, None] + 2 * power * turned @ inverse @ (turned / certain[:, :, None])


def _scale_law(scale: Floats) -> tuple[Floats, Floats]:
    """Log density of log tau less its centre, and its slope: normal, with an exponential tail to the left of one width."""
    inner = np.maximum(scale / SLOPE_WIDTH, -1.0)
    beyond = np.minimum(scale / SLOPE_WIDTH + 1, 0.0)
    return beyond - inner**2 / 2, -inner / SLOPE_WIDTH
