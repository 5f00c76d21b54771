"""Sums of cells as products with a matrix, in the form in which that is fastest.

Products of long arrays with few columns are made piece by piece: of larger ones the library of linear algebra would give a
part to a second thread, which waits more than it works and keeps a core from everybody else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Matrix", "combine", "products", "quick"]

_SMALL = 2**14
"""Entries up to which a matrix is small."""

_PIECE = 2**17
"""Multiplications of a piece: half of what the library does in one thread."""

Matrix = Any
"""Of sparse or full entries: what can be multiplied by an array."""


def quick(matrix: csr_array) -> Matrix:
    """A small matrix in full, which is faster than to look for what is not zero; others as they are."""
    return np.ascontiguousarray(matrix.toarray()) if np.prod(matrix.shape) <= _SMALL else matrix


def products(one: Floats, other: Floats) -> Floats:
    """The product of each column of one array with each of another."""
    rows, even = _pieces(len(one), one.shape[1] * other.shape[1])
    found = one[even:].T @ other[even:]
    if even:
        pieces, others = (each[:even].reshape(even // rows, rows, each.shape[1]) for each in (one, other))
        found += (pieces.transpose(0, 2, 1) @ others).sum(axis=0)
    return np.asarray(found)


def combine(columns: Floats, weights: Floats) -> Floats:
    """Sums of the columns of an array, with these weights: the product with a small matrix."""
    rows, even = _pieces(len(columns), weights.size)
    found = np.empty((len(columns), weights.shape[1]), columns.dtype)
    if even:
        pieces, sums = (each[:even].reshape(even // rows, rows, each.shape[1]) for each in (columns, found))
        np.matmul(pieces, weights, out=sums)
    np.matmul(columns[even:], weights, out=found[even:])
    return found


def _pieces(length: int, multiplications: int) -> tuple[int, int]:
    """How many rows a piece has, if each takes so many multiplications, and how many rows are in whole pieces."""
    rows = max(1, _PIECE // max(1, multiplications))
    return rows, length // rows * rows
