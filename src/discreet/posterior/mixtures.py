"""What follows from a mixture of Dirichlet distributions, given by their parameters: tables, configurations, levels."""

from __future__ import annotations

import numpy as np

from discreet.arrays import Floats
from discreet.chains.dirichlet import dirichlet_draws
from discreet.checks import check_probability

__all__ = ["interval_of", "matched", "mean_of", "noise_share_of", "variances_of"]

_DRAWS = 4000
"""Draws of the parameters behind an interval."""


def mean_of(tables: Floats) -> Floats:
    """Expected probabilities, configurations x levels."""
    return np.asarray((tables / tables.sum(axis=2, keepdims=True)).mean(axis=0))


def variances_of(tables: Floats) -> tuple[Floats, Floats]:
    """The variance of every probability in two parts: within the distributions on average, and between their means."""
    total = tables.sum(axis=2, keepdims=True)
    mean = tables / total
    return np.asarray((mean * (1 - mean) / (total + 1)).mean(axis=0)), np.asarray(mean.var(axis=0))


def noise_share_of(tables: Floats) -> Floats:
    """Which share of the variance of every probability is between the means."""
    within, between = variances_of(tables)
    whole = within + between
    return np.asarray(between / np.where(whole > 0, whole, 1))  # what is known for certain has no noise either


def interval_of(tables: Floats, interval: float, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Central credible interval of every probability: its lower and upper ends."""
    drawn = dirichlet_draws(np.repeat(tables, 1 + _DRAWS // len(tables), axis=0), generator)
    tail = (1 - check_probability(interval)) / 2
    by_cell = drawn.reshape(len(drawn), -1).T.copy()  # the draws of one cell next to one another: much faster to order
    lower, upper = np.quantile(by_cell, [tail, 1 - tail], axis=1).reshape(2, *tables.shape[1:])
    return lower, upper


def matched(tables: Floats) -> Floats:
    """The parameters of one Dirichlet distribution for each configuration, of the same mean and total variance."""
    mean, (within, between) = mean_of(tables), variances_of(tables)
    spread = (within + between).sum(axis=1)
    total = (mean * (1 - mean)).sum(axis=1) / np.where(spread > 0, spread, 1) - 1
    return np.asarray(mean * np.where(spread > 0, np.maximum(total, 1e-6), 1)[:, None])
