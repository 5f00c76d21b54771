"""`discreet sites`: how different the sites are whose releases were fused."""

from __future__ import annotations

import typer

from discreet.cli.options import AsJson, HolderPrior, Interval, NoCache, PosteriorFile, make_prior
from discreet.cli.render import note, prepare, print_json, print_table
from discreet.cli.rounds import Rounds, run_rounds
from discreet.progress import progress

__all__ = ["sites"]


def sites(
    file: PosteriorFile,
    interval: Interval = "0.9",
    prior: HolderPrior = None,
    rounds: Rounds = None,
    as_json: AsJson = False,
    no_cache: NoCache = False,
) -> None:
    """Say how different the sites are whose releases were fused with --sites-differ. Costs no privacy budget.

    Example: discreet sites all.json
    """
    from discreet.errors import QueryError
    from discreet.posterior import NoiseAwarePosterior
    from discreet.release_file.document import read_posterior

    if interval == "none":
        raise typer.BadParameter("A spread without its interval says little.", param_hint="--interval")
    posterior = run_rounds(read_posterior(file, prior=make_prior(prior), cache=not no_cache), rounds)
    if not isinstance(posterior, NoiseAwarePosterior) or not posterior.sites_differ:
        raise QueryError("This file is not of several sites that differ: make one by `discreet fuse --sites-differ`.")
    with progress("Asking"):
        found = prepare(posterior).site_spread(float(interval))
    if as_json:
        print_json(found.to_dict())
        return
    headings, rows = found.table()
    print_table("", headings, rows, numbers=3)
    note(found.remark)
