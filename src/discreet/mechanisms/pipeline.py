"""The two things a steward does: plan, then release."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar, overload

from discreet.checks import check_reading, check_whole
from discreet.errors import BudgetError, ModelError
from discreet.guarantee import BudgetLike, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.learned import is_learned, learned_caveats
from discreet.mechanisms.arguments import as_ledger, as_mechanism, check_order, subject_of
from discreet.mechanisms.graph_terms import assumed_caveats, delta_after, mechanism_after, same_unit
from discreet.mechanisms.grid_planning import find_grid
from discreet.mechanisms.mechanism import Mechanism, check_given
from discreet.mechanisms.prepared import Prepared, check_free, publish_and_save
from discreet.mechanisms.question_planning import plan_question
from discreet.model.convert import as_model
from discreet.model.network import Network
from discreet.planning.plan import LeftOut, Plan, Plans
from discreet.planning.plan_grid import EPSILONS, PlanGrid
from discreet.planning.question_plan import QuestionPlan
from discreet.planning.question_width import QuestionLike
from discreet.posterior.given_prior import PriorLike, find_prior, prior_caveats
from discreet.progress import progress as show_progress
from discreet.releases import Release
from discreet.unit import RECORD, RowsPerPerson, choose_unit

if TYPE_CHECKING:
    from discreet.posterior import ReleasedPosterior

__all__ = ["plan", "plan_grid", "prepare", "release"]

P = TypeVar("P")
_TOGETHER = "A question and the width of its interval go together: question=('lung', {'smoke': 'yes'}), width=0.05."


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
) -> Plans | QuestionPlan:
    """Compare what every mechanism would release at this epsilon, without touching any data.

    With ``delta`` Gaussian noise is compared, too, at the largest rho that keeps (epsilon, delta). With ``question`` and
    ``width`` find the smallest epsilon whose interval of the answer is so narrow: ``question=("lung", {"smoke": "yes"})``.
    ``network`` and ``target`` are what they are for ``release``.

    Claim:      depends on public quantities alone, so it costs no budget.
    Requires:   ``rows`` is the public number of records.
    Checked by: tests/unit/mechanisms/test_pipeline.py::test_a_plan_needs_no_data_and_no_ledger
    """
    check_whole(rows, "rows", error=ModelError)
    model = as_model(network, target)
    if (question is None) != (width is None):
        raise ModelError(_TOGETHER)
    if question is not None and width is not None:
        return plan_question(model, rows, question, width, epsilon, delta, interval)
    if epsilon is None:
        raise ModelError("Give the epsilon to plan for; or a question and a width, and the smallest epsilon is found.")
    subject = subject_of(model)
    candidates = subject.candidates(exact(epsilon), None if delta is None else exact(delta, "delta"))
    plans: list[Plan] = []
    left_out: list[LeftOut] = []
    for mechanism in candidates:
        try:
            plans.append(mechanism.plan(model, rows))
        except (BudgetError, ModelError) as reason:  # the model or the budget does not allow this mechanism
            left_out.append(LeftOut(mechanism.name, str(reason)))
    alike = tuple(each.guarantee for each in candidates if delta is not None)
    return subject.remark(Plans(tuple(plans), tuple(left_out), alike=alike), model, rows, candidates)


def plan_grid(
    network: Any,
    rows: int,
    delta: BudgetLike | None = None,
    *,
    target: str | None = None,
    question: QuestionLike | None = None,
    width: float | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
) -> PlanGrid:
    """What each of many epsilons, from 0.01 to 10, would do; ``to_html()`` of the result is a page with a slider over them.

    ``question`` and ``width`` are those of ``plan``: the smallest epsilon for an answer. With a ``ledger``, what each epsilon
    would leave in it; its delta is taken where none is given. No data is touched and nothing is charged.

    Claim:      depends on public quantities and on what is left in the ledger; costs no budget.
    Requires:   ``rows`` is the public number of records.
    Checked by: tests/unit/mechanisms/test_grid_planning.py::test_the_grid_says_what_plans_say
                tests/unit/mechanisms/test_grid_planning.py::test_the_ledger_is_asked_and_not_charged
    """
    check_whole(rows, "rows", error=ModelError)
    model = as_model(network, target)
    if (question is None) != (width is None):
        raise ModelError(_TOGETHER)
    asked = None if question is None or width is None else (question, width)
    account = None if ledger is None else as_ledger(ledger)
    if asked is not None and not isinstance(model, Network):
        raise ModelError("A question is planned for a network; the plan of a linear model says the error of a prediction.")
    with show_progress("Planning", lambda: len(EPSILONS), "epsilons") as advance:
        found = find_grid(model, rows, _delta(delta, account), asked, account, advance)
    return replace(found, assumed=target)


@overload
def release(
    data: Any,
    network: Any,
    mechanism: Mechanism[Any, P],
    *,
    ledger: Ledger | str | os.PathLike[str],
    prior: PriorLike | None = None,
    missing: str | None = None,
    target: str | None = None,
    rows: int | None = None,
    person: str | None = None,
    rows_per_person: RowsPerPerson | str | None = None,
    average_of: int | None = None,
    rows_at_most: int | None = None,
    progress: Callable[[int], None] | None = None,
    save: str | os.PathLike[str] | None = None,
    _bits: Bits | None = None,
) -> Release[P]: ...


@overload
def release(
    data: Any,
    network: Any,
    mechanism: str = "auto",
    *,
    epsilon: BudgetLike,
    ledger: Ledger | str | os.PathLike[str],
    prior: PriorLike | None = None,
    missing: str | None = None,
    target: str | None = None,
    rows: int | None = None,
    person: str | None = None,
    rows_per_person: RowsPerPerson | str | None = None,
    average_of: int | None = None,
    rows_at_most: int | None = None,
    progress: Callable[[int], None] | None = None,
    save: str | os.PathLike[str] | None = None,
    _bits: Bits | None = None,
) -> Release[ReleasedPosterior]: ...


def release(
    data: Any,
    network: Any,
    mechanism: Any = "auto",
    *,
    ledger: Ledger | str | os.PathLike[str],
    epsilon: BudgetLike | None = None,
    prior: PriorLike | None = None,
    missing: str | None = None,
    target: str | None = None,
    rows: int | None = None,
    person: str | None = None,
    rows_per_person: RowsPerPerson | str | None = None,
    average_of: int | None = None,
    rows_at_most: int | None = None,
    progress: Callable[[int], None] | None = None,
    save: str | os.PathLike[str] | None = None,
    _bits: Bits | None = None,
) -> Release[Any]:
    """Release the posterior of a network, or of a linear model, given private records.

    ``network`` is a Network, a path to its file, or a pgmpy model; or a graph that ``learn`` has given, from which the release
    goes on; or a LinearModel or a path to its TOML file, which declare their own prior. ``mechanism`` is one such as
    ``Laplace("0.5")``, or its name, with ``epsilon``. ``ledger`` may be the path of one that exists. ``prior`` is a prior, its
    name, or the posterior of an earlier release; where none is declared, noisy counts have ``Hierarchical()``, which learns,
    and draws and points have ``UNIFORM``.
    Of a Schema, or a path to its file (.schema.json), naive Bayes is made for the column ``target``, and the release says so.
    ``rows`` is the number of records that you expect, where you know it: a table with another number is refused, uncharged.
    ``person`` is the column that says whose a record is. Then one person with all records is protected, ``rows`` is a number
    of persons, and of each person one record counts, chosen at random (``rows_per_person="one"``), or the average of at most
    ``average_of`` (``"average"``). Without such a column, ``rows_at_most`` is how many records a person may have: so many
    times epsilon is charged.
    ``save`` is the release file to write. A file that exists, or cannot be written, is refused before the charge.

    Claim:      the result satisfies ``mechanism.guarantee``, and the ledger was charged for it before any noise was drawn.
    Requires:   network, prior and mechanism are public and were chosen without looking at the records.
    Checked by: tests/unit/mechanisms/test_pipeline.py::test_a_release_is_charged_exactly_once
    """
    free = None if save is None else check_free(save)
    prepared = prepare(
        data,
        network,
        mechanism,
        epsilon=epsilon,
        ledger=ledger,
        prior=prior,
        missing=missing,
        target=target,
        rows=rows,
        person=person,
        rows_per_person=rows_per_person,
        average_of=average_of,
        rows_at_most=rows_at_most,
        progress=progress,
        _bits=_bits,
    )
    return prepared.publish() if free is None else publish_and_save(prepared, free)


def prepare(
    data: Any,
    network: Any,
    mechanism: Any = "auto",
    *,
    ledger: Ledger | str | os.PathLike[str],
    epsilon: BudgetLike | None = None,
    prior: PriorLike | None = None,
    missing: str | None = None,
    target: str | None = None,
    rows: int | None = None,
    person: str | None = None,
    rows_per_person: RowsPerPerson | str | None = None,
    average_of: int | None = None,
    rows_at_most: int | None = None,
    progress: Callable[[int], None] | None = None,
    _bits: Bits | None = None,
) -> Prepared[Any, Any]:
    """All of ``release`` but its end: the records are counted, and the release is only to be paid for and drawn.

    Claim:      nothing is charged, and what ``release`` would refuse is refused.
    Requires:   as ``release``.
    Checked by: tests/unit/mechanisms/test_prepared.py::test_what_is_prepared_is_not_charged
    """
    check_order(data, network)
    check_reading(missing, rows, progress)
    unit = choose_unit(person, rows_per_person, average_of, rows_at_most)
    learned = network if is_learned(network) else None
    model, account = as_model(network if learned is None else learned.network, target), as_ledger(ledger)
    if unit != RECORD:  # a ledger may have a unit already
        account = account.for_unit(unit)
    if learned is not None:
        account = same_unit(account, learned)
        prior = learned.prior if prior is None else prior
    chosen = as_mechanism(mechanism_after(mechanism, learned), epsilon, delta_after(account, learned), subject_of(model))
    check_given(chosen, model, prior, missing)
    prepared: Prepared[Any, Any] = chosen.prepare(
        data,
        model,
        ledger=account,
        prior=None if prior is None else find_prior(prior, model),
        missing=missing,
        rows=rows,
        progress=progress,
        _bits=_bits,
    )
    if learned is not None:
        return prepared.follow(learned).beware(*prior_caveats(prior))
    return prepared.beware(*prior_caveats(prior), *assumed_caveats(target), *learned_caveats(model, paid=False))


def _delta(given: BudgetLike | None, ledger: Ledger | None) -> Fraction | None:
    if given is not None:
        return exact(given, "delta")
    return None if ledger is None else ledger.delta
