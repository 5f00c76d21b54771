"""Theorems as functions: what a mechanism costs and how wrong it will be.

Most depend on public quantities alone, before any data is touched. Those of ``divergence`` depend on the true counts and
are for the steward only; those of ``printed`` are the paper's formulas, each marked as holding or not.
The functions ``fourier_utility``, ``parameter_error``, ``parity_sensitivity`` and ``parity_weights`` are in the modules of
these names.
"""

from __future__ import annotations

from discreet.measure.laws import noise_variance
from discreet.measure.strategies.laplace import (
    expected_absolute_noise,
    laplace_scale,
    largest_noise,
    proposition_1,
)
from discreet.measure.strategies.parity_sensitivity import ParitySensitivity
from discreet.measure.strategies.parity_weights import ParityWeights, Weights
from discreet.measure.strategies.stealth import stealth_increment
from discreet.planning.parameter_error import ParameterError
from discreet.planning.plan import Plan, Plans
from discreet.theorems.divergence import (
    asymptotic_divergence,
    beta_divergence,
    divergence_bound,
    divergence_quantile,
    divergence_within,
    expected_clamped_count,
    expected_divergence,
    expected_divergence_bound,
    largest_divergence,
)
from discreet.theorems.fourier_utility import FourierUtility, cell_variance_ratio
from discreet.theorems.printed.noise import Printed

__all__ = [
    "FourierUtility",
    "ParameterError",
    "ParitySensitivity",
    "ParityWeights",
    "Plan",
    "Plans",
    "Printed",
    "Weights",
    "asymptotic_divergence",
    "beta_divergence",
    "cell_variance_ratio",
    "divergence_bound",
    "divergence_quantile",
    "divergence_within",
    "expected_absolute_noise",
    "expected_clamped_count",
    "expected_divergence",
    "expected_divergence_bound",
    "laplace_scale",
    "largest_divergence",
    "largest_noise",
    "noise_variance",
    "proposition_1",
    "stealth_increment",
]
