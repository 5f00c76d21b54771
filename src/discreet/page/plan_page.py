"""The steward's page: what each epsilon would do, on records that might be hers, before anything is spent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.guarantee import Guarantee
from discreet.meaning import log_factor
from discreet.model.family import zero_probabilities
from discreet.model.network import Network
from discreet.page.answers import INTERVAL
from discreet.page.document import write_page
from discreet.page.draws import base64_text
from discreet.page.payload import graph_part, subject
from discreet.page.room import find_room
from discreet.planning.plan_grid import GridPoint, NetworkExample, PlanGrid

__all__ = ["make_plan_page"]

_MOST_DRAWS = 400
"""Each move of the slider makes them anew."""


def make_plan_page(grid: PlanGrid, file: str) -> str:
    """The page of plans as text. ``file`` is how the examples on the page call the file of the declaration."""
    return write_page(_payload(grid, file), "plan")


def _payload(grid: PlanGrid, file: str) -> dict[str, Any]:
    """All that the page is made of."""
    further = _network(grid.model, grid.example) if grid.example is not None else _linear(grid.model)
    return {
        "kind": "plan",
        "subject": subject(grid.model),
        "file": file,
        "interval": INTERVAL,
        "rows": grid.rows,
        "assumed": grid.assumed,
        "sampling": grid.error_without_noise,
        "unread": grid.error_unread,
        "dataset": grid.dataset,
        "budget": grid.budget,
        "question": None if grid.question is None else _question(grid),
        "points": [_point(each) for each in grid.points],
        **further,
    }


def _point(point: GridPoint) -> dict[str, Any]:
    return {
        "epsilon": point.epsilon,
        "meaning": point.guarantee.meaning,
        "remark": point.guarantee.remark,
        "factor": _factor(point.guarantee),
        "mechanism": point.mechanism,
        "errors": dict(point.errors),
        "remaining": point.remaining,
        "refused": point.refused,
        "width": point.width,
    }


def _factor(guarantee: Guarantee) -> float | None:
    """By what odds can grow; none where it would be no number."""
    growth = log_factor(guarantee)
    return math.exp(growth) if growth < 600 else None


def _question(grid: PlanGrid) -> dict[str, Any]:
    asked = grid.question
    if asked is None:
        return {}
    return {
        "title": asked.title,
        "width": asked.width,
        "sampling": asked.sampling,
        "smallest": asked.smallest_epsilon,
        "verdict": asked.verdict,
    }


def _network(network: Network, example: NetworkExample) -> dict[str, Any]:
    room, number = find_room(network), {node: place for place, node in enumerate(network.nodes)}
    noise = [[(at[node].cell, at[node].total) for node in network.nodes] for at in example.noise]
    costs = [
        [[number[each.parent], number[each.child], round(each.error, 6), round(each.without, 6)] for each in edges]
        for edges in example.edges.values()
    ]
    return {
        "model": "network",
        **graph_part(network, room),
        "outer": min(room.draws, _MOST_DRAWS) // 2,
        "counts": base64_text(np.concatenate([_marked(network, example, node) for node in network.nodes]).astype("<f8")),
        "noise": base64_text(np.array(noise).astype("<f4")),
        "edges": {"of": example.edges_of, "epsilons": [float(each) for each in example.edges], "costs": costs},
    }


def _marked(network: Network, example: NetworkExample, node: str) -> Floats:
    """Counts of a family; minus one for what is declared impossible."""
    return np.where(zero_probabilities(network.family(node)), -1.0, example.counts[node]).ravel()


def _linear(model: Any) -> dict[str, Any]:
    target = model.target
    return {"model": "linear", "target": {"name": target.name, "low": target.low, "high": target.high}}
