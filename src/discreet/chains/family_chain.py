"""The chain over true tables: records move between two cells of a family's table, in many rows, families and chains at once.

A step draws pairs of cells, no two of them in one row, and for each a number of records, either direction equally likely, all
without looking at the state. Each pair's move is then accepted with the ratio of the densities (Metropolis). Pairs of one
family take turns: what other tables say about a family ties its cells together, so an accepted move changes the ratios of
those that follow. The last axis of every array is the chain.

Tables that could be behind a release, in many chains at once, with the parts of their densities.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.chains.family_forms import FamilyForms
from discreet.chains.family_tables import FamilyTables
from discreet.chains.record_moves import RecordMoves, record_moves
from discreet.checks import check_whole

__all__ = ["Effort", "FamilyChain", "FamilyState", "begin", "log_densities", "run_chain"]

Booleans = npt.NDArray[np.bool_]
_TARGET = 0.4
_RATE = 0.5
"""The share of moves to accept, and how fast step lengths that accept another are changed during the warm-up."""
_FEWEST_STEPS, _MOST_STEPS = 4, 32
"""Steps in a round, half of them within rows, half across rows: as many as an eighth of the largest table's cells."""
_MOST_FOR_LEVELS = 64
"""Or two for each level beyond two, up to so many: a step within rows moves one pair of cells in each row."""
_FEWEST = 4
_KEPT = 2**25
"""Most counts that are kept: a quarter of a gigabyte."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long the chains run. Fewer than four chains or rounds cannot tell whether they agree."""

    chains: int = 16
    warm_up: int = 40
    rounds: int = 100

    def __post_init__(self) -> None:
        check_whole(self.chains, "The number of chains", _FEWEST)
        check_whole(self.rounds, "The number of rounds", _FEWEST)
        check_whole(self.warm_up, "The number of rounds of the warm-up", 0)

    @property
    def total(self) -> int:
        """All rounds."""
        return self.warm_up + self.rounds

    def within(self, cells: int) -> Effort:
        """Fewer chains and kept rounds for networks of so many cells that they would fill the memory."""
        chains = min(self.chains, max(_FEWEST, _KEPT // (16 * cells)))
        return Effort(chains, self.warm_up, min(self.rounds, max(_FEWEST, _KEPT // (chains * cells))))


def run_chain(
    tables: FamilyTables,
    start: Floats,
    effort: Effort,
    generator: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> Floats:
    """Tables that the chains visit: rounds, cells, chains. ``progress`` is told how many rounds are done."""
    chain = FamilyChain(tables, start, generator)
    kinds = record_moves(tables.families)
    steps = _steps(tables) if kinds else 0
    kept = np.empty((effort.rounds, *start.shape))
    for number in range(effort.total):
        for turn in range(number * steps, (number + 1) * steps):
            # Within rows every other time; across rows along the parents in turn.
            kind = kinds[0 if turn % 2 == 0 or len(kinds) == 1 else 1 + turn // 2 % (len(kinds) - 1)]
            chain.step(kind, _RATE if number < effort.warm_up else 0.0)
        if number >= effort.warm_up:
            kept[number - effort.warm_up] = chain.state.counts
        if progress is not None:
            progress(number + 1)
    return kept


def _steps(tables: FamilyTables) -> int:
    """In a round."""
    levels = max(family.levels for family in tables.families)
    cells = max(family.cells for family in tables.families)
    return max(_FEWEST_STEPS, min(cells // 8, _MOST_STEPS), min(2 * (levels - 2), _MOST_FOR_LEVELS))


class FamilyChain:
    """Chains that start at some tables, cells x chains, and move step by step."""

    def __init__(self, tables: FamilyTables, start: Floats, generator: np.random.Generator) -> None:
        self.state = begin(tables, start)
        self._tables = tables
        self._forms = FamilyForms(tables)
        self._generator = generator
        # Nothing can be said of the width of a family that was not measured; but few rows can lose more than a row has.
        configurations = np.array([family.configurations for family in tables.families])
        records = float(start[tables.cells_of(0)].sum(axis=0).mean())
        length = 4 * np.minimum(tables.widths(), 1 + records / configurations)[tables.family_of_row]
        self._lengths = {True: length, False: length.copy()}

    def step(self, kind: RecordMoves, rate: float = 0.0) -> None:
        """Move records in all rows for which this kind of step has pairs; with a rate, learn step lengths."""
        generator, lengths = self._generator, self._lengths[kind.within]
        pair = kind.draw(generator)
        row = self._tables.row_of_cell[pair]
        shape = (pair.shape[1], self.state.counts.shape[1])
        length = np.sqrt(lengths[row[0]] * lengths[row[1]])[:, None]
        size = np.floor(length * generator.standard_exponential(shape)) + 1
        np.negative(size, out=size, where=generator.random(shape) < 0.5)
        moved = self._move(kind, pair, row, size)
        luck = generator.standard_exponential(shape)
        accepted = self._forms.accept(kind, pair, size, moved.change + luck, self.state.counts)
        for kept, places, before, after in moved.parts:
            kept[places] = np.where(accepted, after, before)
        if rate:
            grown = np.exp(rate * (accepted.mean(axis=1) - _TARGET))
            for rows in row[:1] if kind.within else row:
                lengths[rows] = np.clip(lengths[rows] * grown, 0.25, 2.0**60)

    def _move(self, kind: RecordMoves, pair: Integers, row: Integers, size: Floats) -> _Moved:
        """What becomes of the state if all moves are accepted. No two pairs share a cell, a published number or a row."""
        state, tables = self.state, self._tables
        shift = np.stack([-size, size])
        counts = state.counts[pair] + shift
        moved = _Moved(np.where((counts >= 0).all(axis=0), 0, -np.inf))
        counts = np.maximum(counts, 0)
        moved.add(state.counts, pair, counts)
        if not tables.flat:
            moved.add_log(state.cell_logs, pair, tables.cell_log(pair, counts))
        if not kind.within:
            rows = np.maximum(state.rows[row] + shift, 0)
            moved.add(state.rows, row, rows)
            moved.add_log(state.row_logs, row, tables.row_log(row, rows))
        number, told = tables.coordinate[pair], tables.sign[pair][..., None] * shift
        same = (number[0] == number[1])[:, None]  # both cells count into one number, which changes by both
        before = state.gaps[number]
        gaps = before - np.where(same, told.sum(axis=0), told)
        moved.add(state.gaps, number, gaps)
        longer = tables.magnitude(gaps) - tables.magnitude(before)
        part = tables.part[number]
        together = (part[0] == part[1])[:, None]
        norms = state.norms[part] + np.where(together & ~same, longer.sum(axis=0), longer)
        moved.add(state.norms, part, norms)
        moved.add_log(state.noise_logs, part, tables.noise_log(part, norms), once=together)
        return moved


@dataclass(slots=True, eq=False)
class _Moved:
    """Parts of the state at the pairs of a step, as they are and as they become if their moves are accepted."""

    change: Floats
    """Log ratio of the densities, apart from what other tables say: pairs x chains."""
    parts: list[tuple[Floats, Integers, Floats, Floats]] = field(default_factory=list)
    """Which array, at which places, old values and new ones: sides of the pairs, pairs, chains."""

    def add(self, kept: Floats, places: Integers, after: Floats) -> None:
        """A part of the state that is no log density."""
        self.parts.append((kept, places, kept[places], after))

    def add_log(self, kept: Floats, places: Integers, after: Floats, once: Booleans | None = None) -> None:
        """A part of the log density; ``once`` says where both sides have the same place, which counts once."""
        before = kept[places]
        both = after - before
        self.change += both[0] + (both[1] if once is None else np.where(once, 0, both[1]))
        self.parts.append((kept, places, before, after))


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
