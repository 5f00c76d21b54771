"""`discreet query`: the distribution of nodes given the levels of others."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.options import AsJson, Interval, Plugin, PosteriorFile, Seed, check_not_swapped, whole
from discreet.cli.posterior import ready
from discreet.cli.progress import progress
from discreet.cli.render import note, print_json, print_table
from discreet.cli.words import split_given, split_targets

__all__ = ["query"]


def query(
    file: PosteriorFile,
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Node to ask for, or several, separated by commas.")],
    given: Annotated[
        list[str] | None, typer.Option("--given", metavar="NODE=LEVEL", help="What is known; repeat for several nodes.")
    ] = None,
    interval: Interval = "0.9",
    draws: Annotated[int, typer.Option("--draws", metavar="N", parser=whole(1), help="Draws for the interval.")] = 1000,
    seed: Seed = None,
    plugin: Plugin = False,
    as_json: AsJson = False,
) -> None:
    """Ask for the distribution of nodes given the levels of others, with a credible interval. Costs no privacy budget.

    Example: discreet query clinic.json lung --given smoke=yes
    """
    import numpy as np

    from discreet.inference.query import check_question
    from discreet.release_file.posterior_file import read_posterior

    check_not_swapped(file, target)
    posterior = read_posterior(file, plugin=plugin)
    targets, known = split_targets(target, posterior.network), split_given(given or (), posterior.network)
    wanted = None if interval == "none" else float(interval)
    check_question(posterior.network, targets, known, wanted, draws)  # a wrong word should not have to wait for the chain
    ready(posterior)
    with progress("Asking"):
        answer = posterior.query(targets, known, interval=wanted, draws=draws, generator=np.random.default_rng(seed))
    if as_json:
        print_json(answer.to_dict())
        return
    headings, rows = answer.table()
    print_table(answer.title, headings, rows, numbers=len(headings) - len(targets))
    if answer.remark is not None:
        note(answer.remark)
