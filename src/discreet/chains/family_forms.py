"""What other tables say about each family's cells: a quadratic form that ties the moves of one family's records together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.chains.family_tables import FamilyTables
from discreet.chains.record_moves import RecordMoves

__all__ = ["FamilyForms"]


class FamilyForms:
    """The quadratic forms of all families, one after another; families without one share a single zero."""

    def __init__(self, tables: FamilyTables) -> None:
        self._entries = np.concatenate([np.zeros(1), *(matrix.ravel() for matrix, _ in tables.forms.values())])
        self._linear, self._line, self._column = np.zeros((3, len(tables.prior)))
        self._line, self._column = self._line.astype(np.int64), self._column.astype(np.int64)
        at = 1
        for number, (matrix, linear) in tables.forms.items():
            cells, places = tables.cells_of(number), np.arange(len(matrix))
            self._linear[cells] = linear
            self._line[cells], self._column[cells] = at + len(matrix) * places, places
            at += matrix.size
        self._groups = _groups(tables)
        self._couples: dict[RecordMoves, _Couples] = {}  # no longer than the chain: of large networks they are many

    def accept(self, kind: RecordMoves, pair: Integers, size: Floats, change: Floats, counts: Floats) -> npt.NDArray[np.bool_]:
        """Which moves are accepted, one after another, each given those accepted before it.

        ``change`` is all else that decides: a move is accepted where the log ratio of the densities and it exceed zero. Each
        pass takes the moves before one as the last pass left them. The first move is right after the first pass, the second
        after two at the latest; once nothing changes any more, all are.
        """
        if len(self._entries) == 1:
            return np.asarray(change > 0)
        gradient = self._gradient(counts)
        slope = gradient[pair[1]] - gradient[pair[0]]
        change = change - self._coupling(pair, pair)[:, None] * size**2 / 2
        before = self._before(kind, pair)
        found = change > size * slope
        while True:
            again = change > size * (slope + before @ np.where(found, size, 0))
            if (again == found).all():
                return np.asarray(found)
            found = again

    def _gradient(self, counts: Floats) -> Floats:
        found = np.empty_like(counts)
        for cells, matrices in self._groups:
            part = counts[cells].reshape(len(matrices), matrices.shape[1], -1)
            found[cells] = (matrices @ part).reshape(-1, counts.shape[1])
        return found - self._linear[:, None]

    def _before(self, kind: RecordMoves, pair: Integers) -> object:
        """How much a record moved in an earlier pair changes the slope of a later one: a triangular matrix."""
        from scipy.sparse import csr_array

        if kind not in self._couples:
            self._couples[kind] = _couples(kind)
        couples = self._couples[kind]
        coupling = self._coupling(pair[:, couples.earlier], pair[:, couples.later])
        return csr_array((coupling, couples.earlier, couples.starts), shape=(pair.shape[1],) * 2)

    def _coupling(self, one: Integers, two: Integers) -> Floats:
        """How much a record moved between two cells changes the gradient between two others."""
        line, column, entries = self._line[one], self._column[two], self._entries
        same = entries[line[0] + column[0]] + entries[line[1] + column[1]]
        return np.asarray(same - entries[line[0] + column[1]] - entries[line[1] + column[0]])


@dataclass(frozen=True, slots=True, eq=False)
class _Couples:
    """Each pair of cells with all earlier ones of its family."""

    earlier: Integers
    later: Integers
    starts: Integers


def _couples(kind: RecordMoves) -> _Couples:
    begin = np.arange(len(kind.family)) - kind.number
    earlier = np.concatenate([np.arange(first, place) for place, first in enumerate(begin)])
    later = np.repeat(np.arange(len(begin)), kind.number)
    return _Couples(earlier, later, np.concatenate([[0], np.cumsum(kind.number)]))


def _groups(tables: FamilyTables) -> list[tuple[slice, Floats]]:
    """The matrices of families of the same size, which follow one another, stacked."""
    found = []
    sizes = np.array([family.cells for family in tables.families])
    for size in np.unique(sizes):
        numbers = np.flatnonzero(sizes == size)
        zero = np.zeros((size, size))
        matrices = np.stack([tables.forms.get(number, (zero,))[0] for number in numbers.tolist()])
        found.append((slice(tables.cells_of(int(numbers[0])).start, tables.cells_of(int(numbers[-1])).stop), matrices))
    return found
