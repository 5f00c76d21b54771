"""Answers from the draws of a page, in Python: for reports, and what the page's own answers must be equal to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats
from discreet.inference.elimination import batches, eliminate
from discreet.inference.elimination_order import make_plan
from discreet.page.draws import Draws

__all__ = ["INTERVAL", "Summary", "answer", "summarise_table"]

INTERVAL = 0.9
"""Credibility of all intervals."""


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """Probabilities with the ends of their intervals, and the share of these that is privacy; None where nobody can tell."""

    probability: Floats
    lower: Floats | None
    upper: Floats | None
    privacy: Floats | None


def answer(draws: Draws, node: str, evidence: Mapping[str, int]) -> Summary:
    """The distribution of a node given numbers of levels of others.

    Evidence is about one new record: it says nothing about the parameters, so all draws count alike whatever they make of it.
    """
    plan = make_plan(draws.network, (node,), frozenset(evidence), connected=True)
    point = eliminate(plan, {family.node: draws.mean[family.node] for family in plan.families}, evidence).probability[:, 0]
    if not draws.steps:
        return Summary(point, None, None, None)
    parts = [
        eliminate(plan, {family.node: draws.tables[family.node][..., piece] for family in plan.families}, evidence).probability
        for piece in batches(plan, draws.count)
    ]
    return _summarise(point, np.concatenate(parts, axis=-1), draws)


def summarise_table(draws: Draws, node: str) -> Summary:
    """The conditional probabilities of a node, configurations x levels."""
    mean = draws.mean[node]
    return _summarise(mean, draws.tables[node], draws) if draws.steps else Summary(mean, None, None, None)


def _summarise(point: Floats, drawn: Floats, draws: Draws) -> Summary:
    tail = (1 - INTERVAL) / 2
    lower, upper = np.quantile(drawn, [tail, 1 - tail], axis=-1)
    return Summary(point, lower, upper, None if draws.inner == 1 else _privacy(drawn, draws.outer, draws.inner))


def _privacy(drawn: Floats, outer: int, inner: int) -> Floats:
    """Which share of the variance lies between draws of the tables: the analysis of variance in one way."""
    grouped = drawn.reshape(*drawn.shape[:-1], outer, inner)
    within = grouped.var(axis=-1, ddof=1).mean(axis=-1)
    between = np.maximum(grouped.mean(axis=-1).var(axis=-1, ddof=1) - within / inner, 0)
    whole = between + within
    return np.asarray(between / np.where(whole > 0, whole, 1))
