"""Where the cells of a family's table are in the table of some of its nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Integers
from discreet.model.network import Family

__all__ = ["places_of", "shape_of"]


def shape_of(family: Family, nodes: Sequence[str]) -> tuple[int, ...]:
    """How many levels these nodes of a family have."""
    return tuple(family.shape[family.members.index(node)] for node in nodes)


def places_of(family: Family, nodes: Sequence[str], shape: tuple[int, ...]) -> Integers:
    """For each cell of a family the cell of a table of some of its nodes that it counts into."""
    if not nodes:
        return np.zeros(family.cells, dtype=np.int64)
    levels = np.unravel_index(np.arange(family.cells), family.shape)
    return np.ravel_multi_index([levels[family.members.index(node)] for node in nodes], shape).astype(np.int64)
