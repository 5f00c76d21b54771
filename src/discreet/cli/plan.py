"""`discreet plan`: what a release would cost and how wrong it would be, by every mechanism."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from discreet.cli.declared import SchemaOption, TargetOption, read_declared
from discreet.cli.options import AsJson, ModelOption, NetworkFile, OptionalEpsilon, PlanDelta, whole
from discreet.cli.questions import split_question
from discreet.cli.render import note, print_json, print_lines, print_table

__all__ = ["plan"]


def plan(
    rows: Annotated[int, typer.Option("--rows", metavar="N", parser=whole(1), help="Public number of records.")],
    network: NetworkFile = None,
    model: ModelOption = None,
    schema: SchemaOption = None,
    target: TargetOption = None,
    epsilon: OptionalEpsilon = None,
    delta: PlanDelta = None,
    question: Annotated[
        str | None,
        typer.Option("--question", metavar="WORDS", help="Find what it takes to answer 'lung given smoke=yes, age=old'."),
    ] = None,
    width: Annotated[
        float | None, typer.Option("--width", metavar="W", help="How wide its 90 % interval may be, such as 0.05.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what a release would cost and how wrong it would be, without touching any data.

    Example: discreet plan clinic.bif --rows 10000 --epsilon 0.5
    """
    import discreet
    from discreet.learned import is_learned
    from discreet.model.convert import as_model

    declared: Any = read_declared(network, model, schema, target)
    declared = declared.network if is_learned(declared) else declared
    if question is not None or width is not None:
        _plan_question(as_model(declared, target), rows, epsilon, delta, question, width, as_json)
        return
    if epsilon is None:
        raise typer.BadParameter("Give the epsilon to plan for, or --question and --width.", param_hint="--epsilon")
    plans = discreet.plan(declared, rows=rows, epsilon=epsilon, delta=delta, target=target)
    if as_json:
        print_json(plans.to_dict())
        return
    print_table("", plans.headings, [each.cells() for each in plans], numbers=len(plans.headings) - 1)
    print_lines(plans.remarks())
    note(plans.legend)


def _plan_question(
    model: Any,
    rows: int,
    epsilon: str | None,
    delta: str | None,
    question: str | None,
    width: float | None,
    as_json: bool,
) -> None:
    import discreet
    from discreet.progress import progress

    if question is None or width is None:
        raise typer.BadParameter("A question and the width of its interval go together.", param_hint="--question")
    if not isinstance(model, discreet.Network):
        raise typer.BadParameter("A question is for a network; a linear model has none.", param_hint="--question")
    with progress("Planning"):
        found = discreet.plan(model, rows, epsilon, delta, question=split_question(question, model), width=width)
    if as_json:
        print_json(found.to_dict())
        return
    headings, lines = found.table()
    print_table("", headings, lines, numbers=2)
    print_lines(found.remarks())
