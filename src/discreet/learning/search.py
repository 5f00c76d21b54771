"""The search for a graph of a form, and what is done with the budget that it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from discreet.learning.settings import Settings
from discreet.learning.steps import Steps, amount_of, like
from discreet.learning.trees import grow_forest, tables_of_forest
from discreet.learning.wanted import Wanted
from discreet.measure.learning import Budget, Stage

__all__ = ["Found", "search", "tables_of"]

_LEAST = Fraction(1, 100)
"""Of less than this share of the budget nothing is measured any more."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A graph, and what was published on the way to it."""

    parents: Mapping[str, tuple[str, ...]]
    stages: tuple[Stage, ...] = field(repr=False)


def tables_of(wanted: Wanted) -> list[tuple[str, ...]]:
    """All tables that the search may look at: public, so that they can be counted before anything is charged."""
    order = {node: place for place, node in enumerate(wanted.nodes)}
    given = wanted.network(wanted.given).families
    return [*tables_of_forest(wanted), *(tuple(sorted(family.members, key=order.__getitem__)) for family in given)]


def search(wanted: Wanted, steps: Steps, cost: Budget, settings: Settings) -> Found:
    """Find a graph; what choices did not need is spent on measuring it.

    Claim:      costs at most ``cost``, on every path.
    Requires:   steps whose purse holds it.
    Checked by: tests/audit/test_learning_worlds.py::test_no_graph_is_likelier_than_epsilon_allows
                tests/unit/learning/test_search.py::test_what_choices_leave_is_spent_on_measuring
    """
    parents = grow_forest(wanted, steps, cost, settings)
    if steps.left > _LEAST * amount_of(cost):
        steps.measure(wanted.network(parents), like(cost, steps.left))
    return Found(parents, tuple(steps.stages))
