"""The directions in which the law of all tables is much narrower than in any cell by itself.

Many cells together make sums that are known far better than each of them: margins that tables share, numbers that were
published of them, the records of a family. Steps along the slope would have to be as short as the law is narrow there. So
its curvature H is worked out once and again in the warm-up, in the coordinates of ``real_counts.py`` and at the mean tables:
what is published and what ties tables together give J'A'WAJ, where J says how counts change with coordinates. Its largest
eigenvalues and their directions become the metric of the steps, M = R (1 + U (L - 1) U') R; R is the root of the diagonal, one
at the least.

Any metric that stays while chains move leaves the law as it is; a better one only makes steps longer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats, add_up, rows_at
from discreet.chains.quick_matrices import combine, products
from discreet.chains.some_cells import AllCells, SomeCells

__all__ = ["Metric", "StiffDirections", "find_directions", "no_directions"]

_MOST = 64
"""Directions at the most."""
_SPARE = 8
"""Further ones that are looked at, so that the last of them are found as well."""
_STIFF = 2.0
"""The least curvature of a direction that is looked at; along a cell by itself it is about one."""
_ITERATIONS = 8
_FEWEST, _MOST_ENTRIES, _ENTRIES = 16, 2**22, 2**19
"""Directions of very large tables, how many numbers all directions may be, and on how many is worked at a time."""
_LEAST = 1e-12
"""Directions whose squares are smaller, as a share of all, are as good as none."""


@dataclass(frozen=True, slots=True, eq=False)
class StiffDirections:
    """Of all cells."""

    root: Floats
    """The root of the curvature of each cell by itself, one at the least."""
    directions: Floats
    """Cells x directions, of length one."""
    excess: Floats
    """The curvature along each, less one."""


def find_directions(cells: AllCells, mean: Floats, widths: Floats, spread: Floats, records: float) -> StiffDirections:
    """The stiffest directions at some tables, where cells have these widths and what families sum to has that spread."""
    curvature = _Curvature(cells, mean, widths, spread, records)
    diagonal = curvature.diagonal()
    root = np.sqrt(np.maximum(diagonal, 1))
    flat = 1 - np.minimum(diagonal, 1)

    def apply(values: Floats) -> Floats:
        found = np.empty_like(values)
        at_once = max(1, _ENTRIES // len(mean))
        for first in range(0, values.shape[1], at_once):
            part = slice(first, first + at_once)
            scaled = values[:, part] / root[:, None]
            found[:, part] = (curvature.apply(scaled) + flat[:, None] * scaled) / root[:, None]
        return found

    number = min(_MOST + _SPARE, max(_FEWEST, _MOST_ENTRIES // len(mean)), len(mean))
    found = np.random.default_rng(0).standard_normal((len(mean), number))
    for _ in range(_ITERATIONS):
        found = _upright(apply(found))
    values, turn = np.linalg.eigh(products(found, apply(found)))
    stiff = np.flatnonzero(values > _STIFF)[-_MOST:]
    kind = cells.type
    directions = combine(found, turn[:, stiff])
    return StiffDirections(root.astype(kind), directions.astype(kind), (values[stiff] - 1).astype(kind))


def no_directions(cells: AllCells) -> StiffDirections:
    """As long as nothing is known of them."""
    number, kind = len(cells.tables.row_of_cell), cells.type
    return StiffDirections(np.ones(number, kind), np.zeros((number, 0), kind), np.zeros(0, kind))


def _upright(columns: Floats) -> Floats:
    """Columns of length one that span the same, each upright on all others: by Cholesky's factor of their products.

    That is fast for long columns, and keeps no second thread waiting where other programs are at work.
    """
    squares = products(columns, columns)
    factor = np.linalg.cholesky(squares + _LEAST * squares.trace() * np.eye(len(squares)))
    return combine(columns, np.linalg.inv(factor).T)


class _Curvature:
    """Of what is known of numbers and sums, and of what the sizes of each family sum to."""

    def __init__(self, cells: AllCells, mean: Floats, widths: Floats, spread: Floats, records: float) -> None:
        tables, sums = cells.tables, cells.sums
        self._starts, self._family = tables.cell_starts, tables.family_of_cell
        self._growth = (widths * -np.expm1(-mean / widths))[:, None]
        self._share = (mean / records)[:, None]
        self._whole = 1 / np.square(records * spread)[:, None]
        self._matrix = cells.matrix
        self._back = cells.matrix.T.tocsr()
        of_numbers = np.where(tables.rates > 0, 1 / np.square(tables.spreads), 0)[tables.part]
        self._weights = np.concatenate([of_numbers, sums.precision[:, 0]])[:, None]
        self._first = len(tables.noisy) + sums.first
        self._margin, self._margins, self._copies = sums.margin, sums.starts, sums.copies

    def apply(self, values: Floats) -> Floats:
        """Curvature times some directions: cells x directions."""
        grown = self._growth * values
        sums = np.add.reduceat(grown, self._starts, axis=0)
        counts = grown - self._share * rows_at(sums, self._family)
        seen = np.asarray(self._matrix @ counts)
        tied = seen[self._first :]
        if len(tied):
            tied -= rows_at(np.add.reduceat(tied, self._margins, axis=0) / self._copies, self._margin)
        back = np.asarray(self._back @ (self._weights * seen))
        back -= rows_at(np.add.reduceat(self._share * back, self._starts, axis=0) - self._whole * sums, self._family)
        return np.asarray(self._growth * back)

    def diagonal(self) -> Floats:
        """Of each cell by itself, but for what it takes from others."""
        squares = self._back.multiply(self._back) @ self._weights
        return np.asarray((np.square(self._growth) * (squares + rows_at(self._whole, self._family)))[:, 0])


class Metric:
    """The metric of a step: that of the cells that move, in each chain."""

    def __init__(self, stiff: StiffDirections, cells: SomeCells, moving: Floats) -> None:
        kind = cells.whole.type
        self._root = rows_at(stiff.root, cells.cells)[:, None] * np.ones_like(moving, dtype=kind)
        self._moving, self._excess = moving.astype(kind), stiff.excess
        self._directions = rows_at(stiff.directions, cells.cells)
        self._inner = _inner(self._directions, self._moving, self._excess)

    def draw(self, generator: np.random.Generator) -> Floats:
        """Normal impulses whose matrix of covariances is the metric."""
        drawn = np.asarray(generator.standard_normal(self._moving.shape), dtype=self._moving.dtype)
        along = np.asarray(generator.standard_normal((len(self._excess), drawn.shape[1])), dtype=drawn.dtype)
        drawn += combine(self._directions, along * np.sqrt(self._excess)[:, None])
        drawn *= self._moving
        drawn *= self._root
        return drawn

    def turn(self, impulse: Floats) -> Floats:
        """The speed of an impulse."""
        found = impulse / self._root
        along = products(self._directions, found)
        along = np.matmul(self._inner, along.T[:, :, None])[:, :, 0].T
        found -= self._moving * combine(self._directions, along)
        found /= self._root
        return found

    def energy(self, impulse: Floats) -> Floats:
        """Of each chain."""
        return add_up((impulse * self.turn(impulse)).astype(np.float64)) / 2


def _inner(directions: Floats, moving: Floats, excess: Floats) -> Floats:
    """What makes the inverse of 1 + U E U' among moving cells 1 - U C U', in each chain: C is the inverse of 1 / E + U'U."""
    seen = (products(directions * moving[:, [chain]], directions) for chain in range(moving.shape[1]))
    found = [np.linalg.inv(np.diag(1 / excess) + each) for each in seen]
    return np.asarray(np.array(found, dtype=directions.dtype).reshape(moving.shape[1], len(excess), len(excess)))
