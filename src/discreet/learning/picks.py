"""Pairs that are picked one by one, each because the graph that was grown from the others does not explain it.

First all columns are measured, alone. Then, again and again, a pair is chosen whose table is far from what the current graph
expects of it, further than noise would move it, and is measured. What to stop leaves makes the picked pairs more certain.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import combinations

import numpy as np

from discreet.arrays import Floats
from discreet.errors import BudgetError
from discreet.learning.directed import FEW, SYNTHETIC, Grown, grow_directed
from discreet.learning.score import variation_curve
from discreet.learning.steps import Candidate, Steps
from discreet.learning.wanted import Wanted
from discreet.measure.learning import Budget, amount_of, like
from discreet.measure.picks import PickedPairs
from discreet.planning.pair_routes import CHOICES, LEAST, MARGINS, pick_deviation

__all__ = ["pick_pairs"]

_NOISE = 0.4
"""Half of the mean distance by which noise moves a number, in deviations: what noise adds to a total variation."""


def pick_pairs(wanted: Wanted, steps: Steps, cost: Budget, picks: int) -> PickedPairs:
    """Measure all columns, then choose and measure so many pairs, those of required arrows first.

    Claim:      private by the steps that are taken, and costs at most ``cost`` on every path: what is offered, held against
                what and at which cost depends on public facts and on what was published before.
    Requires:   steps whose purse holds ``cost``, and tables of all pairs.
    Checked by: tests/audit/test_pick_worlds.py::test_no_graph_is_likelier_than_epsilon_allows
                tests/audit/test_pick_paths.py::test_no_path_tells_neighbours_apart_by_more_than_was_paid
                tests/unit/learning/test_picks.py::test_what_is_asked_for_depends_on_what_was_published_alone
    """
    whole = amount_of(cost)
    steps.measure(wanted.network({}), like(cost, whole * MARGINS))
    chosen, measured = like(cost, whole * CHOICES / picks), like(cost, whole * (1 - MARGINS - CHOICES) / picks)
    picked = [pair for pair in combinations(wanted.nodes, 2) if _required(wanted, pair)]  # however wide they are
    for pair in picked:
        _measure(wanted, steps, pair, like(cost, amount_of(chosen) + amount_of(measured)))
    synthetic = FEW if steps.rehearsal else SYNTHETIC
    for _ in range(picks - len(picked)):
        grown = grow_directed(wanted, _found(wanted, steps), synthetic, sure=False) if picked else None
        offers = _offers(wanted, steps, picked, grown, measured)
        taken = steps.choose(offers, chosen, may_stop=not steps.rehearsal, curve=variation_curve())
        if taken is None:
            break
        picked.append((taken.nodes[0], taken.nodes[1]))
        _measure(wanted, steps, picked[-1], measured)
    _use_up(wanted, steps, picked, cost)
    return _found(wanted, steps)


def _required(wanted: Wanted, pair: tuple[str, str]) -> bool:
    return pair in wanted.required or pair[::-1] in wanted.required


def _found(wanted: Wanted, steps: Steps) -> PickedPairs:
    return PickedPairs(wanted.sizes, steps.rows, tuple(each for stage in steps.stages for each in stage.measurements))


def _measure(wanted: Wanted, steps: Steps, pair: tuple[str, str], cost: Budget) -> None:
    """Measure a pair. A column of two levels is the child: one contrast says all of it."""
    child = next((node for node in pair[::-1] if wanted.sizes[node] == 2), pair[1])
    parent = pair[0] if child == pair[1] else pair[1]
    steps.measure_pair(wanted.network({child: [parent]}, pair), cost)


def _offers(
    wanted: Wanted, steps: Steps, picked: list[tuple[str, str]], grown: Grown | None, measured: Budget
) -> list[Candidate]:
    """All pairs that are not picked yet, with what the current graph expects of them."""
    margins = _found(wanted, steps).margins
    found = []
    for one, two in wanted.pairs:
        if (one, two) in picked or 1 in (wanted.sizes[one], wanted.sizes[two]):
            continue
        chances: Floats = np.outer(margins[one], margins[two]) if grown is None else grown.table(one, two)
        expected = chances * steps.rows
        noise = pick_deviation(wanted.sizes[one], wanted.sizes[two], measured)
        share = (1 - 1 / wanted.sizes[one]) * (1 - 1 / wanted.sizes[two])
        moved = np.sqrt((noise**2 + expected) * share)  # by noise, and by which records there happen to be
        found.append(Candidate((one, two), expected, _NOISE * float(np.minimum(moved, expected).sum())))
    return found


def _use_up(wanted: Wanted, steps: Steps, picked: list[tuple[str, str]], cost: Budget) -> None:
    """Spend what is left on what was picked; on single columns where nothing was."""
    left = steps.left
    if left <= LEAST * amount_of(cost):
        return
    with suppress(BudgetError):  # noise that no file holds: which choices led here is paid for, so it tells nothing more
        if not picked:
            steps.measure(wanted.network({}), like(cost, left))
        for pair in picked:
            _measure(wanted, steps, pair, like(cost, left / len(picked)))
