"""`discreet export`: the probabilities of a release as a network file of another program."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.files import check_output
from discreet.cli.options import Force, HolderPrior, NoCache, Output, PosteriorFile, make_prior
from discreet.cli.render import note, ready

__all__ = ["export"]

_TOLD = 5
"""Changed names that are told one by one."""


def export(
    file: PosteriorFile,
    output: Output,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", show_default="as the name of OUT ends", help="bif, xmlbif, xdsl or net."),
    ] = None,
    prior: HolderPrior = None,
    force: Force = False,
    no_cache: NoCache = False,
) -> None:
    """Write the expected probabilities as a network file for other programs: pgmpy, pyAgrum, GeNIe, Hugin and others.

    Intervals do not fit into such a file: they stay in the release. Costs no privacy budget.

    Example: discreet export clinic.json --to xdsl -o clinic.xdsl
    """
    import discreet
    from discreet.interop.export import choose_format, posterior_of
    from discreet.release_file.document import read_source

    check_output(output, force=force, inputs=(file,))
    choose_format(output, to)  # a wrong word should not have to wait for the chain
    source = read_source(file, prior=make_prior(prior), cache=not no_cache)
    ready(posterior_of(source), advise=False)
    changed = discreet.export(source, output, to, overwrite=force)
    for old, new in list(changed.items())[:_TOLD]:
        note(f"{old!r} is called {new!r} in the file: the format has no place for such a name.")
    if len(changed) > _TOLD:
        note(f"{len(changed) - _TOLD:,} more names were changed; remarks in the file list them.")
    note(f"The expected probabilities are in {output}.")
