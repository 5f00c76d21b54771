"""The noise of fused tables, simulated from public quantities alone: what a plan says about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.measure.needs import Measured
from discreet.measure.noisy_blocks import part_columns
from discreet.measure.observations import observations
from discreet.measure.residuals import residual_space
from discreet.measure.strategies.blocks import Bundle, Group
from discreet.measure.strategies.fusion import split_variances
from discreet.measure.strategies.knorm import measured_parts
from discreet.model.network import Network

__all__ = ["FusedNoise", "fused_block_noise", "fused_noise", "fused_table_noise"]

_SEED = 2016  # plans must be reproducible; this noise is never released
_MOST_DRAWS, _FEWEST_DRAWS = 4000, 8
_WORK = 2**21


@dataclass(frozen=True, slots=True, eq=False)
class FusedNoise:
    """Errors of the cells of maximal families before repair."""

    measured: int
    """Numbers that would be released."""
    mean_absolute: float
    largest: npt.NDArray[np.float64]
    """For each simulated release, the largest absolute error of a cell, sorted."""

    def quantile(self, interval: float) -> int:
        """The distance within which all cells stay together with this probability."""
        return int(np.ceil(np.quantile(self.largest, interval)))


def fused_noise(network: Network, scales: Mapping[str, Fraction], *, fused: bool = True) -> FusedNoise:
    """Discrete Laplace noise on the tables of maximal families, fused where that is done."""
    space = residual_space(network)
    chance = -np.expm1(-1 / space.each({node: float(scale) for node, scale in scales.items()}))
    variances = space.each(split_variances(scales))

    def draw(generator: np.random.Generator, draws: int) -> Floats:
        size = (draws, len(chance))
        # A difference of two geometric variables is discrete Laplace.
        noise = (generator.geometric(chance, size) - generator.geometric(chance, size)).astype(np.float64)
        return space.cells(space.fuse(noise, variances, 0.0)) if fused else noise

    return _simulate(draw, len(chance), 0)


def fused_block_noise(network: Network, bundles: Sequence[Bundle]) -> FusedNoise:
    """K-norm noise on blocks, fused into tables."""
    parts = measured_parts(bundles)
    observed = observations(network, [table for table, _ in parts], [variance for _, variance in parts])

    def draw(generator: np.random.Generator, draws: int) -> Floats:
        blocks = [_bundle_noise(bundle, generator, draws) for bundle in bundles]
        return observed.space.cells(observed.fuse(part_columns(bundles, blocks), 0.0))

    return _simulate(draw, sum(bundle.dimension for bundle in bundles), len(observed.space.place))


def fused_table_noise(network: Network, tables: Sequence[Measured], variances: Sequence[float]) -> FusedNoise:
    """Gaussian noise of these variances on the cells of any tables, fused."""
    observed = observations(network, tables, variances)
    sizes = [int(np.prod([network.variable(node).size for node in table.members])) for table in tables]

    def draw(generator: np.random.Generator, draws: int) -> Floats:
        noise = [generator.normal(0, np.sqrt(v), (draws, size)) for v, size in zip(variances, sizes, strict=True)]
        return observed.space.cells(observed.fuse(noise, 0.0))

    return _simulate(draw, sum(sizes), len(observed.space.place))


def _simulate(draw: Callable[[np.random.Generator, int], Floats], measured: int, cells: int) -> FusedNoise:
    """Look at the cells of as many simulated releases as are affordable."""
    work = measured + cells
    generator = np.random.default_rng(_SEED)
    draws = max(_FEWEST_DRAWS, min(_MOST_DRAWS, _WORK // work))
    batch = max(1, _WORK // 4 // work)
    total, largest = 0.0, []
    for start in range(0, draws, batch):
        errors = np.abs(draw(generator, min(batch, draws - start)))
        total += float(errors.mean(axis=-1).sum())
        largest.append(errors.max(axis=-1))
    return FusedNoise(measured, total / draws, np.sort(np.concatenate(largest)))


def _bundle_noise(bundle: Bundle, generator: np.random.Generator, draws: int) -> list[Floats]:
    """Rounded noise of each group: draws x configurations x width."""
    radius = float(bundle.scale) * generator.gamma(bundle.dimension + 1, size=(draws, 1, 1))
    return [np.rint(radius * _uniform_blocks(group, generator, draws)) for group in bundle.groups]


def _uniform_blocks(group: Group, generator: np.random.Generator, draws: int) -> Floats:
    """Uniform points of a group's body: the norms of its blocks sum to at most one."""
    shape = (draws, group.configurations)
    parts, norms = [], []
    for size in group.parts:
        heights = generator.exponential(size=(*shape, size + 1))
        shares = heights[..., :size] / heights.sum(axis=-1, keepdims=True) if size > 1 else generator.random((*shape, 1))
        norms.append(shares.sum(axis=-1))
        parts.append(shares * generator.choice([-1.0, 1.0], size=shares.shape))
    blocks = np.concatenate(parts, axis=-1)
    if group.configurations == 1:
        return blocks
    radii = generator.gamma(group.width + 1, size=shape)
    total = (radii * np.max(norms, axis=0)).sum(axis=-1) + generator.exponential(size=draws)
    return np.asarray(blocks * radii[..., None] / total[:, None, None])
