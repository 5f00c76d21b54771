"""Noise for the moments of a regression: which law, how large, and why it is private. All of it without data.

The moments are the upper triangle of the sum of u u' over all records, u = (1, features, target), or without the 1; all
coordinates lie in [-1, 1] and m is their number. The entry (0, 0) of the constant is the public number of records.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np

from discreet.arrays import Floats
from discreet.errors import BudgetError, ModelError
from discreet.guarantee import ZCDP, Guarantee, PureDP
from discreet.model.linear import LinearModel

__all__ = ["MOST_FEATURES", "MomentNoise", "NoiseLaw", "moment_noise", "moment_places"]

MOST_FEATURES = 50
"""Most features of a model whose moments are released: the posterior's work grows with the sixth power of their number."""
_LARGEST_SCALE = 2**120
"""Larger noise would not fit a release file, whose moments stay below 2^160; that must not come to light after the charge."""


class NoiseLaw(Enum):
    """The shape of the noise: a real law, whose draws are rounded to integers."""

    BOX = "box"
    """K-norm noise: density proportional to exp(-max |z_i| / (h_i scale)), h_i = 1 on the diagonal and 2 elsewhere."""
    WISHART = "wishart"
    """P - Q for independent positive matrices with density proportional to exp(-trace / scale)."""
    GAUSSIAN = "gaussian"
    """Independent, with variance scale, and scale times 2 / (m + 1) on the diagonal."""


@dataclass(frozen=True, slots=True)
class MomentNoise:
    """A law with its scale, in steps of 4^-resolution (of their squares for the Gaussian)."""

    law: NoiseLaw
    scale: Fraction

    def variances(self, model: LinearModel) -> Floats:
        """Variance of the noise of every entry of the sum of u u', in units of 1; the constant's entry has none.

        Claim:      exact but for rounding to the grid. In a box of dimension k noise is r h U, r of the Gamma law of shape
                    k + 1 and U uniform in [-1, 1]: (k + 1)(k + 2) scale^2 h^2 / 3. An entry of the sum of g g' over m + 1
                    normal vectors has variance m + 1, on the diagonal twice that; two such sums, in units of scale / 2.
        Requires:   nothing.
        Checked by: tests/unit/measure/strategies/test_moment_noise.py::test_variances_are_those_of_drawn_noise
        """
        size, scale = _size(model), float(self.scale) / 4.0**model.resolution
        if self.law is NoiseLaw.BOX:
            dimension = len(moment_places(model))
            off = (dimension + 1) * (dimension + 2) * 4 * scale**2 / 3
            diagonal = off / 4
        elif self.law is NoiseLaw.WISHART:
            off = (size + 1) * scale**2 / 2
            diagonal = 2 * off
        else:
            off = scale / 4.0**model.resolution
            diagonal = off * 2 / (size + 1)
        variances: Floats = np.full((size, size), off)
        np.fill_diagonal(variances, diagonal)
        if model.intercept:
            variances[0, 0] = 0.0
        return variances


def moment_places(model: LinearModel) -> list[tuple[int, int]]:
    """Rows and columns of the released moments: the upper triangle, without the public number of records.

    Claim:      m (m + 1) / 2 places, one fewer with an intercept.
    Requires:   nothing.
    Checked by: tests/unit/measure/strategies/test_moment_noise.py::test_every_moment_but_the_number_of_records_is_released
    """
    size = _size(model)
    places = [(row, column) for row in range(size) for column in range(row, size)]
    return places[1:] if model.intercept else places


def moment_noise(model: LinearModel, guarantee: Guarantee) -> MomentNoise:
    """The noise for a guarantee: the law with the smaller predicted error of the weights, with its scale.

    Claim:      the release is private as ``guarantee`` says. In units of 1, replacing a record moves entries (i, j) by at most
                2 and (i, i) by at most 1, so the box norm by at most 1: scale 1 / epsilon [Hardt & Talwar 2010]. A record has
                |u|^2 <= m: Wishart scale 2 m / epsilon (``kernel/noise/wishart.py``). For the Gaussian, let u become v,
                a = u + v, b = u - v; then the change is D = (a b' + b a') / 2, |a_i| + |b_i| <= 2, |a_i b_i| <= 1, and
                P = sum |a_i b_i| <= m, |a|^2 + |b|^2 <= 4m - 2P. With weight k = (m + 1) / 2 on the diagonal,
                sum_{i<j} D_ij^2 + k sum D_ii^2 = (|a|^2 |b|^2 + (a.b)^2) / 4 + (k - 1/2) sum (a_i b_i)^2 <=
                ((2m - P)^2 + P^2) / 4 + m P / 2, which is convex in P, and m^2 at P = 0 and at P = m. So variances
                V = m^2 / (2 rho), and V / k on the diagonal, cost sum D_ij^2 / (2 V_ij) <= rho.
                The choice uses the mean noise variance in a row of the matrix, which is what moves a weight; it depends on m
                and the intercept alone. Laplace noise is worse than the box for every m.       [GUARANTEES 6, 7.5, 10]
    Requires:   neighbours replace one record, whose values were clipped to declared bounds (``counts/moments.py``); a budget
                whose noise fits a release file (checked).
    Checked by: tests/property/test_moment_noise.py::test_replacing_one_record_costs_no_more_than_the_guarantee
                tests/unit/measure/strategies/test_moment_noise.py::test_laplace_noise_is_never_better
    """
    if len(model.features) > MOST_FEATURES:
        raise ModelError(f"Noisy moments are for at most {MOST_FEATURES} features; declare fewer.")
    size, unit = _size(model), 4**model.resolution
    if isinstance(guarantee, ZCDP):
        variance = Fraction((size * unit) ** 2) / (2 * guarantee.rho)
        _check_room(variance, _LARGEST_SCALE**2)
        return MomentNoise(NoiseLaw.GAUSSIAN, variance)
    if not isinstance(guarantee, PureDP):
        raise ModelError("Noisy moments have a pure or a zero-concentrated guarantee.")
    box = MomentNoise(NoiseLaw.BOX, Fraction(unit) / guarantee.epsilon)
    wishart = MomentNoise(NoiseLaw.WISHART, Fraction(2 * size * unit) / guarantee.epsilon)
    _check_room(wishart.scale, _LARGEST_SCALE)
    return min((box, wishart), key=lambda noise: float(noise.variances(model).sum()))


def _check_room(scale: Fraction, largest: int) -> None:
    if scale > largest:
        raise BudgetError("The noise would be too large for a release file. Choose a larger epsilon.")


def _size(model: LinearModel) -> int:
    return len(model.columns) + int(model.intercept)
