"""`discreet fuse`: releases of different persons on one network become one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.files import check_output
from discreet.cli.options import Force, HolderPrior, Output, checked_model_file, make_prior
from discreet.cli.render import note

__all__ = ["fuse"]


def _checked_files(values: list[Path]) -> list[Path]:
    """At least two release files, none of them a table of records."""
    for value in values:
        checked_model_file(value)
    if len(values) < 2:
        raise typer.BadParameter("Give at least two release files: discreet fuse first.json second.json -o both.json.")
    return values


def fuse(
    files: Annotated[list[Path], typer.Argument(metavar="FILE FILE...", callback=_checked_files, help="Release files.")],
    output: Output,
    overlap: Annotated[
        bool, typer.Option("--overlap", help="Persons may have records in several of the files: budgets add up.")
    ] = False,
    sites_differ: Annotated[
        bool, typer.Option("--sites-differ", help="Each file has tables of its own, around common ones.")
    ] = False,
    prior: HolderPrior = None,
    force: Force = False,
) -> None:
    """Put releases of different persons on one network together, such as of several hospitals. Costs no privacy budget.

    All files have the same parameters, each has noise of its own, and the prior counts once. With --sites-differ each has
    parameters of its own, around those that are asked about; `discreet sites` says how different they are.

    Example: discreet fuse north.json south.json -o both.json
    """
    import discreet

    check_output(output, force=force, inputs=tuple(files))
    releases = [discreet.load(file) for file in files]
    fused = discreet.fuse(*releases, overlap=overlap, sites_differ=sites_differ, prior=make_prior(prior))
    fused.save(output, overwrite=force)
    note(f"The fused release of {len(fused.parts)} releases is in {output}.")
    for caveat in fused.caveats:
        if caveat.name.startswith("fused"):
            note(f"Beware: {caveat.text}")
