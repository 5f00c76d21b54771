"""What is asked: nodes, what is known of others, what is set; checked against the network, before a posterior is looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias, TypedDict

from discreet.checks import check_probability, check_whole
from discreet.errors import QueryError, quoted, suggestion
from discreet.inference.beliefs import GeneratorLike
from discreet.inference.elimination_order import EliminationPlan, make_plan
from discreet.inference.intervention import check_causes, check_set, without_arrows_into
from discreet.model.network import Network

__all__ = ["KEPT_CELLS", "Asking", "Levels", "Nodes", "Question", "check_given", "check_interval", "check_question"]

Nodes: TypeAlias = str | list[str] | tuple[str, ...]
"""A node, or several jointly."""
Levels: TypeAlias = Mapping[str, object]
"""Nodes and their levels."""


class Asking(TypedDict, total=False):
    """How an answer is computed: the probability of its interval or None, from how many draws, by which generator or seed."""

    interval: float | None
    draws: int
    generator: GeneratorLike


KEPT_CELLS = 2**25
"""Probabilities that are kept for the quantiles: 256 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """The distribution of ``targets`` given levels that are seen, after others are set. Levels are numbers here."""

    network: Network
    targets: tuple[str, ...]
    given: Mapping[str, int]
    do: Mapping[str, int]

    @property
    def evidence(self) -> dict[str, int]:
        """Every level that is certain: a node that is set has no arrows from above, so seeing its level changes nothing."""
        return {**self.given, **self.do}

    @property
    def cells(self) -> int:
        """How many probabilities the answer has."""
        return math.prod(self.network.variable(node).size for node in self.targets)

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """The levels of each target."""
        return tuple(self.network.variable(node).levels for node in self.targets)

    @property
    def shown_levels(self) -> tuple[tuple[str, ...], ...]:
        """The same for people, with their labels."""
        return tuple(self.network.variable(node).shown_levels for node in self.targets)

    def plan(self, *, connected: bool) -> EliminationPlan:
        """How to answer it; ``connected`` leaves out what cannot change the answer, such as tables of nodes that are set."""
        left = without_arrows_into(self.network, frozenset(self.do))
        return make_plan(left, self.targets, frozenset(self.evidence), connected=connected)

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes whose tables the answer follows from; those that are set have none."""
        try:
            plan = self.plan(connected=False)
        except QueryError:  # too wide as a whole; perhaps not near the targets
            plan = self.plan(connected=True)
        return frozenset(family.node for family in plan.families) - set(self.do)

    def named(self, levels: Mapping[str, int]) -> Mapping[str, str]:
        """Levels by their names."""
        return MappingProxyType({node: self.network.variable(node).levels[place] for node, place in levels.items()})


def check_question(
    network: Network,
    target: Nodes,
    given: Levels | None = None,
    do: Levels | None = None,
    *,
    arrows_are_causes: bool = False,
) -> Question:
    """The question, or an error that says what to ask instead."""
    targets = _check_targets(network, target)
    evidence = check_given(network, {} if given is None else given, targets)
    levels = check_set(network, {} if do is None else do, evidence, targets)
    if levels:
        check_causes(network, arrows_are_causes=arrows_are_causes)
    return Question(network, targets, evidence, levels)


def check_interval(interval: float | None, draws: int, cells: int) -> None:
    """Refuse what is no probability of an interval, and more draws of more cells than can be kept."""
    if interval is not None:
        check_probability(interval)
    check_whole(draws, "The number of draws")
    if interval is not None and cells * draws > KEPT_CELLS:
        raise QueryError(
            f"Intervals for {cells:,} cells from {draws:,} draws keep {cells * draws:,} numbers, more than {KEPT_CELLS:,}. "
            "Ask for fewer nodes at once, use fewer draws, or leave the interval out with interval=None."
        )


def _check_targets(network: Network, target: Nodes) -> tuple[str, ...]:
    targets = (target,) if isinstance(target, str) else tuple(target) if isinstance(target, list | tuple) else ()
    if not targets or not all(isinstance(node, str) for node in targets):
        raise QueryError("Name the node to ask for, or a list of nodes.")
    for node in targets:
        network.variable(node)
        if targets.count(node) > 1:
            raise QueryError(f"{node!r} is asked for twice; name it once.")
    return targets


def check_given(network: Network, given: Levels, targets: tuple[str, ...] = ()) -> dict[str, int]:
    """The level numbers of what is given, or an error."""
    if not isinstance(given, Mapping):
        raise QueryError("Write what is given as a mapping from nodes to levels, such as {'smoke': 'yes'}.")
    for node in given:
        if node not in network.parents:
            raise QueryError(f"There is no node {quoted(node)} to condition on.{suggestion(node, network.nodes)}")
        if node in targets:
            raise QueryError(f"{node!r} is asked for and given at the same time; remove it from one of the two.")
    return {node: network.level_index(node, level) for node, level in given.items()}
