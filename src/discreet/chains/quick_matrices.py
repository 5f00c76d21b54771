"""Sums of cells as products with a matrix of few entries, in the form in which that is fastest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Matrix", "quick"]

_SMALL = 2**14
"""Entries up to which a matrix is small."""

Matrix = Any
"""Of sparse or full entries: what can be multiplied by an array."""


def quick(matrix: csr_array) -> Matrix:
    """A small matrix in full, which is faster than to look for what is not zero; others as they are."""
    return np.ascontiguousarray(matrix.toarray()) if np.prod(matrix.shape) <= _SMALL else matrix
