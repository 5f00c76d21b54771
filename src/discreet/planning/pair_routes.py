"""How pairs for a directed graph are paid for: all at once, or pairs that are picked one by one. From public facts alone.

To measure all pairs at once needs no choices, but wide tables get much noise. Where pairs are picked, a few get all of what is
left after margins and choices. Both lose about half of the noise's variance over the expected count, in nats for each cell; a
choice that noise misleads loses besides. The route with the smaller loss is taken, and all pairs wherever they lose little:
they explain more than a few do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.guarantee import PureDP
from discreet.measure.learning import Budget, amount_of, like
from discreet.measure.pairs import pair_deviation

__all__ = ["CHOICES", "LEAST", "MARGINS", "Route", "choice_epsilon", "pair_route", "pick_deviation"]

MARGINS = Fraction(1, 4)
"""The share of the budget that measures single columns, where pairs are picked."""
CHOICES = Fraction(1, 4)
"""The share that pays for choosing."""
LEAST = Fraction(1, 100)
"""Of less than this share of the budget nothing is measured any more."""
_AFFORDED = 0.006
"""Nats that noise may cost for each pair, for all pairs to be measured, or more of them than make a tree."""
_MOST = 3
"""At most so many picks for each column."""


@dataclass(frozen=True, slots=True)
class Route:
    """How many pairs are picked, or None where all are measured at once; and about how many nats a pair loses."""

    picks: int | None
    loss: float


def pair_route(sizes: Sequence[int], levels: Sequence[tuple[int, int]], required: int, rows: int, cost: Budget) -> Route:
    """The way that loses less, for columns of these sizes, pairs of so many levels, and so many required arrows."""
    columns = sum(size > 1 for size in sizes)
    if len(levels) < 2 or columns < 2:
        return Route(None, 0.0)
    deviation = pair_deviation(tuple(sizes), cost)
    at_once = sum(_nats(p, q, deviation, rows) for p, q in levels) / len(levels)
    most = max(min(_MOST * columns, len(levels)), required)  # what is required is measured in any case
    picks = least = min(max(columns - 1, required), most)
    if at_once <= max(loss := _loss(levels, rows, cost, least), _AFFORDED):
        return Route(None, at_once)
    while picks < most and (more := _loss(levels, rows, cost, picks + 1)) <= _AFFORDED:
        picks, loss = picks + 1, more
    return Route(picks, loss)


def choice_epsilon(cost: Budget) -> float:
    """With which epsilon a choice of this cost prefers what scores more: rho buys an exponential mechanism."""
    return float(amount_of(cost)) if isinstance(cost, PureDP) else math.sqrt(8 * float(amount_of(cost)))


def _nats(one: int, two: int, deviation: float, rows: int) -> float:
    """What noise of this deviation on each contrast costs a table of so many levels, at even margins."""
    return 0.5 * one * two * (one - 1) * (two - 1) * (deviation / rows) ** 2


def _loss(levels: Sequence[tuple[int, int]], rows: int, cost: Budget, picks: int) -> float:
    """Of an average pair among so many picks: by its own noise, and by choices that miss the best of all by some records."""
    measured, chosen = (like(cost, amount_of(cost) * share / picks) for share in (1 - MARGINS - CHOICES, CHOICES))
    missed = 2 * math.log(len(levels)) / choice_epsilon(chosen) / rows
    noise = sum(_nats(p, q, pick_deviation(p, q, measured), rows) for p, q in levels) / len(levels)
    return noise + 2 * missed**2


def pick_deviation(one: int, two: int, cost: Budget) -> float:
    """Of the noise of each contrast of a pair of so many levels that is measured alone, in records.

    Claim:      that of ``publish_pair``: Laplace noise of scale 2 / epsilon on every cell, or on the contrasts of a column of
                two levels, of which each is the root of 2 times a contrast of the pair; or Gaussian noise of variance 1 / rho.
    Requires:   nothing.
    Checked by: tests/unit/learning/test_routes.py::test_the_noise_of_a_pick_is_that_of_its_measurement
    """
    amount = float(amount_of(cost))
    if not isinstance(cost, PureDP):
        return 1 / math.sqrt(amount)
    return (2 if 2 in (one, two) else math.sqrt(8)) / amount
