"""What the paper says about posterior sampling in linear regression, examined."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.arrays import Floats
from discreet.counts.moments import moments
from discreet.experiments.evidence import Evidence, Statement
from discreet.mechanisms.linear_sampler import posterior_law
from discreet.model.linear import LinearModel
from discreet.planning.linear import draw_epsilon
from discreet.theorems.printed.linear import printed_regression_epsilon, printed_regression_lipschitz

__all__ = ["REGRESSION"]


def _true_epsilon(radius: float) -> float:
    return float(draw_epsilon(LinearModel({"x": (-1, 1)}, ("y", (-1, 1)), 1, f"{radius:.12f}", 1)))


def _log_likelihood(weights: Floats, x: Floats, y: float) -> float:
    return float(-((y - weights @ x) ** 2) / 2)


def _gradient() -> Evidence:
    """The gradient by differences, and one record exchanged at the edge of a ball of radius 10: x = -1 for 1/10."""
    weights, x, y, step = np.array([0.7, -0.4]), np.array([0.5, 0.3]), 0.9, 1e-6
    numeric = [
        (_log_likelihood(weights, x + step * e, y) - _log_likelihood(weights, x - step * e, y)) / (2 * step) for e in np.eye(2)
    ]
    apart = float(np.abs((x * (weights @ weights) - y * weights) / 2 - numeric).max())
    edge, old, new = np.array([10.0]), np.array([-1.0]), np.array([0.1])
    found = abs(_log_likelihood(edge, old, 1.0) - _log_likelihood(edge, new, 1.0))
    allowed = printed_regression_lipschitz(edge, rows=1, noise=1).value * 1.1
    return Evidence(
        f"printed gradient off by {apart:.2f}; one record changes the log-likelihood by {found:.1f},"
        f" print allows {allowed:.1f}, the correction {_true_epsilon(10) / 2:.1f}",
        apart > 0.1 and allowed < found <= _true_epsilon(10) / 2,
    )


def _privacy_of_a_draw() -> Evidence:
    """37,000 records, 14 features, radius 1: 2 L(w) at two points of the ball that a draw may hit."""
    short, long = np.zeros(14), np.full(14, 1 / np.sqrt(14))
    printed = [printed_regression_epsilon(weights, 37_000, 1).value for weights in (short, long)]
    true = _true_epsilon(1)
    return Evidence(
        f"printed epsilon {printed[0]:,.0f} or {printed[1]:,.0f}, as the draw falls; the true one is {true:g}",
        printed[0] < printed[1] and printed[0] > 1000 * true,
    )


def _proportional() -> Evidence:
    """Radius doubled: below norm 1 epsilon doubles, above it grows with the square."""
    small, large = _true_epsilon(0.5) / _true_epsilon(0.25), _true_epsilon(20) / _true_epsilon(10)
    return Evidence(
        f"twice the norm costs {small:g} times epsilon below 1 (0.25 to 0.5) and {large:.2f} times above (10 to 20)",
        small == 2 and large > 3.5,
    )


def _conjugate() -> Evidence:
    """200 records, two features: the law that is drawn from against the matrix formula."""
    import polars as pl

    generator = np.random.default_rng(1)
    model = LinearModel({"a": (-1, 1), "b": (-1, 1)}, ("y", (-1, 1)), 3, 1, "1/2", intercept=False, resolution=20)
    values = generator.uniform(-1, 1, (200, 3))
    law = posterior_law(moments(pl.DataFrame(values, schema=["a", "b", "y"]), model), model, Fraction(1))
    x, y = values[:, :2] / np.sqrt(2), values[:, 2]
    precision, linear = np.array(law.precision, dtype=float), np.array(law.linear, dtype=float)
    inverse = np.linalg.inv(x.T @ x + 0.75 * np.eye(2))
    gaps = (
        np.abs(np.linalg.inv(precision) * 2 - inverse / 4).max() / np.abs(inverse / 4).max(),
        np.abs(np.linalg.solve(precision, linear) * np.sqrt(2) - inverse @ x.T @ y).max(),
    )
    return Evidence(
        f"largest gap of the covariance {gaps[0]:.1e} (relative), of the mean {gaps[1]:.1e}", bool(max(gaps) < 1e-4)
    )


REGRESSION = (
    Statement("linear regression, gradient and L(w)", "corrected", _gradient),
    Statement("linear regression, a draw is 2 L(w)-private", "rejected", _privacy_of_a_draw),
    Statement("privacy proportional to the bounded norm", "corrected", _proportional),
    Statement("Lemma D.1", "holds", _conjugate),
)
