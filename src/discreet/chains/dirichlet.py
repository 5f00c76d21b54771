"""Draws from Dirichlet laws, many at a time: what a table leaves open about its parameters."""

from __future__ import annotations

import numpy as np

from discreet.arrays import Floats

__all__ = ["dirichlet_draws"]


def dirichlet_draws(concentration: Floats, generator: np.random.Generator, count: int | None = None) -> Floats:
    """One draw for each row of parameters, or ``count`` draws along a new first axis.

    Gamma draws divided by their sum, on the log scale: parameters near zero would underflow otherwise. A parameter of zero
    stands for what cannot be: its probability is zero.
    """
    shape = concentration.shape if count is None else (count, *concentration.shape)
    # Gamma(a) = Gamma(a + 1) * U^(1/a); the logarithm stays finite however small a is.
    log_gamma = np.log(generator.standard_gamma(concentration + 1, size=shape))
    possible = concentration > 0
    log_gamma += np.where(possible, np.log1p(-generator.random(shape)) / np.where(possible, concentration, 1), -np.inf)
    log_gamma -= log_gamma.max(axis=-1, keepdims=True)
    weights = np.exp(log_gamma)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
