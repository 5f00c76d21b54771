"""`discreet update`: a release with records of one's own added."""

from __future__ import annotations

from discreet.cli.files import check_output
from discreet.cli.options import Data, Force, Missing, Output, ReleaseFile
from discreet.cli.progress import progress
from discreet.cli.render import note

__all__ = ["update"]


def update(file: ReleaseFile, data: Data, output: Output, missing: Missing = None, force: Force = False) -> None:
    """Add records of your own to a release, exactly and without protection. Costs no privacy budget of the steward.

    Example: discreet update clinic.json our_patients.csv -o updated.json
    """
    import discreet

    check_output(output, force=force, inputs=(data,))
    release = discreet.load(file)
    with progress("Counting") as advance:
        updated = release.update(data, missing=missing, progress=advance)
    updated.save(output, overwrite=force)
    note(f"The updated release is in {output}.")
    note(f"Beware: {updated.caveats[-1].text}")
