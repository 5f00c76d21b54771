"""How noisy a family table is: the variance of a cell, and that of the total of a parent configuration.

Both matter for a conditional probability, which is a cell over a total. Cells of one configuration may share noise, as they do
in tables that agree with one another, so the one does not follow from the other.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CellNoise"]


@dataclass(frozen=True, slots=True)
class CellNoise:
    """Variances of the noise in one family table, before negative cells are repaired; the same for all its cells."""

    cell: float
    total: float
    """Of the sum over a node's levels, the parents' levels being given; 0 where it is the public number of records."""
