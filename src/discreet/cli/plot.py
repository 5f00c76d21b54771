"""`discreet plot`: a picture of a release."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.files import check_output
from discreet.cli.options import Force, HolderPrior, NoCache, Output, PosteriorFile, check_not_swapped, make_prior
from discreet.cli.render import note
from discreet.cli.show import view_of

__all__ = ["plot"]

_PICTURES = (".png", ".svg", ".pdf")


def plot(
    file: PosteriorFile,
    output: Output,
    node: Annotated[str | None, typer.Argument(metavar="NODE", help="Node whose probabilities to draw; else all.")] = None,
    prior: HolderPrior = None,
    force: Force = False,
    no_cache: NoCache = False,
) -> None:
    """Draw how sure a release is: its network, the intervals of one node, or the coefficients of a linear model.

    Example: discreet plot clinic.json lung -o lung.png
    """
    import io

    from discreet.output_file import write_atomically
    from discreet.release_file.document import read_value

    check_not_swapped(file, node)
    kind = output.suffix.lower()
    if kind not in _PICTURES:
        raise typer.BadParameter("The name of a picture must end in .png, .svg or .pdf.", param_hint="--output")
    check_output(output, force=force, inputs=(file,))
    posterior = read_value(file, prior=make_prior(prior), cache=not no_cache)
    axes, picture = view_of(posterior).draw(posterior, node), io.BytesIO()
    axes.figure.savefig(picture, format=kind[1:], dpi=130)
    write_atomically(output, picture.getvalue(), overwrite=force)
    note(f"The picture is in {output}.")
