"""Trees, forests and tree-augmented naive Bayes: edges are added one by one, each chosen privately among all that are left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from discreet.arrays import Floats
from discreet.learning.forests import Forest
from discreet.learning.prediction import Prediction
from discreet.learning.score import expected_score
from discreet.learning.settings import Settings
from discreet.learning.steps import Candidate, Steps
from discreet.learning.wanted import Form, Wanted
from discreet.measure.learning import Budget, amount_of, like
from discreet.planning.form_kinds import table_deviation

__all__ = ["grow_forest", "tables_of_forest"]


def tables_of_forest(wanted: Wanted) -> list[tuple[str, ...]]:
    """The tables that the search may look at, of nodes in declared order: each alone, and pairs, or triples with a target.

    Claim:      depends on the declaration alone.
    Requires:   nothing.
    Checked by: tests/unit/learning/test_graphs.py::test_tan_has_the_target_above_all_others
    """
    singles = [(node,) for node in wanted.nodes]
    if wanted.target is None:
        return singles + list(wanted.pairs)
    triples = [_with_target(wanted, pair) for pair in wanted.pairs if wanted.target not in pair]
    return singles + [pair for pair in combinations(wanted.nodes, 2) if wanted.target in pair] + triples


def grow_forest(wanted: Wanted, steps: Steps, cost: Budget, settings: Settings) -> dict[str, tuple[str, ...]]:
    """Measure the nodes, then choose edges; the parents of each node.

    Claim:      private by the steps that are taken: what is offered depends on public facts and on what was measured.
    Requires:   steps whose purse holds ``cost``, and tables of ``tables_of_forest``.
    Checked by: tests/audit/test_learning_worlds.py::test_no_graph_is_likelier_than_epsilon_allows
                tests/unit/learning/test_trees.py::test_a_planted_chain_is_found
    """
    whole = amount_of(cost)
    known = wanted.network(wanted.given if wanted.target is not None else {})
    features = [node for node in wanted.nodes if node != wanted.target]
    forest = Forest(features, [edge for edge in wanted.required if wanted.target not in edge])
    rounds = min(forest.most, len(wanted.pairs))
    if rounds < 1:
        return _arrows(wanted, forest)
    steps.measure(known, like(cost, whole * settings.margins))
    offers = _offers(wanted, Prediction(known, steps.stages, steps.rows), steps, cost, settings)
    each = whole * (1 - settings.margins) / rounds
    for _ in range(rounds):
        left = [offer for offer in offers if forest.allows(*offer.pair)]
        found = steps.choose([offer.candidate for offer in left], like(cost, each), may_stop=wanted.form is not Form.TREE)
        if found is None:
            break
        forest.add(*next(offer.pair for offer in left if offer.candidate is found))
    return _arrows(wanted, forest)


@dataclass(frozen=True, slots=True, eq=False)
class _Offer:
    pair: tuple[str, str]
    candidate: Candidate


def _offers(wanted: Wanted, prediction: Prediction, steps: Steps, cost: Budget, settings: Settings) -> list[_Offer]:
    """All edges whose tables the records can fill, with what each is held against."""
    deviation = table_deviation(settings.release(cost), max(1, len(wanted.nodes) - 1))
    expect: Callable[[tuple[str, str]], tuple[tuple[str, ...], Floats]]
    if wanted.target is None:
        expect = lambda pair: (pair, prediction.independent(pair))  # noqa: E731
    else:
        target = wanted.target
        expect = lambda pair: _ordered(wanted, (target, *pair), prediction.given(target, pair))  # noqa: E731
    found = []
    for pair in wanted.pairs:
        if wanted.target in pair:
            continue
        cells = wanted.cells(pair if wanted.target is None else (*pair, wanted.target))
        if cells * deviation * float(settings.fill) > steps.rows:
            continue
        nodes, expected = expect(pair)
        noise = expected_score(expected, np.full(expected.shape, deviation), float(steps.bound))
        found.append(_Offer(pair, Candidate(nodes, expected, float(settings.penalty) * noise)))
    return found


def _with_target(wanted: Wanted, pair: tuple[str, str]) -> tuple[str, ...]:
    return tuple(node for node in wanted.nodes if node in pair or node == wanted.target)


def _ordered(wanted: Wanted, nodes: tuple[str, ...], table: Floats) -> tuple[tuple[str, ...], Floats]:
    """A table with its axes in declared order."""
    order = sorted(range(len(nodes)), key=lambda place: wanted.nodes.index(nodes[place]))
    return tuple(nodes[place] for place in order), np.asarray(table.transpose(order))


def _arrows(wanted: Wanted, forest: Forest) -> dict[str, tuple[str, ...]]:
    above = forest.parents()
    target = () if wanted.target is None else (wanted.target,)
    found = {}
    for node in wanted.nodes:
        own = (above[node],) if node in above else ()
        found[node] = own if node == wanted.target else (*target, *own)
    return found
