"""The search for a graph of a form, and what is done with the budget that it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations

from discreet.errors import BudgetError
from discreet.learning.directed import FEW, MOST_CELLS, SYNTHETIC, grow_directed
from discreet.learning.picks import pick_pairs
from discreet.learning.routes import route_of
from discreet.learning.settings import Settings
from discreet.learning.steps import Steps
from discreet.learning.trees import grow_forest, tables_of_forest
from discreet.learning.wanted import Form, Wanted
from discreet.measure.learning import Budget, Stage, amount_of, like
from discreet.measure.pairs import PairMoments
from discreet.measure.picks import PickedPairs
from discreet.measure.published_pairs import PublishedPairs
from discreet.planning.pair_routes import LEAST

__all__ = ["Found", "most_numbers", "search", "tables_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A graph, and what was published on the way to it."""

    parents: Mapping[str, tuple[str, ...]]
    stages: tuple[Stage, ...] = field(repr=False)
    pairs: PublishedPairs | None = field(default=None, repr=False)
    """What pairs say about the families, where pairs were measured in the place of tables."""


def tables_of(wanted: Wanted) -> list[tuple[str, ...]]:
    """All tables that the search may look at: public, so that they can be counted before anything is charged.

    Claim:      depends on the declaration alone.
    Requires:   nothing.
    Checked by: tests/unit/learning/test_graphs.py::test_every_source_gives_the_same_tables
    """
    order = {node: place for place, node in enumerate(wanted.nodes)}
    given = wanted.network(wanted.given).families
    pairs = [] if wanted.form is not Form.DAG else [*((node,) for node in wanted.nodes), *combinations(wanted.nodes, 2)]
    if pairs:
        return pairs
    return [*tables_of_forest(wanted), *(tuple(sorted(family.members, key=order.__getitem__)) for family in given)]


def most_numbers(wanted: Wanted, rows: int, cost: Budget) -> int:
    """How many numbers of picked pairs and fitted tables a dag can have at the most; a rehearsal may meet narrower ones.

    Claim:      depends on public facts alone. A pair that is picked is measured at most twice, and no family has more cells
                than these but one that is required.
    Requires:   nothing.
    Checked by: tests/unit/learning/test_picks.py::test_no_file_is_longer_than_its_room
    """
    if wanted.form is not Form.DAG:
        return 0
    widest = sorted((wanted.cells(pair) for pair in combinations(wanted.nodes, 2)), reverse=True)
    picked = sum(widest[: route_of(wanted, rows, cost).picks or 0])
    return 2 * picked + sum(max(MOST_CELLS, family.cells) for family in wanted.network(wanted.given).families)


def search(wanted: Wanted, steps: Steps, cost: Budget, settings: Settings) -> Found:
    """Find a graph; what choices did not need is spent on measuring it.

    Claim:      costs at most ``cost``, on every path.
    Requires:   steps whose purse holds it.
    Checked by: tests/audit/test_learning_worlds.py::test_no_graph_is_likelier_than_epsilon_allows
                tests/unit/learning/test_search.py::test_what_choices_leave_is_spent_on_measuring
    """
    if wanted.form is Form.DAG and max(wanted.sizes.values()) > 1:
        pairs = _measure_pairs(wanted, steps, cost)
        grown = grow_directed(wanted, pairs, FEW if steps.rehearsal else SYNTHETIC)
        return Found(grown.parents, tuple(steps.stages), PublishedPairs(pairs, grown.concentrations))
    parents = grow_forest(wanted, steps, cost, settings)
    if steps.left > LEAST * amount_of(cost):
        with suppress(BudgetError):  # noise that no file holds: which choices led here is paid for, so it tells nothing more
            steps.measure(wanted.network(parents), like(cost, steps.left))
    return Found(parents, tuple(steps.stages))


def _measure_pairs(wanted: Wanted, steps: Steps, cost: Budget) -> PairMoments | PickedPairs:
    """All pairs at once, or some that are picked: which, is public."""
    picks = route_of(wanted, steps.rows, cost).picks
    return steps.measure_pairs(wanted.sizes, cost) if picks is None else pick_pairs(wanted, steps, cost, picks)
