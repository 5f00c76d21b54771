"""The space of tables that agree: one coordinate for each contrast of each set of nodes of a network's families.

For each variable of m levels take an orthonormal basis whose first vector is constant: the first coefficient of a table along
this axis is its margin over the variable, divided by the root of m; the others are contrasts. Coefficients of a table that are
contrasts in the nodes of A and margins in all others, times the roots of the levels of the others, belong to the margin on A
alone. So tables that agree on their common margins are those that share these numbers, their coordinates; and a table whose
cells have independent noise of variance v measures each of them with uncorrelated noise of variance v prod m over the others.

For binary variables the basis, without its roots, is that of the Walsh-Hadamard transform: sums and differences.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Places, sum_last
from discreet.measure.needs import check_width
from discreet.model.network import Family, Network

__all__ = ["ResidualSpace", "reflect", "residual_space", "roots", "walsh_hadamard"]

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class ResidualSpace:
    """Tables of all maximal families as one long array of cells (the last axis; others are carried along)."""

    families: tuple[Family, ...]
    groups: tuple[tuple[tuple[int, ...], Places], ...] = field(repr=False)
    """For each shape, the places of the cells of its tables: tables x cells."""
    place: Places = field(repr=False)
    """Which coordinate each coefficient of each table measures; the coordinate at 0 is the number of records."""
    root: Floats = field(repr=False)
    """What a coefficient must be multiplied with to be an estimate of its coordinate."""
    dimension: int
    starts: Mapping[tuple[str, ...], int] = field(repr=False)
    """Where the coordinates of each set of nodes begin; the nodes in the network's order."""
    order: Mapping[str, int] = field(repr=False)

    def each(self, numbers: Mapping[str, float]) -> Floats:
        """A number for each table, repeated for each of its cells."""
        return np.repeat([numbers[family.node] for family in self.families], [family.cells for family in self.families])

    def tables(self, cells: Floats) -> dict[str, Floats]:
        """The tables in an array of cells, with one axis per member."""
        parts = np.split(cells, np.cumsum([family.cells for family in self.families])[:-1])
        return {family.node: part.reshape(family.shape) for family, part in zip(self.families, parts, strict=True)}

    def cells(self, coordinates: Floats) -> Floats:
        """The tables with these coordinates. They agree on every common margin."""
        return self._rotated(coordinates[..., self.place] / self.root)

    def _rotated(self, cells: Floats) -> Floats:
        """Cells to coefficients, or back: the reflection that exchanges the first unit vector and the constant one."""
        turned = np.empty_like(cells)
        for shape, places in self.groups:
            part = cells[..., places].reshape((*cells.shape[:-1], len(places), *shape))
            reflect(part, len(shape))
            turned[..., places] = part.reshape((*cells.shape[:-1], *places.shape))
        return turned

    def spread(self, cells: Floats) -> Floats:
        """The transpose of ``cells``: a number for each cell becomes one for each coordinate."""
        return np.asarray(np.bincount(self.place, self._rotated(cells) / self.root, self.dimension), dtype=np.float64)

    def places(self, members: tuple[str, ...], shape: tuple[int, ...], contrasts: int = 0) -> Places:
        """Which coordinate each coefficient of a table over these nodes measures; some family contains them.

        The last nodes, so many as are contrasted, have two levels and no axis.
        """
        return _places(members, shape, self.order, dict(self.starts), self.dimension, contrasts)[0]


def reflect(table: Floats, axes: int) -> None:
    """Turn the last axes of a table, in place: cells to coefficients, or back."""
    for axis in range(table.ndim - axes, table.ndim):
        view = table.swapaxes(axis, -1)
        small = 1 / math.sqrt(view.shape[-1])
        along = (view[..., 0] - sum_last(view) * small) / (1 - small)
        view += small * along[..., None]
        view[..., 0] -= along


def roots(shape: tuple[int, ...]) -> Floats:
    """What a coefficient of a table must be multiplied with to be an estimate of its coordinate."""
    return np.asarray(reduce(np.multiply.outer, [np.sqrt([size] + [1] * (size - 1)) for size in shape], np.ones(())))


@lru_cache(maxsize=16)
def residual_space(network: Network) -> ResidualSpace:
    """The space of a network's tables."""
    families = network.maximal_families
    check_width(network)
    starts: dict[tuple[str, ...], int] = {(): 0}
    dimension = 1
    order = {node: place for place, node in enumerate(network.nodes)}
    places, scales = [], []
    for family in families:
        place, dimension = _places(family.members, family.shape, order, starts, dimension)
        places.append(place.ravel())
        scales.append(roots(family.shape).ravel())
    return ResidualSpace(families, _groups(families), np.concatenate(places), np.concatenate(scales), dimension, starts, order)


def _places(
    members: tuple[str, ...],
    shape: tuple[int, ...],
    order: Mapping[str, int],
    starts: dict[tuple[str, ...], int],
    dimension: int,
    contrasts: int = 0,
) -> tuple[Places, int]:
    """Number the coefficients of a table; sets of nodes that are new get coordinates behind the known ones."""
    free = len(members) - contrasts
    table: Places = np.empty(shape[:free], dtype=np.intp)
    for mask in np.ndindex((2,) * free):
        varied = [axis for axis, inside in enumerate(mask) if inside]
        chosen = [*varied, *range(free, len(members))]
        ranked = sorted(chosen, key=lambda axis: order[members[axis]])
        sizes = [shape[axis] - 1 for axis in ranked]
        key = tuple(members[axis] for axis in ranked)
        if key not in starts:
            starts[key] = dimension
            dimension += math.prod(sizes)
        block = starts[key] + np.arange(math.prod(sizes)).reshape(sizes)
        turned = block.transpose([ranked.index(axis) for axis in chosen])
        kept = tuple(slice(1, None) if inside else 0 for inside in mask)
        table[kept] = turned.reshape([shape[axis] - 1 for axis in varied])
    return table, dimension


def _groups(families: tuple[Family, ...]) -> tuple[tuple[tuple[int, ...], Places], ...]:
    """Tables of the same shape are turned together."""
    start = 0
    found: dict[tuple[int, ...], list[int]] = {}
    for family in families:
        found.setdefault(family.shape, []).append(start)
        start += family.cells
    return tuple((shape, np.add.outer(begins, np.arange(math.prod(shape)))) for shape, begins in found.items())


def walsh_hadamard(table: npt.NDArray[Number], first_axis: int = 0) -> npt.NDArray[Number]:
    """Sums and differences along every axis from ``first_axis`` on; these axes all have length two.

    Claim:      entry g of the result is sum_x (-1)^<g,x> table(x); applied twice it multiplies by the number of cells.
                                                                                [Paper, Theorem 2; GUARANTEES 2.1]
    Requires:   integers small enough that 2^axes times the largest fits in 64 bits.
    Checked by: tests/property/test_parities.py::test_the_transform_is_its_own_inverse_up_to_the_number_of_cells
    """
    result = table.copy()
    for axis in range(first_axis, result.ndim):
        view: npt.NDArray[Any] = np.moveaxis(result, axis, 0)
        first, second = view[0] + view[1], view[0] - view[1]
        view[0], view[1] = first, second
    return result
