"""The posterior that knows about the noise: beliefs about the parameters given noisy statistics and the law of their noise.

The true tables behind a release are unknown. A chain visits tables that could be behind it, in proportion to their
probability given the release; for each the parameters are Dirichlet. So the posterior is a mixture of Dirichlet distributions:
what differs from table to table is privacy noise, what is left within one table is sampling. All of it follows from the
release file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Floats
from discreet.chains.diagnostics import Diagnostics, diagnose
from discreet.chains.dirichlet import dirichlet_draws
from discreet.chains.exact_counts import exact_counts
from discreet.chains.family_chain import Effort, run_chain
from discreet.chains.row_priors import FixedRows, LearnedRows
from discreet.chains.family_tables import FamilyTables, family_tables
from discreet.checks import check_probability, check_whole
from discreet.display import Display, Displayed
from discreet.errors import ModelError
from discreet.inference.beliefs import GeneratorLike, MixedBeliefs, as_generator
from discreet.inference.own_counts import OwnRecords
from discreet.measure.published import Published
from discreet.model.network import Family, Network, check_network
from discreet.model.prior import UNIFORM, Hierarchical, Prior, TablePrior, as_prior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.posterior import Posterior, display_of

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["NoiseAwarePosterior", "aware_of"]

_AT_ONCE = 256
"""Families whose counts are summed at a time: each takes more than half a megabyte meanwhile."""
_DRAWS = 4000
"""Draws of the parameters behind an interval."""


@dataclass(frozen=True, eq=False, repr=False)
class NoiseAwarePosterior(Displayed, Posterior, MixedBeliefs):
    """Parameters given what was released: wider where noise hides the counts, as sure as the counts where it does not.

    The chain runs when the first question is asked, or in ``prepare``. It is repeatable: the seed is part of the posterior.
    """

    network: Network
    prior: Prior = UNIFORM
    released: Published | None = None
    own: OwnRecords | None = None
    effort: Effort = field(default_factory=Effort)
    seed: int = 0

    def __post_init__(self) -> None:
        check_network(self.network)
        object.__setattr__(self, "prior", as_prior(self.prior))
        if self.released is not None and not isinstance(self.released, Published):
            raise ModelError(
                "The noise of these statistics is not known to this version. Ask release.plugin, or update discreet."
            )

    def _display(self) -> Display:
        return display_of(self, self.released, self.own)

    @property
    def plugin(self) -> DirichletPosterior:
        """The posterior that takes the noisy counts, repaired, for exact ones."""
        return DirichletPosterior(self.network, self.prior, self.released, self.own)

    def prepare(self, progress: Callable[[int], None] | None = None) -> NoiseAwarePosterior:
        """Run the chain, unless it ran before. ``progress`` is told how many rounds are done."""
        if "_visited" not in self.__dict__:
            self.__dict__["_visited"] = self._run(progress)
        return self

    @cached_property
    def _visited(self) -> dict[str, Floats]:
        """Tables that could be behind the release: node -> (rounds, configurations, levels, chains)."""
        return self._run(None)

    @cached_property
    def _summed(self) -> dict[str, Floats]:
        """The same for families of two cells, whose counts are summed exactly."""
        families = []
        if self.released is None or not families:
            return {}
        effort, generator = self.effort.within(self.network.cells), np.random.default_rng(self.seed)
        found: dict[str, Floats] = {}
        for first in range(0, len(families), _AT_ONCE):
            tables = self._tables(self.released, families[first : first + _AT_ONCE])
            drawn = exact_counts(tables, self.released.rows, effort.rounds * effort.chains, generator)
            found |= _by_node(tables, drawn.reshape(-1, effort.rounds, effort.chains).swapaxes(0, 1))
        return found

    def _counts(self, node: str) -> Floats:
        return self._summed[node] if node in self._summed else self._visited[node]

    def _tables(self, released: Published, families: Sequence[Family]) -> FamilyTables:
        return family_tables(released, self._belief, families)

    def _run(self, progress: Callable[[int], None] | None) -> dict[str, Floats]:
        if self.released is None:
            return {family.node: np.zeros((1, family.configurations, family.levels, 1)) for family in self.network.families}
        families = [family for family in self.network.families if family.node not in self._summed]
        if not families:
            return {}
        tables = self._tables(self.released, families)
        effort, generator = self.effort.within(self.network.cells), np.random.default_rng(self.seed)
        start = _start(tables, self.released, effort.chains, generator)
        if isinstance(self.prior, Hierarchical):
            tables = replace(tables, prior=np.zeros_like(tables.prior))
            prior = LearnedRows(tables, self.prior, effort.chains, generator)
            visited = run_chain(tables, start, prior, effort, generator, progress)
            self.__dict__["learned"] = prior; self.__dict__["logs"] = visited.logs
            self.__dict__["priors"] = _by_node(tables, np.exp(visited.logs)[:, prior.parameter_of_cell])
            return _by_node(tables, visited.counts)
        return _by_node(tables, run_chain(tables, start, FixedRows(tables), effort, generator, progress).counts)

    @cached_property
    def _belief(self) -> Prior:
        """What is believed before the release is seen: the prior, and exact records of one's own."""
        if self.own is None:
            return self.prior
        families = self.network.families
        tables = {family.node: self.prior.concentration(family) + self.own.tables[family.node] for family in families}
        return TablePrior(self.network, tables)

    def concentrations(self, node: str) -> Floats:
        """Dirichlet parameters for each table that was visited: tables, configurations, levels. The posterior mixes them."""
        family = self.network.family(node)
        if isinstance(self.prior, Hierarchical):
            counts = self._counts(family.node) + self.priors[family.node]
            return np.moveaxis(counts, -1, 1).reshape(-1, family.configurations, family.levels)
        counts = np.moveaxis(self._counts(family.node), -1, 1).reshape(-1, family.configurations, family.levels)
        return np.asarray(counts + self._belief.concentration(family))

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """Whether the chains agree with one another, and how many independent tables they are worth."""
        means = []
        for node in self.network.nodes:
            if isinstance(self.prior, Hierarchical):
                table = self._counts(node) + self.priors[node]
            else:
             table = self._counts(node) + self._belief.concentration(self.network.family(node))[None, :, :, None]
            share = table / table.sum(axis=2, keepdims=True)
            means.append(share.reshape(len(share), -1, share.shape[-1]).swapaxes(1, 2))
        return diagnose(np.concatenate(means, axis=2))

    def mean(self, node: str) -> Floats:
        """Expected conditional probabilities, configurations x levels."""
        tables = self.concentrations(node)
        return np.asarray((tables / tables.sum(axis=2, keepdims=True)).mean(axis=0))

    def variance(self, node: str) -> Floats:
        """Posterior variance of every conditional probability."""
        sampling, noise = self.variances(node)
        return sampling + noise

    def variances(self, node: str) -> tuple[Floats, Floats]:
        """The variance of every conditional probability in two parts: what sampling leaves open, and what noise hides."""
        tables = self.concentrations(node)
        total = tables.sum(axis=2, keepdims=True)
        mean = tables / total
        return np.asarray((mean * (1 - mean) / (total + 1)).mean(axis=0)), np.asarray(mean.var(axis=0))

    def noise_share(self, node: str) -> Floats:
        """Which share of the variance of every conditional probability, and so of its interval, is privacy noise."""
        sampling, noise = self.variances(node)
        return np.asarray(noise / (sampling + noise))

    def interval(self, node: str, interval: float = 0.9) -> tuple[Floats, Floats]:
        """Central credible interval of every conditional probability: its lower and upper ends."""
        generator = np.random.default_rng(self.seed)
        tables = self.concentrations(node)
        drawn = dirichlet_draws(tables[generator.integers(0, len(tables), _DRAWS)], generator)
        tail = (1 - check_probability(interval)) / 2
        by_cell = drawn.reshape(_DRAWS, -1).T.copy()  # the draws of one cell next to one another: much faster to order
        lower, upper = np.quantile(by_cell, [tail, 1 - tail], axis=1).reshape(2, *tables.shape[1:])
        return lower, upper

    def draws(self, count: int, generator: GeneratorLike = None) -> dict[str, Floats]:
        """Draws of all parameters: node -> array (count, configurations, levels)."""
        return self.repeated_draws(count, 1, generator)[0]

    def repeated_draws(self, count: int, times: int, generator: GeneratorLike = None) -> list[dict[str, Floats]]:
        """Draws of all parameters, so many times for the same tables: what differs between the times is sampling."""
        generator, count = as_generator(generator), check_whole(count, "The number of draws")
        times = check_whole(times, "How often the draws are repeated")
        found: list[dict[str, Floats]] = [{} for _ in range(times)]
        for node in self.network.nodes:
            tables = self.concentrations(node)
            chosen = tables[generator.integers(0, len(tables), count)]
            for drawn in found:
                drawn[node] = dirichlet_draws(chosen, generator)
        return found

    def update(
        self, data: Any, *, missing: str | None = None, progress: Callable[[int], None] | None = None
    ) -> NoiseAwarePosterior:
        """The posterior after records of one's own: this posterior is their prior. They are counted exactly, without noise."""
        # Here and nowhere else in posteriors: only an update may reach for records, which tools/check_layers.py checks.
        from discreet.inference.own_records import count_own_records

        return replace(self, own=count_own_records(data, self.network, missing, progress).plus(self.own))

    def as_prior(self) -> TablePrior:
        """Nearly the same beliefs as a prior for another release: Dirichlet rows of the same mean and total variance."""
        tables = {}
        for node in self.network.nodes:
            mean, variance = self.mean(node), self.variance(node)
            total = (mean * (1 - mean)).sum(axis=1) / variance.sum(axis=1) - 1
            tables[node] = mean * np.maximum(total, 1e-6)[:, None]
        return TablePrior(self.network, tables)


def aware_of(value: Any) -> Any:
    """The noise-aware posterior of a released Dirichlet one; any other value as it is."""
    if not isinstance(value, DirichletPosterior) or value.released is None:
        return value
    return NoiseAwarePosterior(value.network, value.prior, value.released, value.own)


def _by_node(tables: FamilyTables, kept: Floats) -> dict[str, Floats]:
    """Rounds, cells, chains of all families -> for each node rounds, configurations, levels, chains."""
    return {
        family.node: kept[:, tables.cells_of(number)].reshape(len(kept), family.configurations, family.levels, -1)
        for number, family in enumerate(tables.families)
    }


def _start(tables: FamilyTables, released: Published, chains: int, generator: np.random.Generator) -> npt.NDArray[np.float64]:
    """Tables near the repaired ones, as far apart as noise is wide; each sums to the number of records."""
    columns = []
    for family, width in zip(tables.families, np.minimum(tables.widths(), released.rows), strict=True):
        table = released.update(family).ravel()[:, None] + width / 2 * generator.laplace(size=(family.cells, chains))
        table = np.maximum(table, 0) + 1e-9
        table *= released.rows / table.sum(axis=0)
        whole = np.floor(table)
        rest = np.rint(released.rows - whole.sum(axis=0)).astype(np.int64)
        order = np.argsort(np.argsort(whole - table, axis=0, kind="stable"), axis=0, kind="stable")
        columns.append(whole + (order < rest))
    return np.concatenate(columns)
