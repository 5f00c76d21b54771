"""`discreet plan`: what a release would cost and how wrong it would be, by every mechanism."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.declared import SchemaOption, TargetOption, read_declared
from discreet.cli.options import (
    AsJson,
    Epsilon,
    ModelOption,
    NetworkFile,
    PlanDelta,
    whole,
)
from discreet.cli.render import note, print_json, print_lines, print_table

__all__ = ["plan"]


def plan(
    rows: Annotated[int, typer.Option("--rows", metavar="N", parser=whole(1), help="Public number of records.")],
    epsilon: Epsilon,
    network: NetworkFile = None,
    model: ModelOption = None,
    schema: SchemaOption = None,
    target: TargetOption = None,
    delta: PlanDelta = None,
    as_json: AsJson = False,
) -> None:
    """Say what a release would cost and how wrong it would be, without touching any data.

    Example: discreet plan clinic.bif --rows 10000 --epsilon 0.5
    """
    import discreet

    declared = read_declared(network, model, schema, target)
    plans = discreet.plan(declared, rows=rows, epsilon=epsilon, delta=delta, target=target)
    if as_json:
        print_json(plans.to_dict())
        return
    print_table("", plans.headings, [each.cells() for each in plans], numbers=len(plans.headings) - 1)
    print_lines(plans.remarks())
    note(plans.legend)
