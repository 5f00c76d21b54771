"""Answers from the draws of a page, in Python: for reports, and what the page's own answers must be equal to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from discreet.arrays import Floats
from discreet.chains.diagnostics import diagnose, r_hats
from discreet.inference.compare import central_bounds
from discreet.inference.elimination import batches, eliminate
from discreet.inference.elimination_order import make_plan
from discreet.inference.intervention import without_arrows_into
from discreet.page.draws import Draws

__all__ = ["INTERVAL", "Contrast", "Summary", "answer", "contrast", "rough", "rough_rows", "summarise_table"]

INTERVAL = 0.9
"""Credibility of all intervals."""
_NOTHING: Mapping[str, int] = MappingProxyType({})
Knowledge: TypeAlias = tuple[Mapping[str, int], Mapping[str, int]]
"""What is given and what is set, as numbers of levels."""


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """Probabilities with the ends of their intervals, and the share of these that is privacy; None where nobody can tell."""

    probability: Floats
    lower: Floats | None
    upper: Floats | None
    privacy: Floats | None


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """How far two answers about the same node are apart: difference and ratio of each level, with ends and privacy's share."""

    difference: Summary
    ratio: Summary


def answer(draws: Draws, node: str, evidence: Mapping[str, int], do: Mapping[str, int] = _NOTHING) -> Summary:
    """The distribution of a node given numbers of levels of others, and after others are set.

    Evidence is about one new record: it says nothing about the parameters, so all draws count alike whatever they make of it.
    """
    point, drawn = _distribution(draws, node, evidence, do)
    return Summary(point, None, None, None) if drawn is None else _summarise(point, drawn, draws)


def contrast(draws: Draws, node: str, first: Knowledge, second: Knowledge) -> Contrast:
    """The first minus the second, and the first by the second, at the same draws; each is what is given and what is set."""
    (one, drawn), (other, against) = (_distribution(draws, node, *known) for known in (first, second))
    if drawn is None or against is None:
        return Contrast(Summary(one - other, None, None, None), Summary(one / other, None, None, None))
    apart = drawn - against
    share = None if draws.inner == 1 else _privacy(apart, draws.outer, draws.inner)
    ends, times = (central_bounds(each, INTERVAL) for each in (apart, drawn / against))
    return Contrast(Summary(one - other, *ends, share), Summary(one / other, *times, None))


def rough(draws: Draws, node: str, evidence: Mapping[str, int], chains: int) -> float:
    """R-hat of an answer, for chains that the draws come from in turn."""
    _, drawn = _distribution(draws, node, evidence, {})
    if drawn is None:
        return 1.0
    return diagnose(_by_chains(drawn, draws, chains)).r_hat


def rough_rows(draws: Draws, node: str, chains: int) -> Floats:
    """R-hat of each row of a node's table."""
    table = draws.tables[node]
    return np.asarray(r_hats(_by_chains(table.reshape(-1, draws.count), draws, chains)).reshape(table.shape[:2]).max(axis=1))


def _by_chains(drawn: Floats, draws: Draws, chains: int) -> Floats:
    """Quantities x draws as rounds x chains x quantities: chains take turns, and one draw of each table is enough."""
    rounds = draws.outer // chains
    kept = drawn[:, :: draws.inner][:, : rounds * chains]
    return kept.reshape(len(kept), rounds, chains).transpose(1, 2, 0)


def _distribution(draws: Draws, node: str, evidence: Mapping[str, int], do: Mapping[str, int]) -> tuple[Floats, Floats | None]:
    """The distribution of a node at the mean tables, and at all draws if there are any."""
    left, certain = without_arrows_into(draws.network, frozenset(do)), {**evidence, **do}
    plan = make_plan(left, (node,), frozenset(certain), connected=True)
    point = eliminate(plan, {family.node: draws.mean[family.node] for family in plan.families}, certain).probability[:, 0]
    if not draws.steps:
        return point, None
    parts = [
        eliminate(plan, {family.node: draws.tables[family.node][..., piece] for family in plan.families}, certain).probability
        for piece in batches(plan, draws.count)
    ]
    return point, np.concatenate(parts, axis=-1)


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
