"""What is known about sums of cells, and what moves of records cost that change them at once.

**Moves of records.** A sum S has a target t of variance v. If c moves would change it, let each have an independent normal
error of variance v / c, drawn such that all of them make up t - S: what the moves have and their errors then sum to t, which
has the density that it should. Given the errors a move pays for its own part alone: moves are accepted independently of one
another, and the law of tables and errors stays as it is. Which moves share a sum is the same on the way there and back.

So are **changes of blocks of rows**, each of which is one move that may change many sums.

**Changes of single rows** are accepted one after another, each given those accepted before it, since they would change sums by
much more than a part of an error. Each pass takes the rows before one as the last pass left them: the first row is right after
the first pass, the second after two at the latest; once nothing changes any more, all are.

The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.family_tables import FamilyTables
from discreet.chains.row_changes import RowChanges, merge

__all__ = ["SumForms"]

Booleans = npt.NDArray[np.bool_]


class SumForms:
    """The sums of all families with their targets: those of shared margins are drawn anew by ``pull``."""

    def __init__(self, tables: FamilyTables, generator: np.random.Generator) -> None:
        sums = tables.sums
        self._tables, self._sums, self._generator = tables, sums, generator
        self._matrix = sums.matrix()
        self._target = sums.measured[:, None]
        self._known = np.where(sums.margin < 0, sums.precision, 0)
        self._precision = self._known[:, None]  # ties hold from the first pull on
        self.tilt: Floats = np.zeros((len(tables.row_of_cell), 1))
        """The log of the factor of each record in a cell (``row_margins.py``), where rows move at once: cells x chains."""
        self._layers = [_Layer.of(tables, place, sign) for place, sign in zip(sums.place, sums.sign, strict=True)]

    def pull(self, counts: Floats) -> None:
        """Draw factors, and the shared margins given the tables: normal around the mean of all tables that have them."""
        sums = self._sums
        self.tilt = self._tables.row_margins.draw(counts, self._generator)
        tied = sums.tied
        if not len(tied):
            return
        margin = sums.margin[tied]
        mean = np.zeros((len(sums.copies), counts.shape[1]))
        np.add.at(mean, margin, (self._matrix @ counts)[tied])
        variance = np.zeros(len(sums.copies))
        variance[margin] = 1 / sums.precision[tied]
        copies = sums.copies[:, None]
        drawn = mean / copies + np.sqrt(variance[:, None] / copies) * self._generator.standard_normal(mean.shape)
        target = np.repeat(sums.measured[:, None], counts.shape[1], axis=1)
        target[tied] = drawn[margin]
        self._target, self._precision = target, sums.precision[:, None]

    def logs(self, counts: Floats) -> Floats:
        """What is known of sums about each family's table, and its factors, as log densities: families x chains."""
        found = self._by_family(-self._precision * np.square(self._matrix @ counts - self._target) / 2)
        return found + self.factors(counts)

    def factors(self, counts: Floats) -> Floats:
        """The log of the factors of each family's table (``row_margins.py``): families x chains."""
        margins, found = self._tables.row_margins, np.zeros((len(self._tables.families), counts.shape[1]))
        np.add.at(found, margins.family, margins.logs(counts))
        return found

    def measured_logs(self, cells: Integers, size: Floats, counts: Floats) -> Floats:
        """Log ratios of what was measured of sums, if records move from a cell to another and no sum is in two moves."""
        found, chain = np.zeros(size.shape), np.arange(size.shape[1])
        if not self._known.any():
            return found
        gaps = self._matrix @ counts - self._sums.measured[:, None]
        for place, sign in zip(self._sums.place, self._sums.sign, strict=True):
            where = place[cells]
            change = _merge(where, sign[cells] * np.stack([-size, size]))
            found -= (self._known[where] * change * (gaps[where, chain] + change / 2)).sum(axis=0)
        return found

    def tension(self, counts: Floats) -> Floats:
        """Minus the log density of tables around one another, the shared margins integrated out: cells of margins x chains."""
        sums = self._sums
        tied = sums.tied
        margin, tables = sums.margin[tied], (self._matrix @ counts)[tied]
        total, squares = np.zeros((2, len(sums.copies), counts.shape[1]))
        np.add.at(total, margin, tables)
        np.add.at(squares, margin, np.square(tables))
        precision = np.zeros(len(sums.copies))
        precision[margin] = sums.precision[tied]
        return np.asarray((squares - np.square(total) / sums.copies[:, None]) * precision[:, None] / 2)

    def move_logs(self, cells: Integers, size: Floats, counts: Floats) -> Floats:
        """Log ratios of what is known of sums, if records move from a cell to another: ``cells`` are 2 x moves x chains."""
        found, gaps = np.zeros(size.size), self._target - self._matrix @ counts
        for place, sign in zip(self._sums.place, self._sums.sign, strict=True):
            where = place[cells]
            change = np.where(where > 0, _merge(where, sign[cells] * np.stack([-size, size])), 0)
            moved = np.flatnonzero(change)
            cost = self._costs(where.ravel()[moved], moved % size.shape[1], change.ravel()[moved], gaps)
            found += np.bincount(moved % size.size, cost, size.size)
        return found.reshape(size.shape) + self._tilt_logs(cells, size)

    def block_logs(self, changes: RowChanges, counts: Floats) -> Floats:
        """Log ratios of what is known of sums, for blocks of cells that change at once: blocks x chains."""
        found, gaps = changes.add_up(changes.size * rows_at(self.tilt, changes.cell)), self._target - self._matrix @ counts
        sign = np.where(self._sums.place[:, changes.cell] > 0, self._sums.sign[:, changes.cell], 0)
        layer, told = np.nonzero(sign)
        both = self._sums.place[layer, changes.cell[told]] * changes.blocks + changes.block[told]
        both, _, size = merge(both, sign[layer, told][:, None] * rows_at(changes.size, told))
        where, block = np.divmod(both, changes.blocks)
        place, _, cost = merge(block, self._block_costs(where, size, gaps))
        found[place] += cost
        return found

    def _block_costs(self, where: Integers, change: Floats, gaps: Floats) -> Floats:
        """Log ratios for changes of sums, changes x chains: those of one sum follow one another."""
        if not len(where):
            return change
        moved, new = change != 0, np.append(True, where[1:] != where[:-1])
        starts, group = np.flatnonzero(new), np.cumsum(new) - 1
        share = 1 / np.maximum(rows_at(np.add.reduceat(moved, starts, axis=0, dtype=np.float64), group), 1)
        precision = self._precision[where]
        error = moved * np.sqrt(share / np.where(precision > 0, precision, 1)) * self._generator.standard_normal(share.shape)
        error += share * (rows_at(gaps, where) - rows_at(np.add.reduceat(error, starts, axis=0), group))
        return np.asarray(precision / share * change * (error - change / 2))

    def _tilt_logs(self, cells: Integers, size: Floats) -> Floats:
        tilt = np.broadcast_to(self.tilt, (len(self.tilt), size.shape[1]))[cells, np.arange(size.shape[1])]
        return np.asarray(size * (tilt[1] - tilt[0]))

    def accept_rows(self, moved: Floats, change: Floats, counts: Floats) -> Booleans:
        """Which changes of whole rows are accepted: ``moved`` is by how much cells change, ``change`` is rows x chains."""
        change = change + self._tables.sum_rows(self.tilt * moved)
        found = np.asarray(change > 0)
        if not self._layers:
            return found
        gaps = self._matrix @ counts - self._target
        looked = [layer.look(moved, gaps, self._precision) for layer in self._layers]
        least = change - sum(each.alone for each in looked)
        found = least > 0
        while True:
            again = least > sum(layer.tie(each, found) for layer, each in zip(self._layers, looked, strict=True))
            if (again == found).all():
                return np.asarray(found)
            found = again

    def _costs(self, place: Integers, chain: Integers, change: Floats, gaps: Floats) -> Floats:
        """Log ratios for changes of sums, one by one: those of one sum in one chain share what it is from its target."""
        number = place * gaps.shape[1] + chain
        share = 1 / np.bincount(number)[number]
        precision = self._precision[place, 0]
        error = np.sqrt(share / np.where(precision > 0, precision, 1)) * self._generator.standard_normal(len(share))
        error += share * (gaps[place, chain] - np.bincount(number, error)[number])
        return np.asarray(precision / share * change * (error - change / 2))

    def _by_family(self, values: Floats) -> Floats:
        found = np.zeros((len(self._tables.families), values.shape[1]))
        np.add.at(found, self._sums.family, values)
        return found


def _merge(where: Integers, change: Floats) -> Floats:
    """What the two sides of moves change; a sum that both cells count into changes once, by both."""
    same = where[0] == where[1]
    return np.stack([change[0] + np.where(same, change[1], 0), np.where(same, 0, change[1])])


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """Changes of the sums of a layer, one for each row and sum."""

    entry: Floats
    """By how much a row changes a sum: entries x chains."""
    weighted: Floats
    """The same, times the precision of the sum."""
    alone: Floats
    """What each row's change costs by itself: rows x chains."""


@dataclass(frozen=True, slots=True, eq=False)
class _Layer:
    """Cells in the order of their sums, and within a sum in the order of rows: what earlier rows changed is a running sum.

    Cells of one row that count into one sum are one entry.
    """

    order: Integers
    sign: Floats
    starts: Integers
    """Where the entries begin in the order of cells."""
    place: Integers
    """Of each entry, and its row."""
    row: Integers
    first: Integers
    """For each entry the first entry of its sum."""
    by_row: Integers
    """Entries in the order of rows, and where the rows begin."""
    row_starts: Integers
    rows: Integers
    """The rows that have entries."""
    height: int

    @classmethod
    def of(cls, tables: FamilyTables, place: Integers, sign: Floats) -> _Layer:
        """Lay out one layer; cells that are in no sum are left out."""
        used = np.flatnonzero(place > 0)
        order = used[np.lexsort((tables.row_of_cell[used], place[used]))]
        row, here = tables.row_of_cell[order], place[order]
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = (row[1:] != row[:-1]) | (here[1:] != here[:-1])
        starts = np.flatnonzero(new)
        places, rows = here[starts], row[starts]
        by_row = np.argsort(rows, kind="stable")
        kept, row_starts = np.unique(rows[by_row], return_index=True)
        first = np.searchsorted(places, places)
        return cls(
            order, sign[order][:, None], starts, places, rows, first, by_row, row_starts, kept, len(tables.family_of_row)
        )

    def look(self, moved: Floats, gaps: Floats, precision: Floats) -> _Looked:
        """What a change of all rows does to the sums, each row by itself."""
        entry = np.add.reduceat(self.sign * rows_at(moved, self.order), self.starts, axis=0)
        weighted = entry * rows_at(precision, self.place)
        return _Looked(entry, weighted, self._by_row(weighted * (rows_at(gaps, self.place) + entry / 2)))

    def tie(self, looked: _Looked, found: Booleans) -> Floats:
        """What the changes cost that were accepted in earlier rows: rows x chains."""
        taken = np.where(rows_at(found, self.row), looked.entry, 0)
        before = np.cumsum(taken, axis=0) - taken
        return self._by_row(looked.weighted * (before - rows_at(before, self.first)))

    def _by_row(self, values: Floats) -> Floats:
        found = np.zeros((self.height, values.shape[1]))
        found[self.rows] = np.add.reduceat(rows_at(values, self.by_row), self.row_starts, axis=0)
        return found
