"""What the K-norm mechanism published: noisy blocks, and how family tables follow from them.

The interface for whoever computes with the noise (all of it is public):

* ``bundles[b]`` has ``groups`` (``measure/strategies/blocks.py``), ``scale`` and ``dimension``; bundles are independent.
* ``blocks[b][g]`` are the noisy integers of its g-th group: configurations x width, columns in the order of ``group.parts``:
  the count of the configuration if ``group.counted``; then, for each child, the signed difference (first level minus second)
  of a binary one, or the counts of all levels. Configurations are numbered with the first of ``group.parents`` slowest.
* each bundle's integers are the true ones plus round(z), z a real vector with density proportional to
  exp(-norm(z) / scale); norm(z) = max over groups g of sum over configurations j of max over parts p of the L1 norm of z[g, j,
  p]. Equivalently z = r u with r of the Gamma law of shape dimension + 1 and this scale, u uniform where norm(u) <= 1; given
  z, r is norm(z) plus an exponential of mean scale. In a bundle of one group the blocks are independent, each such a draw of
  its own with dimension = width.
* ``coordinate_variances[b][g]`` is the variance of a column of the noise (the same in every configuration); any two
  coordinates are uncorrelated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.measure.fused import Fused
from discreet.measure.observations import Observations, observations
from discreet.measure.strategies.blocks import Bundle
from discreet.measure.strategies.knorm import coordinate_variance, measured_parts
from discreet.model.network import Network

__all__ = ["Blocks", "NoisyBlocks", "part_columns"]

Blocks = tuple[tuple[npt.NDArray[np.int64], ...], ...]


@dataclass(frozen=True, eq=False)
class NoisyBlocks(Fused):
    """Blocks of ``rows`` records plus rounded K-norm noise; see the module for the law."""

    network: Network = field(repr=False)
    bundles: tuple[Bundle, ...] = field(repr=False)
    blocks: Blocks = field(repr=False)
    rows: int

    @property
    def scale(self) -> Fraction:
        """The largest scale of a bundle."""
        return max(bundle.scale for bundle in self.bundles)

    @cached_property
    def coordinate_variances(self) -> tuple[tuple[Floats, ...], ...]:
        """For each bundle and group the variance of each column of the noise."""
        return tuple(
            tuple(
                np.concatenate(
                    [
                        np.full(part, coordinate_variance(b.scale, b.dimension, group.dimension, group.width, part))
                        for part in group.parts
                    ]
                )
                for group in b.groups
            )
            for b in self.bundles
        )

    @cached_property
    def _observations(self) -> Observations:
        parts = measured_parts(self.bundles)
        return observations(self.network, [table for table, _ in parts], [variance for _, variance in parts])

    @property
    def _measured(self) -> list[npt.NDArray[np.number]]:
        return part_columns(self.bundles, self.blocks)


def part_columns(
    bundles: Sequence[Bundle], blocks: Sequence[Sequence[npt.NDArray[np.number]]]
) -> list[npt.NDArray[np.number]]:
    """The numbers of each measured part in the order of ``measured_parts``, configurations first, as one long last axis."""
    found = []
    for bundle, groups in zip(bundles, blocks, strict=True):
        for group, block in zip(bundle.groups, groups, strict=True):
            ends = np.cumsum(group.parts)
            for start, end in zip(ends - group.parts, ends, strict=True):
                found.append(block[..., start:end].reshape((*block.shape[:-2], -1)))
    return found
