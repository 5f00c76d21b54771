"""Theorems as functions: what a mechanism costs and how wrong it will be.

Most depend on public quantities alone, before any data is touched. Those of ``of_true_counts`` depend on the true counts and
are for the steward only; those of ``printed`` are the paper's formulas, each marked as holding or not.
The function ``fourier_utility`` is in the module of this name.
"""

from __future__ import annotations

from discreet.measure.laws import noise_variance
from discreet.measure.strategies.laplace import (
    expected_absolute_noise,
    laplace_scale,
    largest_noise,
)
from discreet.measure.strategies.stealth import stealth_increment
from discreet.theorems.fourier_utility import cell_variance_ratio
from discreet.theorems.of_true_counts import (
    asymptotic_divergence,
    beta_divergence,
    divergence_bound,
    divergence_quantile,
    divergence_within,
    expected_divergence,
    expected_divergence_bound,
    largest_divergence,
)

__all__ = [
    "asymptotic_divergence",
    "beta_divergence",
    "cell_variance_ratio",
    "divergence_bound",
    "divergence_quantile",
    "divergence_within",
    "expected_absolute_noise",
    "expected_divergence",
    "expected_divergence_bound",
    "laplace_scale",
    "largest_divergence",
    "largest_noise",
    "noise_variance",
    "stealth_increment",
]
