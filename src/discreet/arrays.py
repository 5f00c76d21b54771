"""Arrays by what they hold, and how rows of them are found fast. Any code may import this file; it imports nothing of ours."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "Integers", "Places", "WholeNumbers", "add_up", "rows_at", "sum_last"]

Floats: TypeAlias = npt.NDArray[np.float64]
"""Probabilities, Dirichlet parameters, draws: whatever comes after a release."""
Integers: TypeAlias = npt.NDArray[np.int64]
"""Counts and other statistics of records, and noisy ones as they are published."""
Places: TypeAlias = npt.NDArray[np.intp]
"""Places in another array."""
WholeNumbers: TypeAlias = npt.NDArray[Any]
"""64-bit integers, or, where noise may be larger than they are, Python's integers in an array of objects."""

Kind = TypeVar("Kind", bound=np.generic)
_TOGETHER = 64
"""Short rows that are added side by side."""
_SHORT = 8
"""Fewer numbers than this NumPy adds one after the other, too."""


def rows_at(values: npt.NDArray[Kind], places: Integers) -> npt.NDArray[Kind]:
    """The rows of an array at some places. Short rows are found up to fifteen times faster so than by indexing."""
    return values.take(places, axis=0)


def add_up(values: Floats) -> Floats:
    """Sums over the rows of an array, column by column: several times faster than ``sum`` where rows are short.

    Products with ones would be as fast, but wake a second thread that waits more than it works.
    """
    together = len(values) // _TOGETHER * _TOGETHER
    found = values[together:].sum(axis=0)
    if together:
        wide = values[:together].reshape(-1, _TOGETHER * values.shape[1]).sum(axis=0)
        found += wide.reshape(_TOGETHER, -1).sum(axis=0)
    return np.asarray(found)


def sum_last(values: Floats) -> Floats:
    """Sums over the last axis: the same numbers as ``sum`` gives, several times faster where that axis is short."""
    if not 0 < values.shape[-1] < _SHORT:
        return np.asarray(values.sum(axis=-1))
    total: Floats = values[..., 0].copy()
    for place in range(1, values.shape[-1]):
        total += values[..., place]
    return total
