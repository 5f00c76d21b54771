"""Tables that could be behind a release, in many chains at once, with the parts of their densities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats
from discreet.chains.family_tables import FamilyTables

__all__ = ["FamilyState", "begin", "log_densities"]


@dataclass(slots=True, eq=False)
class FamilyState:
    """Tables of all families, and what their densities are made of. The last axis is the chain."""

    counts: Floats
    rows: Floats
    """Counts of each row."""
    gaps: Floats
    """Published numbers minus true ones."""
    norms: Floats
    """Sum of the magnitudes of the gaps of each part."""
    cell_logs: Floats
    """Log density of each cell's count given its row's, but for a factor of the row."""
    row_logs: Floats
    """Log density of each row's count, with that factor."""
    noise_logs: Floats
    """Log density of each part's noise."""


def begin(tables: FamilyTables, start: Floats) -> FamilyState:
    """The state of chains that start at these tables: cells x chains."""
    chains = start.shape[1]
    rows, norms = np.zeros((len(tables.row_prior), chains)), np.zeros((len(tables.family_of_part), chains))
    np.add.at(rows, tables.row_of_cell, start)
    gaps = np.repeat(tables.noisy[:, None], chains, axis=1)
    np.subtract.at(gaps, tables.coordinate, tables.sign[:, None] * start)
    np.add.at(norms, tables.part, tables.magnitude(gaps))
    return FamilyState(
        start.copy(),
        rows,
        gaps,
        norms,
        tables.cell_log(np.arange(len(start)), start),
        tables.row_log(np.arange(len(rows)), rows),
        tables.noise_log(np.arange(len(norms)), norms),
    )


def log_densities(tables: FamilyTables, counts: Floats) -> Floats:
    """Log of the density of each family's table, families x chains, but for a constant of the family."""
    state = begin(tables, counts)
    found = np.zeros((len(tables.families), counts.shape[1]))
    np.add.at(found, tables.family_of_cell, state.cell_logs)
    np.add.at(found, tables.family_of_row, state.row_logs)
    np.add.at(found, tables.family_of_part, state.noise_logs)
    for number, (matrix, linear) in tables.forms.items():
        own = counts[tables.cells_of(number)]
        found[number] -= (own * (matrix @ own / 2 - linear[:, None])).sum(axis=0)
    return found
