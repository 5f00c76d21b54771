"""How long the chains behind an answer run: `--rounds`."""

from __future__ import annotations

from typing import Annotated, TypeVar, cast

import typer

from discreet.cli.options import whole
from discreet.cli.render import note

__all__ = ["Rounds", "run_rounds"]

B = TypeVar("B")
_FEWEST = 4
"""Fewer rounds cannot tell whether chains agree."""

Rounds = Annotated[
    int | None,
    typer.Option(
        "--rounds",
        metavar="N",
        parser=whole(_FEWEST),
        show_default="30 to 180, by size",
        help="Rounds of the chains behind the answer; more where they do not agree.",
    ),
]


def run_rounds(posterior: B, rounds: int | None, *, whole: bool = True) -> B:
    """The same posterior, its chains run for so many rounds; refused where there are none whose length can be chosen.

    Unless ``whole`` is what they are needed for, nothing is said of the memory that chains of all tables would need.
    """
    from discreet.posterior import NoiseAwarePosterior

    if rounds is None:
        return posterior
    if not isinstance(posterior, NoiseAwarePosterior):
        said = "It is for releases of noisy counts, without --plugin: nothing else has chains whose length is chosen."
        raise typer.BadParameter(f"{said} Leave it out.", param_hint="--rounds")
    longer = posterior.with_rounds(rounds)
    if whole and longer.rounds < rounds:
        note(f"The chains run {longer.rounds:,} rounds: more would need too much memory.")
    return cast("B", longer)
