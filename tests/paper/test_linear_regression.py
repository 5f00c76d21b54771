"""The paper's appendix on linear regression: what holds, and a counterexample for each statement that does not."""

import numpy as np
import polars as pl
import pytest

from discreet import LinearModel
from discreet.counts.moments import moments
from discreet.mechanisms.linear_sampler import posterior_law
from discreet.planning.linear import draw_epsilon
from discreet.theorems.printed.sampling import printed_regression_epsilon, printed_regression_lipschitz


def log_likelihood(weights, x, y, noise=1.0):
    return -((y - weights @ x) ** 2) / (2 * noise**2)


def true_epsilon(radius, noise=1):
    return float(draw_epsilon(LinearModel({"x": (-1, 1)}, ("y", (-1, 1)), 1, radius, noise)))


def test_the_printed_gradient_is_not_the_gradient():
    """In print: (x_j w'w - y w_j) / (2 sigma^2) and (y - w.x) / (2 sigma^2). In truth: (y - w.x) w_j and -(y - w.x)."""
    weights, x, y, step = np.array([0.7, -0.4]), np.array([0.5, 0.3]), 0.9, 1e-6
    numeric = [
        (log_likelihood(weights, x + step * e, y) - log_likelihood(weights, x - step * e, y)) / (2 * step) for e in np.eye(2)
    ]
    by_target = (log_likelihood(weights, x, y + step) - log_likelihood(weights, x, y - step)) / (2 * step)
    rest = y - weights @ x
    np.testing.assert_allclose(numeric, rest * weights, rtol=1e-6)
    assert by_target == pytest.approx(-rest)
    printed = (x * (weights @ weights) - y * weights) / 2
    assert np.abs(printed - numeric).max() > 0.1
    assert np.sign(rest / 2) != np.sign(by_target)


@pytest.mark.parametrize(("radius", "change", "allowed"), [(10, 60.5, 17.05), (3, 8.0, 20 / 3)])
def test_the_printed_constant_is_exceeded_by_one_record(radius, change, allowed):
    """One feature, one record: x = -1 exchanged for 1 / R with target 1, at w = R."""
    weights, x, other = np.array([float(radius)]), np.array([-1.0]), np.array([1 / radius])
    found = abs(log_likelihood(weights, x, 1.0) - log_likelihood(weights, other, 1.0))
    assert found == pytest.approx(change)
    bound = printed_regression_lipschitz(weights, rows=1, noise=1)
    assert not bound.holds
    assert bound.value * abs(x - other)[0] == pytest.approx(allowed)
    assert found > allowed


def test_the_printed_epsilon_is_useless_where_it_is_not_wrong():
    """The paper's census setting: 37,000 records, 14 features, precision 100 and so a radius of 1."""
    weights = np.full(14, 1 / np.sqrt(14))
    assert printed_regression_epsilon(weights, 37_000, 1).value == pytest.approx(8.3e5, rel=0.01)
    assert true_epsilon(1) == 4


@pytest.mark.parametrize(("precision", "epsilon"), [(1, 121), (10, 17.3), (100, 4), (1000, 1.26), (10_000, 0.4)])
def test_privacy_is_not_proportional_to_the_norm_above_one(precision, epsilon):
    """Figure 2 has weights with a norm of at most 10 / sqrt(precision), and noise 1."""
    assert true_epsilon(f"{10 / precision**0.5:.12f}") == pytest.approx(epsilon, rel=0.01)


def test_the_truncated_gaussian_is_conjugate():
    """Lemma D.1: the law that is drawn from has mean (X'X + sigma^2 L)^-1 X'y and covariance sigma^2 (X'X + sigma^2 L)^-1."""
    generator = np.random.default_rng(1)
    model = LinearModel({"a": (-1, 1), "b": (-1, 1)}, ("y", (-1, 1)), 3, 1, "1/2", intercept=False, resolution=20)
    values = generator.uniform(-1, 1, (200, 3))
    law = posterior_law(moments(pl.DataFrame(values, schema=["a", "b", "y"]), model), model, 1)
    x, y = values[:, :2] / np.sqrt(2), values[:, 2]
    posterior = np.linalg.inv(x.T @ x + 0.25 * 3 * np.eye(2))
    covariance = np.linalg.inv(np.array(law.precision, dtype=float)) * 2  # from v to w = sqrt(2) v
    np.testing.assert_allclose(covariance, 0.25 * posterior, rtol=1e-4)
    mean = np.linalg.solve(np.array(law.precision, dtype=float), np.array(law.linear, dtype=float)) * np.sqrt(2)
    np.testing.assert_allclose(mean, posterior @ x.T @ y, rtol=1e-3, atol=1e-5)
