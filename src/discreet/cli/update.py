"""`discreet update`: a release with records of one's own added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from discreet.cli.files import check_output
from discreet.cli.options import Data, Force, Missing, Output, ReleaseFile
from discreet.cli.progress import progress
from discreet.cli.render import note

if TYPE_CHECKING:
    from discreet.posterior import Release

__all__ = ["update"]


def update(file: ReleaseFile, data: Data, output: Output, missing: Missing = None, force: Force = False) -> None:
    """Add records of your own to a release, exactly and without protection. Costs no privacy budget of the steward.

    Example: discreet update clinic.json our_patients.csv -o updated.json
    """
    import discreet
    from discreet.posterior import DirichletPosterior
    from discreet.posterior.regression import RegressionPosterior
    from discreet.posterior.update import update_release

    check_output(output, force=force, inputs=(data,))
    release: Release[Any] = discreet.load(file)
    if not isinstance(release.plugin, DirichletPosterior | RegressionPosterior):
        raise typer.BadParameter("Only a release of Dirichlet distributions or of moments can take records of your own.")
    with progress("Counting") as advance:
        updated = update_release(release, data, missing=missing, progress=advance)
    updated.save(output)
    note(f"Beware: {updated.caveats[-1].text}")
