"""Conditional queries: the distribution of some nodes given the levels of others, with how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from discreet.arrays import Floats
from discreet.errors import QueryError
from discreet.inference.answer import Answer
from discreet.inference.beliefs import Beliefs, GeneratorLike, as_generator
from discreet.inference.elimination import PIECE_CELLS, Elimination, batches, eliminate
from discreet.inference.elimination_order import EliminationPlan
from discreet.inference.found import Found
from discreet.inference.question import KEPT_CELLS, Levels, Nodes, Question, check_interval, check_question
from discreet.model.impossible import show_combinations

__all__ = ["about", "ask", "ask_mean", "draw_answers", "log_evidence", "query", "query_draws"]

_SPLIT_DRAWS, _FEWEST_SPLIT = 1000, 16
"""Draws that tell privacy noise from sampling, at the most and at least."""
_WORK = 2**25
"""Cells of the largest factor, in all of these draws together: some seconds."""
_FEWEST_PIECES = 4
"""Of so many pieces of a batch two are worked on at once."""
_DRAWN_CELLS = 2**24
"""Parameters that are drawn at a time: 128 MB."""


def query(
    beliefs: Beliefs,
    target: Nodes,
    given: Levels | None = None,
    *,
    do: Levels | None = None,
    arrows_are_causes: bool = False,
    interval: float | None = 0.9,
    draws: int = 1000,
    generator: GeneratorLike = None,
) -> Answer:
    """Distribution of one node, or of several jointly, given the levels of others, after further ones are set (``do``).

    The probabilities are those of the network at the posterior mean of its parameters. For a Dirichlet posterior that is
    the exact posterior predictive distribution: a joint probability is a sum of products of parameters that are independent
    and each occur once, so its expectation is the same sum at the means. The credible interval is central, for each cell by
    itself, from ``draws`` draws of the parameters; ``interval=None`` leaves it out and is faster.
    A single draw or point has none, and the answer says why. Whether chains agree on the answer, and are to be longer, is only
    known where there is an interval, so without one the probabilities may differ by the chance of shorter chains.
    """
    question = check_question(beliefs.network, target, given, do, arrows_are_causes=arrows_are_causes)
    check_interval(interval, draws, question.cells)
    remark = None if interval is None else beliefs.without_spread
    interval = interval if remark is None else None
    find = partial(_find, beliefs, question, interval, draws, as_generator(generator))
    if interval is None or generator is not None:
        found = find()
    else:
        asked = (question.targets, dict(sorted(question.given.items())), dict(sorted(question.do.items())), interval, draws)
        found = beliefs.keep(asked, tuple(len(levels) for levels in question.levels), find)
    seen, made = question.named(question.given), question.named(question.do)
    return Answer(
        question.targets,
        question.levels,
        seen,
        found.probability,
        found.lower,
        found.upper,
        interval,
        found.noise,
        remark,
        found.caution,
        do=made,
        shown_levels=question.shown_levels,
    )


def _find(beliefs: Beliefs, question: Question, interval: float | None, draws: int, generator: np.random.Generator) -> Found:
    """The numbers of an answer."""
    beliefs, (mean,), drawn_answers = ask(beliefs, [question], None if interval is None else draws, generator)
    probability = mean.probability[..., 0]
    if interval is None:
        return Found(probability)
    (drawn,) = drawn_answers
    tail = (1 - float(interval)) / 2
    # Where draws had to be left out, the others are no longer in the order of the chains.
    caution = beliefs.doubt(drawn) if drawn.shape[-1] == draws else None
    lower, upper = np.quantile(drawn, [tail, 1 - tail], axis=-1)
    plan = question.plan(connected=True)
    affordable = min(_DRAWN_CELLS // (2 * beliefs.network.cells), _WORK // plan.largest)
    noise = _noise_share(beliefs, question, min(draws, _SPLIT_DRAWS, max(_FEWEST_SPLIT, affordable)), generator)
    return Found(probability, lower, upper, noise, caution)


def query_draws(
    beliefs: Beliefs,
    target: Nodes,
    given: Levels | None = None,
    draws: int = 1000,
    generator: GeneratorLike = None,
) -> Floats:
    """The answer at each draw of the parameters: an array of levels of each target x draws, for densities and intervals."""
    question = check_question(beliefs.network, target, given)
    check_interval(0.9, draws, question.cells)
    return ask(beliefs, [question], draws, as_generator(generator))[2][0]


def about(beliefs: Beliefs, questions: Iterable[Question]) -> Beliefs:
    """Beliefs about what some questions need."""
    return beliefs.about(frozenset[str]().union(*(question.nodes for question in questions)))


def ask(
    beliefs: Beliefs, questions: Sequence[Question], draws: int | None, generator: np.random.Generator
) -> tuple[Beliefs, list[Elimination], list[Floats]]:
    """The beliefs that questions need, and the answers: at the mean parameters, and at so many draws, the same for all.

    Where the answers at draws show that chains do not agree, longer ones are asked.
    """
    beliefs = about(beliefs, questions)
    means = [ask_mean(beliefs, question) for question in questions]  # says what is wrong with impossible evidence
    if draws is None:
        return beliefs, means, []

    def judge(these: Beliefs, count: int, chance: np.random.Generator) -> list[Floats]:
        too_many = count * sum(question.cells for question in questions) > KEPT_CELLS
        return [] if too_many else draw_answers(these, questions, count, chance)

    first = beliefs
    while (longer := beliefs.longer(judge)) is not None:
        beliefs = longer
    if beliefs is not first:
        means = [ask_mean(beliefs, question) for question in questions]
    return beliefs, means, draw_answers(beliefs, questions, draws, generator)


def ask_mean(beliefs: Beliefs, question: Question) -> Elimination:
    """At the mean parameters. The whole plan is carried out, so that impossible evidence is noticed wherever it is."""
    try:
        plan = question.plan(connected=False)
    except QueryError:  # too wide as a whole; perhaps not near the targets
        plan = question.plan(connected=True)
    tables = {family.node: _mean(beliefs, question, family.node) for family in plan.families}
    result = eliminate(plan, tables, question.evidence)
    if np.isneginf(result.log_evidence[0]):
        raise QueryError(f"{_why_impossible(beliefs, question)}, so nothing follows from it. Give less.")
    return result


def draw_answers(beliefs: Beliefs, questions: Sequence[Question], draws: int, generator: np.random.Generator) -> list[Floats]:
    """The distribution that each question asks for, at the same draws of the parameters: levels of each target, draws."""
    # Plans of what is connected have no table of a node that is set, so all that they need the beliefs can draw.
    plans = [question.plan(connected=True) for question in questions]
    nodes = list(dict.fromkeys(family.node for plan in plans for family in plan.families))
    cells = sum(beliefs.network.family(node).cells for node in nodes)
    # Every part begins with the first chain, so that the chains stay in turn.
    at_once = max(1, _DRAWN_CELLS // (cells * beliefs.chains)) * beliefs.chains
    results: list[list[Floats]] = [[] for _ in questions]
    for start in range(0, draws, at_once):
        count = min(at_once, draws - start)
        tables = beliefs.draws_of(nodes, count, generator)
        for found, plan, question in zip(results, plans, questions, strict=True):
            found.append(_answers(plan, tables, count, question.evidence))
    joined = [np.concatenate(found, axis=-1) for found in results]
    # A draw under which the evidence is impossible says nothing about the targets.
    possible = ~np.isnan(np.concatenate([each.reshape(-1, each.shape[-1]) for each in joined])).any(axis=0)
    if not possible.any():
        raise QueryError("What is given has probability zero at every draw of the parameters; ask with interval=None.")
    return [each[..., possible] for each in joined]


def log_evidence(beliefs: Beliefs, evidence: Mapping[str, int]) -> float:
    """Log probability of levels, at the mean parameters; an error that names what cannot be where it is zero."""
    question = Question(beliefs.network, (), evidence, {})
    return float(ask_mean(beliefs, question).log_evidence[0])


def _noise_share(beliefs: Beliefs, question: Question, draws: int, generator: np.random.Generator) -> Floats | None:
    """Which share of the variance of an answer is privacy noise: how far two answers from the same true tables go together."""
    plan = question.plan(connected=True)
    pair = beliefs.repeated_draws(draws, 2, generator, [family.node for family in plan.families])
    if pair is None:
        return None
    one, two = (_answers(plan, tables, draws, question.evidence) for tables in pair)
    possible = ~np.isnan((one + two).reshape(-1, one.shape[-1])).any(axis=0)
    if possible.sum() < 2:
        return None
    left, right = (part[..., possible] - part[..., possible].mean(axis=-1, keepdims=True) for part in (one, two))
    both = (left**2 + right**2).mean(axis=-1) / 2
    return np.asarray(np.clip((left * right).mean(axis=-1) / np.where(both > 0, both, 1), 0, 1))


def _answers(plan: EliminationPlan, tables: Mapping[str, Floats], count: int, evidence: Mapping[str, int]) -> Floats:
    """The distribution at each of some draws of the parameters: levels of each target, draws."""
    moved = {family.node: np.moveaxis(tables[family.node], 0, -1) for family in plan.families}

    def answer(piece: slice) -> Floats:
        return eliminate(plan, {node: table[..., piece] for node, table in moved.items()}, evidence).probability

    pieces = list(batches(plan, count))
    if len(pieces) < _FEWEST_PIECES or plan.largest > PIECE_CELLS:  # of very large factors there is one at a time
        return np.concatenate([answer(piece) for piece in pieces], axis=-1)
    with ThreadPoolExecutor(2) as pool:  # each piece is large enough for NumPy to let another one run
        return np.concatenate(list(pool.map(answer, pieces)), axis=-1)


def _mean(beliefs: Beliefs, question: Question, node: str) -> Floats:
    """The mean table of a node; certain where the node is set."""
    if node not in question.do:
        return beliefs.mean(node)
    return np.eye(beliefs.network.variable(node).size)[[question.do[node]]]


def _why_impossible(beliefs: Beliefs, question: Question) -> str:
    """What is wrong with evidence that cannot be: what the network declares impossible in it, or what does not go together."""
    network = beliefs.network
    given = {**question.named(question.given), **question.named(question.do)}
    named = [each for each in network.impossible if each.items() <= given.items()]
    if named:
        return f"What is given is declared impossible in this network ({show_combinations(named)})"
    culprits = question.named(_contradiction(beliefs, question))
    shown = " and ".join(f"{node}={level}" for node, level in culprits.items())
    together = "is impossible" if len(culprits) == 1 else "cannot be together"
    return f"What is given has probability zero in this network: {shown} {together}"


def _contradiction(beliefs: Beliefs, question: Question) -> dict[str, int]:
    """As few given levels as cannot be: each is left out in turn, and stays out where the rest still cannot be."""
    left = dict(question.given)
    for node in question.given:
        rest = {other: place for other, place in left.items() if other != node}
        if rest and np.isneginf(_log_probability(beliefs, question, rest)):
            left = rest
    return left


def _log_probability(beliefs: Beliefs, question: Question, given: Mapping[str, int]) -> float:
    """Of levels that are given, at the mean parameters."""
    asked = Question(question.network, (), given, question.do)
    plan = asked.plan(connected=False)
    tables = {family.node: _mean(beliefs, asked, family.node) for family in plan.families}
    return float(eliminate(plan, tables, asked.evidence).log_evidence[0])
