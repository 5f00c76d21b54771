"""The smallest epsilon for a question, by the mechanism that Auto would take at each epsilon."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from discreet.checks import check_probability
from discreet.errors import ModelError, QueryError
from discreet.guarantee import BudgetLike, decimal, exact
from discreet.mechanisms.auto import Auto
from discreet.model.network import Network
from discreet.planning.question_plan import QuestionPlan
from discreet.planning.question_width import QuestionLike, QuestionWorlds, bisect, question_worlds, read_question

__all__ = ["plan_question"]

_LEAST, _MOST = 1e-4, 100.0
"""Epsilons that are tried; beyond the last a guarantee promises nothing."""
_CURVE = ("0.01", "0.03", "0.1", "0.3", "1", "3", "10")
_MOST_ROWS = 1e12


def plan_question(
    model: Any,
    rows: int,
    question: QuestionLike,
    width: float,
    epsilon: BudgetLike | None = None,
    delta: BudgetLike | None = None,
    interval: float = 0.9,
) -> QuestionPlan:
    """Which epsilon makes the interval of an answer so narrow, and how narrow it is at a given one.

    Claim:      depends on public quantities alone, so it costs no budget.
    Requires:   ``rows`` is the public number of records.
    Checked by: tests/unit/planning/test_question_width.py::test_the_smallest_epsilon_is_the_smallest
    """
    if not isinstance(model, Network):
        raise ModelError("A question is planned for a network; the plan of a linear model says the error of a prediction.")
    if not isinstance(width, int | float) or isinstance(width, bool) or not 0 < width < 1:
        raise QueryError("width is the width of an interval of a probability, between 0 and 1, such as 0.05.")
    check_probability(interval)
    worlds = question_worlds(read_question(model, question))

    def at(budget: Fraction, records: int = rows) -> float:
        mechanism = Auto(budget, delta).choose(model, records).mechanism
        return worlds.width(records, mechanism.posterior_noise(model), interval)

    smallest = bisect(lambda each: at(_text_of(each)), width, _LEAST, _MOST)
    found = None if smallest is None else _text_of(smallest)
    chosen = None if epsilon is None else exact(epsilon)
    return QuestionPlan(
        worlds.title,
        float(interval),
        rows,
        float(width),
        worlds.width(rows, {}, interval),
        None if found is None else decimal(found),
        None if found is None else Auto(found, delta).choose(model, rows).mechanism.name,
        None if chosen is None else decimal(chosen),
        None if chosen is None else at(chosen),
        None if chosen is None else _rows_needed(worlds, model, chosen, delta, float(width), interval),
        tuple((each, at(exact(each))) for each in _CURVE),
    )


def _rows_needed(
    worlds: QuestionWorlds, model: Network, epsilon: Fraction, delta: BudgetLike | None, width: float, interval: float
) -> int | None:
    """Records at which the interval is narrow enough; the mechanism is chosen for the number that is tried."""

    def at(records: float) -> float:
        count = math.ceil(records)
        return worlds.width(count, Auto(epsilon, delta).choose(model, count).mechanism.posterior_noise(model), interval)

    found = bisect(at, width, 1.0, _MOST_ROWS)
    return None if found is None else math.ceil(found)


def _text_of(epsilon: float) -> Fraction:
    """Three digits, rounded up: what a steward would write, and never less than is needed."""
    place = math.floor(math.log10(epsilon)) - 2
    return Fraction(math.ceil(epsilon / 10.0**place - 1e-9)) * Fraction(10) ** place
