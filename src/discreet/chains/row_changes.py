"""Changes of few cells in many rows, in blocks that are accepted one by one, and what noise says of each block.

Rows of one block share no part of noise with those of another. Chains of their own are blocks of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.chains.family_state import FamilyState
from discreet.chains.family_tables import FamilyTables

__all__ = ["NoiseOfChanges", "RowChanges", "merge", "noise_of", "sum_blocks"]

Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class RowChanges:
    """Cells, each in a chain, with how many records they gain and to which block they belong."""

    cell: Integers
    chain: Integers
    size: Floats
    block: Integers
    blocks: int
    chains: int

    @property
    def present(self) -> Booleans:
        """Whether anything changes: blocks x chains."""
        found = np.zeros((self.blocks, self.chains), dtype=np.bool_)
        found[self.block, self.chain] = True
        return found

    def add_up(self, values: Floats) -> Floats:
        """Sums of numbers, one for each change: blocks x chains."""
        return sum_blocks(values, self.block, self.chain, (self.blocks, self.chains))

    def with_more(self, cell: Integers, chain: Integers, size: Floats, block: Integers) -> RowChanges:
        """These, and changes of cells that do not change in them."""
        ours, theirs = (self.cell, self.chain, self.size, self.block), (cell, chain, size, block)
        cell, chain, size, block = (np.concatenate(pair) for pair in zip(ours, theirs, strict=True))
        return RowChanges(cell, chain, size, block, self.blocks, self.chains)

    def apply(self, tables: FamilyTables, accepted: Booleans, state: FamilyState) -> None:
        """Take over the blocks that were accepted, but for what is known of noise."""
        taken = np.flatnonzero(accepted[self.block, self.chain])
        cell, chain, size = self.cell[taken], self.chain[taken], self.size[taken]
        state.counts[cell, chain] += size
        np.add.at(state.rows, (tables.row_of_cell[cell], chain), size)


@dataclass(frozen=True, slots=True, eq=False)
class NoiseOfChanges:
    """Published numbers and parts of noise that would change, each in a chain, and what they would be."""

    number: tuple[Integers, Integers]
    """Each with its chain."""
    gaps: Floats
    of_number: Integers
    """The block of each."""
    part: tuple[Integers, Integers]
    norms: Floats
    logs: Floats
    of_part: Integers
    change: Floats
    """Log ratio of the densities of noise: blocks x chains."""

    def apply(self, accepted: Booleans, state: FamilyState) -> None:
        """Take over the blocks that were accepted."""
        for (place, chain), block, kept, after in (
            (self.number, self.of_number, state.gaps, self.gaps),
            (self.part, self.of_part, state.norms, self.norms),
            (self.part, self.of_part, state.noise_logs, self.logs),
        ):
            taken = np.flatnonzero(accepted[block, chain])
            kept[place[taken], chain[taken]] = after[taken]


def noise_of(tables: FamilyTables, changes: RowChanges, state: FamilyState) -> NoiseOfChanges:
    """What becomes of the noise if all blocks change."""
    number, sign = tables.coordinate[changes.cell], tables.sign[changes.cell]
    told = np.flatnonzero(number)
    size = sign[told] * changes.size[told]
    number, chain, first, size = merge(number[told], changes.chain[told], changes.chains, size)
    of_number = changes.block[told][first]
    before = state.gaps[number, chain]
    gaps = before - size
    longer = tables.magnitude(gaps) - tables.magnitude(before)
    part, of_chain, first, longer = merge(tables.part[number], chain, changes.chains, longer)
    of_part = of_number[first]
    norms = state.norms[part, of_chain] + longer
    logs = tables.noise_log(part, norms)
    change = sum_blocks(logs - state.noise_logs[part, of_chain], of_part, of_chain, (changes.blocks, changes.chains))
    return NoiseOfChanges((number, chain), gaps, of_number, (part, of_chain), norms, logs, of_part, change)


def merge(place: Integers, chain: Integers, chains: int, size: Floats) -> tuple[Integers, Integers, Integers, Floats]:
    """Places and chains, each pair once, with the first entry that has it, and the sum of what its entries have."""
    kinds, first, kind = np.unique(place * chains + chain, return_index=True, return_inverse=True)
    sums = np.asarray(np.bincount(kind, size, len(kinds)), dtype=np.float64)
    return kinds // chains, kinds % chains, first, sums


def sum_blocks(values: Floats, block: Integers, chain: Integers, shape: tuple[int, int]) -> Floats:
    """Sums over the entries of each block in each chain."""
    return np.asarray(np.bincount(block * shape[1] + chain, values, shape[0] * shape[1]).reshape(shape), dtype=np.float64)
