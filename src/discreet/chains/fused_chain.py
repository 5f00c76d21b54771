"""One chain over the tables behind several releases of different persons, which have one set of parameters.

Given the tables of all other releases, those of one release are as if the others' records were seen before: their counts add
to the Dirichlet parameters of the rows. So the releases take turns, each with the round that it would make alone, and what is
learned of the prior is learned from all tables. Every turn leaves the law of all tables together as it is.

Where noise is wide, turns alone would be slow: tables of one release can go no further than those of the others let them. So
records of all releases are also forgotten and filled in together, from one urn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from discreet.arrays import Floats
from discreet.chains.effort import Effort
from discreet.chains.family_chain import FamilyChain, Visited
from discreet.chains.family_state import FamilyState, begin
from discreet.chains.family_tables import FamilyTables
from discreet.chains.margin_shifts import MarginShifts
from discreet.chains.refills import Refills
from discreet.chains.row_priors import LearnedRows, RowPriors
from discreet.model.family import Booleans

__all__ = ["FusedChain", "run_fused"]

_TARGET = 0.3
"""The share of tables that are filled in together to accept."""
_SHIFTS = 2
"""Steps of whole margins of all releases in a round."""
_RATE = 0.5
"""How fast what decides the length of steps is changed during the warm-up."""


def run_fused(
    tables: Sequence[FamilyTables],
    starts: Sequence[Floats],
    prior: RowPriors,
    effort: Effort,
    generator: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> Visited:
    """The sums of all releases' tables, and the parameters, that the chains visit. ``progress`` is told the rounds done."""
    chain = FusedChain(tables, starts, prior, generator)
    counts = np.empty((effort.rounds, *starts[0].shape))
    logs = np.empty((effort.rounds, *prior.log.shape)) if isinstance(prior, LearnedRows) else None
    for number in range(effort.total):
        chain.round(number, _RATE if number < effort.warm_up else 0.0)
        kept = number - effort.warm_up
        if kept >= 0:
            counts[kept] = chain.total
            if logs is not None and isinstance(prior, LearnedRows):
                logs[kept] = prior.log
        if progress is not None:
            progress(number + 1)
    return Visited(counts, logs)


class FusedChain:
    """Chains over the tables of several releases, laid out alike, that share their parameters."""

    def __init__(
        self, tables: Sequence[FamilyTables], starts: Sequence[Floats], prior: RowPriors, generator: np.random.Generator
    ) -> None:
        self.prior = prior
        self.chains = tuple(FamilyChain(each, start, prior, generator) for each, start in zip(tables, starts, strict=True))
        self._tables, self._generator = tuple(tables), generator
        self._refills = [Refills(each, generator) for each in tables]
        self._forms = [each.forms for each in self.chains]
        self._shifts = [MarginShifts(each, forms, generator) for each, forms in zip(tables, self._forms, strict=True)]
        rows = np.array([start[: each.families[0].cells].sum(axis=0)[0] for each, start in zip(tables, starts, strict=True)])
        self._shares = (rows / max(rows.sum(), 1)).tolist()
        self._kept = {alone: np.full(len(tables[0].families), 1.0) for alone in (False, True)}
        """Odds that a record is kept when tables are filled in together: in all rows of a family, or in one alone."""

    @property
    def total(self) -> Floats:
        """The records of all releases in each cell: cells x chains."""
        return np.asarray(np.sum([each.state.counts for each in self.chains], axis=0))

    def round(self, number: int, rate: float) -> None:
        """One round of each release, and records of all of them filled in together; with a rate, step lengths are learned."""
        for each in self.chains:
            self.prior.see(self.total - each.state.counts)
            each.round(number, rate)
        if len(self.chains) > 1:
            for turn in range(_SHIFTS):
                self.shift(_SHIFTS * number + turn, rate)
            for alone in (False, True):
                self.refill(rate, alone=alone)

    def shift(self, turn: int, rate: float = 0.0) -> None:
        """Records change the level of one node in all tables of all releases that have it, along one line of cells.

        From which line is chosen by the tables of all releases together; of each release go as many as is its share of all
        records. Releases move one after another, each given where the others are by then, and are accepted together.
        """
        leader, total = self._shifts[0], self.total
        way = leader.draw(turn, total.shape[1])
        if way is None:
            return
        sizes = [np.maximum(np.rint(way.size * share), 1) for share in self._shares]
        whole, change = leader.choose(way, np.sum(sizes, axis=0), total)
        looked = []
        for shifts, chain, size in zip(self._shifts, self.chains, sizes, strict=True):
            moves, possible = leader.part(way, whole, size, chain.state.counts)
            self.prior.see(total - chain.state.counts)
            gain, after = shifts.gain(way, moves, chain.state, self.prior)
            change = change + np.where(possible, gain, -np.inf)
            total = moves.apply(total)
            looked.append((moves, after))
        accepted = change > -self._generator.standard_exponential(change.shape)
        for shifts, chain, (moves, after) in zip(self._shifts, self.chains, looked, strict=True):
            shifts.take(way, moves, after, accepted, chain.state)
        leader.learn(way, accepted, rate)

    def refill(self, rate: float = 0.0, *, alone: bool = False) -> None:
        """Forget records of a family in all releases and fill them in from one urn: accepted by what noise says.

        ``alone`` does so in one row of each family, drawn chain by chain; else in all of its rows.
        """
        layout, shape = self._tables[0], (len(self._tables[0].families), self.total.shape[1])
        odds = self._kept[alone][:, None] * np.exp(self._generator.standard_normal(shape))
        chance = (odds / (1 + odds))[layout.family_of_row]
        if alone:
            chance = np.where(self._one_row(shape), chance, 1.0)
        others = self._fill(chance)
        change = np.zeros(shape)
        for tables, forms, chain, other in zip(self._tables, self._forms, self.chains, others, strict=True):
            forms.pull(chain.state.counts)
            change += forms.logs(other.counts) - forms.logs(chain.state.counts)
            np.add.at(change, tables.family_of_part, other.noise_logs - chain.state.noise_logs)
        accepted = change > -self._generator.standard_exponential(shape)
        for tables, chain, other in zip(self._tables, self.chains, others, strict=True):
            chain.state.take(tables, other, accepted[layout.family_of_row])
        if rate:
            self._kept[alone] *= np.exp(-2 * rate * (accepted.mean(axis=1) - _TARGET))
            np.clip(self._kept[alone], 1e-9, 1e9, out=self._kept[alone])

    def _fill(self, chance: Floats) -> list[FamilyState]:
        """States in which each record was kept with the chance of its row, and the others were drawn anew, one by one."""
        kept = [refills.forget(each.state.counts, chance) for refills, each in zip(self._refills, self.chains, strict=True)]
        seen, others = np.sum(kept, axis=0), []
        for tables, refills, chain, part in zip(self._tables, self._refills, self.chains, kept, strict=True):
            self.prior.see(seen - part)
            filled = refills.fill(part, chain.state.rows, self.prior.cells)
            others.append(begin(tables, filled))
            seen += filled - part
        return others

    def _one_row(self, shape: tuple[int, int]) -> Booleans:
        """A row of each family in each chain: rows x chains."""
        layout = self._tables[0]
        configurations = np.array([family.configurations for family in layout.families])
        chosen = layout.first_rows[:, None] + (self._generator.random(shape) * configurations[:, None]).astype(np.int64)
        return np.asarray(chosen[layout.family_of_row] == np.arange(len(layout.family_of_row))[:, None])
