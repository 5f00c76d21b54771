"""The noise of fused tables, simulated from public quantities alone: what a plan says about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.bounds.fusion import split_variances
from discreet.model.network import Network
from discreet.posterior.residuals import residual_space

__all__ = ["FusedNoise", "fused_noise"]

_SEED = 2016  # plans must be reproducible; this noise is never released
_MOST_DRAWS, _FEWEST_DRAWS = 4000, 8
_WORK = 2**21


@dataclass(frozen=True, slots=True, eq=False)
class FusedNoise:
    """Errors of the cells of maximal families before repair."""

    mean_absolute: float
    largest: npt.NDArray[np.float64]
    """For each simulated release, the largest absolute error of a cell, sorted."""


def fused_noise(network: Network, scales: Mapping[str, Fraction], *, fused: bool = True) -> FusedNoise:
    """Draw the noise that a release would get, fuse it where that is done, and look at the cells."""
    space = residual_space(network)
    chance = -np.expm1(-1 / space.each({node: float(scale) for node, scale in scales.items()}))
    variances = space.each(split_variances(scales))
    generator = np.random.default_rng(_SEED)
    draws = max(_FEWEST_DRAWS, min(_MOST_DRAWS, _WORK // len(chance)))
    batch = max(1, _WORK // 4 // len(chance))
    total, largest = 0.0, []
    for start in range(0, draws, batch):
        size = (min(batch, draws - start), len(chance))
        # A difference of two geometric variables is discrete Laplace.
        noise = (generator.geometric(chance, size) - generator.geometric(chance, size)).astype(np.float64)
        errors = np.abs(space.cells(space.fuse(noise, variances, 0.0)) if fused else noise)
        total += float(errors.sum())
        largest.append(errors.max(axis=-1))
    return FusedNoise(total / (draws * len(chance)), np.sort(np.concatenate(largest)))
