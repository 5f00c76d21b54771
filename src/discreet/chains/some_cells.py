"""Some cells of all tables, and what is known of them: their families, rows, published numbers and sums.

Chains leave most cells of large tables empty. What changes with the others is all that a step of them has to look at: numbers
and rows of empty cells are left out, and what their noise adds to that of others of one part is a constant.

Noise that depends on magnitudes has a kink at zero. Here |g| is sqrt(g^2 + h^2); what is missing is ``cusp``, never negative.
The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, add_up, rows_at
from discreet.chains.family_tables import FamilyTables
from discreet.chains.incomplete_gamma import TailRows
from discreet.chains.quick_matrices import Matrix, quick

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["AllCells", "SomeCells"]

Booleans = npt.NDArray[np.bool_]

_NEARLY_ALL = 0.8
"""The share of occupied cells from which on all are looked at."""
_ROUNDED = 0.3
"""The share of the width of noise within which a kink is rounded."""


class AllCells:
    """All cells, from which some are taken."""

    def __init__(self, tables: FamilyTables) -> None:
        self.tables = tables
        self.widths = tables.widths()[tables.family_of_cell]
        """About how far noise moves each cell."""
        width_of_number = np.ones(len(tables.noisy))
        width_of_number[tables.coordinate] = self.widths
        self.rounding = np.square(_ROUNDED * width_of_number)[:, None]
        self.sums = _Sums.of(tables)

    @cached_property
    def all(self) -> SomeCells:
        """Every one that is possible."""
        return SomeCells.of(self, np.flatnonzero(self.tables.possible))

    def occupied(self, occupied: Booleans) -> SomeCells:
        """Those that are occupied; all where nearly all are, since to take some takes its time, too."""
        taken = np.flatnonzero(occupied)
        return self.all if len(taken) > _NEARLY_ALL * self.tables.possible.sum() else SomeCells.of(self, taken)

    def cusp(self, counts: Floats) -> Floats:
        """By how much the log density of the noise of each part is larger than what is taken for it: parts x chains."""
        tables = self.tables
        if tables.squared:
            return np.zeros((len(tables.family_of_part), counts.shape[1]))
        gaps = tables.noisy[:, None] - tables.numbers @ counts
        exact, rounded = np.abs(gaps), np.sqrt(np.square(gaps) + self.rounding)
        noise, starts = _Noise.of(self, np.arange(len(tables.family_of_part))), tables.part_starts
        logs = [noise.tail(np.add.reduceat(each, starts, axis=0))[0] for each in (exact, rounded)]
        return np.maximum(logs[0] - logs[1], 0)

    def magnitude(self, gaps: Floats, numbers: Integers) -> Floats:
        """What the density of noise depends on: squares, or absolute values without their kink."""
        squares = np.square(gaps)
        return squares if self.tables.squared else np.sqrt(squares + self.rounding[numbers])

    @cached_property
    def unmoved(self) -> Floats:
        """Of each part the sum of the magnitudes if all cells are empty."""
        every = np.arange(len(self.tables.noisy))
        return np.add.reduceat(self.magnitude(self.tables.noisy[:, None], every), self.tables.part_starts, axis=0)


@dataclass(frozen=True, slots=True, eq=False)
class SomeCells:
    """Cells by their numbers, in order; every family has one of them."""

    cells: Integers
    family: Integers
    starts: Integers
    """The first cell of each family."""
    rows: Integers
    """The rows that have one of the cells, by their numbers among all; and of each cell which of these it is in."""
    row: Integers
    row_starts: Integers
    spread: Floats
    """Dirichlet-multinomial parameter of each row's count."""
    noise: _Noise
    numbers: Integers
    """The published numbers that the cells count into."""
    part_starts: Integers
    fixed: Floats
    """Of each part, the sum of the magnitudes of numbers that no cell counts into."""
    matrix: Matrix
    """Published numbers, then sums that are known, then copies of margins, by cells; and its transpose."""
    back: Matrix
    whole: AllCells = field(repr=False)

    @classmethod
    def of(cls, whole: AllCells, cells: Integers) -> SomeCells:
        """Take these cells."""
        tables = whole.tables
        family, of_row = tables.family_of_cell[cells], tables.row_of_cell[cells]
        rows, row_starts, row = _kinds(of_row)
        numbers = _kinds(tables.coordinate[cells])[0]
        numbers = numbers[numbers > 0]
        parts, part_starts, part = _kinds(tables.part[numbers])
        noise = _Noise.of(whole, parts, part)
        moved = whole.magnitude(tables.noisy[numbers][:, None], numbers)
        fixed = whole.unmoved[parts]
        if len(parts):
            fixed = np.maximum(fixed - np.add.reduceat(moved, part_starts, axis=0), 0)
        back = whole.sums.of_cells(cells, numbers)
        return cls(
            cells,
            family,
            np.searchsorted(family, np.arange(len(tables.families))),
            rows,
            row,
            row_starts,
            tables.row_spread[rows][:, None],
            noise,
            numbers,
            part_starts,
            fixed,
            quick(back.T.tocsr()),
            quick(back),
            whole,
        )

    def sum_rows(self, values: Floats) -> Floats:
        """Sums over the cells of each row."""
        return np.add.reduceat(values, self.row_starts, axis=0)

    def known_log(self, counts: Floats) -> Floats:
        """Log density of what was published and of the sums that are known, if these are the counts."""
        gaps = self._gaps(counts)
        held = gaps[len(self.numbers) :]
        height = -add_up(self.whole.sums.precision * np.square(held)) / 2
        return np.asarray(height + add_up(self._noise(gaps)[0])) if len(self.numbers) else height

    def known_slope(self, counts: Floats) -> Floats:
        """How that rises with the counts."""
        gaps, numbers = self._gaps(counts), len(self.numbers)
        if numbers:
            _, slope, direction = self._noise(gaps)
            gaps[:numbers] = rows_at(-slope, self.noise.part) * direction
        gaps[numbers:] *= self.whole.sums.precision
        return np.asarray(self.back @ gaps)

    def _gaps(self, counts: Floats) -> Floats:
        """By how much numbers and sums are less than what they should be."""
        sums, numbers = self.whole.sums, len(self.numbers)
        found = -(self.matrix @ counts)
        found[:numbers] += self.whole.tables.noisy[self.numbers][:, None]
        found[numbers:] += sums.target
        tied = found[numbers + sums.first :]
        if len(tied):
            tied -= rows_at(np.add.reduceat(tied, sums.starts, axis=0) / sums.copies, sums.margin)
        return np.asarray(found)

    def _noise(self, gaps: Floats) -> tuple[Floats, Floats, Floats]:
        """Log density of the noise of each part, its slope in the norm of the part, and that of the norm in each gap."""
        gaps = gaps[: len(self.numbers)]
        size = self.whole.magnitude(gaps, self.numbers)
        height, slope = self.noise.tail(np.add.reduceat(size, self.part_starts, axis=0) + self.fixed)
        return height, slope, 2 * gaps if self.whole.tables.squared else gaps / size


def _kinds(ordered: Integers) -> tuple[Integers, Integers, Integers]:
    """The different numbers of a list, where each begins, and which of them each entry is: fast for lists that never fall."""
    if (np.diff(ordered) < 0).any():
        return np.unique(ordered, return_index=True, return_inverse=True)
    new = np.ones(len(ordered), dtype=np.bool_)
    new[1:] = np.diff(ordered) != 0
    starts = np.flatnonzero(new)
    return ordered[starts], starts, np.cumsum(new) - 1


@dataclass(frozen=True, slots=True, eq=False)
class _Noise:
    """The laws of noise of some parts."""

    part: Integers
    """Of each number which of these parts it is of."""
    tails: TailRows | None
    rate: Floats
    """Of K-norm noise one over its radius; of any other by how much the log density falls with the norm."""
    whole: AllCells = field(repr=False)

    @classmethod
    def of(cls, whole: AllCells, parts: Integers, part: Integers | None = None) -> _Noise:
        tables = whole.tables
        kept = tables.tails.rows(parts) if tables.tails.known else None
        other = tables.inverse_variance / 2 if tables.squared else tables.inverse_scale
        rate = tables.inverse_radius if kept is not None else other
        return cls(parts if part is None else part, kept, rate[parts][:, None], whole)

    def tail(self, norms: Floats) -> tuple[Floats, Floats]:
        """Log density of the noise of each part, and its slope in the sum of the magnitudes."""
        if self.tails is None:
            return -self.rate * norms, np.broadcast_to(-self.rate, norms.shape)
        height, slope = self.whole.tables.tails.slopes(norms * self.rate, self.tails)
        return height, slope * self.rate


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """The sums that are known besides published numbers, and the copies of shared margins, in this order."""

    back: csr_array
    """What cells count into: cells x published numbers and sums."""
    target: Floats
    """What was measured; zero for copies, which have their mean."""
    precision: Floats
    first: int
    """The first copy of a margin; copies of one margin are next to one another."""
    starts: Integers
    margin: Integers
    copies: Floats
    """Where the copies of each margin begin, to which margin each belongs, and how many there are of each."""
    numbers: int

    @classmethod
    def of(cls, tables: FamilyTables) -> _Sums:
        from scipy.sparse import csr_array, vstack

        sums = tables.sums
        known = np.flatnonzero((sums.margin < 0) & (sums.precision > 0))
        tied = sums.tied[np.argsort(sums.margin[sums.tied], kind="stable")]
        _, starts, margin, copies = np.unique(sums.margin[tied], return_index=True, return_inverse=True, return_counts=True)
        others = np.concatenate([known, tied])
        back = csr_array(vstack([tables.numbers, sums.matrix()[others]]).T)
        back.eliminate_zeros()
        target = np.concatenate([sums.measured[known], np.zeros(len(tied))])[:, None]
        places = (len(known), starts, margin, copies[:, None].astype(np.float64), len(tables.noisy))
        return cls(back, target, sums.precision[others][:, None], *places)

    def of_cells(self, cells: Integers, numbers: Integers) -> csr_array:
        """The rows of these cells, without the published numbers that none of them counts into."""
        from scipy.sparse import csr_array

        rows = self.back if len(cells) == self.back.shape[0] else self.back[cells]
        place = np.full(self.back.shape[1], -1)
        place[numbers] = np.arange(len(numbers))
        place[self.numbers :] = np.arange(len(numbers), len(numbers) + len(self.target))
        shape = (len(cells), len(numbers) + len(self.target))
        return csr_array((rows.data, place[rows.indices], rows.indptr), shape=shape)
