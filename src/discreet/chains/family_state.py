"""Tables that could be behind a release, in many chains at once, with what the densities of their noise are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers, rows_at
from discreet.chains.family_tables import FamilyTables

__all__ = ["FamilyState", "NoiseAfter", "begin", "log_densities", "move_noise"]


@dataclass(slots=True, eq=False)
class FamilyState:
    """Tables of all families. The last axis of every array is the chain."""

    counts: Floats
    rows: Floats
    """Counts of each row."""
    gaps: Floats
    """Published numbers minus true ones."""
    norms: Floats
    """Sum of the magnitudes of the gaps of each part."""
    noise_logs: Floats
    """Log density of each part's noise."""

    def take(self, tables: FamilyTables, other: FamilyState, accepted: npt.NDArray[np.bool_]) -> None:
        """Become the other state in the rows and chains where it was accepted."""
        parts = rows_at(accepted, tables.row_of_part)
        self.counts = np.where(rows_at(accepted, tables.row_of_cell), other.counts, self.counts)
        self.rows = np.where(accepted, other.rows, self.rows)
        self.gaps = np.where(rows_at(parts, tables.part), other.gaps, self.gaps)
        self.norms = np.where(parts, other.norms, self.norms)
        self.noise_logs = np.where(parts, other.noise_logs, self.noise_logs)


def begin(tables: FamilyTables, counts: Floats) -> FamilyState:
    """The state of chains that are at these tables: cells x chains."""
    gaps = tables.noisy[:, None] - tables.numbers @ counts
    norms = np.add.reduceat(tables.magnitude(gaps), tables.part_starts, axis=0)
    logs = tables.noise_log(np.arange(len(norms))[:, None], norms)
    return FamilyState(counts.astype(np.float64), tables.sum_rows(counts), gaps, norms, logs)


@dataclass(frozen=True, slots=True, eq=False)
class NoiseAfter:
    """What becomes of the noise if records move from one cell to another: sides of a move, moves, chains."""

    number: Integers
    part: Integers
    gaps: Floats
    norms: Floats
    logs: Floats
    change: Floats
    """Log ratio of the densities of noise: moves x chains."""

    def apply(self, state: FamilyState, accepted: npt.NDArray[np.bool_]) -> None:
        """Take over the moves that were accepted."""
        chain = np.arange(accepted.shape[1])
        places = ((state.gaps, self.number, self.gaps), (state.norms, self.part, self.norms))
        for kept, place, after in (*places, (state.noise_logs, self.part, self.logs)):
            for side in (0, 1):
                kept[place[side], chain] = np.where(accepted, after[side], kept[place[side], chain])


def move_noise(tables: FamilyTables, state: FamilyState, cells: Integers, size: Floats) -> NoiseAfter:
    """Look at moves of so many records, no two of them in one row or in one part of noise."""
    chain = np.arange(size.shape[1])
    number, told = tables.coordinate[cells], tables.sign[cells] * np.stack([-size, size])
    same = number[0] == number[1]  # both cells count into one number, which changes by both
    before = state.gaps[number, chain]
    gaps = before - np.where(same, told.sum(axis=0), told)
    longer = tables.magnitude(gaps) - tables.magnitude(before)
    part = tables.part[number]
    together = part[0] == part[1]
    norms = state.norms[part, chain] + np.where(together & ~same, longer.sum(axis=0), longer)
    logs = tables.noise_log(part, norms)
    both = logs - state.noise_logs[part, chain]
    return NoiseAfter(number, part, gaps, norms, logs, both[0] + np.where(together, 0, both[1]))


def log_densities(tables: FamilyTables, counts: Floats, prior: Floats) -> Floats:
    """Log of the density of each family's table by itself, families x chains, but for a constant of the family.

    ``prior`` are the Dirichlet parameters of the cells, in each chain or in all of them.
    """
    from scipy.special import gammaln

    state, total = begin(tables, counts), tables.sum_rows(prior)
    cells = gammaln(state.counts + prior) - gammaln(prior) - gammaln(state.counts + 1)
    spread = tables.row_spread[:, None]
    rows = gammaln(total) - gammaln(state.rows + total) + gammaln(state.rows + spread)
    found = np.zeros((len(tables.families), counts.shape[1]))
    np.add.at(found, tables.family_of_cell, cells)
    np.add.at(found, tables.family_of_row, rows)
    np.add.at(found, tables.family_of_part, state.noise_logs)
    margins = tables.row_margins
    np.add.at(found, margins.family, margins.logs(counts))
    sums = tables.sums
    gaps = sums.matrix() @ counts - sums.measured[:, None]
    np.add.at(found, sums.family, np.where(sums.margin < 0, -sums.precision / 2, 0)[:, None] * np.square(gaps))
    return found
