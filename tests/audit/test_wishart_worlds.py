"""Wishart noise on matrices of two coordinates: the exact density of P - Q by quadrature, over all neighbours of a grid.

With N = diag(l, -k) in its eigenbasis, l, k > 0, and Q = [[q, r], [r, k + t]], P = N + Q and Q are positive where
r^2 <= q t + min(q k, l t), so the density is proportional to exp(-(l + k) / s) times the integral over q, t > 0 of
sqrt(q t + min(q k, l t)) exp(-2 (q + t) / s). Where both eigenvalues have one sign it is proportional to exp(-|trace| / s)
times the same integral at l = 0. Rounding is post-processing, so it is enough to look at densities.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from scipy.integrate import dblquad
from scipy.special import roots_genlaguerre
from support.bits import FailingBits

from discreet.errors import BudgetError
from discreet.guarantee import PureDP
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.moments import DeclaredMoments, MomentWishart
from discreet.kernel.publish import PrivateNumbers, publish

EPSILON, SCALE = 1.0, 4.0
LAW = MomentWishart(DeclaredMoments(size=2, largest=1, constant=False, rows=2), Fraction(4))
"""Records of two coordinates in [-1, 1] have |u|^2 <= 2, so the scale for epsilon is 2 * 2 / epsilon."""

_ANGLES, _ANGLE_WEIGHTS = leggauss(40)
_SIZES, _SIZE_WEIGHTS = roots_genlaguerre(80, 1.0)


def log_density(matrix, scale):
    """Logarithm of the density of P - Q, up to a constant."""
    low, high = np.linalg.eigvalsh(matrix)
    if low >= 0 or high <= 0:
        low = high = 0.0
    # q = size sin^2, t = size cos^2: the area element is size sin(2 angle), and the kink is at one angle.
    kink = np.arctan2(np.sqrt(high), np.sqrt(-low)) if high > 0 else np.pi / 4
    total = 0.0
    for start, end in ((0.0, kink), (kink, np.pi / 2)):
        angle = (start + end) / 2 + (end - start) / 2 * _ANGLES[:, None]
        size = _SIZES[None, :] * scale / 2
        inner = np.sin(angle) ** 2 * np.cos(angle) ** 2 * size**2
        inner = inner + size * np.minimum(-low * np.sin(angle) ** 2, high * np.cos(angle) ** 2)
        values = np.sqrt(inner) * np.sin(2 * angle)
        total += (end - start) / 2 * float(_ANGLE_WEIGHTS @ values @ _SIZE_WEIGHTS)
    return np.log(total) - np.abs(np.linalg.eigvalsh(matrix)).sum() / scale


def worst_ratio(scale, weights=(1, 1)):
    """The largest log ratio of densities over neighbours and outputs of a grid. Noise N becomes W^-1 N W^-1."""
    records = [np.array(record) for record in itertools.product((-1.0, -0.5, 0.0, 1.0), (-1.0, 0.3, 1.0))]
    outputs = [np.array([[a, b], [b, c]]) for a, b, c in itertools.product((-9, 0.5, 2, 30), (-40, -1, 3), (-9, 0, 2, 30))]
    outputs += [np.array([[0, b], [b, 0]]) for b in (-400.0, 400.0)]
    worst = 0.0
    for output in outputs:
        logs = [log_density((output - np.outer(record, record)) * np.outer(weights, weights), scale) for record in records]
        worst = max(worst, max(logs) - min(logs))
    return worst


def test_no_matrix_is_likelier_than_epsilon_allows():
    """The kernel's price of this law is the epsilon that the densities have, and its door takes no smaller one."""
    assert PureDP(Fraction(EPSILON)) == LAW.cost
    numbers = PrivateNumbers(np.array([2, -1, 1]), LAW)
    publish({"moments": numbers}, LAW.cost, Ledger.unlimited(), "test")
    with pytest.raises(BudgetError, match="costs"):
        publish({"moments": numbers}, PureDP(Fraction(99, 100)), Ledger.unlimited(), "test", _bits=FailingBits())
    assert 0.97 * EPSILON < worst_ratio(SCALE) <= EPSILON * (1 + 1e-4)


@pytest.mark.parametrize(
    ("constant", "weights", "length", "attained"), [(True, (2, 2), 8, 1.0), (False, (1, 2), 5, 0.8), (False, (1, 3), 10, 0.6)]
)
def test_no_matrix_is_likelier_with_weights_than_the_kernel_charges(constant, weights, length, attained):
    """The price is twice the longest weighted record; two that differ in signs are that far apart if at right angles.

    Planted: the scale for the longest record without weights, and for a price that is a tenth less than what is attained.
    """
    law = MomentWishart(DeclaredMoments(size=2, largest=1, constant=constant, rows=2), Fraction(2 * length), weights[-1])
    assert law.cost == PureDP(Fraction(EPSILON))
    worst = worst_ratio(float(law.scale), weights)
    assert 0.97 * attained < worst <= attained * (1 + 1e-4)
    numbers = PrivateNumbers(np.array([-1, 1] if constant else [2, -1, 1]), law)
    publish({"moments": numbers}, law.cost, Ledger.unlimited(), "test")
    with pytest.raises(BudgetError, match="costs"):
        publish({"moments": numbers}, PureDP(Fraction(99, 100)), Ledger.unlimited(), "test", _bits=FailingBits())
    for planted in (2 * 2, 0.9 * attained * float(law.scale)):
        assert worst_ratio(planted, weights) > EPSILON * 1.05


@pytest.mark.parametrize("factor", [0.5, 0.9])
def test_a_scale_that_is_too_small_is_caught(factor):
    """Planted: the scale for one record that comes or goes instead of one that is replaced, and a tenth too little."""
    assert worst_ratio(factor * SCALE) > EPSILON * 1.05


def test_the_quadrature_agrees_with_an_adaptive_one():
    matrix = np.array([[3.0, 2.0], [2.0, -1.5]])
    low, high = np.linalg.eigvalsh(matrix)

    def integral(left, right):
        value, _ = dblquad(
            lambda t, q: np.sqrt(q * t + min(q * right, left * t)) * np.exp(-2 * (q + t) / SCALE), 0, 60, 0, 60, epsabs=1e-6
        )
        return value

    expected = np.log(integral(high, -low) / integral(0.0, 0.0)) - (high - low) / SCALE
    found = log_density(matrix, SCALE) - log_density(np.zeros((2, 2)), SCALE)
    assert abs(found - expected) < 1e-4
