"""The most probable explanation: the levels of all nodes that are most probable together, given what is seen.

Elimination as for any question, with the largest term in the place of the sum; on the way back each node takes the level that
made its term the largest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.display import Display, Displayed
from discreet.inference.beliefs import Beliefs
from discreet.inference.elimination import free_factors
from discreet.inference.elimination_order import EliminationPlan, PlannedFamily, Step, make_plan
from discreet.inference.query import log_evidence
from discreet.inference.question import Levels, check_given

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explanation(Displayed):
    """A level for every node, and how probable they are together given what was seen; both at the mean parameters."""

    levels: Mapping[str, str]
    given: Mapping[str, str]
    probability: float

    def __getitem__(self, node: str) -> str:
        return self.levels[node]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"levels": dict(self.levels), "given": dict(self.given), "probability": self.probability}

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Headings and rows of a table for people: a row for each node."""
        rows: list[tuple[str, ...]] = [
            (node, level, "given" if node in self.given else "") for node, level in self.levels.items()
        ]
        return ("node", "level", ""), rows

    @property
    def title(self) -> str:
        """What it is, and how probable."""
        return f"Most probable explanation, with probability {self.probability:.4g}"

    def _display(self) -> Display:
        headings, rows = self.table()
        notes = ["Of many nodes even the most probable levels together are improbable; ask for nodes by query."]
        return Display(self.title, (), headings, rows, notes)


def explain(beliefs: Beliefs, given: Levels | None = None) -> Explanation:
    """The levels of all nodes that are most probable together, given the levels of some; of equal ones the first declared."""
    network = beliefs.network
    evidence = check_given(network, {} if given is None else given)
    seen = log_evidence(beliefs, evidence)  # refuses what cannot be
    free = frozenset(network.nodes).difference(evidence)
    plan = make_plan(network, (), frozenset(evidence), free)
    tables = {family.node: beliefs.mean(family.node) for family in plan.families}
    unseen = {node: network.variable(node).size for node in free}
    with np.errstate(divide="ignore"):
        factors = [np.log(factor) for factor in free_factors(plan, tables, {**evidence, **unseen})]
    places = dict(evidence)
    best = _climb(plan, factors, places)
    levels = {node: network.variable(node).levels[places[node]] for node in network.nodes}
    return Explanation(levels, {node: levels[node] for node in evidence}, float(np.exp(best - seen)))


def _climb(plan: EliminationPlan, factors: list[Floats], places: dict[str, int]) -> float:
    """Fill in the levels of the nodes that the plan sums out, the largest log product instead; that product."""
    scopes = [_free_members(family) for family in plan.families] + [(node,) for node in plan.sometimes]
    chosen: list[tuple[str, tuple[str, ...], Integers]] = []
    product: Floats = np.zeros(1)
    for step in plan.steps:
        names = _names(step, scopes)
        terms = (factors[number][spread] for number, spread in zip(step.operands, step.spread, strict=True))
        product = np.asarray(sum(terms, start=np.zeros(1)))
        if names:
            chosen.append((names[0], names[1:], product[..., 0].argmax(axis=0)))
            factors.append(product.max(axis=0))
            scopes.append(names[1:])
    for node, others, best in reversed(chosen):
        places[node] = int(best[tuple(places[other] for other in others)])
    return float(product.ravel()[0])


def _free_members(family: PlannedFamily) -> tuple[str, ...]:
    """The nodes of a factor's axes, in their order."""
    return tuple(family.members[axis] for axis in family.axes[: len(family.axes) - len(family.observed)])


def _names(step: Step, scopes: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The nodes of the axes of a step's product: each operand has some of them, in the same order."""
    found: dict[int, str] = {}
    for number, spread in zip(step.operands, step.spread, strict=True):
        axes = [axis for axis, part in enumerate(spread) if part is not None]
        found |= dict(zip(axes, scopes[number], strict=True))
    return tuple(found[axis] for axis in sorted(found))
