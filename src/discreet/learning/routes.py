"""How the pairs of a graph that is looked for are paid for: from what is declared, the number of records and the budget."""

from __future__ import annotations

from discreet.learning.wanted import Wanted
from discreet.measure.learning import Budget
from discreet.planning.pair_routes import Route, pair_route

__all__ = ["route_of"]


def route_of(wanted: Wanted, rows: int, cost: Budget) -> Route:
    """The way that loses less.

    Claim:      depends on what is declared, on the number of records and on the budget alone.
    Requires:   nothing.
    Checked by: tests/unit/learning/test_routes.py::test_narrow_columns_are_measured_at_once_and_wide_ones_are_picked
    """
    levels = [(wanted.sizes[one], wanted.sizes[two]) for one, two in wanted.pairs]
    return pair_route(tuple(wanted.sizes.values()), levels, len(wanted.required), rows, cost)
