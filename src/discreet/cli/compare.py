"""`discreet compare`: what changed between two releases of one network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.files import check_output
from discreet.cli.options import AsJson, Force, HolderPrior, Interval, NoCache, PosteriorFile, Seed, make_prior
from discreet.cli.render import note, prepare, print_json, print_lines, print_table
from discreet.progress import progress

__all__ = ["compare"]


def compare(
    first: PosteriorFile,
    second: PosteriorFile,
    interval: Interval = "0.9",
    seed: Seed = None,
    prior: HolderPrior = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Also draw the clearest changes: .png, .svg or .pdf.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
    no_cache: NoCache = False,
) -> None:
    """Say what changed between two releases of one network: every conditional probability. Costs no privacy budget.

    Example: discreet compare clinic.json later.json
    """
    import numpy as np

    from discreet.inference.changes import compare_posteriors
    from discreet.release_file.document import read_posterior

    if plot is not None:
        check_output(plot, force=force, inputs=(first, second))
    one, two = (read_posterior(file, prior=make_prior(prior), cache=not no_cache) for file in (first, second))
    wanted = None if interval == "none" else float(interval)
    with progress("Comparing"):
        chance = np.random.default_rng(seed)
        found = compare_posteriors(prepare(one), prepare(two), interval=wanted, generator=chance)
    if plot is not None:
        found.plot(plot)
        note(f"The picture is in {plot}.")
    if as_json:
        print_json(found.to_dict())
        return
    headings, rows = found.table()
    print_table("", headings, rows, numbers=len(headings) - 1)
    print_lines(found.remarks())
