"""What questions need to know of a posterior: a network, a mean, draws. Whoever has these can be asked.

How far apart two Dirichlet posteriors are is the one question that needs their parameters, so it stands here.
Random generators for answers to questions: everything here is public already, so a seed may choose it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from discreet.arrays import Floats
from discreet.errors import QueryError
from discreet.inference.found import Found
from discreet.model.network import Network
from discreet.model.prior import Prior

__all__ = ["Beliefs", "DirichletBeliefs", "GeneratorLike", "MixedBeliefs", "as_generator", "dirichlet_divergence"]

_LARGE = 500.0
"""Above this the next terms of Stirling's series are below 1e-16."""


@runtime_checkable
class Beliefs(Protocol):
    """Beliefs about the conditional probabilities of a network."""

    network: Network

    @abstractmethod
    def mean(self, node: str) -> Floats:
        """Expected conditional probabilities, configurations x levels, first parent slowest."""
        ...

    @abstractmethod
    def draws(self, count: int, generator: GeneratorLike = None) -> dict[str, Floats]:
        """Independent draws of all parameters: node -> array (count, configurations, levels)."""
        ...

    def draws_of(self, nodes: Collection[str], count: int, generator: GeneratorLike = None) -> dict[str, Floats]:
        """The same of some nodes alone: a question needs no others."""
        drawn = self.draws(count, generator)
        return {node: drawn[node] for node in nodes}

    def about(self, nodes: Collection[str]) -> Beliefs:  # noqa: ARG002 - the interface
        """The same beliefs for a question that needs these nodes alone: of others, nothing has to be known for it."""
        return self

    def longer(self, ask: Callable[[Beliefs, int, np.random.Generator], Sequence[Floats]]) -> Beliefs | None:  # noqa: ARG002
        """The same from longer chains, where they do not agree on answers; None where they do, or it would take too long.

        ``ask`` gives answers of beliefs at so many draws; none where these would be too many to keep.
        """
        return None

    def keep(self, asked: Sequence[object], shape: tuple[int, ...], find: Callable[[], Found]) -> Found:  # noqa: ARG002
        """What was found when this was asked before, if that was kept; else what is found now."""
        return find()

    @property
    def without_spread(self) -> str | None:
        """Why no interval can be given, where the same value is all there is of every parameter; None where one can."""
        return None

    @property
    def chains(self) -> int:
        """How many Markov chains ``draws`` takes turns with; 1 where draws are independent."""
        return 1

    def doubt(self, drawn: Floats) -> str | None:  # noqa: ARG002 - the interface
        """Why an answer cannot be relied on, from its values at draws in the order of ``draws``: (..., draws); None if it can.

        Independent draws leave no doubt; those of chains do, where the chains do not agree on the answer.
        """
        return None

    def repeated_draws(
        self,
        count: int,  # noqa: ARG002 - the interface
        times: int,  # noqa: ARG002
        generator: GeneratorLike = None,  # noqa: ARG002
        nodes: Collection[str] | None = None,  # noqa: ARG002
    ) -> list[dict[str, Floats]] | None:
        """Draws that share the unknown true tables and differ by sampling alone; None where no noise hides the tables.

        Of some nodes, or of all.
        """
        return None


@runtime_checkable
class MixedBeliefs(Beliefs, Protocol):
    """Beliefs that are a mixture of Dirichlet distributions: one for each table of counts that is thought possible."""

    prior: Prior

    @abstractmethod
    def concentrations(self, node: str) -> Floats:
        """Dirichlet parameters of all that is mixed: tables, configurations, levels."""
        ...

    def with_prior(self, prior: Prior | str) -> MixedBeliefs:  # noqa: ARG002 - the interface
        """What would be believed with another prior; refused where nobody knows."""
        raise QueryError("These beliefs were not made so that their prior can be exchanged.")


@runtime_checkable
class DirichletBeliefs(Beliefs, Protocol):
    """Beliefs that are one Dirichlet distribution for each parent configuration of each node, all independent."""

    @abstractmethod
    def concentration(self, node: str) -> Floats:
        """Dirichlet parameters, configurations x levels, first parent slowest."""
        ...


GeneratorLike: TypeAlias = np.random.Generator | int | None
"""A generator, a seed for one that gives the same answers every time, or None for one that never does."""


def as_generator(given: GeneratorLike) -> np.random.Generator:
    """Take a generator as it is; make one of a seed, or of nothing."""
    if isinstance(given, np.random.Generator):
        return given
    if given is None:
        return np.random.default_rng()
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 0:
        raise QueryError("generator is a seed (a whole number of at least 0), or numpy.random.default_rng(seed).")
    return np.random.default_rng(int(given))


def dirichlet_divergence(p: DirichletBeliefs, q: DirichletBeliefs) -> float:
    """Kullback-Leibler divergence KL(p || q) of two Dirichlet posteriors of one network, in closed form.

    The Dirichlet distributions of a network are independent, so their divergences add over nodes and configurations.
    """
    if not isinstance(q, DirichletBeliefs):
        raise QueryError("Only Dirichlet posteriors have a divergence in closed form; of a release, compare the plugin.")
    if p.network != q.network:
        raise QueryError("The two posteriors are about different networks; compare posteriors of the same one.")
    total = 0.0
    for node in p.network.nodes:
        left, right = p.concentration(node), q.concentration(node)
        sums = _bregman(left.sum(axis=1), right.sum(axis=1))
        possible = left > 0  # what the network declares impossible is no parameter of either
        left, right = np.where(possible, left, 1), np.where(possible, right, 1)
        total += float((_bregman(left, right).sum(axis=1) - sums).sum())
    return max(total, 0.0)  # rounding may leave equal posteriors a little below zero


def _bregman(left: Floats, right: Floats) -> Floats:
    """Gap between log gamma at ``right`` and its tangent at ``left``; the divergence is a difference of such gaps."""
    from scipy.special import digamma, gammaln

    step = right - left
    plain = gammaln(right) - gammaln(left) - step * digamma(left)
    # For large counts the terms above are huge and cancel; in Stirling's series they cancel on paper.
    part = step / left
    tangent = np.log1p(part) - part
    series = left * tangent + step * np.log1p(part) - tangent / 2 + _stirling(right) - _stirling(left)
    series += step * (1 / (12 * left**2) - 1 / (120 * left**4))
    return np.where(np.minimum(left, right) > _LARGE, series, plain)


def _stirling(value: Floats) -> Floats:
    """What log gamma has beyond (x - 1/2) log x - x + log(2 pi) / 2, for large x."""
    return 1 / (12 * value) - 1 / (360 * value**3)
