"""Records are forgotten and filled in again, as records that can be exchanged for one another are drawn.

Given the count T of a row and its Dirichlet parameters a, the cells of the row are as if T records were drawn one after
another from an urn: each with a chance proportional to a plus what was drawn before. In which order does not matter. So
forgetting each record with some chance, and drawing as many new ones given those kept, leaves the law of the row as it is;
a step that does so is accepted by what noise says alone.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.family_tables import FamilyTables

__all__ = ["Refills"]


class Refills:
    """Forget and fill in, in all rows of all families and chains at once."""

    def __init__(self, tables: FamilyTables, generator: np.random.Generator) -> None:
        self._tables, self._generator = tables, generator
        levels = np.array([family.levels for family in tables.families])[tables.family_of_row]
        level = np.arange(len(tables.row_of_cell)) - tables.row_starts[tables.row_of_cell]
        last = level == levels[tables.row_of_cell] - 1
        self._last = np.flatnonzero(last)
        self._earlier: list[tuple[Integers, Integers]] = []
        for number in range(int(levels.max()) - 1):
            cells = np.flatnonzero((level == number) & ~last)
            self._earlier.append((cells, tables.row_of_cell[cells]))

    def forget(self, counts: Floats, chance: Floats) -> Floats:
        """What is kept of each cell, if each record of a row is kept with the row's chance."""
        return self._generator.binomial(counts.astype(np.int64), rows_at(chance, self._tables.row_of_cell)).astype(np.float64)

    def fill(self, kept: Floats, rows: Floats, prior: Floats) -> Floats:
        """Tables with these counts of rows, given the records that were kept."""
        tables, generator = self._tables, self._generator
        missing = (rows - tables.sum_rows(kept)).astype(np.int64)
        short = np.asarray(missing.any(axis=1))
        weights = self._draw_weights(kept + prior, np.flatnonzero(short[tables.row_of_cell]))
        rest = tables.sum_rows(weights)
        found = kept.copy()
        for cells, row in self._earlier:
            share = np.clip(rows_at(weights, cells) / np.maximum(rows_at(rest, row), 1e-300), 0, 1)
            drawn = generator.binomial(rows_at(missing, row), share)
            found[cells] += drawn
            missing[row] -= drawn
            rest[row] -= weights[cells]
        found[self._last] += missing
        return found

    def fill_rows(self, kept: Floats, rows: Floats) -> Floats:
        """New counts of rows: as many records as were forgotten join rows, each the likelier the more records it has."""
        tables, generator = self._tables, self._generator
        left = tables.sum_rows(kept)
        weights = generator.standard_gamma(left + tables.row_spread[:, None])
        missing = np.add.reduceat(rows - left, tables.first_rows, axis=0).astype(np.int64)
        found = left
        for number, first in enumerate(tables.first_rows.tolist()):
            part = slice(first, first + tables.families[number].configurations)
            shares = weights[part].T + 1e-300
            found[part] += generator.multinomial(missing[number], shares / shares.sum(axis=1, keepdims=True)).T
        return found

    def _draw_weights(self, parameters: Floats, cells: Integers) -> Floats:
        """Dirichlet draws of all rows, up to a factor of each row; on the log scale, where no parameter is too small.

        Only of these cells: all of rows to which something is missing.
        """
        tables, generator = self._tables, self._generator
        wanted, logs = rows_at(parameters, cells), np.zeros(parameters.shape)
        logs[cells] = np.log(generator.standard_gamma(wanted + 1)) + np.log1p(-generator.random(wanted.shape)) / wanted
        logs -= rows_at(np.maximum.reduceat(logs, tables.row_starts, axis=0), tables.row_of_cell)
        return np.asarray(np.exp(logs))
