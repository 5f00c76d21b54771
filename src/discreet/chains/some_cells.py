"""Some cells of all tables, and what is known of them: their families, rows, published numbers and sums.

In a step along the slope most cells of large tables stay as they are. What changes with the others is all that it has to look
at: what cells that stay count into numbers, sums and rows is taken off these, and numbers that no other cell counts into are
left out, but for what their noise adds to that of others of one part, which is a constant.

Noise that depends on magnitudes has a kink at zero. Here |g| is sqrt(g^2 + h^2); what is missing is ``cusp``, never negative.
The last axis of every array is the chain. What is the same in all chains is written out for each: where there are few, NumPy
is several times faster at arrays of one shape than at columns of one number.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, add_up, rows_at
from discreet.chains.family_tables import FamilyTables
from discreet.chains.incomplete_gamma import TailRows
from discreet.chains.quick_matrices import Matrix, quick
from discreet.chains.some_margins import SomeMargins

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["AllCells", "SomeCells"]

Booleans = npt.NDArray[np.bool_]

_ROUNDED = 0.2
"""The share of the width of noise within which a kink is rounded."""
_TOGETHER = 4
"""Numbers with noise of one law together, from which on kinks are rounded less: all of them stay, or none."""
_SINGLE = 2.0**20
"""Published numbers up to which single precision tells a twentieth of a record."""


class AllCells:
    """All cells, from which some are taken."""

    def __init__(self, tables: FamilyTables, records: int = 0) -> None:
        self.tables = tables
        self.widths = tables.widths()[tables.family_of_cell]
        """About how far noise moves each cell."""
        rounded = _ROUNDED * np.where(tables.rates > 0, tables.spreads, 1)[tables.part]
        if tables.tails.known:
            rounded *= np.minimum(1, np.sqrt(_TOGETHER / np.bincount(tables.part)))[tables.part]
        self.sums = _Sums.of(tables)
        largest = max(np.abs(each).max(initial=records) for each in (tables.noisy, self.sums.target))
        self.type: type[np.floating[Any]] = np.float32 if largest < _SINGLE else np.float64
        """The precision in which slopes are found: a step is accepted by heights, which are exact."""
        self.sums = self.sums.as_type(self.type)
        self.targets: Floats = np.concatenate([tables.noisy[:, None], self.sums.target])
        """Published numbers, and what else is known of sums."""
        self.matrix = self.sums.back.T.tocsr()
        self.rounding: Floats = np.square(rounded)[:, None].astype(self.type)

    def taken(self, wanted: Booleans, staying: Floats) -> SomeCells:
        """Those that are wanted, and one at least of each family, while what is seen of all others is this."""
        wanted = wanted.copy()
        none = ~np.logical_or.reduceat(wanted, self.tables.cell_starts)
        wanted[self.tables.cell_starts[none]] = True
        return SomeCells.of(self, np.flatnonzero(wanted), staying)

    def cusp(self, counts: Floats) -> Floats:
        """By how much the log density of the noise of each number is larger than what is taken for it: numbers x chains.

        Where numbers have noise of one law together it is that of all of them.
        """
        tables = self.tables
        if tables.squared:
            return np.zeros((len(tables.noisy), counts.shape[1]))
        gaps = tables.noisy[:, None] - tables.numbers @ counts
        exact, rounded = np.abs(gaps), np.sqrt(np.square(gaps) + self.rounding)
        if not tables.tails.known:
            return np.asarray(tables.rates[tables.part][:, None] * (rounded - exact))
        parts, starts = np.arange(len(tables.family_of_part)), tables.part_starts
        noise = _Noise.of(self, parts, parts, counts.shape[1])
        logs = [noise.log(np.add.reduceat(each, starts, axis=0)) for each in (exact, rounded)]
        return rows_at(np.maximum(logs[0] - logs[1], 0), tables.part)

    def magnitude(self, gaps: Floats, rounding: Floats) -> Floats:
        """What the density of noise depends on: squares, or absolute values without their kink."""
        found = np.square(gaps)
        if not self.tables.squared:
            found += rounding
            np.sqrt(found, out=found)
        return found


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
    row_family_starts: Integers
    """The first row of each family among these."""
    held: Floats
    """What is seen of other cells, or of these where they stay, in each row."""
    noise: _Noise
    numbers: Integers
    """The published numbers that the cells count into."""
    aim: Floats
    """What these numbers and all sums lack beside what stays."""
    rounding: Floats
    """The square within which the kink of each is rounded."""
    precision: Floats
    """Of each sum."""
    part_starts: Integers
    fixed: Floats
    """Of each part, the sum of the magnitudes of numbers that no cell counts into."""
    matrix: Matrix
    """Published numbers, then sums that are known, then copies of margins, by cells; and its transpose."""
    back: Matrix
    margins: SomeMargins
    whole: AllCells = field(repr=False)

    @classmethod
    def of(cls, whole: AllCells, cells: Integers, staying: Floats) -> SomeCells:
        """Take these cells, while so much is seen of all that stay: all cells x chains."""
        tables = whole.tables
        family, of_row = tables.family_of_cell[cells], tables.row_of_cell[cells]
        rows, row_starts, row = _kinds(of_row)
        numbers = _kinds(tables.coordinate[cells])[0]
        numbers = numbers[numbers > 0]
        parts, part_starts, part = _kinds(tables.part[numbers])
        gaps = whole.targets - whole.matrix @ staying
        every, chains = len(tables.noisy), staying.shape[1]
        sizes = whole.magnitude(gaps[:every], whole.rounding)
        sizes[numbers] = 0
        back = whole.sums.of_cells(cells, numbers)
        return cls(
            cells,
            family,
            np.searchsorted(family, np.arange(len(tables.families))),
            rows,
            row,
            row_starts,
            np.searchsorted(tables.family_of_row[rows], np.arange(len(tables.families))),
            rows_at(tables.sum_rows(staying), rows).astype(whole.type),
            _Noise.of(whole, parts, part, chains),
            numbers,
            np.concatenate([rows_at(gaps, numbers), gaps[every:]]).astype(whole.type),
            np.repeat(rows_at(whole.rounding, numbers), chains, axis=1),
            np.repeat(whole.sums.precision, chains, axis=1),
            part_starts,
            rows_at(np.add.reduceat(sizes, tables.part_starts, axis=0), parts).astype(whole.type),
            quick(back.T.tocsr().astype(whole.type)),
            quick(back.astype(whole.type)),
            SomeMargins.of(tables.row_margins, cells, staying, whole.type),
            whole,
        )

    def sum_rows(self, values: Floats) -> Floats:
        """Sums over the cells of each row."""
        return np.add.reduceat(values, self.row_starts, axis=0)

    def known_log(self, counts: Floats) -> Floats:
        """Log density of what was published and of the sums that are known, if so much is seen of the cells that move."""
        gaps = self._gaps(counts)
        held = gaps[len(self.numbers) :]
        height = -add_up(self.precision * np.square(held)) / 2
        return np.asarray(height + add_up(self.noise.log(self._norms(gaps)[1]))) if len(self.numbers) else height

    def known_slope(self, counts: Floats) -> Floats:
        """How that rises with the counts."""
        gaps, numbers = self._gaps(counts), len(self.numbers)
        if numbers:
            sizes, norms = self._norms(gaps)
            told = gaps[:numbers]
            told /= 0.5 if self.whole.tables.squared else sizes
            slope = self.noise.slope(norms)
            told *= slope if len(slope) == numbers else rows_at(slope, self.noise.part)
        gaps[numbers:] *= self.precision
        return np.asarray(self.back @ gaps)

    def _gaps(self, counts: Floats) -> Floats:
        """By how much numbers and sums are less than what they should be."""
        sums, numbers = self.whole.sums, len(self.numbers)
        found = self.aim - self.matrix @ counts
        tied = found[numbers + sums.first :]
        if len(tied):
            tied -= rows_at(np.add.reduceat(tied, sums.starts, axis=0) / sums.copies, sums.margin)
        return np.asarray(found)

    def _norms(self, gaps: Floats) -> tuple[Floats, Floats]:
        """The magnitude of each gap, and the sum of those of each part."""
        sizes = self.whole.magnitude(gaps[: len(self.numbers)], self.rounding)
        single = len(self.part_starts) == len(self.numbers)
        return sizes, (sizes if single else np.add.reduceat(sizes, self.part_starts, axis=0)) + self.fixed


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
    def of(cls, whole: AllCells, parts: Integers, part: Integers, chains: int) -> _Noise:
        tables = whole.tables
        kept = tables.tails.rows(parts, chains) if tables.tails.known else None
        return cls(part, kept, np.repeat(tables.rates[parts][:, None], chains, axis=1), whole)

    def log(self, norms: Floats) -> Floats:
        """Log density of the noise of each part, from the sum of the magnitudes."""
        return -self.rate * norms if self.tails is None else self.whole.tables.tails.at(norms * self.rate, self.tails)

    def slope(self, norms: Floats) -> Floats:
        """How much that falls with the sum, in the precision of the sums."""
        if self.tails is None:
            return self.rate.astype(norms.dtype)
        rate = self.rate.astype(norms.dtype)
        found = self.whole.tables.tails.slope(norms * rate, self.tails).astype(norms.dtype)
        found *= -rate
        return found


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

    def as_type(self, kind: type[np.floating[Any]]) -> _Sums:
        """The same in another precision."""
        return replace(self, **{name: getattr(self, name).astype(kind) for name in ("target", "precision", "copies")})

    def of_cells(self, cells: Integers, numbers: Integers) -> csr_array:
        """The rows of these cells, without the published numbers that none of them counts into."""
        from scipy.sparse import csr_array

        rows = self.back if len(cells) == self.back.shape[0] else self.back[cells]
        place = np.full(self.back.shape[1], -1)
        place[numbers] = np.arange(len(numbers))
        place[self.numbers :] = np.arange(len(numbers), len(numbers) + len(self.target))
        shape = (len(cells), len(numbers) + len(self.target))
        return csr_array((rows.data, place[rows.indices], rows.indptr), shape=shape)
