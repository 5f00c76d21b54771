"""Cells and rows below half a record: nothing is known of how far below, so that is drawn anew before every step.

Below a half the density of a count is a power (``smooth_weights.py``), and what was published cannot tell: of a cell its
logarithm is an exponential law down from a half, and so is that of a row's count, whose shares are Dirichlet. What is so deep
down that no step brings it up is zero. The last axis of every array is the chain.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.family_tables import FamilyTables
from discreet.chains.real_counts import row_counts, seen_share
from discreet.chains.row_priors import RowPriors
from discreet.chains.smooth_weights import HALF, smooth_rows

__all__ = ["draw_tails"]


def draw_tails(tables: FamilyTables, counts: Floats, prior: RowPriors, least: float, generator: np.random.Generator) -> Floats:
    """Counts with all that is below a half drawn anew; zero for what would be below the least."""
    totals = _row_counts(counts, tables.row_starts)
    empty = totals < HALF
    found = np.where(rows_at(empty, tables.row_of_cell), 0, counts)
    _draw_rows(found, tables, empty, prior, least, generator)
    _draw_cells(found, tables, totals, prior, least, generator)
    return found


def _draw_rows(
    found: Floats, tables: FamilyTables, empty: np.ndarray, prior: RowPriors, least: float, generator: np.random.Generator
) -> None:
    """Of rows that are empty the few that are near a half."""
    depth = np.minimum(generator.standard_exponential(empty.shape) / tables.row_spread[:, None], 700)
    totals = np.where(empty, HALF * np.exp(-depth), 0)
    totals[totals < least] = 0
    rows = np.flatnonzero(totals.any(axis=1))
    if not len(rows):
        return
    cells, row = _cells_of(tables, rows)
    rates = np.broadcast_to(prior.among(cells, rows).rates, (len(cells), found.shape[1]))
    logs = np.log(generator.standard_gamma(rates + 1)) + np.log1p(-generator.random(rates.shape)) / rates
    logs[~tables.possible[cells]] = -np.inf
    starts = np.searchsorted(row, np.arange(len(rows)))
    shares = np.exp(logs - rows_at(np.maximum.reduceat(logs, starts, axis=0), row))
    shares *= rows_at(totals[rows] / np.add.reduceat(shares, starts, axis=0), row)
    shares[shares < least] = 0
    found[cells] = np.where(rows_at(empty[rows], row), shares, found[cells])


def _draw_cells(
    found: Floats, tables: FamilyTables, totals: Floats, prior: RowPriors, least: float, generator: np.random.Generator
) -> None:
    """Of rows that are not empty all cells that are: accepted by what it does to the row's count."""
    full = totals >= HALF
    rows = np.flatnonzero(full.any(axis=1))
    cells, row = _cells_of(tables, rows)
    here, known = rows_at(found, cells), prior.among(cells, rows)
    low = np.flatnonzero((here < HALF).any(axis=1) & tables.possible[cells])
    drawn = generator.standard_exponential((len(low), here.shape[1]))
    drawn = HALF * np.exp(-np.minimum(drawn / np.broadcast_to(known.rates, here.shape)[low], 700))
    drawn[drawn < least] = 0
    other = here.copy()
    other[low] = np.where(here[low] < HALF, drawn, here[low])
    starts = np.searchsorted(row, np.arange(len(rows)))
    before, after = (np.maximum(_row_counts(each, starts), least) for each in (here, other))
    law = smooth_rows(tables.row_spread[rows][:, None], known.strengths, known.row_rates, known.row_logs)
    accepted = law.log(after) - law.log(before) > -generator.standard_exponential(before.shape)
    accepted &= after >= HALF  # there is no such way back from an empty row
    found[cells] = np.where(rows_at(accepted & full[rows], row), other, here)


def _row_counts(counts: Floats, starts: Integers) -> Floats:
    share = seen_share(counts)
    return row_counts(*(np.add.reduceat(each, starts, axis=0) for each in (counts * share, counts * (1 - share))))


def _cells_of(tables: FamilyTables, rows: Integers) -> tuple[Integers, Integers]:
    """All cells of some rows, and of each which of these rows it is in."""
    ends = np.append(tables.row_starts[1:], len(tables.row_of_cell))
    sizes = ends[rows] - tables.row_starts[rows]
    row = np.repeat(np.arange(len(rows)), sizes)
    place = np.arange(len(row)) - rows_at(np.cumsum(sizes) - sizes, row)
    return tables.row_starts[rows][row] + place, row
