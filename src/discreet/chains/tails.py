"""Cells below half a record: nothing is known of how far below, so that is drawn anew before every step.

Below a half the density of a count is a power (``smooth_weights.py``), and what was published cannot tell: the logarithm is an
exponential law down from a half. What is so deep down that no step brings it up is zero. The last axis of every array is the
chain.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.family_tables import FamilyTables
from discreet.chains.real_counts import seen_share
from discreet.chains.row_priors import RowPriors
from discreet.chains.smooth_weights import HALF, RowWeights

__all__ = ["draw_tails"]


def draw_tails(
    tables: FamilyTables,
    counts: Floats,
    moving: npt.NDArray[np.bool_],
    prior: RowPriors,
    least: float,
    generator: np.random.Generator,
) -> Floats:
    """Counts with all cells below a half of rows that move drawn anew; zero for what would be below the least.

    Row by row accepted by what it does to the row's count.
    """
    rows = np.flatnonzero(moving.any(axis=1))
    cells, row = _cells_of(tables, rows)
    here, known = rows_at(counts, cells), prior.among(cells, rows)
    low = np.flatnonzero((here < HALF).any(axis=1) & tables.possible[cells])
    drawn = generator.standard_exponential((len(low), here.shape[1]))
    drawn = HALF * np.exp(-np.minimum(drawn / np.broadcast_to(known.rates, here.shape)[low], 700))
    drawn[drawn < least] = 0
    other = here.copy()
    other[low] = np.where(here[low] < HALF, drawn, here[low])
    starts = np.searchsorted(row, np.arange(len(rows)))
    seen = [each * seen_share(each) for each in (here, other)]
    tilt = tables.row_margins.draw(counts * seen_share(counts), generator)
    before, after = (np.add.reduceat(each, starts, axis=0) for each in seen)
    law = RowWeights(tables.row_spread[rows][:, None], known.strengths)
    change = law.log(after) - law.log(before)
    change += np.add.reduceat(rows_at(tilt, cells) * (seen[1] - seen[0]), starts, axis=0)
    accepted = change > -generator.standard_exponential(before.shape)
    found = counts.copy()
    found[cells] = np.where(rows_at(accepted & moving[rows], row), other, here)
    return found


def _cells_of(tables: FamilyTables, rows: Integers) -> tuple[Integers, Integers]:
    """All cells of some rows, and of each which of these rows it is in."""
    ends = np.append(tables.row_starts[1:], len(tables.row_of_cell))
    sizes = ends[rows] - tables.row_starts[rows]
    row = np.repeat(np.arange(len(rows)), sizes)
    place = np.arange(len(row)) - rows_at(np.cumsum(sizes) - sizes, row)
    return tables.row_starts[rows][row] + place, row
