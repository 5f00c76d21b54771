"""`discreet plan`: what a release would cost and how wrong it would be."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.options import AsJson, Epsilon, NetworkFile
from discreet.cli.render import note, print_json, print_lines, print_table

__all__ = ["plan"]

_LEGEND = """
numbers: how many are released. scale: the largest scale of the noise. count error: mean absolute noise of
a count. at most: all counts together stay within this distance with probability 95 %. prob. error: expected
absolute error of a released conditional probability. worst node: the same for the node that suffers most.
All of it is predicted from the network, the number of records and a uniform prior.
"""


def plan(
    network: NetworkFile,
    rows: Annotated[int, typer.Option("--rows", metavar="N", min=1, help="Public number of records.")],
    epsilon: Epsilon,
    delta: Annotated[
        str | None, typer.Option("--delta", metavar="D", help="Compare Gaussian noise, too, at this delta.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what a release would cost and how wrong it would be, without touching any data.

    Example: discreet plan clinic.bif --rows 10000 --epsilon 0.5
    """
    import discreet
    from discreet.bounds.plan import HEADINGS

    plans = discreet.plan(network, rows=rows, epsilon=epsilon, delta=delta)
    if as_json:
        print_json(plans.to_dict())
        return
    print_table("", HEADINGS, [each.cells() for each in plans], numbers=len(HEADINGS) - 1)
    print_lines(plans.remarks())
    note(_LEGEND.strip())
