"""The chain over true tables: records move between two cells of a family's table, many families and many chains at once.

A step draws two cells of each family and a number of records without looking at the state, either direction equally likely,
and is accepted with the ratio of the densities (Metropolis). The last axis of every array is the chain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.model.prior import Table
from discreet.posterior.family_tables import FamilyTables

__all__ = ["Effort", "run_chain"]

Integers = npt.NDArray[np.int64]
_TARGET = 0.3
_FEWEST_TURNS, _MOST_TURNS = 24, 1000
"""How often two cells of a family are drawn in a round: as often as it has cells, within these limits."""
_KEPT = 2**25
"""Most counts that are kept: a quarter of a gigabyte."""
_LENGTHS = 3
"""Step lengths are a family's, a quarter of it or a sixteenth."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long the chains run: each round visits each cell of the largest family about once."""

    chains: int = 32
    warm_up: int = 30
    rounds: int = 60

    @property
    def total(self) -> int:
        """All rounds."""
        return self.warm_up + self.rounds

    def within(self, cells: int) -> Effort:
        """Fewer chains and kept rounds for networks of so many cells that they would fill the memory."""
        chains = max(4, min(self.chains, _KEPT // (16 * cells)))
        return Effort(chains, self.warm_up, max(4, min(self.rounds, _KEPT // (chains * cells))))


@dataclass(slots=True, eq=False)
class _State:
    counts: Table
    row_counts: Table
    gaps: Table
    """Published numbers minus true ones."""
    norms: Table
    """L1 norm of the gaps of each row."""
    pull: Table
    """Gradient of the quadratic forms at each cell."""


def run_chain(
    tables: FamilyTables,
    start: Table,
    effort: Effort,
    generator: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> Table:
    """Tables that the chains visit: rounds, cells, chains. ``progress`` is told how many rounds are done."""
    state = _begin(tables, start)
    pairs = _Pairs(tables)
    lengths = np.repeat(4 * tables.widths()[:, None], 2, axis=1)
    turns = np.clip(pairs.cells, _FEWEST_TURNS, _MOST_TURNS)
    kept = np.empty((effort.rounds, *start.shape))
    for number in range(effort.total):
        rate = 0.3 if number < effort.warm_up else 0.0
        for step in range(int(turns[0])):
            active = int(np.searchsorted(-turns, -step))  # families come largest first, and larger ones have more turns
            _step(tables, pairs, state, lengths, rate, active, generator)
        if number >= effort.warm_up:
            kept[number - effort.warm_up] = state.counts
        if progress is not None:
            progress(number + 1)
    return kept


def _begin(tables: FamilyTables, start: Table) -> _State:
    chains = start.shape[1]
    rows = np.zeros((len(tables.row_prior), chains))
    np.add.at(rows, tables.row_of_cell, start)
    gaps = np.repeat(tables.noisy[:, None], chains, axis=1)
    np.subtract.at(gaps, tables.coordinate, tables.sign[:, None] * start)
    norms = np.zeros_like(rows)
    first = np.unique(tables.coordinate, return_index=True)[1]  # a number that two cells count into belongs to their row once
    np.add.at(
        norms,
        tables.row_of_cell[first],
        np.where(tables.coordinate[first, None] > 0, np.abs(gaps[tables.coordinate[first]]), 0),
    )
    pull = np.zeros_like(start)
    for number, (matrix, linear) in tables.forms.items():
        cells = tables.cells_of(number)
        pull[cells] = matrix @ start[cells] - linear[:, None]
    return _State(start.copy(), rows, gaps, norms, pull)


class _Pairs:
    """Draws two cells of each family that has two, and knows how the quadratic forms turn when records move between them."""

    def __init__(self, tables: FamilyTables) -> None:
        families = tables.families
        self.family_of_cell = tables.family_of_cell
        self.cells = np.array([family.cells for family in families])
        self.levels = np.array([family.levels for family in families])
        self.first = np.concatenate([[0], np.cumsum(self.cells)[:-1]])
        self.movable = self.cells > 1
        # The matrices of all families one after another; families without one share a single zero.
        self.entries = np.concatenate([np.zeros(1), *(matrix.ravel() for matrix, _ in tables.forms.values())])
        self.stride = np.zeros(len(families), dtype=np.int64)
        self.base = np.zeros(len(tables.prior), dtype=np.int64)
        at = 1
        for number, (matrix, _) in tables.forms.items():
            self.stride[number] = len(matrix)
            self.base[tables.cells_of(number)] = at + np.arange(len(matrix))
            at += matrix.size

    def turn(self, left: Integers, right: Integers, cells: int) -> Table:
        """For each cell the change of the gradient per record that moves."""
        active, base = self.family_of_cell[:cells], self.base[:cells]
        one, two = ((chosen - self.first[: len(left)]) * self.stride[: len(left)] for chosen in (left, right))
        return np.asarray(self.entries[base + two[active]] - self.entries[base + one[active]])

    def draw(self, active: int, generator: np.random.Generator) -> tuple[Integers, Integers, Integers]:
        """Two different cells of each of the first families, and whether they were drawn from one row."""
        cells, levels, first = self.cells[:active], self.levels[:active], self.first[:active]
        uniform = generator.random((4, active))
        left = (uniform[0] * cells).astype(np.int64)
        within = (uniform[1] < 0.5) & (levels > 1)
        other = (left % levels + 1 + (uniform[2] * (levels - 1)).astype(np.int64)) % levels
        anywhere = (left + 1 + (uniform[3] * (cells - 1)).astype(np.int64)) % cells
        right = np.where(within, left // levels * levels + other, anywhere)
        return first + left, first + right, within.astype(np.int64)


def _step(
    tables: FamilyTables,
    pairs: _Pairs,
    state: _State,
    lengths: Table,
    rate: float,
    active: int,
    generator: np.random.Generator,
) -> None:
    left, right, kind = pairs.draw(active, generator)
    shape = (len(left), state.counts.shape[1])
    families = np.arange(len(left))
    length = lengths[families, kind][:, None] * 4.0 ** -generator.integers(0, _LENGTHS, shape)
    size = np.floor(length * generator.standard_exponential(shape)) + 1
    size *= 2 * generator.integers(0, 2, shape) - 1
    change = _count_change(tables, state, left, right, size)
    change += _noise_change(tables, state, left, right, size)
    turn = pairs.turn(left, right, int(pairs.cells[:active].sum()))
    curve = turn[right] - turn[left]
    change -= size * (state.pull[right] - state.pull[left]) + curve[:, None] * size**2 / 2
    accepted = (np.log1p(-generator.random(shape)) < change) & pairs.movable[:active, None]
    _move(tables, state, left, right, np.where(accepted, size, 0), turn)
    if rate:
        grown = lengths[families, kind] * np.exp(rate * (accepted.mean(axis=1) - _TARGET))
        lengths[families, kind] = np.clip(grown, 0.25, 2.0**60)


def _count_change(tables: FamilyTables, state: _State, left: Integers, right: Integers, size: Table) -> Table:
    """Log ratio of the densities of the counts; minus infinity where a count would be negative."""
    from scipy.special import gammaln

    before = np.stack([state.counts[left], state.counts[right]])
    after = before + np.stack([-size, size])
    possible = (after >= 0).all(axis=0)
    after = np.maximum(after, 0)
    shift = np.stack([tables.prior[left], tables.prior[right]])[..., None]
    change = np.zeros(size.shape)
    if (tables.prior != 1).any():
        change += (gammaln(after + shift) - gammaln(before + shift) - gammaln(after + 1) + gammaln(before + 1)).sum(axis=0)
    apart = np.flatnonzero(tables.row_of_cell[left] != tables.row_of_cell[right])
    rows = np.stack([tables.row_of_cell[left[apart]], tables.row_of_cell[right[apart]]])
    row_before = state.row_counts[rows]
    row_after = np.maximum(row_before + np.stack([-size[apart], size[apart]]), 0)
    spread, total = tables.row_spread[rows][..., None], tables.row_prior[rows][..., None]
    moved = (
        gammaln(row_after + spread) - gammaln(row_before + spread) - gammaln(row_after + total) + gammaln(row_before + total)
    )
    change[apart] += moved.sum(axis=0)
    return np.where(possible, change, -np.inf)


def _noise_change(tables: FamilyTables, state: _State, left: Integers, right: Integers, size: Table) -> Table:
    """Log ratio of the densities of the family's own noise. Both cells may count into one number, and lie in one row."""
    one, two = tables.coordinate[left], tables.coordinate[right]
    same = (one == two)[:, None]
    gain, loss = tables.sign[left][:, None] * size, tables.sign[right][:, None] * size
    before_one, before_two = state.gaps[one], state.gaps[two]
    after_one = before_one + gain - np.where(same, loss, 0)
    after_two = np.where(same, before_two, before_two - loss)
    rows = tables.row_of_cell[left], tables.row_of_cell[right]
    longer = np.abs(after_one) - np.abs(before_one), np.abs(after_two) - np.abs(before_two)
    change = -sum(tables.inverse_scale[row][:, None] * grown for row, grown in zip(rows, longer, strict=True))
    if tables.inverse_variance.any():
        squares = before_one**2 - after_one**2, before_two**2 - after_two**2
        change = change + sum(
            tables.inverse_variance[row][:, None] * part / 2 for row, part in zip(rows, squares, strict=True)
        )
    if tables.has_radius:
        change = change + _knorm_change(tables, state, rows, longer)
    return np.asarray(change)


def _knorm_change(tables: FamilyTables, state: _State, rows: tuple[Integers, Integers], longer: tuple[Table, Table]) -> Table:
    """Parts of K-norm noise are whole rows: two cells of one row change its norm together."""
    together = (rows[0] == rows[1])[:, None]
    grown = longer[0] + np.where(together, longer[1], 0), np.where(together, 0, longer[1])
    change = np.zeros_like(longer[0])
    for row, more in zip(rows, grown, strict=True):
        inverse = tables.inverse_radius[row][:, None]
        norm = state.norms[row]
        change += tables.tails(row, (norm + more) * inverse) - tables.tails(row, norm * inverse)
    return change


def _move(tables: FamilyTables, state: _State, left: Integers, right: Integers, size: Table, turn: Table) -> None:
    state.counts[left] -= size
    state.counts[right] += size
    for cells, step in ((left, size), (right, -size)):
        rows, numbers = tables.row_of_cell[cells], tables.coordinate[cells]
        state.row_counts[rows] -= step
        before = state.gaps[numbers]
        after = before + tables.sign[cells][:, None] * step
        state.gaps[numbers] = after
        if tables.has_radius:
            state.norms[rows] += np.abs(after) - np.abs(before)
    state.gaps[0] = 0
    state.pull[: len(turn)] += turn[:, None] * size[tables.family_of_cell[: len(turn)]]
