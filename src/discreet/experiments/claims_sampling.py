"""What the paper says about posterior draws, point estimates, and posterior sampling in linear regression, examined."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from discreet.arrays import Floats
from discreet.counts.moments import moments
from discreet.experiments.as_printed import printed_map_point
from discreet.experiments.claims import Evidence, Statement, chain, independent, naive_bayes_16
from discreet.inference.predict import predict_proba
from discreet.measure.strategies.lipschitz import DrawPrivacy, draw_privacy, floor_on_grid, map_failure, network_constant
from discreet.measure.strategies.renyi import single_node_delta
from discreet.mechanisms.linear_sampler import posterior_law
from discreet.model.linear import LinearModel
from discreet.model.prior import Symmetric
from discreet.model.templates import naive_bayes
from discreet.planning.linear import draw_epsilon
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.point import PointPosterior
from discreet.theorems.printed.sampling import (
    printed_lemma_2,
    printed_lemma_3,
    printed_lemma_4,
    printed_naive_bayes_epsilon,
    printed_naive_bayes_floor,
    printed_regression_epsilon,
    printed_regression_lipschitz,
    printed_theorem_4_privacy,
    printed_theorem_4_total_variation,
)
from discreet.theorems.stochastic_lipschitz import stochastic_lipschitz

__all__ = ["PREDICTIVE", "REGRESSION", "SAMPLING"]


def _lemma_2() -> Evidence:
    """An edge between two binary nodes, probabilities 0.1 and 0.9: the child alike in both records, its parent not."""
    network = chain(2)
    point = PointPosterior(network, {"x0": [[0.5, 0.5]], "x1": [[0.1, 0.9], [0.9, 0.1]]})
    moved = abs(math.log(float(point.mean("x1")[0, 0])) - math.log(float(point.mean("x1")[1, 0])))
    printed = printed_lemma_2([0.0, 1e9], distance=0.0).value  # no distance at the child, whatever its constant
    corrected = float(network_constant(network, Fraction(1, 10)))
    return Evidence(
        f"log-likelihood moves by {moved:.2f} where print allows {printed:g}; on families {corrected:.2f} is allowed",
        printed < moved <= corrected,
    )


def _lemma_3() -> Evidence:
    """17 nodes, rate 1, L0 = 3: the probability that some node is not 3.5-Lipschitz."""
    exact, rate = 1 - (1 - math.exp(-3.5)) ** 17, printed_lemma_3([1.0] * 17, 3.0).value
    main, appendix = math.exp(-rate * 3.5), math.exp(-math.log(17) * 3.5)
    return Evidence(
        f"failure {exact:.3f}; main text {main:.3f}, appendix {appendix:.1e} (needs L on families, as above)",
        appendix < exact <= main,
    )


def _theorem_4_1() -> Evidence:
    """One binary node kept in [0.1, 0.9]: posteriors of neighbours, many records, by brute force on a grid."""
    constant = math.log(9)
    places = np.linspace(0.1, 0.9, 20_001)
    ratio = np.log(places) - np.log1p(-places)
    found = 0.0
    for rows in (0, 10, 100, 1000):
        for ones in {0, rows // 2, rows}:
            logs = ones * np.log(places) + (rows - ones) * np.log1p(-places)
            weight = np.exp(logs - logs.max())
            normaliser = math.log(float((weight * np.exp(ratio)).sum() / weight.sum()))
            found = max(found, float(np.abs(ratio - normaliser).max()))
    privacy, printed = DrawPrivacy(Fraction(2 * constant)), printed_theorem_4_privacy(constant, 1.0).value
    loose = printed_theorem_4_total_variation(constant, 1.0).value
    return Evidence(
        f"largest log ratio found {found:.3f} of {printed:.3f}; total variation {loose:.2f} in print, "
        f"{privacy.total_variation():.2f} in truth",
        0.95 * printed < found <= printed and privacy.total_variation() < 1 < loose,
    )


def _theorem_4_2() -> Evidence:
    naive, heavy = stochastic_lipschitz(naive_bayes_16(), Symmetric(1.0)), stochastic_lipschitz(chain(2), Symmetric(10**6))
    one = stochastic_lipschitz(independent(1), Symmetric(1000))
    exact = float(single_node_delta(1000, 1000, 1, 0.0))
    return Evidence(
        f"bounds on a probability: naive Bayes 16 {naive.total_variation:.0f}, two nodes {heavy.total_variation:.2f}; "
        f"one node {one.total_variation:.2f} where the truth is {exact:.3f}",
        naive.vacuous and heavy.vacuous and one.total_variation > exact,
    )


def _corollary_4() -> Evidence:
    """One node, floor 0.01, 1000 records that all agree."""
    made = printed_map_point({"x0": np.array([[0, 1000]])}, independent(1), 1.0, 0.01, np.random.default_rng(1))
    return Evidence(
        f"claimed epsilon 1; these data and a neighbour tell apart at {made.true_epsilon:.1f}", made.true_epsilon > 10
    )


def _lemma_4() -> Evidence:
    """Two points of posterior mass 0.9 and 0.1, Delta 3.16, epsilon 10, t 0.35, base measure a half each."""
    masses, exponent, distance = np.array([0.9, 0.1]), 10 / (2 * 3.16), 0.35
    law = np.exp(exponent * masses)
    actual = float((law / law.sum())[1])
    printed, corrected = printed_lemma_4(10, distance, 0.5).value, map_failure(exponent, distance, 0.5)
    return Evidence(
        f"probability of the bad point {actual:.3f}; printed bound {printed:.3f}, corrected {corrected:.3f}",
        printed < actual <= corrected,
    )


def _naive_bayes_sampler() -> Evidence:
    network = naive_bayes_16()
    claims = []
    for epsilon in (5, 20):
        floor = printed_naive_bayes_floor(epsilon).value
        claimed = printed_naive_bayes_epsilon(network, floor).value
        claims.append((claimed, float(draw_privacy(network, floor_on_grid(Fraction(floor))).oscillation)))
    text = ", ".join(f"claimed {claimed:.0f}, true {true:.0f}" for claimed, true in claims)
    return Evidence(
        f"one draw, naive Bayes 16: {text}; at epsilon 1 the floor is {printed_naive_bayes_floor(1).value:.2f} > 0.5",
        all(true > 10 * claimed for claimed, true in claims) and printed_naive_bayes_floor(1).value > 0.5,
    )


def _predictive() -> Evidence:
    """Three features: the predicted probability by brute-force integration over parameters, which are independent."""
    import polars as pl

    network = naive_bayes("y", ["x1", "x2", "x3"])
    generator = np.random.default_rng(3)
    records = pl.DataFrame({name: generator.integers(0, 2, 30).astype(str) for name in network.nodes})
    posterior = DirichletPosterior(network).update(records)
    asked = pl.DataFrame({"x1": ["1"], "x2": ["0"], "x3": ["1"]})
    formula = float(predict_proba(posterior, asked, "y")[0, 1])
    drawn = posterior.draws(400_000, generator)
    joint = drawn["y"][:, 0, :] * drawn["x1"][:, :, 1] * drawn["x2"][:, :, 0] * drawn["x3"][:, :, 1]
    means = joint.mean(axis=0)
    simulated, error = float(means[1] / means.sum()), 4 * float(joint.std(axis=0).max() / math.sqrt(400_000) / means.sum())
    return Evidence(
        f"probability of the class: formula {formula:.4f}, simulation {simulated:.4f} ± {error / 4:.4f}",
        abs(formula - simulated) <= error,
    )


SAMPLING = (
    Statement("Assumption 1 and Lemma 2", "corrected", _lemma_2),
    Statement("Assumption 2 and Lemma 3", "corrected", _lemma_3),
    Statement("Theorem 4, part 1", "sharpened", _theorem_4_1),
    Statement("Theorem 4, part 2", "rejected", _theorem_4_2),
    Statement("Algorithm 3 and Corollary 4", "corrected", _corollary_4),
    Statement("Lemma 4", "corrected", _lemma_4),
    Statement("naive Bayes sampler, epsilon = 2 log(1/omega)", "rejected", _naive_bayes_sampler),
)
PREDICTIVE = (Statement("naive Bayes predictive", "holds", _predictive),)


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
