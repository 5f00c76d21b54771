"""Changes of cells in blocks that are accepted one by one, and what noise says of each block.

Which cells a block has is the same in all chains; in each chain it is accepted by itself. Rows of one block share no part of
noise with those of another. The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.family_state import FamilyState
from discreet.chains.family_tables import FamilyTables

__all__ = ["NoiseOfChanges", "RowChanges", "merge", "noise_of"]

Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class RowChanges:
    """Different cells, with how many records each gains."""

    cell: Integers
    block: Integers
    """Of each cell."""
    size: Floats
    """Cells x chains."""
    blocks: int

    @property
    def present(self) -> Booleans:
        """Whether anything changes: blocks x chains."""
        return self.add_up(np.abs(self.size)) > 0

    def add_up(self, values: Floats) -> Floats:
        """Sums over the cells of each block: blocks x chains."""
        return _sum_blocks(values, self.block, self.blocks)

    def with_more(self, cell: Integers, block: Integers, size: Floats) -> RowChanges:
        """These, and changes of other cells."""
        cell, block = np.concatenate([self.cell, cell]), np.concatenate([self.block, block])
        return RowChanges(cell, block, np.concatenate([self.size, size]), self.blocks)

    def apply(self, tables: FamilyTables, accepted: Booleans, state: FamilyState) -> None:
        """Take over the blocks that were accepted, but for what is known of noise."""
        taken = np.where(rows_at(accepted, self.block), self.size, 0)
        state.counts[self.cell] += taken
        rows, _, sums = merge(tables.row_of_cell[self.cell], taken)
        state.rows[rows] += sums


@dataclass(frozen=True, slots=True, eq=False)
class NoiseOfChanges:
    """Published numbers and parts of noise that would change, and what they would be."""

    number: Integers
    gaps: Floats
    of_number: Integers = field(repr=False)
    """The block of each."""
    part: Integers
    norms: Floats
    logs: Floats
    of_part: Integers = field(repr=False)
    change: Floats
    """Log ratio of the densities of noise: blocks x chains."""

    def apply(self, accepted: Booleans, state: FamilyState) -> None:
        """Take over the blocks that were accepted."""
        for place, block, kept, after in (
            (self.number, self.of_number, state.gaps, self.gaps),
            (self.part, self.of_part, state.norms, self.norms),
            (self.part, self.of_part, state.noise_logs, self.logs),
        ):
            kept[place] = np.where(rows_at(accepted, block), after, kept[place])


def noise_of(tables: FamilyTables, changes: RowChanges, state: FamilyState) -> NoiseOfChanges:
    """What becomes of the noise if all blocks change."""
    told = np.flatnonzero(tables.coordinate[changes.cell])
    cell = changes.cell[told]
    number, first, size = merge(tables.coordinate[cell], tables.sign[cell, None] * rows_at(changes.size, told))
    of_number = changes.block[told][first]
    before = rows_at(state.gaps, number)
    gaps = before - size
    part, first, longer = merge(tables.part[number], tables.magnitude(gaps) - tables.magnitude(before))
    of_part = of_number[first]
    norms = rows_at(state.norms, part) + longer
    logs = tables.noise_log(part[:, None], norms)
    change = _sum_blocks(logs - rows_at(state.noise_logs, part), of_part, changes.blocks)
    return NoiseOfChanges(number, gaps, of_number, part, norms, logs, of_part, change)


def merge(place: Integers, size: Floats) -> tuple[Integers, Integers, Floats]:
    """Places, each once, in their order; for each an entry that has it, and the sum of all entries that do."""
    order = np.argsort(place)
    ordered = place[order]
    new = np.ones(len(ordered), dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    if not len(starts):
        return ordered, order, size
    return ordered[starts], order[starts], np.add.reduceat(rows_at(size, order), starts, axis=0)


def _sum_blocks(values: Floats, block: Integers, blocks: int) -> Floats:
    found = np.zeros((blocks, values.shape[1]))
    place, _, sums = merge(block, values)
    found[place] = sums
    return found
