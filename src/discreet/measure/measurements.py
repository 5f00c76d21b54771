"""How each kind of released statistics was measured: margins, numbers and the law of their noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.measure.fused_counts import FusedCounts
from discreet.measure.measurement import GaussianNoise, KNormNoise, LaplaceNoise, Measurement
from discreet.measure.noisy_blocks import NoisyBlocks
from discreet.measure.noisy_counts import NoisyCounts
from discreet.measure.noisy_margins import NoisyMargins
from discreet.measure.noisy_parities import NoisyParities
from discreet.measure.strategies.blocks import Bundle, Group
from discreet.measure.strategies.gaussian import gaussian_variance
from discreet.measure.strategies.knorm import coordinate_variance
from discreet.model.network import Network

if TYPE_CHECKING:
    from discreet.posterior.dirichlet import Statistics

__all__ = ["measurements"]


def measurements(network: Network, released: Statistics) -> tuple[Measurement, ...]:
    """Everything that was measured, with the noise of each number; empty for statistics of an unknown kind."""
    match released:
        case NoisyCounts():
            law = LaplaceNoise(float(released.scale))
            return tuple(
                Measurement(family.members, _shaped(released.tables[family.node], family.shape), law)
                for family in network.families
            )
        case FusedCounts():
            return _maximal_counts(released)
        case NoisyParities():
            return _parities(released)
        case NoisyBlocks():
            return tuple(
                part
                for bundle, groups in zip(released.bundles, released.blocks, strict=True)
                for group, block in zip(bundle.groups, groups, strict=True)
                for part in _parts(bundle, group, block)
            )
        case NoisyMargins():
            return tuple(
                Measurement(margin.nodes, table.astype(np.float64), GaussianNoise(gaussian_variance(margin.variance)))
                for margin, table in zip(released.margins, released.tables, strict=True)
            )
    return ()


def _maximal_counts(released: FusedCounts) -> tuple[Measurement, ...]:
    return tuple(
        Measurement(family.members, _shaped(released.tables[family.node], family.shape), LaplaceNoise(float(scale)))
        for family in released.network.maximal_families
        for scale in [released.scales[family.node]]
    )


def _shaped(table: Integers, shape: tuple[int, ...]) -> Floats:
    return np.asarray(table.astype(np.float64).reshape(shape))


def _parities(released: NoisyParities) -> tuple[Measurement, ...]:
    """The number rows - 2 odd is the count of records with an even number of second levels minus that of the others."""
    laws = {nodes: LaplaceNoise(2 * float(scale), 2.0) for nodes, scale in released.scales.items()}
    return tuple(
        Measurement(tuple(sorted(nodes)), np.asarray(float(released.rows - 2 * odd)), laws[nodes], len(nodes))
        for nodes, odd in released.odd.items()
    )


def _parts(bundle: Bundle, group: Group, block: Integers) -> list[Measurement]:
    """A count of each configuration, if it was measured; then for each child a contrast or the counts of its levels."""
    found = []
    at = 0
    for part, child in zip(group.parts, (*(None,) * group.counted, *group.children), strict=True):
        numbers = block[:, at : at + part].astype(np.float64)
        at += part
        law = _block_law(bundle, group, part)
        if child is None:
            found.append(Measurement(group.parents, numbers.reshape(group.parent_levels), law))
        elif part == 1:
            found.append(Measurement((*group.parents, child), numbers.reshape(group.parent_levels), law, 1))
        else:
            found.append(Measurement((*group.parents, child), numbers.reshape(*group.parent_levels, part), law))
    return found


def _block_law(bundle: Bundle, group: Group, part: int) -> KNormNoise:
    """A block's radius is r t, r of the law Gamma(D + 1), t of the law Beta(m + 1, G - m); its first two moments decide.

    In a bundle of one group this is exactly Gamma(m + 1).
    """
    whole, mine, width = bundle.dimension, group.dimension, group.width
    scale = float(bundle.scale)
    mean = scale * (whole + 1) * (width + 1) / (mine + 1)
    square = scale**2 * (whole + 1) * (whole + 2) * (width + 1) * (width + 2) / ((mine + 1) * (mine + 2))
    spread = square - mean**2
    variance = coordinate_variance(bundle.scale, whole, mine, width, part)
    return KNormNoise(max(mean**2 / spread - part, 0.5), spread / mean, max(variance, 1e-200), part)
