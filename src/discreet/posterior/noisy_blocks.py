"""What the K-norm mechanism published: noisy blocks, and how family tables follow from them.

The interface for whoever computes with the noise (all of it is public):

* ``bundles[b]`` has ``groups`` (layout, ``bounds/blocks.py``), ``scale`` and ``dimension``; bundles are independent.
* ``blocks[b][g]`` are the noisy integers of its g-th group: configurations x width, columns in the order of ``group.parts``:
  the count of the configuration if ``group.counted``; then, for each child, the signed difference (first level minus second)
  of a binary one, or the counts of all levels. Configurations are numbered with the first of ``group.parents`` slowest.
* each bundle's integers are the true ones plus round(z), z a real vector with density proportional to
  exp(-norm(z) / scale); norm(z) = max over groups g of sum over configurations j of max over parts p of the L1 norm of z[g, j, p].
  Equivalently z = r u with r of the Gamma law of shape dimension + 1 and this scale, u uniform where norm(u) <= 1; given z, r is
  norm(z) plus an exponential of mean scale. In a bundle of one group the blocks are independent, each such a draw of its own
  with dimension = width.
* ``coordinate_variances[b][g]`` is the variance of a column of the noise (the same in every configuration); any two coordinates
  are uncorrelated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.bounds.blocks import Bundle
from discreet.model.network import Family, Network
from discreet.model.prior import Table

__all__ = ["Blocks", "NoisyBlocks"]

Blocks = tuple[tuple[npt.NDArray[np.int64], ...], ...]


@dataclass(frozen=True, eq=False)
class NoisyBlocks:
    """Blocks of ``rows`` records plus rounded K-norm noise; see the module for the law."""

    network: Network = field(repr=False)
    bundles: tuple[Bundle, ...] = field(repr=False)
    blocks: Blocks = field(repr=False)
    rows: int

    @property
    def scale(self) -> Fraction:
        """The largest scale of a bundle."""
        return max(bundle.scale for bundle in self.bundles)
