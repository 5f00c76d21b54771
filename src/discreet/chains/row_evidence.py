"""What tables tell of the Dirichlet parameters of their rows: rows by the levels that they have, and cells with records.

The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.family_tables import FamilyTables
from discreet.chains.quick_matrices import Matrix, quick

__all__ = ["RowEvidence", "RowKinds"]


@dataclass(frozen=True, slots=True, eq=False)
class RowKinds:
    """Rows of one family that have the same levels are of one kind; where nothing is impossible, a family has one."""

    of_row: Integers
    starts: Integers
    """The first kind of each family."""
    levels: Matrix
    """Kinds x parameters: one where rows of the kind have the level."""

    @classmethod
    def of(cls, tables: FamilyTables, parameter_of_cell: Integers, parameters: int) -> RowKinds:
        """Find the kinds of all rows."""
        from scipy.sparse import csr_array

        seen: dict[tuple[int, bytes], int] = {}
        ends = np.append(tables.row_starts[1:], len(tables.row_of_cell))
        of_row = np.empty(len(ends), dtype=np.int64)
        for row, (family, start, end) in enumerate(zip(tables.family_of_row, tables.row_starts, ends, strict=True)):
            of_row[row] = seen.setdefault((int(family), tables.possible[start:end].tobytes()), len(seen))
        first = np.unique(of_row, return_index=True)[1]
        cells = [np.arange(tables.row_starts[row], ends[row]) for row in first]
        held = np.concatenate([each[tables.possible[each]] for each in cells])
        kind = of_row[tables.row_of_cell[held]]
        levels = csr_array((np.ones(len(held)), (kind, parameter_of_cell[held])), shape=(len(seen), parameters))
        starts = np.searchsorted([family for family, _ in seen], np.arange(len(tables.families)))
        return cls(of_row, starts, quick(levels))


@dataclass(frozen=True, slots=True, eq=False)
class RowEvidence:
    """What tables tell of the parameters: cells and rows without records tell nothing, and are left out but for one or two."""

    counts: Floats
    parameter: Integers
    family: Integers
    """Of each cell."""
    cell_starts: Integers
    """The first cell of each family."""
    rows: Floats
    """Counts of rows."""
    kind: Integers
    row_starts: Integers
    rows_of_kind: Integers
    cells_of_parameter: Integers
    """How many rows and cells there are of each kind and of each parameter."""

    @classmethod
    def of(cls, tables: FamilyTables, counts: Floats, parameter_of_cell: Integers, kinds: RowKinds) -> RowEvidence:
        """Gather it from tables, one's own records included."""
        totals = tables.sum_rows(counts)
        held, full = np.asarray(counts.any(axis=1)), np.asarray(totals.any(axis=1))
        # A possible cell of each family, with or without records, so that none is without any.
        first = np.flatnonzero(tables.possible)
        held[first[np.searchsorted(tables.family_of_cell[first], np.arange(len(tables.families)))]] = True
        full[tables.first_rows] = True
        cells, rows = np.flatnonzero(held & tables.possible), np.flatnonzero(full)
        parameter, kind, family = parameter_of_cell[cells], kinds.of_row[rows], tables.family_of_cell[cells]
        families = np.arange(len(tables.families))
        return cls(
            rows_at(counts, cells),
            parameter,
            family,
            np.searchsorted(family, families),
            rows_at(totals, rows),
            kind,
            np.searchsorted(tables.family_of_row[rows], families),
            np.bincount(kind, minlength=kinds.levels.shape[0]),
            np.bincount(parameter, minlength=kinds.levels.shape[1]),
        )
