"""`discreet plan`: what a release would cost and how wrong it would be."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.options import AsJson, Epsilon, ModelOption, NetworkFile, PlanDelta, whole
from discreet.cli.regression import check_declared, print_plan
from discreet.cli.render import note, print_json, print_lines, print_table

__all__ = ["plan"]

_LEGEND = """
numbers: how many are released. scale: the largest scale of the noise. count error: mean absolute
noise of a count. at most: all counts together stay within this distance with probability 95 %.
prob. error: expected absolute error of a released conditional probability. worst node: the same
for the node that suffers most. Predicted from network, number of records and a uniform prior.
The recommendation goes by prob. error and, where those are within 2 %, by the noise it names.
"""


def plan(
    rows: Annotated[int, typer.Option("--rows", metavar="N", parser=whole(1), help="Public number of records.")],
    epsilon: Epsilon,
    network: NetworkFile = None,
    model: ModelOption = None,
    delta: PlanDelta = None,
    as_json: AsJson = False,
) -> None:
    """Say what a release would cost and how wrong it would be, without touching any data.

    Example: discreet plan clinic.bif --rows 10000 --epsilon 0.5
    """
    import discreet
    from discreet.bounds.plan import HEADINGS

    check_declared(network, model)
    if model is not None:
        print_plan(discreet.read_linear_model(model), rows, epsilon, delta, as_json)
        return
    plans = discreet.plan(network, rows=rows, epsilon=epsilon, delta=delta)
    if as_json:
        print_json(plans.to_dict())
        return
    print_table("", HEADINGS, [each.cells() for each in plans], numbers=len(HEADINGS) - 1)
    print_lines(plans.remarks())
    note(_LEGEND.strip())
