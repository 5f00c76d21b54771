"""How far the Laplace mechanism moves the posterior of a binary node: the paper's Theorem 1, corrected.

The divergence is KL(Beta(p, q) || Beta(p', q')) in nats, from the exact posterior to the released one, where (p, q) is the
prior plus the true counts and (p', q') the prior plus the noisy counts, clamped to [0, rows]. It is the Bregman divergence
of a convex function, hence convex in the noisy counts: its largest value on a box is at a corner.

Arrays of ``prior`` (alpha, beta) and ``counts`` (of the first and second level, in records) have two columns and one row
for each node and parent configuration; sums are over all rows.

ALL OF THIS DEPENDS ON THE TRUE COUNTS: it is for the steward's eyes. Never publish a number that comes from here, and never
choose what to publish by it. Double precision: beyond ten million records, differences below 1e-6 nats are rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.errors import ModelError
from discreet.measure.laws import noise_variance

__all__ = [
    "asymptotic_divergence",
    "beta_divergence",
    "divergence_bound",
    "divergence_quantile",
    "divergence_within",
    "expected_clamped_count",
    "expected_divergence",
    "expected_divergence_bound",
    "largest_divergence",
]


_REACH = 60  # scales: noise beyond has probability below 1e-26 and is counted as if it went all the way
_BLOCK = 2**20
_WIDEST = 2**22  # values of a noisy count that a convolution may have


def beta_divergence(p: npt.ArrayLike, q: npt.ArrayLike, p2: npt.ArrayLike, q2: npt.ArrayLike) -> Floats:
    """KL(Beta(p, q) || Beta(p2, q2)), in nats.

    Claim:      ln B(p2, q2) - ln B(p, q) + (p - p2) psi(p) + (q - q2) psi(q) + (p2 - p + q2 - q) psi(p + q); at least 0, and
                0 if the two are equal.                                               [GUARANTEES 1.4; the paper's is wrong]
    Requires:   positive parameters.
    Checked by: tests/paper/test_theorem_1.py::test_the_divergence_equals_its_integral
    """
    from scipy.special import betaln, psi

    first, second, third, fourth = (np.asarray(value, dtype=np.float64) for value in (p, q, p2, q2))
    moved = (first - third) * psi(first) + (second - fourth) * psi(second)
    joint = (third - first + fourth - second) * psi(first + second)
    return np.asarray(np.maximum(0.0, betaln(third, fourth) - betaln(first, second) + moved + joint))


def largest_divergence(prior: npt.ArrayLike, counts: npt.ArrayLike, rows: int) -> Floats:
    """The most that noise clamped to [0, rows] can move each posterior, in nats. Never publish it.

    Claim:      0 <= f_ij <= c_ij, the largest f_ij over the corners {0, rows}^2 of the box.         [GUARANTEES 1.4 (a)]
    Requires:   positive prior, counts between 0 and rows (checked).
    Checked by: tests/paper/test_theorem_1.py::test_no_noise_exceeds_the_corners
    """
    checked_prior, checked_counts = _check(prior, counts, rows)
    return _largest_at_corners(
        checked_prior, checked_counts, np.zeros_like(checked_counts), np.full_like(checked_counts, rows)
    )


def divergence_within(prior: npt.ArrayLike, counts: npt.ArrayLike, rows: int, reach: float) -> float:
    """The most that the divergence of all posteriors together can be if no noise exceeds ``reach``. Never publish it.

    Claim:      max |noise| <= reach implies f <= the sum of the largest f_ij over the corners of [count - reach,
                count + reach] cut to [0, rows]. With reach = ``largest_noise(scale, cells, 1 - delta)`` it holds with
                probability at least 1 - delta. In nats; reach in records.                           [GUARANTEES 1.4 (e)]
    Requires:   positive prior, counts between 0 and rows (checked).
    Checked by: tests/paper/test_theorem_1.py::test_the_corner_bound_holds_at_its_probability
    """
    checked_prior, checked_counts = _check(prior, counts, rows)
    low, high = np.maximum(0.0, checked_counts - reach), np.minimum(rows, checked_counts + reach)
    return float(_largest_at_corners(checked_prior, checked_counts, low, high).sum())


def expected_clamped_count(count: npt.ArrayLike, scale: Fraction, rows: int) -> Floats:
    """Mean of a noisy count after clamping to [0, rows], in records. Never publish it: it is a function of the count.

    Claim:      E Z = count + (q^(count + 1) - q^(rows - count + 1)) / (1 - q^2), q = exp(-1 / scale): the discrete form of
                count + scale / 2 (exp(-count / scale) - exp(-(rows - count) / scale)).       [GUARANTEES 1.4; printed wrong]
    Requires:   whole counts between 0 and rows.
    Checked by: tests/paper/test_theorem_1.py::test_the_mean_of_a_clamped_count_is_the_sum_over_its_law
    """
    exact = np.asarray(count, dtype=np.float64)
    rate = float(1 / scale)
    pushed_up, pushed_down = np.exp(-rate * (exact + 1)), np.exp(-rate * (rows - exact + 1))
    return np.asarray(exact + (pushed_up - pushed_down) / -math.expm1(-2 * rate))


def expected_divergence_bound(prior: npt.ArrayLike, counts: npt.ArrayLike, scale: Fraction, rows: int) -> float:
    """A bound on the mean divergence of all posteriors together, in nats. Never publish it.

    Claim:      E f <= sum of e(alpha, count) + e(beta, count), e(a, count) = E [ln Gamma(a + Z) - ln Gamma(a + count) -
                (Z - count) psi(a + count)], summed over the discrete Laplace law clamped to [0, rows]; the part of f that
                is left out is -[ln Gamma(p' + q') - ...] <= 0, as ln Gamma is convex.               [GUARANTEES 1.4 (c)]
                About twice the mean where there are many records: ``expected_divergence`` is sharper, and slower.
    Requires:   positive prior, whole counts between 0 and rows (checked).
    Checked by: tests/paper/test_theorem_1.py::test_the_mean_divergence_is_below_its_bound
    """
    checked_prior, checked_counts = _check(prior, counts, rows)
    pairs = np.stack([checked_prior.ravel(), checked_counts.ravel()], axis=1)
    distinct, repeats = np.unique(pairs, axis=0, return_counts=True)
    parts = [_mean_gap(float(a), int(count), scale, rows) for a, count in distinct]
    return float(repeats @ np.array(parts))


def expected_divergence(prior: npt.ArrayLike, counts: npt.ArrayLike, scale: Fraction, rows: int) -> float:
    """The mean divergence of all posteriors together, in nats. Never publish it.

    Claim:      E f = sum of e(alpha, count) + e(beta, count) - e(alpha + beta, sum of both), the last one over the law of the
                sum of two clamped counts, a convolution. Up to rounding.                                [GUARANTEES 1.4]
    Requires:   positive prior, whole counts between 0 and rows, a law that fits into memory (checked).
    Checked by: tests/paper/test_theorem_1.py::test_the_mean_divergence_equals_the_sum_over_all_noise
    """
    checked_prior, checked_counts = _check(prior, counts, rows)
    if not _fits(scale, rows):
        raise ModelError("The noise is too wide for the exact mean. Use expected_divergence_bound.")
    distinct, repeats = np.unique(np.concatenate([checked_prior, checked_counts], axis=1), axis=0, return_counts=True)
    left_out = [_mean_joint_gap(float(a + b), int(first), int(second), scale, rows) for a, b, first, second in distinct]
    return max(0.0, expected_divergence_bound(prior, counts, scale, rows) - float(repeats @ np.array(left_out)))


def divergence_bound(prior: npt.ArrayLike, counts: npt.ArrayLike, scale: Fraction, rows: int, delta: float) -> float:
    """What the divergence of all posteriors together stays below with probability 1 - delta, in nats. Never publish it.

    Claim:      P[f >= mean + sqrt(ln(1 / delta) / 2 * sum of c_ij^2)] <= delta: McDiarmid over independent pairs of counts,
                with the squares that the paper lost. Sound, and loose for many records: prefer ``divergence_within`` or
                ``divergence_quantile`` there.                                                       [GUARANTEES 1.4 (b)]
    Requires:   independent noise of the given scale on all counts, clamped to [0, rows]; 0 < delta < 1 (checked).
    Checked by: tests/paper/test_theorem_1.py::test_the_bound_holds_at_its_probability
    """
    _check_probability(delta)
    spread = np.square(largest_divergence(prior, counts, rows)).sum()
    mean = expected_divergence if _fits(scale, rows) else expected_divergence_bound
    return mean(prior, counts, scale, rows) + math.sqrt(-math.log(delta) / 2 * float(spread))


def asymptotic_divergence(prior: npt.ArrayLike, counts: npt.ArrayLike, scale: Fraction) -> float:
    """What the mean divergence tends to when all counts are far larger than the noise, in nats. Never publish it.

    Claim:      E f -> sum of V / 2 (psi1(p) + psi1(q) - 2 psi1(p + q)), V the variance of the discrete noise (2 scale^2 if it
                were continuous). An approximation, not a bound.                                     [GUARANTEES 1.4 (d)]
    Requires:   counts that are many scales away from 0 and from rows.
    Checked by: tests/paper/test_theorem_1.py::test_the_asymptotic_mean_is_met_at_many_records
    """
    from scipy.special import polygamma

    shape = np.asarray(prior, dtype=np.float64) + np.asarray(counts, dtype=np.float64)
    curvature = polygamma(1, shape).sum() - 2 * polygamma(1, shape.sum(axis=-1)).sum()
    return float(noise_variance(scale) / 2 * curvature)


def divergence_quantile(
    prior: npt.ArrayLike,
    counts: npt.ArrayLike,
    scale: Fraction,
    rows: int,
    probability: float,
    generator: np.random.Generator,
    draws: int = 10_000,
    doubt: float = 1e-3,
) -> float:
    """What the divergence of all posteriors together stays below with ``probability``, by simulation; in nats.

    Never publish it. It is by far the sharpest of these bounds.

    Claim:      an order statistic that is below the true quantile with probability at most ``doubt``. [GUARANTEES 1.4]
    Requires:   enough draws for the probability to have such an order statistic (checked).
    Checked by: tests/paper/test_theorem_1.py::test_the_simulated_quantile_is_rarely_too_small
    """
    from scipy.stats import binom

    checked_prior, checked_counts = _check(prior, counts, rows)
    _check_probability(probability)
    rank = int(binom.ppf(1 - doubt, draws, probability)) + 1
    if rank > draws:
        raise ModelError("There are too few draws for a probability so near to one. Give more draws or a smaller probability.")
    chance = -math.expm1(-1 / scale)
    batch = max(1, _BLOCK // checked_counts.size)
    found = []
    for start in range(0, draws, batch):
        geometric = generator.geometric(chance, (2, min(batch, draws - start), *checked_counts.shape))
        noisy = np.clip(checked_counts + (geometric[0] - geometric[1]), 0, rows)
        found.append(_divergence(checked_prior, checked_counts, noisy).sum(axis=-1))
    return float(np.sort(np.concatenate(found))[rank - 1])


def _check(prior: npt.ArrayLike, counts: npt.ArrayLike, rows: int) -> tuple[Floats, Floats]:
    if rows < 1:
        raise ModelError("rows is the number of records: at least 1.")
    exact = np.atleast_2d(np.asarray(counts, dtype=np.float64))
    if exact.ndim != 2 or exact.shape[1] != 2:
        raise ModelError("Give counts with two columns, one row for each node and parent configuration.")
    try:
        spread = np.broadcast_to(np.asarray(prior, dtype=np.float64), exact.shape)
    except ValueError:
        raise ModelError("Give a prior of the same shape as the counts, or one (alpha, beta) for all.") from None
    if not (np.isfinite(spread).all() and (spread > 0).all()):
        raise ModelError("Every prior parameter must be a positive number.")
    if not ((exact >= 0).all() and (exact <= rows).all() and (exact == np.floor(exact)).all()):
        raise ModelError("Every count must be a whole number between 0 and rows. Check that rows is the number of records.")
    return spread, exact


def _check_probability(value: float) -> None:
    if not 0 < value < 1:
        raise ModelError("A probability such as delta must lie between 0 and 1; give a number such as 0.05.")


def _divergence(prior: Floats, counts: Floats, noisy: Floats) -> Floats:
    true, released = prior + counts, prior + noisy
    return beta_divergence(true[..., 0], true[..., 1], released[..., 0], released[..., 1])


def _largest_at_corners(prior: Floats, counts: Floats, low: Floats, high: Floats) -> Floats:
    ends = (low, high)
    corners = [np.stack([ends[i][:, 0], ends[j][:, 1]], axis=1) for i, j in product((0, 1), repeat=2)]
    return np.asarray(np.max([_divergence(prior, counts, corner) for corner in corners], axis=0))


def _fits(scale: Fraction, rows: int) -> bool:
    return rows <= _WIDEST or 2 * _REACH * scale <= _WIDEST


def _gap(a: float, count: int, values: Floats) -> Floats:
    """How far ln Gamma lies above its tangent at a + count."""
    from scipy.special import gammaln, psi

    return np.asarray(np.maximum(0.0, gammaln(a + values) - gammaln(a + count) - (values - count) * psi(a + count)))


def _mean_gap(a: float, count: int, scale: Fraction, rows: int) -> float:
    """The sum e(a, count), over the law of the clamped count, in blocks so that memory stays flat."""
    return float(sum(weights @ _gap(a, count, values) for values, weights in _clamped_law(count, scale, rows)))


def _mean_joint_gap(a: float, first: int, second: int, scale: Fraction, rows: int) -> float:
    """The same for the sum of two clamped counts."""
    from scipy.signal import fftconvolve

    start, weights = _on_a_grid(first, scale, rows)
    other_start, other_weights = _on_a_grid(second, scale, rows)
    joint = np.maximum(0.0, fftconvolve(weights, other_weights))
    values = np.arange(joint.size, dtype=np.float64) + start + other_start
    return float(joint @ _gap(a, first + second, values))


def _on_a_grid(count: int, scale: Fraction, rows: int) -> tuple[int, Floats]:
    """The law of a clamped count on neighbouring whole numbers, and the first of them."""
    *inner, (_, ends) = _clamped_law(count, scale, rows)
    start = int(inner[0][0][0]) - 1 if inner else 0
    return start, np.concatenate([ends[:1], *(weights for _, weights in inner), ends[1:]])


def _clamped_law(count: int, scale: Fraction, rows: int) -> Iterator[tuple[Floats, Floats]]:
    """Values and probabilities of a clamped noisy count. What lies far out is moved to the ends, where f is largest."""
    rate = float(1 / scale)
    q = math.exp(-rate)
    reach = math.ceil(_REACH * scale) + 1
    low, high = max(1, count - reach), min(rows - 1, count + reach)
    for start in range(low, high + 1, _BLOCK):
        values = np.arange(start, min(start + _BLOCK, high + 1), dtype=np.float64)
        yield values, -math.expm1(-rate) / (1 + q) * np.exp(-rate * np.abs(values - count))
    ends = np.array([0, rows], dtype=np.float64)
    yield ends, np.array([_tail(count - low + 1, rate), _tail(high + 1 - count, rate)])


def _tail(distance: int, rate: float) -> float:
    """P(noise >= distance), for a distance of any sign."""
    q = math.exp(-rate)
    return math.exp(-rate * distance) / (1 + q) if distance > 0 else 1 - math.exp(-rate * (1 - distance)) / (1 + q)
