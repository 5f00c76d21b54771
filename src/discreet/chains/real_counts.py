"""The law of the tables with counts taken as real numbers: smooth, so that all of them can move along its slope at once.

Cells have sizes s = w ln(1 + exp(x)): for a cell that is small against w, about as wide as its law, x is the logarithm of its
size, and for a large one the size itself in units of w. So every x has a width of about one, and a cell that is empty half
the time is not far from one that is full. The counts of a family are its sizes, made to sum to its records. What the sizes sum
to says nothing of the counts: its logarithm is normal about that of the records, with a width that is given.

``smooth_weights.py`` has the densities of counts and of rows. Shared margins are integrated out. Noise that depends on
magnitudes has a kink at zero, which is rounded here (``some_cells.py``). Cells that do not move hold what they have; each cell
that does has the factor r / (r + d) for that (``glides.py``). The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from discreet.arrays import Floats, add_up, rows_at
from discreet.chains.smooth_weights import SmoothWeights
from discreet.chains.some_cells import SomeCells

__all__ = ["Frame", "RealCounts"]

_TINY = 1e-30
"""Far below any count."""
_LARGE = 20.0
"""Where ln(1 + exp(x)) is x, in single precision; in double precision nearly so, which is all the same to everybody."""


@dataclass(frozen=True, eq=False)
class Frame:
    """What stays while tables move."""

    moving: Floats
    """One for cells that move, zero for others."""
    held: Floats
    """The counts of cells that do not move."""
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
        names = ("moving", "held", "free", "widths", "spread")
        return replace(self, **{name: getattr(self, name).astype(kind) for name in names})


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """What follows from x."""

    slope: Floats
    """Of each size in x, in units of its width."""
    sizes: Floats
    sums: Floats
    """Of the sizes of each family."""
    moved: Floats
    all: Floats


class RealCounts:
    """The density of all tables together."""

    def __init__(self, cells: SomeCells, of_cells: SmoothWeights, of_rows: SmoothWeights, frame: Frame) -> None:
        self._cells, self._frame = cells, frame
        self._of_cells, self._of_rows = of_cells, of_rows
        kind = cells.whole.type
        self._quick = (of_cells.as_type(kind), of_rows.as_type(kind), frame.as_type(kind))
        self._number = np.add.reduceat(self._quick[2].moving, cells.starts, axis=0)
        self._precision = 1 / np.square(self._quick[2].spread)

    def place(self, counts: Floats, generator: np.random.Generator) -> Floats:
        """The x of these counts, which are more than zero in cells that move."""
        frame = self._frame
        factor = np.exp(frame.spread * generator.standard_normal(frame.free.shape))
        sizes = np.where(frame.moving > 0, counts * rows_at(factor, self._cells.family) / frame.widths, 1)
        return np.asarray(sizes + np.log(-np.expm1(-sizes)))

    def counts(self, x: Floats) -> Floats:
        """The counts of all cells."""
        return self._at(x, self._frame).all

    def height(self, x: Floats) -> Floats:
        """The log density of each chain."""
        cells, frame = self._cells, self._frame
        at = self._at(x, frame)
        total = np.log(at.sums / frame.free)
        moved = np.where(frame.moving > 0, np.maximum(at.moved, _TINY), 1)
        of_cells = self._of_cells.log(moved) + np.log(frame.widths * at.slope) + np.log(moved / (moved + frame.deep))
        of_cells -= rows_at(total, cells.family)
        of_cells *= frame.moving
        of_rows = self._of_rows.log(np.maximum(cells.sum_rows(at.all), _TINY))
        found = add_up(of_cells) + add_up(of_rows) + cells.known_log(at.all)
        return np.asarray(found - add_up(np.square(total / frame.spread)) / 2)

    def slope(self, x: Floats) -> Floats:
        """The gradient of the log density, in the precision that is enough for it."""
        cells, (of_cells, of_rows, frame) = self._cells, self._quick
        at = self._at(x.astype(frame.free.dtype), frame)
        rows = cells.sum_rows(at.all)
        rows += _TINY
        rise = cells.known_slope(at.all)
        rise += rows_at(of_rows.rise(rows) / rows, cells.row)
        rise *= at.moved
        rise += of_cells.rise(at.moved)
        rise += frame.deep / (at.moved + frame.deep)
        rise *= frame.moving
        common = np.add.reduceat(rise, cells.starts, axis=0)
        common += self._number
        common += np.log(at.sums / frame.free) * self._precision
        rise /= at.sizes + _TINY
        rise -= rows_at(common / at.sums, cells.family)
        rise *= frame.widths
        rise -= 1
        rise *= at.slope
        rise += 1
        rise *= frame.moving
        return rise

    def _at(self, x: Floats, frame: Frame) -> _Counts:
        cells = self._cells
        grown = np.exp(np.minimum(x, _LARGE))
        sizes = np.log1p(grown)
        np.maximum(sizes, x, out=sizes)
        sizes *= frame.moving_widths
        sums = np.add.reduceat(sizes, cells.starts, axis=0)
        sums += _TINY
        moved = sizes * rows_at(frame.free / sums, cells.family)
        slope = grown + 1
        np.divide(grown, slope, out=slope)
        return _Counts(slope, sizes, sums, moved, moved + frame.held)
