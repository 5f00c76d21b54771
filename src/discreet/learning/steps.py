"""The private steps of learning: what is measured, and which candidate is taken. All that touches private tables is here.

Everything else, which candidates there are and what they are held against, follows from public facts and from what the steps
before have published.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import cast

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.counts.pairs import pair_numbers
from discreet.kernel.stages import Purse, selection_epsilon
from discreet.learning.score import UNIT, Curve, divergence_curve, public_reference, score
from discreet.measure.learning import Budget, Stage
from discreet.measure.pairs import PairMoments
from discreet.mechanisms.pair_publishing import publish_pairs
from discreet.mechanisms.publishing import publish_pair, publish_stage
from discreet.model.network import Network
from discreet.model.tables import TableSet

__all__ = ["Candidate", "PrivateTables", "Steps"]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Something that could be added to the graph, and the table by which that is judged."""

    nodes: tuple[str, ...]
    """In declared order."""
    expected: Floats = field(repr=False)
    """How many records each cell would have if nothing were added. Public."""
    penalty: float = 0.0
    """What is taken off the score, in its own measure: nats, or records. Public."""


class PrivateTables:
    """Exact counts of tables of nodes. Never publish them."""

    def __init__(self, tables: TableSet, counts: Mapping[str, Integers]) -> None:
        self._tables = tables
        named = zip(tables.families, tables.sets, strict=True)
        self._counts = {frozenset(nodes): counts[family.node].reshape(family.shape) for family, nodes in named}
        self._axes = {frozenset(nodes): nodes for nodes in tables.sets}

    def __repr__(self) -> str:
        return f"<{len(self._counts)} private tables>"

    def table(self, nodes: tuple[str, ...]) -> Integers:
        """The counts of these nodes, one axis each in this order, from the smallest table that has them."""
        wanted = frozenset(nodes)
        held = wanted if wanted in self._counts else min((each for each in self._counts if wanted <= each), key=self._size)
        axes = self._axes[held]
        summed = self._counts[held].sum(axis=tuple(place for place, node in enumerate(axes) if node not in wanted))
        kept = [node for node in axes if node in wanted]
        return np.ascontiguousarray(summed.transpose([kept.index(node) for node in nodes]), dtype=np.int64)

    def _size(self, nodes: frozenset[str]) -> int:
        return int(self._counts[nodes].size)

    def families(self, network: Network) -> dict[str, Integers]:
        """The tables of a network's families, as ``family_counts`` gives them."""
        return {each.node: self.table(each.members).reshape(-1, each.levels) for each in network.families}


class Steps:
    """Private steps, paid from one purse, and what they have published.

    Claim:      together they satisfy the guarantee of the purse. Measurements have noise that was proved for them; a choice is
                among scores that one record or person moves by at most ``Curve.sensitivity``.
    Requires:   candidates, networks and costs depend on the records only through what the steps before have published.
    Checked by: tests/audit/test_learning_worlds.py::test_no_graph_is_likelier_than_epsilon_allows
                tests/unit/learning/test_steps.py::test_what_is_asked_for_depends_on_what_was_published_alone
    """

    def __init__(
        self, tables: PrivateTables, rows: int, parts: int, purse: Purse, bound: Fraction, *, rehearsal: bool = False
    ) -> None:
        self.rows, self.bound, self.rehearsal = rows, bound, rehearsal
        self.stages: list[Stage] = []
        self._tables, self._parts, self._purse = tables, parts, purse
        self._curve: Curve = divergence_curve(bound)
        self._scores: dict[tuple[Candidate, Curve], int] = {}

    @property
    def left(self) -> Fraction:
        """What can still be spent."""
        return self._purse.left

    def measure(self, network: Network, cost: Budget) -> None:
        """Publish the tables of a network's families, all of them to be recovered, with noise for this cost."""
        counts = self._tables.families(network)
        self.stages.append(publish_stage(self._purse, counts, network, self._parts, cost))

    def measure_pairs(self, sizes: Mapping[str, int], cost: Budget) -> PairMoments:
        """Publish all pairs of columns at once, with noise for this cost."""
        numbers = pair_numbers({node: self._tables.table((node,)) for node in sizes}, self._tables.table)
        stage = publish_pairs(self._purse, numbers, sizes, self.rows, self._parts, cost)
        self.stages.append(stage)
        return cast("PairMoments", stage.pairs)

    def measure_pair(self, network: Network, cost: Budget) -> None:
        """Publish the table of the one pair that a network has, with noise for this cost."""
        counts = self._tables.families(network)
        self.stages.append(publish_pair(self._purse, counts, network, self._parts, cost))

    def choose(
        self, candidates: Sequence[Candidate], cost: Budget, *, may_stop: bool, curve: Curve | None = None
    ) -> Candidate | None:
        """Take one that is far from what is expected, less its penalty; None if nothing is better than anything.

        How far is said by the curve; of none, by clipped divergence. To stop is a candidate, too. Among many candidates that
        are worth nothing the noise of the choice would take one nearly always, so stopping is worth what that noise is
        expected to find in so many.
        """
        if not candidates:
            return None
        held = curve or self._curve
        sensitivity = held.sensitivity(self._parts)
        scores = [self._score(each, held) for each in candidates]
        if may_stop:
            scores.append(round(2 * sensitivity / float(selection_epsilon(cost)) * math.log1p(len(candidates))))
        place = self._purse.select(scores, sensitivity, cost)
        return candidates[place] if place < len(candidates) else None

    def _score(self, candidate: Candidate, curve: Curve) -> int:
        """The same for a candidate however often it is offered, so it is worked out once."""
        if (candidate, curve) not in self._scores:
            found = score(self._tables.table(candidate.nodes), public_reference(candidate.expected), curve, self._parts)
            self._scores[candidate, curve] = found - round(candidate.penalty * UNIT) * self._parts
        return self._scores[candidate, curve]
