"""`discreet plan`: what a release would cost and how wrong it would be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import AsJson, Epsilon, NetworkFile
from discreet.cli.render import note, print_json, print_table

if TYPE_CHECKING:
    from discreet.bounds.plan import Plan

__all__ = ["plan"]


def plan(
    network: NetworkFile,
    rows: Annotated[int, typer.Option("--rows", metavar="N", min=1, help="Public number of records.")],
    epsilon: Epsilon,
    as_json: AsJson = False,
) -> None:
    """Say what a release would cost and how wrong it would be, without touching any data.

    Example: discreet plan clinic.bif --rows 10000 --epsilon 0.5
    """
    import discreet

    plans = discreet.plan(network, rows=rows, epsilon=epsilon).plans
    if as_json:
        print_json({"plans": [each.to_dict() for each in plans]})
        return
    headings = ("mechanism", "epsilon", "released numbers", "noise scale", "error of a count", "of the rows", "largest error")
    print_table("", headings, [_row(each) for each in plans], numbers=6)
    note("Error of a count: mean absolute noise. Largest error: all counts together stay within it with probability 95 %.")


def _row(each: Plan) -> tuple[str, ...]:
    from discreet.guarantee import short

    return (
        each.mechanism,
        short(each.guarantee),
        f"{each.released_numbers:,}",
        f"{float(each.noise_scale):,.4g}",
        f"{each.expected_error:,.4g}",
        f"{each.relative_error:.2%}",
        f"{each.largest_error:,}",
    )
