"""``dc.plan``: what a release would cost and how wrong it would be, also of a graph that is still to be learned."""

from __future__ import annotations

import os
from typing import Any, overload

from discreet.checks import check_whole
from discreet.errors import ModelError
from discreet.guarantee import BudgetLike
from discreet.learning.graphs import declared_variables, learning_budget
from discreet.learning.wanted import USUAL_PARENTS, read_options
from discreet.mechanisms.pipeline import plan as plan_declared
from discreet.model.network import Network
from discreet.planning.graph_forms import GraphFacts
from discreet.planning.learning_plan import LearningPlan, plan_graph
from discreet.planning.plan import Plans
from discreet.planning.question_plan import QuestionPlan
from discreet.planning.question_width import QuestionLike

__all__ = ["plan"]


@overload
def plan(
    network: Any, rows: int, epsilon: BudgetLike, delta: BudgetLike | None = None, *, target: str | None = None
) -> Plans: ...


@overload
def plan(
    network: Any,
    rows: int,
    epsilon: BudgetLike | None = None,
    delta: BudgetLike | None = None,
    *,
    target: str | None = None,
    question: QuestionLike,
    width: float,
    interval: float = 0.9,
) -> QuestionPlan: ...


@overload
def plan(
    network: Any,
    rows: int,
    epsilon: BudgetLike,
    delta: BudgetLike | None = None,
    *,
    target: str | None = None,
    learn: str,
    parents: int | None = None,
) -> LearningPlan: ...


def plan(
    network: Any,
    rows: int,
    epsilon: BudgetLike | None = None,
    delta: BudgetLike | None = None,
    *,
    target: str | None = None,
    question: QuestionLike | None = None,
    width: float | None = None,
    interval: float = 0.9,
    learn: str | None = None,
    parents: int | None = None,
) -> Plans | QuestionPlan | LearningPlan:
    """Compare what every mechanism would release at this epsilon, without touching any data.

    With ``delta`` Gaussian noise is compared, too, at the largest rho that keeps (epsilon, delta). With ``question`` and
    ``width`` find the smallest epsilon whose interval of the answer is so narrow: ``question=("lung", {"smoke": "yes"})``.
    ``network`` and ``target`` are what they are for ``release``.
    With ``learn``, a form such as "auto", ``network`` is the schema of a graph that is to be learned: which form would be
    taken and why, what goes to the graph and what to its tables, and what is expected of it. ``delta`` and ``parents`` are
    those of ``learn`` then.

    Claim:      depends on public quantities alone, so it costs no budget.
    Requires:   ``rows`` is the public number of records.
    Checked by: tests/unit/learning/test_plan.py::test_a_plan_of_learning_says_what_learning_does
                tests/unit/mechanisms/test_pipeline.py::test_a_plan_needs_no_data_and_no_ledger
    """
    if learn is None:
        asked: dict[str, Any] = {"question": question, "width": width, "interval": interval}
        return plan_declared(network, rows, epsilon, delta, target=target, **asked)
    check_whole(rows, "rows", error=ModelError)
    if question is not None or width is not None:
        raise ModelError(
            "A question is planned for a graph that is known, not for one that is to be learned. Leave learn out."
        )
    if epsilon is None:
        raise ModelError("Give the epsilon to plan for: it pays for the graph and its tables together.")
    variables, budget = declared_variables(_schema(network)), learning_budget(epsilon, delta)
    options = read_options(variables, learn, target, parents, (), ())
    facts = GraphFacts(options[0].sizes, rows, budget, target, parents or USUAL_PARENTS)
    automatic = str(learn).strip().casefold() == "auto"
    return plan_graph(facts, [wanted.form for wanted in options], automatic=automatic)


def _schema(given: Any) -> Any:
    """What declares columns; what has a graph already is told so."""
    path = os.fsdecode(given) if isinstance(given, str | os.PathLike) else ""
    if isinstance(given, Network) or path.lower().endswith((".bif", ".toml", ".xml", ".net")):
        raise ModelError(
            "A graph is learned for a schema, and this is a model already. Give the schema of the columns, a .schema.json "
            "file or a list of Variables, or leave learn out."
        )
    return given
