"""How wide the interval of an answer will be, from public quantities alone, and which epsilon makes it narrow enough.

In networks drawn from the prior an answer is linear in the probabilities near the truth, so its variance is a sum over
the rows of all tables: what sampling leaves open in the row, and what noise in its counts hides, each times the square of
how the answer depends on the row. What the prior knows of a row bounds both. An interval of a normal law of that variance
is as wide as the answer's will be in such a network. The median over networks is told: in some, what is given is so rare
that nothing is learned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from discreet.arrays import Floats
from discreet.errors import QueryError
from discreet.inference.elimination import eliminate
from discreet.inference.elimination_order import make_plan
from discreet.inference.question import Levels, Nodes, Question, check_question
from discreet.measure.needs import CellNoise
from discreet.model.family import zero_probabilities
from discreet.model.network import Family, Network
from discreet.model.prior import UNIFORM, Prior

__all__ = ["QuestionLike", "QuestionWorlds", "bisect", "question_worlds", "read_question"]

QuestionLike: TypeAlias = Nodes | tuple[Nodes, Levels | None]
"""A node, or a node and what is given: ("lung", {"smoke": "yes"})."""

_NO_NOISE = CellNoise(0.0, 0.0)
_WORLDS = 64
_SEED = 2016  # plans must be reproducible; nothing here is released
_STEP = 1e-5
_MOST_CELLS = 2**13
"""Cells of the tables that an answer depends on: each is moved once in every world."""
_CLOSE = 1.005
_STEPS = 40


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows of one table in many worlds, as an answer sees them."""

    chance: Floats
    """How probable the parents' configuration is: worlds x rows."""
    spread: Floats
    """Variance of the answer's change when one record of the row is drawn: worlds x rows x answers."""
    square: Floats
    """Sum over levels of the squared change that one more record of a level makes, apart from their mean."""
    mean: Floats
    """The squared change that one more record of every level makes."""
    prior: Floats
    """How many records the prior is worth, and one: rows."""
    levels: int


@dataclass(frozen=True, slots=True, eq=False)
class QuestionWorlds:
    """How an answer depends on the tables of a network, in networks drawn from the prior."""

    title: str
    """What is asked: P(lung | smoke=yes)."""
    tables: Mapping[str, _Rows]

    def width(self, rows: int, noise: Mapping[str, CellNoise], interval: float = 0.9) -> float:
        """The median width of the widest interval of an answer's levels, of so many records with noise of these variances.

        Claim:      depends on public quantities alone. In half of the networks that the prior draws intervals are about as
                    narrow as this, or narrower.
        Requires:   ``noise`` of every table that the answer depends on, as a posterior that knows about the noise sees it.
        Checked by: tests/unit/planning/test_question_width.py::test_the_width_is_what_posteriors_of_exact_counts_show
                    tests/unit/planning/test_question_width.py::test_the_width_is_what_releases_show
        """
        total = sum(_variance(each, rows, noise.get(node, _NO_NOISE)) for node, each in self.tables.items())
        deviation = np.sqrt(np.asarray(total)).max(axis=1)
        return float(min(1.0, 2 * NormalDist().inv_cdf((1 + interval) / 2) * np.median(deviation)))


def _variance(table: _Rows, rows: int, noise: CellNoise) -> Floats:
    """What one table leaves open of the answer: worlds x answers."""
    records = np.maximum(rows * table.chance, 1e-12)[:, :, None]
    apart = max(0.0, noise.cell - noise.total / table.levels**2) * table.levels / (table.levels - 1)
    hidden = (apart * table.square + noise.total * table.mean / table.levels**2) / records**2
    known = table.spread / records + hidden
    before = table.spread / table.prior[:, None]
    # Two sources of knowledge about one row: their precisions add. Where nothing depends on the row, nothing is open.
    both = np.divide(known * before, known + before, out=np.zeros_like(known), where=known + before > 0)
    return np.asarray(both.sum(axis=1))


def question_worlds(question: Question, prior: Prior = UNIFORM) -> QuestionWorlds:
    """Draw networks from the prior and find how the answer depends on every table that it depends on.

    Claim:      depends on public quantities alone.
    Requires:   tables of few enough cells, which is checked.
    Checked by: tests/unit/planning/test_question_width.py::test_the_width_is_what_posteriors_of_exact_counts_show
    """
    network, plan = question.network, question.plan(connected=True)
    cells = sum(math.prod(family.shape) for family in plan.families)
    if cells > _MOST_CELLS:
        raise QueryError(
            f"The answer depends on tables of {cells:,} cells, and a plan of its width is made for at most {_MOST_CELLS:,}. "
            "Give levels of nodes near the target, so that it depends on fewer."
        )
    generator = np.random.default_rng(_SEED)
    drawn = {family.node: _draw(family, prior, generator) for family in network.families}
    found = {}
    for planned in plan.families:
        family = network.family(planned.node)
        slopes = np.stack([_slopes(question, drawn, family, world) for world in range(_WORLDS)])
        found[family.node] = _rows(family, drawn, slopes, prior, question)
    return QuestionWorlds(_title(question), found)


def read_question(network: Network, question: QuestionLike) -> Question:
    """The question that is meant, checked against the network.

    Claim:      what does not fit the network is an error that says what to write.
    Requires:   nothing.
    Checked by: tests/unit/planning/test_question_width.py::test_misuse_is_explained
    """
    if isinstance(question, tuple) and len(question) == 2 and not isinstance(question[1], str):
        return check_question(network, question[0], question[1])
    return check_question(network, question)


def _title(question: Question) -> str:
    known = ", ".join(f"{node}={level}" for node, level in question.named(question.given).items())
    return f"P({', '.join(question.targets)}{' | ' if known else ''}{known})"


def _draw(family: Family, prior: Prior, generator: np.random.Generator) -> Floats:
    """The family's table in every world: worlds x rows x levels."""
    parameters = np.where(zero_probabilities(family), 0.0, prior.concentration(family))
    gamma = generator.standard_gamma(np.broadcast_to(parameters, (_WORLDS, *parameters.shape))) + 1e-300
    return np.asarray(gamma / gamma.sum(axis=-1, keepdims=True))


def _slopes(question: Question, drawn: Mapping[str, Floats], family: Family, world: int) -> Floats:
    """Derivatives of the answer's probabilities by the cells of one table, in one world: rows x levels x answers."""
    plan = question.plan(connected=True)
    tables = {each.node: drawn[each.node][world] for each in plan.families}
    cells = family.cells
    moved = np.repeat(tables[family.node].reshape(-1, 1), 2 * cells, axis=1)
    moved[np.arange(cells), np.arange(cells)] += _STEP
    moved[np.arange(cells), cells + np.arange(cells)] -= _STEP
    batch = {**tables, family.node: moved.reshape(family.configurations, family.levels, 2 * cells)}
    answers = eliminate(plan, batch, question.evidence).probability.reshape(-1, 2 * cells)
    found = ((answers[:, :cells] - answers[:, cells:]) / (2 * _STEP)).T
    return np.asarray(found.reshape(family.configurations, family.levels, -1))


def _rows(family: Family, drawn: Mapping[str, Floats], slopes: Floats, prior: Prior, question: Question) -> _Rows:
    table = drawn[family.node][..., None]
    centred = slopes - (table * slopes).sum(axis=2, keepdims=True)
    weight = np.where(zero_probabilities(family), 0.0, prior.concentration(family)).sum(axis=1) + 1
    spread, total = (table * centred**2).sum(axis=2), centred.sum(axis=2)
    square = (centred**2).sum(axis=2) - total**2 / family.levels
    return _Rows(_chances(family, drawn, question), spread, square, total**2, weight, family.levels)


def _chances(family: Family, drawn: Mapping[str, Floats], question: Question) -> Floats:
    """How probable each configuration of the parents is among the records, which nobody has set: worlds x rows."""
    if not family.parents:
        return np.ones((_WORLDS, 1))
    plan = make_plan(question.network, family.parents, frozenset())
    tables = {each.node: np.moveaxis(drawn[each.node], 0, -1) for each in plan.families}
    return np.asarray(eliminate(plan, tables, {}).probability.reshape(-1, _WORLDS).T)


def bisect(width: Callable[[float], float], wanted: float, low: float, high: float) -> float | None:
    """The smallest number, within half a percent, at which a falling width is as wanted; None where it is not at ``high``.

    Claim:      width(result) <= wanted.
    Requires:   ``width`` falls, but for small steps.
    Checked by: tests/unit/planning/test_question_width.py::test_the_smallest_epsilon_is_the_smallest
    """
    if width(high) > wanted:
        return None
    for _ in range(_STEPS):
        if high / low < _CLOSE:
            break
        middle = math.sqrt(low * high)
        low, high = (low, middle) if width(middle) <= wanted else (middle, high)
    return high
