"""What the paper says about Algorithm 2, examined."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np

from discreet.experiments.evidence import Evidence, Statement, naive_bayes_16
from discreet.experiments.seeded_bits import SeededBits
from discreet.kernel.ledger import Ledger
from discreet.measure.strategies.odd_weight import parity_sensitivity
from discreet.measure.strategies.stealth import stealth_increment
from discreet.mechanisms.fourier import Fourier
from discreet.model.templates import naive_bayes
from discreet.theorems import cell_variance_ratio, laplace_scale
from discreet.theorems.fourier_utility import fourier_utility
from discreet.theorems.printed.noise import printed_corollary_2, printed_corollary_3, printed_remark_1, printed_theorem_3

__all__ = ["FOURIER"]

_ONE = Fraction(1)
_SIGNS = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])


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

    made = Fourier("1").release(pl.DataFrame(records), network, ledger=Ledger.unlimited(), _bits=SeededBits(generator))
    released = made.value.released
    assert released is not None  # noqa: S101 - a release has what was published
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
