"""The posterior that knows about the noise: beliefs about the parameters given noisy statistics and the law of their noise.

The true tables behind a release are unknown. A chain visits tables that could be behind it, in proportion to their
probability given the release; for each the parameters are Dirichlet. So the posterior is a mixture of Dirichlet distributions:
what differs from table to table is privacy noise, what is left within one table is sampling. All of it follows from the
release file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.chains.diagnostics import LARGEST_R_HAT, Diagnostics, agreement, diagnose_tables
from discreet.chains.dirichlet import dirichlet_draws
from discreet.chains.effort import Effort
from discreet.chains.fused_visits import visit_together
from discreet.chains.visits import GoingVisits, Visits, visit
from discreet.checks import check_whole
from discreet.display import Display, Displayed
from discreet.errors import ModelError
from discreet.inference.beliefs import Beliefs, GeneratorLike, MixedBeliefs, as_generator
from discreet.inference.found import Found
from discreet.inference.own_counts import OwnRecords
from discreet.measure.published import Published
from discreet.measure.together import PublishedTogether
from discreet.model.network import Network, check_network
from discreet.model.prior import LEARNED, Prior, TablePrior, as_prior, table_prior
from discreet.posterior import parts
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.kept_answers import find_answer
from discreet.posterior.kept_visits import find_diagnostics, find_visits
from discreet.posterior.mixtures import interval_of, matched, mean_of, noise_share_of, variances_of
from discreet.posterior.posterior import Posterior, display_of
from discreet.posterior.running import USUAL, Running, Slot, find_slot
from discreet.posterior.sites import SiteSpread, find_site_spread
from discreet.progress import progress as show_progress

__all__ = ["NoiseAwarePosterior"]

_LONGER = 4
"""How many times as many rounds are advised where chains do not agree, and run where sites differ, which are slower."""


@dataclass(frozen=True, eq=False, repr=False)
class NoiseAwarePosterior(Displayed, Posterior, MixedBeliefs):
    """Parameters given what was released: wider where noise hides the counts, as sure as the counts where it does not.

    The chain runs when the first question is asked, or in ``prepare``. It is repeatable: the seed is part of the posterior.
    Of a large network a question has chains of its own (``about``); chains that do not agree go on.
    """

    network: Network
    prior: Prior = LEARNED
    released: Published | PublishedTogether | None = None
    own: OwnRecords | None = None
    effort: Effort | None = None
    """How long the chains run; None for as long as a network of this size needs."""
    seed: int = 0
    running: Running = USUAL
    nodes: frozenset[str] | None = None
    """The nodes that it is about, with others around them; None for all (``about``)."""

    def __post_init__(self) -> None:
        check_network(self.network)
        object.__setattr__(self, "prior", as_prior(self.prior))
        if self.released is not None and not isinstance(self.released, Published | PublishedTogether):
            raise ModelError(
                "The noise of these statistics is not known to this version. Ask release.plugin, or update discreet."
            )

    def _display(self) -> Display:
        return display_of(self, self.released, self.own)

    @property
    def plugin(self) -> DirichletPosterior:
        """The posterior that takes the noisy counts, repaired, for exact ones."""
        return DirichletPosterior(self.network, self.prior, self.released, self.own)

    def with_prior(self, prior: Prior | str) -> NoiseAwarePosterior:
        """The same release with another prior: noisy statistics do not depend on it."""
        return replace(self, prior=as_prior(prior))

    def with_rounds(self, rounds: int) -> NoiseAwarePosterior:
        """The same with chains of so many rounds after their warm-up: for answers on which shorter ones do not agree."""
        return replace(self, effort=self._asked.with_rounds(rounds))

    @property
    def rounds(self) -> int:
        """How many rounds the chains run after their warm-up: those of ``effort``, or fewer where memory sets a limit."""
        return self.made_effort.rounds

    def about(self, nodes: Collection[str]) -> NoiseAwarePosterior:
        """The same posterior for a question that needs these nodes: its chains visit their tables and those around them.

        Of a small network they visit all tables, whatever is asked. In what a posterior is about, chains find the same law,
        but for what distant tables say of it beyond the sums that were published of them.
        """
        wanted = parts.nodes_to_visit(self.network, self.released, nodes) if self.nodes is None else None
        return self if wanted is None else parts.recall(self, wanted, lambda: replace(self, nodes=wanted))

    def __getstate__(self) -> dict[str, Any]:
        return parts.without_parts(self)

    def longer(self, ask: Callable[[Beliefs, int, np.random.Generator], Sequence[Floats]]) -> NoiseAwarePosterior | None:
        """The same with longer chains, where these do not agree on answers; not where an effort was asked for.

        They go on from where they are, and are judged by the same draws every time: the same question has the same chains.
        """
        if not parts.may_go_on(self.network, self.released, self.nodes, self.effort):
            return None
        drawn = ask(self, self.chains * self.rounds, np.random.default_rng(self.seed))
        # Without some draws, the others are no longer in the order of the chains.
        if not drawn or drawn[0].shape[-1] < self.chains * self.rounds:
            return None
        effort = self.made_effort.further(self.network, *self._work, max(agreement(each, self.chains).r_hat for each in drawn))
        if effort is None:
            return None
        return parts.recall(self, effort, lambda: parts.pass_on(self, replace(self, effort=effort)))

    @cached_property
    def _cells(self) -> int:
        """Cells of the tables that the chains visit."""
        return parts.cells_to_visit(self.network, self.released, self.nodes)

    @cached_property
    def _work(self) -> tuple[int, int]:
        """These, and how many of them stand out from noise."""
        return self._cells, parts.cells_in_sight(self.network, self.released, self.nodes)

    @property
    def _asked(self) -> Effort:
        usual = Effort.usual(self.network.cells) if self.nodes is None else Effort.of_question(self.network, *self._work)
        return self.effort or (usual.longer(_LONGER) if self.sites_differ else usual)

    @property
    def sites_differ(self) -> bool:
        """Whether it is of several releases with tables of their own, around those that it is about."""
        return isinstance(self.released, PublishedTogether) and self.released.sites_differ

    def site_spread(self, interval: float = 0.9) -> SiteSpread:
        """How different the sites are that were fused, node by node; only where ``fuse`` was told that they differ."""
        return find_site_spread(self._visits.spreads if self.sites_differ else None, self.network, interval)

    @property
    def made_effort(self) -> Effort:
        """How long the chains run on a network of this size."""
        return self._asked.within(self._cells)

    @property
    def advice(self) -> str:
        """What to do where the chains do not agree."""
        if (longer := self.with_rounds(_LONGER * self.rounds).rounds) <= self.rounds:
            return "Longer chains of a network of this size would need too much memory."
        return f"Longer chains may agree: posterior.with_rounds({longer}), or --rounds {longer} of the command."

    def prepare(self, progress: Callable[[int], None] | None = None) -> NoiseAwarePosterior:
        """Run the chain, unless it ran before. ``progress`` is told how many rounds are done; else people are shown it."""
        if "_visits" not in self.__dict__:
            self.__dict__["_visits"] = self._find(progress)
        return self

    @cached_property
    def _visits(self) -> Visits:
        return self._find(None)

    def _find(self, progress: Callable[[int], None] | None) -> Visits:
        how = (self.network, self.made_effort, self.sites_differ)
        return find_visits(self._slot("visits"), *how, partial(self._run, progress))

    def _run(self, progress: Callable[[int], None] | None) -> Visits:
        own, shown = {} if self.own is None else self.own.tables, self.running.progress and progress is None
        with show_progress("Weighing the noise", lambda: self.made_effort.total, "rounds", wanted=shown) as advance:
            told = advance if progress is None else progress
            if isinstance(self.released, PublishedTogether):
                return visit_together(self.network, self.prior, self.released, own, self._asked, self.seed, told)
            given = (self.network, self.prior, self.released, own, self._asked, self.seed)
            if not parts.may_go_on(self.network, self.released, self.nodes, self.effort):
                return visit(*given, told, self.nodes)
            longest = self.made_effort.further(self.network, *self._work, np.inf)
            return parts.go_on(self, lambda: GoingVisits(*given, self.nodes), self._asked, told, keep=longest is not None)

    def _slot(self, what: str, asked: Sequence[object] = ()) -> Slot | None:
        """Where a result is kept, if it follows from the release alone: a prior of tables may hold one's own records, too."""
        if self.released is None or self.own is not None or isinstance(self.prior, TablePrior):
            return None
        about = None if self.nodes is None else sorted(self.nodes)
        how = (self.made_effort, self.seed, about, asked)
        return find_slot(self.running, what, self.network, self.prior, self.released, *how)

    def keep(self, asked: Sequence[object], shape: tuple[int, ...], find: Callable[[], Found]) -> Found:
        """What was found when this was asked before, if that is in the cache; else what is found now."""
        return find_answer(self._slot("answer", (*asked, self.effort)), shape, find)

    def concentrations(self, node: str) -> Floats:
        """Dirichlet parameters for each table that was visited: tables, configurations, levels. The posterior mixes them."""
        if self.nodes is not None and node not in self.nodes:
            raise ModelError(f"This is about a question that does not need {node!r}. Ask the posterior that it came from.")
        return self._visits.concentrations(self.network.family(node))

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """Whether the chains agree with one another, and how many independent tables they are worth."""
        # Of the conditional probabilities themselves, drawn only if it is not kept, as whoever looks at draws would find it.
        generator = np.random.default_rng(self.seed)
        drawn = (dirichlet_draws(self.concentrations(node), generator) for node in self._nodes)
        return find_diagnostics(self._slot("diagnostics"), lambda: diagnose_tables(self._visits.chains, drawn))

    @property
    def _nodes(self) -> tuple[str, ...]:
        return tuple(node for node in self.network.nodes if self.nodes is None or node in self.nodes)

    @property
    def chains(self) -> int:
        """How many chains the draws come from, in turn."""
        return self.made_effort.chains

    def doubt(self, drawn: Floats) -> str | None:
        """Why an answer, given at draws of the parameters in the order in which ``draws`` gives them, cannot be trusted."""
        found = agreement(drawn, self.chains)
        if found.r_hat <= LARGEST_R_HAT:
            return None
        return f"The chains do not agree on this answer (R-hat {found.r_hat:.3f}): take the interval as rough. {self.advice}"

    def doubt_of_table(self, node: str) -> str | None:
        """The same of the conditional probabilities of a node, all of its table."""
        drawn = dirichlet_draws(self.concentrations(node), np.random.default_rng(self.seed))
        return self.doubt(np.moveaxis(drawn, 0, -1))

    def mean(self, node: str) -> Floats:
        """Expected conditional probabilities, configurations x levels."""
        return mean_of(self.concentrations(node))

    def variance(self, node: str) -> Floats:
        """Posterior variance of every conditional probability."""
        return np.add(*self.variances(node))

    def variances(self, node: str) -> tuple[Floats, Floats]:
        """The variance of every conditional probability in two parts: what sampling leaves open, and what noise hides."""
        return variances_of(self.concentrations(node))

    def noise_share(self, node: str) -> Floats | None:
        """Which share of the variance of every conditional probability is noise; None where sites differ: nobody can tell."""
        return None if self.sites_differ else noise_share_of(self.concentrations(node))

    def interval(self, node: str, interval: float = 0.9) -> tuple[Floats, Floats]:
        """Central credible interval of every conditional probability: its lower and upper ends."""
        return interval_of(self.concentrations(node), interval, np.random.default_rng(self.seed))

    def draws(self, count: int, generator: GeneratorLike = None) -> dict[str, Floats]:
        """Draws of all parameters: node -> array (count, configurations, levels), the chains in turn."""
        return self._repeat(count, 1, generator)[0]

    def draws_of(self, nodes: Collection[str], count: int, generator: GeneratorLike = None) -> dict[str, Floats]:
        """The same of some nodes: the tables of others are not read."""
        return self._repeat(count, 1, generator, nodes)[0]

    def repeated_draws(
        self, count: int, times: int, generator: GeneratorLike = None, nodes: Collection[str] | None = None
    ) -> list[dict[str, Floats]] | None:
        """Draws of all parameters, so many times for the same tables: what differs between the times is sampling.

        None where sites differ: what is then the same are not tables of records.
        """
        return None if self.sites_differ else self._repeat(count, times, generator, nodes)

    def _repeat(
        self, count: int, times: int, generator: GeneratorLike, nodes: Collection[str] | None = None
    ) -> list[dict[str, Floats]]:
        generator, count = as_generator(generator), check_whole(count, "The number of draws")
        times = check_whole(times, "How often the draws are repeated")
        found: list[dict[str, Floats]] = [{} for _ in range(times)]
        chosen = self._visits.spread(count, generator)
        for node in self._nodes if nodes is None else nodes:
            tables = self.concentrations(node)[chosen]
            for drawn in found:
                drawn[node] = dirichlet_draws(tables, generator)
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
        return table_prior(self.network, {node: matched(self.concentrations(node)) for node in self.network.nodes})
