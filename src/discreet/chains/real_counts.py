"""The law of the tables with counts taken as real numbers: smooth, so that all of them can move along its slope at once.

Cells have sizes s = w ln(1 + exp(x)): for a cell that is small against w, about as wide as its law, x is the logarithm of its
size, and for a large one the size itself in units of w. So every x has a width of about one, and a cell that is empty half
the time is not far from one that is full. The counts of a family are its sizes, made to sum to its records. What the sizes sum
to says nothing of the counts: its logarithm is normal about that of the records, with a width that is given.

A cell below half a record stands for an empty one. So of a size s only s f with f = z / (1 + z), z = (s / h)^8, h about a
half, is seen by sums, by noise and by its row: many empty cells are no records.

``smooth_weights.py`` has the densities of counts and of rows. Shared margins are integrated out. Noise that depends on
magnitudes has a kink at zero, which is rounded here (``some_cells.py``). Cells that do not move hold what they have; each cell
that does has the factor r / (r + d) for that, and each row another (``glides.py``). The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from discreet.arrays import Floats, add_up, rows_at
from discreet.chains.smooth_weights import HALF, RowWeights, SmoothWeights
from discreet.chains.some_cells import SomeCells

__all__ = ["Frame", "RealCounts", "seen_share"]

_TINY = 1e-30
"""Far below any count."""
_FULL = 100.0
"""A size of which all is seen."""
_LARGE = 20.0
"""Where ln(1 + exp(x)) is x, in single precision; in double precision nearly so, which is all the same to everybody."""


@dataclass(frozen=True, eq=False)
class Frame:
    """What stays while tables move."""

    moving: Floats
    """One for cells that move, zero for others."""
    free: Floats
    """Records of each family in cells that move."""
    widths: Floats
    """About how wide the law of each cell is where it is large."""
    spread: Floats
    """The width of the logarithm of what the sizes of a family sum to."""
    deep: float
    """The count d at which a cell moves every other time."""

    @cached_property
    def moving_widths(self) -> Floats:
        """The widths of cells that move, zero for others."""
        return self.moving * self.widths

    def as_type(self, kind: type[np.floating[Any]]) -> Frame:
        """The same in another precision."""
        names = ("moving", "free", "spread")
        found = {name: getattr(self, name).astype(kind) for name in names}
        return replace(self, widths=(np.ones_like(self.moving) * self.widths).astype(kind), **found)


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """What follows from x."""

    slope: Floats
    """Of each size in x, in units of its width."""
    sizes: Floats
    share: Floats
    """What is seen of each size."""
    sums: Floats
    """Of what is seen of the sizes of each family."""
    factor: Floats
    """What makes counts of sizes, family by family."""
    real: Floats
    """Counts of cells that move."""
    seen: Floats
    """These as they are seen."""


def seen_share(counts: Floats) -> Floats:
    """What is seen of a count: all of a large one, next to nothing of one far below a half."""
    found = np.minimum(counts, _FULL)
    found *= 1 / HALF
    for _ in range(3):
        np.square(found, out=found)
    found /= found + 1
    return found


class RealCounts:
    """The density of all tables together."""

    def __init__(self, cells: SomeCells, of_cells: SmoothWeights, of_rows: RowWeights, frame: Frame) -> None:
        self.cells, self._frame = cells, frame
        self._of_cells, self._of_rows = of_cells, of_rows
        kind = cells.whole.type
        self._quick = (of_cells.as_type(kind), of_rows.as_type(kind), frame.as_type(kind))
        self._number = np.add.reduceat(self._quick[2].moving, cells.starts, axis=0)
        self._alone = np.where(self._number > 0, 0, 1).astype(kind)
        self._precision = 1 / np.square(self._quick[2].spread)

    def place(self, counts: Floats, generator: np.random.Generator) -> Floats:
        """The x of these counts, which are more than zero in cells that move."""
        frame = self._frame
        factor = np.exp(frame.spread * generator.standard_normal(frame.free.shape))
        sizes = np.where(frame.moving > 0, counts * rows_at(factor, self.cells.family) / frame.widths, 1)
        return np.asarray(sizes + np.log(-np.expm1(-sizes)))

    def counts(self, x: Floats) -> Floats:
        """The counts of the cells that move; zero for others."""
        return self._at(x, self._frame).real

    def height(self, x: Floats) -> Floats:
        """The log density of each chain."""
        cells, frame = self.cells, self._frame
        at = self._at(x, frame)
        total = np.log(at.sums / frame.free) * (1 - self._alone)
        moved = np.where(frame.moving > 0, np.maximum(at.real, _TINY), 1)
        of_cells = self._of_cells.log(moved) + np.log(frame.widths * at.slope) + np.log(moved / (moved + frame.deep))
        of_cells -= rows_at(total, cells.family)
        of_cells *= frame.moving
        of_rows = self._of_rows.log(cells.held + cells.sum_rows(at.seen))
        found = add_up(of_cells) + add_up(of_rows) + cells.known_log(at.seen) + cells.margins.log(at.seen)
        return np.asarray(found - add_up(np.square(total / frame.spread)) / 2)

    def slope(self, x: Floats) -> Floats:
        """The gradient of the log density, in the precision that is enough for it."""
        cells, (of_cells, of_rows, frame) = self.cells, self._quick
        at = self._at(x.astype(frame.free.dtype), frame)
        # Cells by themselves, then by what is seen of them, then all of a family by its factor.
        alone = of_cells.rise(at.real)
        alone += frame.deep / (at.real + frame.deep)
        alone *= frame.moving
        known = cells.known_slope(at.seen)
        known += rows_at(of_rows.slope(cells.held + cells.sum_rows(at.seen)), cells.row)
        known += cells.margins.slope(at.seen)
        common = np.add.reduceat(alone + known * at.seen, cells.starts, axis=0) + self._number
        common += np.log(at.sums / frame.free) * self._precision
        known -= rows_at(common / frame.free, cells.family)
        known *= at.share * (9 - 8 * at.share)  # how what is seen grows with a size
        known *= rows_at(at.factor, cells.family)
        known += alone / (at.sizes + _TINY)
        known *= frame.widths
        known -= 1
        known *= at.slope
        known += 1
        known *= frame.moving
        return known

    def _at(self, x: Floats, frame: Frame) -> _Counts:
        cells = self.cells
        grown = np.exp(np.minimum(x, _LARGE))
        sizes = np.log1p(grown)
        np.maximum(sizes, x, out=sizes)
        sizes *= frame.moving_widths
        share = seen_share(sizes)
        part = sizes * share
        sums = np.add.reduceat(part, cells.starts, axis=0)
        sums += _TINY
        sums += self._alone
        factor = frame.free / sums
        spread = rows_at(factor, cells.family)
        real = sizes * spread
        part *= spread
        slope = grown + 1
        np.divide(grown, slope, out=slope)
        return _Counts(slope, sizes, share, sums, factor, real, part)
