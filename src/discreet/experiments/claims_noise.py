"""What the paper says about Laplace noise (Algorithm 1) and about Fourier coefficients (Algorithm 2), examined."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.counts.families import family_counts, family_sensitivity
from discreet.experiments.claims import Evidence, Statement, chain, naive_bayes_16
from discreet.experiments.study import SeededBits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.laplace import discrete_laplace
from discreet.measure.published import Published
from discreet.measure.strategies.odd_weight import parity_sensitivity
from discreet.measure.strategies.stealth import stealth_increment
from discreet.mechanisms.fourier import Fourier
from discreet.model.prior import UNIFORM
from discreet.model.templates import naive_bayes
from discreet.theorems import (
    beta_divergence,
    cell_variance_ratio,
    divergence_bound,
    expected_divergence,
    laplace_scale,
    largest_divergence,
    largest_noise,
)
from discreet.theorems.fourier_utility import fourier_utility
from discreet.theorems.printed.noise import (
    printed_corollary_2,
    printed_corollary_3,
    printed_deviation,
    printed_divergence,
    printed_lemma_a3,
    printed_lemma_a4,
    printed_proposition_1,
    printed_remark_1,
    printed_theorem_3,
)

__all__ = ["FOURIER", "LAPLACE"]

_ONE = Fraction(1)
_ROWS = 50
_NAIVE_BAYES = np.array([[25, 25], *[[13, 12]] * 32])
_SIGNS = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])


def _noise(scale: Fraction, shape: tuple[int, ...], seed: int) -> npt.NDArray[np.int64]:
    return discrete_laplace(scale, int(np.prod(shape)), SeededBits(np.random.default_rng(seed))).reshape(shape)


def _divergences(counts: npt.ArrayLike, scale: Fraction, rows: int, repeats: int, prior: float = 2.0) -> Floats:
    """Divergences of released posteriors from exact ones."""
    exact = np.atleast_2d(counts)
    true = prior + exact
    released = prior + np.clip(exact + _noise(scale, (repeats, *exact.shape), 1), 0, rows)
    return np.asarray(beta_divergence(true[:, 0], true[:, 1], released[..., 0], released[..., 1]).sum(axis=1))


def _definition_1() -> Evidence:
    """One record, either level: the log ratio of the probabilities of every pair of noisy counts on a grid."""
    first, second = np.meshgrid(np.arange(-60, 61), np.arange(-60, 61))
    ratio = (np.abs(first - 1) + np.abs(second) - np.abs(first) - np.abs(second - 1)) / 2
    largest = float(np.abs(ratio).max())
    return Evidence(f"one record, its two counts at epsilon 1: largest log ratio of any output {largest:g}", largest == 1)


def _example_1() -> Evidence:
    """Beta(1, 1) and 7 of 10: the posterior mean is (1 + 7) / (2 + 10)."""
    grid = np.linspace(0, 1, 200_001)
    weight = grid**7 * (1 - grid) ** 3
    mean = float((grid * weight).sum() / weight.sum())
    return Evidence(f"mean of the posterior by integration {mean:.6f}, by the formula {8 / 12:.6f}", abs(mean - 8 / 12) < 1e-6)


def _lemma_1() -> Evidence:
    """All pairs of records on a chain of four nodes: the largest move of all counts together."""
    import polars as pl

    network = chain(4)
    records = list(product("01", repeat=4))
    tables = [family_counts(pl.DataFrame([dict(zip(network.nodes, record, strict=True))]), network) for record in records]
    lines = np.array([np.concatenate([table[node].ravel() for node in network.nodes]) for table in tables])
    largest = int(np.abs(lines[:, None] - lines[None, :]).sum(axis=2).max())
    return Evidence(
        f"chain of 4: largest move {largest}, claimed {2 * len(network.nodes)}", largest == family_sensitivity(network)
    )


def _corollary_1() -> Evidence:
    """The sum of |difference| / scale over all counts is epsilon for the worst pair, and never more."""
    network = naive_bayes_16()
    cost = Fraction(family_sensitivity(network)) / (2 * len(network.nodes) / _ONE)
    return Evidence(f"naive Bayes 16: sensitivity / scale = {cost}", cost == 1)


def _truncation() -> Evidence:
    before, after = float(beta_divergence(51, 1, 81, 6)), float(beta_divergence(51, 1, 51, 6))
    return Evidence(f"divergence from Beta(51, 1): noisy {before:.3f}, after clamping {after:.3f}", after > before)


def _algorithm_1() -> Evidence:
    """Read as conditioning on [0, n], truncation would need another normalisation for each count: not private at epsilon."""
    q = np.exp(-1.0)
    inside = [sum(q ** abs(value - count) for value in range(11)) for count in (0, 1)]
    cost = float(np.log(inside[1] / inside[0])) + 1
    return Evidence(f"noise conditioned on [0, 10] costs {cost:.3f} where clamped noise costs 1", cost > 1.01)


def _proposition_1() -> Evidence:
    network, scale = naive_bayes_16(), Fraction(34)
    exact, printed = largest_noise(scale, network.cells, 0.95), printed_proposition_1(network, _ONE, 0.05).value
    largest = np.abs(_noise(scale, (20_000, network.cells), 2)).max(axis=1)
    share = float((largest > exact).mean())
    return Evidence(
        f"naive Bayes 16: printed {printed:.1f}, exact {exact}; the exact one is exceeded in {share:.2%} of runs",
        share <= 0.056 and exact <= printed,
    )


def _theorem_1() -> Evidence:
    """1000 records, 500 of each level, epsilon 1/10,000: a bound that should fail once in twenty."""
    scale, rows = Fraction(20_000), 1000
    found = _divergences((500, 500), scale, rows, 20_000)
    mean = expected_divergence((2, 2), (500, 500), scale, rows)
    printed = float((found >= mean + printed_deviation((2, 2), rows, 0.05).value).mean())
    corrected = float((found >= divergence_bound((2, 2), (500, 500), scale, rows, 0.05)).mean())
    return Evidence(
        f"promised to be exceeded in 5 % of runs: printed {printed:.1%}, corrected {corrected:.1%}",
        printed > 0.4 and corrected <= 0.05,
    )


def _lemma_a1() -> Evidence:
    found = _divergences(_NAIVE_BAYES, Fraction(34), _ROWS, 4000)
    share = float((found > divergence_bound((2, 2), _NAIVE_BAYES, Fraction(34), _ROWS, 0.05)).mean())
    return Evidence(f"naive Bayes 16, 50 records: bound of 5 % exceeded in {share:.2%} of runs", share <= 0.05)


def _lemma_a2() -> Evidence:
    a, t = np.meshgrid(np.logspace(-6, 6, 200), np.concatenate([[0], np.logspace(-6, 6, 200)]))
    gap = (t * np.log(a + t) + t) - ((a + t) * np.log(a + t) - a * np.log(a))
    relative = float((gap / (1 + np.abs(t * np.log(a + t)) + np.abs(a * np.log(a)))).min())
    return Evidence(f"smallest slack on a grid of 40,200 points, relative: {relative:.1e}", relative > -1e-12)


def _lemma_a3() -> Evidence:
    bound, wrong = printed_lemma_a3((2, 2), (10, 10), (20, 20)).value, printed_divergence((2, 2), (10, 10), (20, 20)).value
    true = float(beta_divergence(12, 12, 22, 22))
    return Evidence(f"bound {bound:.1f}, printed divergence {wrong:.1f}, true divergence {true:.4f}", bound < true)


def _lemma_a4() -> Evidence:
    def ratio(prior: float) -> float:
        places = [(rows, first) for rows in (1, 3, 30, 1000) for first in (0, rows // 2, rows)]
        return max(
            float(largest_divergence((prior, prior), (first, rows - first), rows)[0])
            / printed_lemma_a4((prior, prior), rows).value
            for rows, first in places
        )

    small, allowed = ratio(0.01), ratio(2)
    return Evidence(f"divergence / bound: {small:.1f} for a prior of 0.01, {allowed:.2f} for 2", small > 1 > allowed)


LAPLACE = (
    Statement("Definition 1", "holds", _definition_1),
    Statement("Example 1", "holds", _example_1),
    Statement("Algorithm 1", "corrected", _algorithm_1),
    Statement("Lemma 1", "holds", _lemma_1),
    Statement("Corollary 1", "holds", _corollary_1),
    Statement("truncation only improves utility", "corrected", _truncation),
    Statement("Proposition 1", "sharpened", _proposition_1),
    Statement("Theorem 1", "corrected", _theorem_1),
    Statement("Lemma A.1", "holds", _lemma_a1),
    Statement("Lemma A.2", "holds", _lemma_a2),
    Statement("Lemma A.3", "corrected", _lemma_a3),
    Statement("Lemma A.4", "corrected", _lemma_a4),
)


def _algorithm_2() -> Evidence:
    """The coefficients' natural unit underflows, and a table over all nodes cannot be held, far below 1000 nodes."""
    unit = float(np.float64(2.0) ** (-2150 / 2))
    return Evidence(f"2^(-k/2) for 2150 nodes in floating point: {unit:g}; odd counts stay integers", unit == 0.0)


def _theorem_2() -> Evidence:
    """A random table over six nodes: each pair's margin from the four coefficients below it."""
    table = np.random.default_rng(1).integers(0, 50, (2,) * 6)
    worst = 0.0
    for first, second in ((0, 1), (2, 5), (3, 4)):
        margin = table.sum(axis=tuple(axis for axis in range(6) if axis not in (first, second)))
        places = np.indices(table.shape)
        phi = [((-1) ** (a * places[first] + b * places[second]) * table).sum() for a, b in product((0, 1), repeat=2)]
        again = [sum((-1) ** (a * i + b * j) * f for (a, b), f in zip(product((0, 1), repeat=2), phi, strict=True)) / 4
                 for i, j in product((0, 1), repeat=2)]  # fmt: skip
        worst = max(worst, float(np.abs(np.array(again) - margin.ravel()).max()))
    return Evidence(f"largest difference between a margin and its reconstruction: {worst:g}", worst == 0)


def _corollary_2() -> Evidence:
    network = naive_bayes_16()
    printed, exact = printed_corollary_2(network, _ONE).value, 2 * parity_sensitivity(network).value
    return Evidence(f"naive Bayes 16: printed 2|N| = {printed:.0f}, exact {exact}", exact < printed)


def _consistency() -> Evidence:
    """A release of naive Bayes: the class's margin of every feature's table is the class's own table."""
    network = naive_bayes("y", ["x1", "x2", "x3"])
    generator = np.random.default_rng(2)
    records = {name: generator.integers(0, 2, 200).astype(str) for name in network.nodes}
    import polars as pl

    bits = SeededBits(generator)
    made = Fourier("1").release(pl.DataFrame(records), network, ledger=Ledger.unlimited(), prior=UNIFORM, _bits=bits)
    released = made.value.released
    assert isinstance(released, Published)  # noqa: S101 - a release has what was published
    own = released.table(network.family("y"))
    gaps = [np.abs(released.table(network.family(name)).sum(axis=network.family(name).members.index(name)) - own).max()
            for name in ("x1", "x2", "x3")]  # fmt: skip
    return Evidence(f"largest disagreement of released margins: {max(gaps):g}", max(gaps) < 1e-9)


def _corollary_3() -> Evidence:
    """Naive Bayes with 100 features, t = 0.3: how often the whole table is non-negative where the records leave it empty."""
    generator = np.random.default_rng(6)
    rows, label = generator.laplace(0, 1, (2, 20_000))
    feature, both = generator.laplace(0, 1, (2, 100, 20_000))
    deepest = np.maximum(*(-(rows + sign * label) + np.abs(feature + sign * both).sum(axis=0) for sign in (1, -1)))
    actual, promised = float((deepest <= 2 * 0.3 * 202).mean()), printed_corollary_3(0.3).value
    network = naive_bayes_16()
    needed = stealth_increment(network, Fraction(34), 0.9)
    printed = 4 * np.log(10) * len(network.downward_closure) ** 2
    return Evidence(
        f"promised {promised:.3f}, found {actual:.4f}; at 90 % the paper adds {printed:,.0f} records, {needed:,} suffice",
        actual < promised and needed < printed,
    )


def _remark_1() -> Evidence:
    network = naive_bayes_16()
    remark, laplace = printed_remark_1(network, _ONE).value, float(laplace_scale(network, _ONE))
    ratio = cell_variance_ratio(network, "x0"), cell_variance_ratio(network, "y")
    return Evidence(
        f"printed scales {remark:.2f} and {laplace:.0f}; true ratio of variances {ratio[0]:g} (feature), {ratio[1]:g} (class)",
        remark < laplace and min(ratio) >= 1,
    )


def _theorem_3() -> Evidence:
    network = naive_bayes_16()
    printed, sharper = printed_theorem_3(network, "x0", _ONE, 0.05).value, fourier_utility(network, Fraction(34), 0.05)
    noise = np.random.default_rng(7).laplace(0, 68, (20_000, 4)) @ _SIGNS
    quantile = float(np.quantile(np.abs(noise).sum(axis=1) / 4, 0.95))
    bound = sharper.together["x0"]
    return Evidence(
        f"naive Bayes 16: printed {printed:,.0f}, Parseval {bound:,.0f}, 95 % quantile of one table {quantile:,.0f}",
        quantile < bound < printed,
    )


FOURIER = (
    Statement("Algorithm 2", "corrected", _algorithm_2),
    Statement("Theorem 2", "holds", _theorem_2),
    Statement("Corollary 2", "sharpened", _corollary_2),
    Statement("consistency of Algorithm 2", "holds", _consistency),
    Statement("Corollary 3", "corrected", _corollary_3),
    Statement("Remark 1", "rejected", _remark_1),
    Statement("Theorem 3", "sharpened", _theorem_3),
)
