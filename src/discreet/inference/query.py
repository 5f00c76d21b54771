"""Conditional queries: the distribution of some nodes given the levels of others, with how sure it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from discreet.arrays import Floats
from discreet.checks import check_probability, check_whole
from discreet.errors import QueryError, quoted, suggestion
from discreet.inference.answer import Answer
from discreet.inference.beliefs import Beliefs, GeneratorLike, as_generator
from discreet.inference.elimination import Elimination, batches, eliminate
from discreet.inference.elimination_order import EliminationPlan, make_plan
from discreet.model.impossible import show_combinations
from discreet.model.network import Network

__all__ = ["check_question", "query", "query_draws"]

_SPLIT_DRAWS = 1000
"""Draws that tell privacy noise from sampling."""
_DRAWN_CELLS = 2**24
"""Parameters that are drawn at a time: 128 MB."""
_KEPT_CELLS = 2**25
"""Probabilities that are kept for the quantiles: 256 MB."""


def query(
    beliefs: Beliefs,
    target: str | list[str] | tuple[str, ...],
    given: Mapping[str, object] | None = None,
    *,
    interval: float | None = 0.9,
    draws: int = 1000,
    generator: GeneratorLike = None,
) -> Answer:
    """Distribution of one node, or of several jointly, given the levels of others.

    The probabilities are those of the network at the posterior mean of its parameters. For a Dirichlet posterior that is
    the exact posterior predictive distribution: a joint probability is a sum of products of parameters that are independent
    and each occur once, so its expectation is the same sum at the means. The credible interval is central, for each cell by
    itself, from ``draws`` draws of the parameters; ``interval=None`` leaves it out and is faster.
    A single draw or point has none, and the answer says why.
    """
    network = beliefs.network
    targets, evidence = check_question(network, target, given, interval, draws)
    probability = _point(beliefs, targets, evidence).probability[..., 0]
    lower = upper = noise = caution = None
    remark = None if interval is None else beliefs.without_spread
    interval = interval if remark is None else None
    if interval is not None:
        generator = as_generator(generator)
        drawn = _draw_answers(beliefs, targets, evidence, draws, generator)
        tail = (1 - float(interval)) / 2
        # Where draws had to be left out, the others are no longer in the order of the chains.
        caution = beliefs.doubt(drawn) if drawn.shape[-1] == draws else None
        lower, upper = np.quantile(drawn, [tail, 1 - tail], axis=-1)
        affordable = max(16, _DRAWN_CELLS // (2 * network.cells))
        noise = _noise_share(beliefs, targets, evidence, min(draws, _SPLIT_DRAWS, affordable), generator)
    levels = tuple(network.variable(node).levels for node in targets)
    shown = {node: network.variable(node).levels[code] for node, code in evidence.items()}
    return Answer(targets, levels, MappingProxyType(shown), probability, lower, upper, interval, noise, remark, caution)


def query_draws(
    beliefs: Beliefs,
    target: str | list[str] | tuple[str, ...],
    given: Mapping[str, object] | None = None,
    draws: int = 1000,
    generator: GeneratorLike = None,
) -> Floats:
    """The answer at each draw of the parameters: an array of levels of each target x draws, for densities and intervals."""
    targets, evidence = check_question(beliefs.network, target, given, 0.9, draws)
    return _draw_answers(beliefs, targets, evidence, draws, as_generator(generator))


def check_question(
    network: Network,
    target: str | list[str] | tuple[str, ...],
    given: Mapping[str, object] | None,
    interval: float | None,
    draws: int,
) -> tuple[tuple[str, ...], dict[str, int]]:
    """The nodes that are asked for and the level numbers that are given, or an error: nothing of a posterior is needed yet."""
    targets = _check_targets(network, target)
    evidence = _check_given(network, targets, {} if given is None else given)
    _check_interval(interval, draws, math.prod(network.variable(node).size for node in targets))
    return targets, evidence


def _noise_share(
    beliefs: Beliefs,
    targets: tuple[str, ...],
    evidence: Mapping[str, int],
    draws: int,
    generator: np.random.Generator,
) -> Floats | None:
    """Which share of the variance of an answer is privacy noise: how far two answers from the same true tables go together."""
    plan = make_plan(beliefs.network, targets, frozenset(evidence), connected=True)
    pair = beliefs.repeated_draws(draws, 2, generator, [family.node for family in plan.families])
    if pair is None:
        return None
    one, two = (_answers(plan, tables, draws, evidence) for tables in pair)
    possible = ~np.isnan((one + two).reshape(-1, one.shape[-1])).any(axis=0)
    if possible.sum() < 2:
        return None
    left, right = (part[..., possible] - part[..., possible].mean(axis=-1, keepdims=True) for part in (one, two))
    both = (left**2 + right**2).mean(axis=-1) / 2
    return np.asarray(np.clip((left * right).mean(axis=-1) / np.where(both > 0, both, 1), 0, 1))


def _answers(plan: EliminationPlan, tables: Mapping[str, Floats], count: int, evidence: Mapping[str, int]) -> Floats:
    """The distribution at each of some draws of the parameters: levels of each target, draws."""
    moved = {family.node: np.moveaxis(tables[family.node], 0, -1) for family in plan.families}
    parts = [
        eliminate(plan, {node: table[..., piece] for node, table in moved.items()}, evidence).probability
        for piece in batches(plan, count)
    ]
    return np.concatenate(parts, axis=-1)


def _check_targets(network: Network, target: str | list[str] | tuple[str, ...]) -> tuple[str, ...]:
    targets = (target,) if isinstance(target, str) else tuple(target) if isinstance(target, list | tuple) else ()
    if not targets or not all(isinstance(node, str) for node in targets):
        raise QueryError("Name the node to ask for, or a list of nodes.")
    for node in targets:
        network.variable(node)
        if targets.count(node) > 1:
            raise QueryError(f"{node!r} is asked for twice; name it once.")
    return targets


def _check_given(network: Network, targets: tuple[str, ...], given: Mapping[str, object]) -> dict[str, int]:
    if not isinstance(given, Mapping):
        raise QueryError("Write what is given as a mapping from nodes to levels, such as {'smoke': 'yes'}.")
    for node in given:
        if node not in network.parents:
            raise QueryError(f"There is no node {quoted(node)} to condition on.{suggestion(node, network.nodes)}")
        if node in targets:
            raise QueryError(f"{node!r} is asked for and given at the same time; remove it from one of the two.")
    return {node: network.level_index(node, level) for node, level in given.items()}


def _check_interval(interval: float | None, draws: int, cells: int) -> None:
    if interval is not None:
        check_probability(interval)
    check_whole(draws, "The number of draws")
    if interval is not None and cells * draws > _KEPT_CELLS:
        raise QueryError(
            f"Intervals for {cells:,} cells from {draws:,} draws keep {cells * draws:,} numbers, more than {_KEPT_CELLS:,}. "
            "Ask for fewer nodes at once, use fewer draws, or leave the interval out with interval=None."
        )


def _point(beliefs: Beliefs, targets: tuple[str, ...], evidence: Mapping[str, int]) -> Elimination:
    """At the mean parameters. The whole plan is carried out, so that impossible evidence is noticed wherever it is."""
    observed = frozenset(evidence)
    try:
        plan = make_plan(beliefs.network, targets, observed)
    except QueryError:  # too wide as a whole; perhaps not near the targets
        plan = make_plan(beliefs.network, targets, observed, connected=True)
    result = eliminate(plan, _means(beliefs, plan), evidence)
    if np.isneginf(result.log_evidence[0]):
        raise QueryError(f"{_why_impossible(beliefs.network, evidence)}, so nothing follows from it. Give less.")
    return result


def _why_impossible(network: Network, evidence: Mapping[str, int]) -> str:
    """What is wrong with evidence that cannot be: what the network declares impossible in it, if that is all."""
    given = {node: network.variable(node).levels[place] for node, place in evidence.items()}
    named = [each for each in network.impossible if each.items() <= given.items()]
    if named:
        return f"What is given is declared impossible in this network ({show_combinations(named)})"
    return "What is given has probability zero in this network"


def _means(beliefs: Beliefs, plan: EliminationPlan) -> dict[str, Floats]:
    return {family.node: beliefs.mean(family.node) for family in plan.families}


def _draw_answers(
    beliefs: Beliefs,
    targets: tuple[str, ...],
    evidence: Mapping[str, int],
    draws: int,
    generator: np.random.Generator,
) -> Floats:
    """The distribution at each draw of the parameters: levels of each target, draws."""
    plan = make_plan(beliefs.network, targets, frozenset(evidence), connected=True)
    # Every part begins with the first chain, so that the chains stay in turn.
    cells = sum(math.prod(family.shape) for family in plan.families)
    at_once = max(1, _DRAWN_CELLS // (cells * beliefs.chains)) * beliefs.chains
    nodes = [family.node for family in plan.families]
    results: list[Floats] = []
    for start in range(0, draws, at_once):
        count = min(at_once, draws - start)
        results.append(_answers(plan, beliefs.draws_of(nodes, count, generator), count, evidence))
    joined = np.concatenate(results, axis=-1)
    # A draw under which the evidence is impossible says nothing about the targets.
    possible = ~np.isnan(joined.reshape(-1, joined.shape[-1])).any(axis=0)
    if not possible.any():
        raise QueryError("What is given has probability zero at every draw of the parameters; ask with interval=None.")
    return joined[..., possible]
