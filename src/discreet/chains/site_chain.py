"""Sites that differ: behind each release are tables of its own, and the rows of all sites' tables lie around common ones.

A row of site k is theta_k ~ Dirichlet(kappa theta), its records N_k are drawn from theta_k, and theta has the prior. How
different sites are is one number for each family, the spread tau = 1 / sqrt(1 + kappa): a probability p varies from site to
site with standard deviation tau sqrt(p (1 - p)). Sites that are all alike have spread 0. Its prior is Beta(1, 3): small, with
a median of a fifth.

Given theta and kappa, the tables of one release have Dirichlet parameters kappa theta, and move as they would alone. Given the
tables, draw for each cell how many of its N_k records are first of their kind, M_k, as tables of a Chinese restaurant are.
Given these theta is Dirichlet, with the prior's parameters and the sum of all M_k; so the posterior of theta is a mixture of
Dirichlets, as it is for sites that are alike, with the numbers M in the place of counts. The spread moves by steps that the
law of all tables accepts. Each step leaves the law of everything together as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats, rows_at
from discreet.chains.effort import Effort
from discreet.chains.family_chain import FamilyChain
from discreet.chains.family_tables import FamilyTables
from discreet.chains.row_priors import FixedRows, LearnedRows, RowPriors

__all__ = ["SitesVisited", "draw_firsts", "run_sites"]

_RATE, _TARGET = 0.5, 0.4
_TURNS = 2
"""How often the common tables and the spread move in a round: little work beside that of the tables."""
_SPREADS = (0.002, 0.95)
"""The least and the largest spread: nobody can tell what is beyond from what is at the ends."""
_PRIOR = 3.0
"""The spread has the density 3 (1 - tau)^2."""
_LEAST = 1e-6
"""The least Dirichlet parameter of a cell that is possible."""
_ONE_BY_ONE = 12
_GROWTH = 1.25
"""Records beyond the first ones are taken in groups, each a quarter longer than what is before it is long."""


@dataclass(frozen=True, slots=True, eq=False)
class SitesVisited:
    """What the chains visited."""

    firsts: Floats
    """The numbers M, summed over sites, which stand for counts: rounds, cells, chains."""
    logs: Floats | None
    """Logarithms of the learned parameters of the prior: rounds, parameters, chains."""
    spreads: Floats
    """Rounds, families, chains."""


def run_sites(
    tables: Sequence[FamilyTables],
    starts: Sequence[Floats],
    prior: RowPriors,
    known: Sequence[Floats],
    effort: Effort,
    generator: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> SitesVisited:
    """Run chains over the tables of all sites; ``known`` are tables of further sites without noise: a column of cells each."""
    chain = _SiteChain(tables, starts, prior, known, generator)
    firsts = np.empty((effort.rounds, *starts[0].shape))
    logs = np.empty((effort.rounds, *prior.log.shape)) if isinstance(prior, LearnedRows) else None
    spreads = np.empty((effort.rounds, *chain.spread.shape))
    for number in range(effort.total):
        chain.round(number, _RATE if number < effort.warm_up else 0.0)
        kept = number - effort.warm_up
        if kept >= 0:
            firsts[kept], spreads[kept] = chain.firsts, chain.spread
            if logs is not None and isinstance(prior, LearnedRows):
                logs[kept] = prior.log
        if progress is not None:
            progress(number + 1)
    return SitesVisited(firsts, logs, spreads)


class _SiteChain:
    """Tables of all sites, the common tables, and a spread for each family, in several chains: the last axis."""

    def __init__(
        self,
        tables: Sequence[FamilyTables],
        starts: Sequence[Floats],
        prior: RowPriors,
        known: Sequence[Floats],
        generator: np.random.Generator,
    ) -> None:
        self._layout, self._generator, self._prior = tables[0], generator, prior
        self._rows = FixedRows(tables[0])
        self._chains = tuple(
            FamilyChain(each, start, self._rows, generator) for each, start in zip(tables, starts, strict=True)
        )
        self._known = [np.repeat(each[:, None], starts[0].shape[1], axis=1) for each in known]
        shape = (len(self._layout.families), starts[0].shape[1])
        self.spread = generator.uniform(0.02, 0.3, shape)
        self.firsts = np.zeros_like(starts[0])
        self._common = self._draw_common(np.sum([*starts, *self._known], axis=0))
        self._steps = np.full(len(self._layout.families), 0.5)

    def round(self, number: int, rate: float) -> None:
        """The tables of each site, then what they have in common and how they differ."""
        self._rows.see(np.where(self._layout.possible[:, None], self._parameters(self.spread), 0))
        for chain in self._chains:
            chain.round(number, rate)
        sites = np.stack([*(chain.state.counts for chain in self._chains), *self._known])
        for _ in range(_TURNS):
            self.firsts = draw_firsts(sites, self._parameters(self.spread), self._generator).sum(axis=0)
            if isinstance(self._prior, LearnedRows):
                self._prior.put(self._prior.learn(self.firsts, rate))
            self._common = self._draw_common(self.firsts)
            self._move_spread(sites, rate)

    def _parameters(self, spread: Floats) -> Floats:
        """The Dirichlet parameters of every cell at a site: kappa theta."""
        strength = 1 / np.square(spread) - 1
        return np.maximum(rows_at(strength, self._layout.family_of_cell) * self._common, _LEAST)

    def _draw_common(self, firsts: Floats) -> Floats:
        """Common tables given the numbers M; on the log scale, where no parameter is too small."""
        layout, generator = self._layout, self._generator
        wanted = np.broadcast_to(self._prior.cells + firsts, firsts.shape)
        logs = np.log(generator.standard_gamma(wanted + 1)) + np.log1p(-generator.random(wanted.shape)) / wanted
        logs -= rows_at(np.maximum.reduceat(logs, layout.row_starts, axis=0), layout.row_of_cell)
        weights = np.where(layout.possible[:, None], np.exp(logs), 0)
        return np.asarray(weights / rows_at(layout.sum_rows(weights), layout.row_of_cell))

    def _move_spread(self, sites: Floats, rate: float) -> None:
        """Another spread of each family, accepted by the tables of all sites."""
        before, shape = self.spread, self.spread.shape
        odds = np.log(before / (1 - before)) + self._steps[:, None] * self._generator.standard_normal(shape)
        after = 1 / (1 + np.exp(-odds))
        inside = (after > _SPREADS[0]) & (after < _SPREADS[1])
        after = np.clip(after, *_SPREADS)
        gain = self._log_density(after, sites) - self._log_density(before, sites)
        accepted = inside & (gain > -self._generator.standard_exponential(shape))
        self.spread = np.where(accepted, after, before)
        if rate:
            self._steps *= np.exp(rate * (accepted.mean(axis=1) - _TARGET))
            np.clip(self._steps, 0.05, 5.0, out=self._steps)

    def _log_density(self, spread: Floats, sites: Floats) -> Floats:
        """Of the log odds of each family's spread, given the common tables and those of all sites."""
        from scipy.special import gammaln

        layout, parameters = self._layout, self._parameters(spread)
        rows, possible = layout.sum_rows(parameters), layout.possible[:, None]
        found = np.log(spread) + _PRIOR * np.log1p(-spread)
        for counts in sites:
            cells = (gammaln(parameters + counts) - gammaln(parameters)) * possible
            found += np.add.reduceat(cells, layout.cell_starts, axis=0)
            totals = gammaln(rows + layout.sum_rows(counts)) - gammaln(rows)
            found -= np.add.reduceat(totals, layout.first_rows, axis=0)
        return np.asarray(found)


def draw_firsts(counts: Floats, parameters: Floats, generator: np.random.Generator) -> Floats:
    """How many of the records of a cell are first of their kind: record i is, by itself, with chance a / (a + i - 1).

    The first records are drawn one by one. Later ones, whose chances hardly differ from one to the next, are drawn in groups
    with the mean chance of the group: their variance is too large by less than a hundredth.
    """
    found, most = np.zeros_like(counts), float(counts.max(initial=0))
    first, size = 0, 1
    while first < most:
        drawn = np.minimum(np.maximum(counts - first, 0), size)
        if size == 1:
            chance = np.broadcast_to(parameters / (parameters + first), counts.shape)
        else:
            records = np.maximum(drawn, 1)
            chance = parameters * np.log1p(records / (parameters + first - 0.5)) / records
        found += generator.binomial(drawn.astype(np.int64), np.minimum(chance, 1))
        first += size
        size = 1 if first < _ONE_BY_ONE else max(1, int((_GROWTH - 1) * first))
    return found
