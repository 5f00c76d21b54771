"""The noise of fused tables, simulated from public quantities alone: what a plan says about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, sum_last
from discreet.errors import ModelError
from discreet.measure.blocks import Bundle, Group, split_parts
from discreet.measure.known_zeros import empty_of_all, known_numbers
from discreet.measure.laws import GaussianNoise, KNormNoise, LaplaceNoise, WeightedNoise
from discreet.measure.measurement import Measurement, number_shape
from discreet.measure.observations import observations
from discreet.measure.strategies.knorm import bundles_of
from discreet.model.network import Network

__all__ = ["FusedNoise", "fused_noise"]

_SEED = 2016  # plans must be reproducible; this noise is never released
_MOST_DRAWS, _FEWEST_DRAWS, _FEWEST_TOGETHER = 4000, 8, 4
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


def fused_noise(network: Network, measurements: Sequence[Measurement], *, fused: bool = True) -> FusedNoise:
    """Noise on what is measured, fused into tables where that is done; else as it is."""
    shapes = [number_shape(network, each) for each in measurements]
    sizes = [math.prod(shape) for shape in shapes]
    together = observations(network, measurements, [each.variance for each in measurements])
    unknown = np.concatenate([~known_numbers(network, each).ravel() for each in measurements])
    possible = ~empty_of_all(together.space)

    def draw(generator: np.random.Generator, draws: int) -> Floats:
        noise = _drawn(measurements, sizes, generator, draws)
        if not fused:
            return np.concatenate(noise, axis=1)[:, unknown]
        signed = [each.unit * own.reshape(draws, *shape) for each, own, shape in zip(measurements, noise, shapes, strict=True)]
        return together.space.cells(together.fuse(signed, 0.0))[:, possible]

    return _simulate(draw, int(unknown.sum()), len(together.space.place))


def _drawn(
    measurements: Sequence[Measurement], sizes: Sequence[int], generator: np.random.Generator, draws: int
) -> list[Floats]:
    """Noise of each measurement: draws x numbers."""
    match measurements[0].law:
        case LaplaceNoise() | WeightedNoise():
            chance = -np.expm1(-1 / np.repeat([float(each.law.scale) for each in measurements], sizes))
            # A difference of two geometric variables is discrete Laplace.
            both = [generator.geometric(chance, (draws, len(chance))) for _ in range(2)]
            return np.split((both[0] - both[1]).astype(np.float64), np.cumsum(sizes)[:-1], axis=1)
        case GaussianNoise():
            return [
                generator.normal(0, np.sqrt(each.variance), (draws, size))
                for each, size in zip(measurements, sizes, strict=True)
            ]
        case KNormNoise():
            return [part for bundle in bundles_of(measurements) for part in _bundle_noise(bundle, generator, draws)]
    raise ModelError("The noise of moments is no noise of tables.")


def _simulate(draw: Callable[[np.random.Generator, int], Floats], measured: int, cells: int) -> FusedNoise:
    """Look at the cells of as many simulated releases as are affordable."""
    work = measured + cells
    generator = np.random.default_rng(_SEED)
    draws = max(_FEWEST_DRAWS, min(_MOST_DRAWS, _WORK // work))
    batch = max(_FEWEST_TOGETHER, _WORK // 4 // work)
    total, largest = 0.0, []
    for start in range(0, draws, batch):
        errors = np.abs(draw(generator, min(batch, draws - start)))
        total += float(errors.mean(axis=-1).sum())
        largest.append(errors.max(axis=-1))
    return FusedNoise(measured, total / draws, np.sort(np.concatenate(largest)))


def _bundle_noise(bundle: Bundle, generator: np.random.Generator, draws: int) -> Iterator[Floats]:
    """Rounded noise of each part of each group: draws x numbers, configurations first."""
    radius = float(bundle.scale) * generator.gamma(bundle.dimension + 1, size=(draws, 1, 1))
    for group in bundle.groups:
        block = np.rint(radius * _uniform_blocks(group, generator, draws))
        yield from (part.reshape(draws, -1) for part in split_parts(group, block))


def _uniform_blocks(group: Group, generator: np.random.Generator, draws: int) -> Floats:
    """Uniform points of a group's body: the norms of its blocks sum to at most one."""
    shape = (draws, group.configurations)
    parts, norms = [], []
    for size in group.parts:
        heights = generator.exponential(size=(*shape, size + 1))
        shares = heights[..., :size] / sum_last(heights)[..., None] if size > 1 else generator.random((*shape, 1))
        norms.append(sum_last(shares))
        parts.append(shares * generator.choice([-1.0, 1.0], size=shares.shape))
    blocks = np.concatenate(parts, axis=-1)
    if group.configurations == 1:
        return blocks
    radii = generator.gamma(group.width + 1, size=shape)
    total = (radii * np.max(norms, axis=0)).sum(axis=-1) + generator.exponential(size=draws)
    return np.asarray(blocks * radii[..., None] / total[:, None, None])
