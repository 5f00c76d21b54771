"""What other tables say about each family's cells: a quadratic form that ties the moves of one family's records together.

Moves of one family are accepted one after another, each given those accepted before it. Each pass takes the moves before one
as the last pass left them: the first move is right after the first pass, the second after two at the latest; once nothing
changes any more, all are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.chains.family_tables import FamilyTables
from discreet.chains.row_pairs import RowPairs

__all__ = ["FamilyForms"]

Booleans = npt.NDArray[np.bool_]
_ROWS_AT_ONCE = 64
"""Rows of a family whose changes are accepted together: every two of them have to be looked at."""


class FamilyForms:
    """The quadratic forms of all families, one after another; families without one share a single zero."""

    def __init__(self, tables: FamilyTables, *, tied: bool = True) -> None:
        """``tied`` is whether ties to other tables are part of the forms."""
        matrices = _matrices(tables, tied=tied)
        self._entries = np.concatenate([np.zeros(1), *(matrix.ravel() for matrix in matrices.values())])
        self._line, self._column = np.zeros((2, len(tables.prior)), dtype=np.int64)
        at = 1
        for number, matrix in matrices.items():
            cells, places = tables.cells_of(number), np.arange(len(matrix))
            self._line[cells], self._column[cells] = at + len(matrix) * places, places
            at += matrix.size
        self._told = np.zeros((len(tables.prior), 1))
        for number, (_, linear) in tables.forms.items():
            self._told[tables.cells_of(number), 0] = linear
        self._linear = self._told
        self._tables = tables
        self._groups = _groups(tables, matrices)
        self._couples: dict[RowPairs, _Couples] = {}  # no longer than the chain: of large networks they are many

    def pull(self, linear: Floats) -> None:
        """What ties to other tables add to the linear form of each cell from now on: cells x chains."""
        self._linear = self._told + linear

    @property
    def any(self) -> bool:
        """Whether other tables say anything."""
        return len(self._entries) > 1

    def logs(self, counts: Floats) -> Floats:
        """What other tables say about each family's table, as log densities: families x chains."""
        if not self.any:
            return np.zeros((len(self._tables.families), counts.shape[1]))
        each = counts * (self._linear - self._gradient(counts)) / 2
        return np.asarray(np.add.reduceat(each, self._tables.cell_starts, axis=0))

    def accept_moves(self, pairs: RowPairs, cells: Integers, size: Floats, change: Floats, counts: Floats) -> Booleans:
        """Which moves of records from a cell to another are accepted: 2 x pairs x chains.

        ``change`` is all else that decides: a move is accepted where the log ratio of the densities and it exceed zero.
        """
        if not self.any:
            return np.asarray(change > 0)
        gradient, chain = self._gradient(counts), np.arange(counts.shape[1])
        slope = gradient[cells[1], chain] - gradient[cells[0], chain]
        least = change - self._coupling(cells, cells) * size**2 / 2
        if pairs not in self._couples:
            self._couples[pairs] = _couples(pairs)
        couples = self._couples[pairs]
        coupling = self._coupling(cells[:, couples.earlier], cells[:, couples.later])
        found = least > size * slope
        while True:
            tied = slope.copy()
            moved = np.where(found, size, 0)[couples.earlier]
            if len(moved):
                tied[couples.tied] += np.add.reduceat(coupling * moved, couples.starts, axis=0)
            again = least > size * tied
            if (again == found).all():
                return np.asarray(found)
            found = again

    def change(self, cells: Integers, size: Floats, counts: Floats) -> Floats:
        """Log ratios of the densities if records move between two cells of each of some families, one move a family."""
        if not self.any:
            return np.zeros_like(size)
        gradient, chain = self._gradient(counts), np.arange(counts.shape[1])
        slope = gradient[cells[1], chain] - gradient[cells[0], chain]
        return np.asarray(-size * slope - self._coupling(cells, cells) * size**2 / 2)

    def accept_rows(self, moved: Floats, change: Floats, counts: Floats) -> Booleans:
        """Which changes of whole rows are accepted: ``moved`` is by how much cells change, ``change`` is rows x chains."""
        found = change > 0
        if not self.any:
            return np.asarray(found)
        gradient = self._gradient(counts)
        for group in self._groups:
            found[group.rows] = group.accept(moved[group.cells], change[group.rows], gradient[group.cells])
        return np.asarray(found)

    def _gradient(self, counts: Floats) -> Floats:
        """Of minus the log density."""
        found = np.zeros_like(counts)
        for group in self._groups:
            if group.matrices is not None:
                part = counts[group.cells].reshape(len(group.matrices), -1, counts.shape[1])
                found[group.cells] = (group.matrices @ part).reshape(-1, counts.shape[1])
        return found - self._linear

    def _coupling(self, one: Integers, two: Integers) -> Floats:
        """How much a record moved between two cells changes the gradient between two others."""
        line, column, entries = self._line[one], self._column[two], self._entries
        same = entries[line[0] + column[0]] + entries[line[1] + column[1]]
        return np.asarray(same - entries[line[0] + column[1]] - entries[line[1] + column[0]])


@dataclass(frozen=True, slots=True, eq=False)
class _Couples:
    """Each pair of rows with all earlier ones of its family."""

    earlier: Integers
    later: Integers
    tied: Integers
    """The pairs that have earlier ones, and where those begin."""
    starts: Integers


def _couples(pairs: RowPairs) -> _Couples:
    begin = np.arange(len(pairs.family)) - pairs.number
    earlier = np.concatenate([np.arange(first, place) for place, first in enumerate(begin)])
    later = np.repeat(np.arange(len(begin)), pairs.number)
    tied = np.flatnonzero(pairs.number)
    return _Couples(earlier, later, tied, (np.cumsum(pairs.number) - pairs.number)[tied])


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Families of one shape, which follow one another."""

    cells: slice
    rows: slice
    shape: tuple[int, int, int]
    """Families, rows, levels."""
    matrices: Floats | None
    """One for each family; None where other tables say nothing of any."""

    def accept(self, moved: Floats, change: Floats, gradient: Floats) -> Booleans:
        """Which changes of rows are accepted, block after block of rows."""
        families, rows, levels = self.shape
        if self.matrices is None:
            return np.asarray(change > 0)
        chains = change.shape[1]
        moved, gradient = moved.reshape(families, rows, levels, chains), gradient.reshape(families, rows, levels, chains)
        change = change.reshape(families, rows, chains)
        ties = self.matrices.reshape(families, rows, levels, rows, levels)
        found = np.empty((families, rows, chains), dtype=np.bool_)
        for first in range(0, rows, _ROWS_AT_ONCE):
            block = slice(first, first + _ROWS_AT_ONCE)
            here = moved[:, block]
            slope = (here * gradient[:, block]).sum(axis=2)
            found[:, block] = _accept_block(ties[:, block, :, block], here, change[:, block] - slope)
            if first + _ROWS_AT_ONCE < rows:
                taken = np.where(found[:, block, None], here, 0)
                gradient = gradient + np.einsum("fikjl,fjlc->fikc", ties[:, :, :, block], taken)
        return found.reshape(-1, chains)


def _accept_block(ties: Floats, moved: Floats, least: Floats) -> Booleans:
    """Rows of a block, one after another."""
    families, rows, levels, chains = moved.shape
    # What a change of row j does to the gradient at row i: one product for each family and row j.
    turned = np.moveaxis(ties, 3, 1).reshape(families, rows, rows * levels, levels) @ moved
    tied = (turned.reshape(families, rows, rows, levels, chains) * moved[:, None]).sum(axis=3)  # j, i
    own = tied[:, np.arange(rows), np.arange(rows)] / 2
    earlier = tied * np.triu(np.ones((rows, rows)), 1)[None, :, :, None]
    least = least - own
    found = least > 0
    while True:
        again = least > (earlier * found[:, :, None]).sum(axis=1)
        if (again == found).all():
            return np.asarray(found)
        found = again


def _matrices(tables: FamilyTables, *, tied: bool) -> dict[int, Floats]:
    """The quadratic form of each family: what measurements say, and what ties it to other tables."""
    found = {number: matrix for number, (matrix, _) in tables.forms.items()}
    for number, matrix in (tables.links.matrices if tied and tables.links is not None else {}).items():
        found[number] = found[number] + matrix if number in found else matrix
    return dict(sorted(found.items()))


def _groups(tables: FamilyTables, matrices: dict[int, Floats]) -> list[_Group]:
    """Families of the same shape that follow one another, with their matrices stacked."""
    shapes = [(family.configurations, family.levels) for family in tables.families]
    found, first = [], 0
    for number in range(1, len(shapes) + 1):
        if number == len(shapes) or shapes[number] != shapes[first]:
            found.append(_group(tables, matrices, first, number))
            first = number
    return found


def _group(tables: FamilyTables, matrices: dict[int, Floats], first: int, end: int) -> _Group:
    family = tables.families[first]
    cells = slice(tables.cells_of(first).start, tables.cells_of(end - 1).stop)
    row = int(tables.row_of_cell[cells.start])
    rows = slice(row, row + (end - first) * family.configurations)
    stacked = None
    if any(number in matrices for number in range(first, end)):
        zero = np.zeros((family.cells, family.cells))
        stacked = np.stack([matrices.get(number, zero) for number in range(first, end)])
    return _Group(cells, rows, (end - first, family.configurations, family.levels), stacked)
