"""Plans at many epsilons, for a page with a slider: what every mechanism would do at each, without touching any data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.errors import BudgetError, ModelError
from discreet.guarantee import ApproxDP, Guarantee, PureDP, decimal, exact
from discreet.kernel.ledger import Ledger
from discreet.measure.needs import CellNoise
from discreet.mechanisms.arguments import subject_of
from discreet.mechanisms.auto import NOISE_MECHANISMS, Auto
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.question_planning import plan_question
from discreet.model.declaration import LINEAR_MODELS, NETWORKS
from discreet.model.network import Network
from discreet.planning.edge_costs import EdgeCost, edge_costs
from discreet.planning.example_records import example_counts
from discreet.planning.parameter_error import ParameterError
from discreet.planning.plan_grid import EPSILONS, GridPoint, NetworkExample, PlanGrid
from discreet.planning.question_width import QuestionLike, question_worlds, read_question

__all__ = ["find_grid"]

_SOME = 3
"""Mechanisms that take long to plan are planned at every third epsilon, and edges at every fifth; between, errors of
mechanisms are taken to change evenly in logarithms."""
_EDGES = 5


def find_grid(
    model: Any,
    rows: int,
    delta: Fraction | None,
    question: tuple[QuestionLike, float] | None,
    ledger: Ledger | None,
    advance: Callable[[int], None],
) -> PlanGrid:
    """The plans at all epsilons of the grid.

    Claim:      depends on public quantities and on what the ledger has left; nothing is charged.
    Requires:   ``rows`` is the public number of records.
    Checked by: tests/unit/mechanisms/test_grid_planning.py::test_the_grid_says_what_plans_say
                tests/unit/mechanisms/test_grid_planning.py::test_the_ledger_is_asked_and_not_charged
    """
    grid = _GRIDS[model.kind.plural](model, rows, delta, advance)
    if question is not None:
        grid = _with_question(grid, delta, *question)
    return grid if ledger is None else _with_ledger(grid, delta, ledger)


def _network_grid(network: Network, rows: int, delta: Fraction | None, advance: Callable[[int], None]) -> PlanGrid:
    points, noise, slow, best = [], [], dict[str, dict[int, float]](), None
    for place, epsilon in enumerate(EPSILONS):
        choice = Auto(epsilon, delta).choose(network, rows)
        best, errors = choice.errors[choice.mechanism.name], {name: each.mean for name, each in choice.errors.items()}
        noise.append(choice.mechanism.posterior_noise(network))
        points.append(GridPoint(epsilon, _promise(epsilon, delta), errors, choice.mechanism.name))
        if place % _SOME == 0:
            for mechanism in _others(network, epsilon, delta):
                error = _planned(mechanism, network, rows)
                if error is not None:
                    slow.setdefault(mechanism.name, {})[place] = error.mean
        advance(place + 1)
    between = {name: _interpolate(found) for name, found in slow.items()}
    points = [replace(each, errors={**each.errors, **_at(between, place)}) for place, each in enumerate(points)]
    edges, edges_of = _edges(network, rows)
    example = NetworkExample(example_counts(network, rows), tuple(noise), edges, edges_of)
    if best is None:
        raise ModelError("No mechanism fits this network.")
    return PlanGrid(network, rows, tuple(points), best.sampling, best.unread, example=example)


def _others(network: Network, epsilon: str, delta: Fraction | None) -> list[Mechanism[Any, Any]]:
    """The mechanisms that do not add noise to counts."""
    candidates = subject_of(network).candidates(exact(epsilon), delta)
    return [each for each in candidates if each.name not in NOISE_MECHANISMS]


def _planned(mechanism: Mechanism[Any, Any], model: Any, rows: int) -> ParameterError | None:
    try:
        return mechanism.plan(model, rows).parameter_error
    except (BudgetError, ModelError):  # the model or the budget does not allow this mechanism
        return None


def _interpolate(found: Mapping[int, float]) -> list[float | None]:
    """Evenly in logarithms between the epsilons that were tried; none beyond them."""
    tried = sorted(found)
    logs = np.interp(np.arange(len(EPSILONS)), tried, [math.log(max(found[place], 1e-12)) for place in tried])
    return [math.exp(log) if tried[0] <= place <= tried[-1] else None for place, log in enumerate(logs)]


def _at(errors: Mapping[str, Sequence[float | None]], place: int) -> dict[str, float]:
    return {name: error for name, each in errors.items() if (error := each[place]) is not None}


def _edges(network: Network, rows: int) -> tuple[dict[str, tuple[EdgeCost, ...]], str]:
    """What edges cost with maximal families that agree, by which all graphs are compared alike."""
    found = {}
    for epsilon in EPSILONS[::_EDGES]:
        mechanism = Laplace(epsilon, tables="maximal", consistent=True)
        try:
            mechanism.check(network)
        except (BudgetError, ModelError):
            mechanism = Laplace(epsilon)
        found[epsilon] = edge_costs(network, rows, mechanism.node_noise)
    return found, mechanism.name


def _linear_grid(model: Any, rows: int, delta: Fraction | None, advance: Callable[[int], None]) -> PlanGrid:
    points, records = [], math.nan
    for place, epsilon in enumerate(EPSILONS):
        errors = {}
        for mechanism in subject_of(model).candidates(exact(epsilon), delta):
            try:
                planned = mechanism.plan(model, rows)
            except (BudgetError, ModelError):
                continue
            if planned.records_error is not None and planned.privacy_error is not None:
                records = planned.records_error
                errors[mechanism.name] = math.hypot(planned.records_error, planned.privacy_error)
        least = min(errors, key=errors.__getitem__, default=None)
        points.append(GridPoint(epsilon, _promise(epsilon, delta), errors, least))
        advance(place + 1)
    if not any(point.errors for point in points):
        raise ModelError("No mechanism fits this model: declare fewer features, or radius and noise for posterior draws.")
    return PlanGrid(model, rows, tuple(points), records, None)


_GRIDS: Mapping[str, Callable[[Any, int, Fraction | None, Callable[[int], None]], PlanGrid]] = {
    NETWORKS.plural: _network_grid,
    LINEAR_MODELS.plural: _linear_grid,
}
"""How the grid of each kind of model is made."""


def _promise(epsilon: str, delta: Fraction | None) -> Guarantee:
    return PureDP(exact(epsilon)) if delta is None else ApproxDP(exact(epsilon), delta)


def _with_question(grid: PlanGrid, delta: Fraction | None, question: QuestionLike, width: float) -> PlanGrid:
    """How wide the interval of the answer is at each epsilon, and which is the smallest that will do."""
    planned = plan_question(grid.model, grid.rows, question, width, delta=delta)
    worlds, example = question_worlds(read_question(grid.model, question)), grid.example
    noise: Sequence[Mapping[str, CellNoise]] = () if example is None else example.noise
    widths = [worlds.width(grid.rows, each, planned.interval) for each in noise]
    points = (replace(point, width=each) for point, each in zip(grid.points, widths, strict=True))
    return replace(grid, question=planned, points=tuple(points))


def _with_ledger(grid: PlanGrid, delta: Fraction | None, ledger: Ledger) -> PlanGrid:
    """What a release at each epsilon would leave; nothing is charged."""
    points = []
    for point in grid.points:
        made = {each.name: each for each in subject_of(grid.model).candidates(exact(point.epsilon), delta)}
        chosen = made.get(point.mechanism or "")
        try:
            receipt = ledger.check(point.guarantee if chosen is None else chosen.guarantee)
        except BudgetError as reason:
            points.append(replace(point, refused=str(reason)))
        else:
            left = None if receipt.cap is None or receipt.spent is None else decimal(receipt.cap - receipt.spent)
            points.append(replace(point, remaining=left))
    remaining = ledger.remaining
    return replace(
        grid, points=tuple(points), dataset=ledger.dataset, budget=None if remaining is None else decimal(remaining)
    )
