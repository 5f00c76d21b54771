"""`discreet demo`: the main job from end to end on synthetic patients."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.render import note

if TYPE_CHECKING:
    from discreet.experiments.demonstration import Demonstration

__all__ = ["demo"]


def demo(
    folder: Annotated[Path, typer.Option(help="Where to leave the files.")] = Path("discreet-demo"),
    force: Annotated[bool, typer.Option("--force", help="Replace files of these names, never a ledger.")] = False,
    people: Annotated[
        bool, typer.Option("--people", help="Only leave a table of made-up people and its codebook, to practise on.")
    ] = False,
) -> None:
    """Release and use a posterior of 10,000 synthetic patients of a chest clinic.

    Files of the same names that an earlier demo has left are replaced; those of others are not, without --force.

    Example: discreet demo

    Example: discreet demo --people --folder .
    """
    if people:
        _leave_people(folder, force)
        return
    from rich.console import Console

    from discreet.experiments.demonstration import PICTURE, demonstrate
    from discreet.plots.posteriors import Panel, plot_densities

    console = Console(highlight=False)
    result = demonstrate(folder, overwrite=force)
    panels = [
        Panel(finding.question.words, finding.truth, finding.without_privacy, finding.released) for finding in result.findings
    ]
    plot_densities(panels, folder / PICTURE, "Five questions to a chest clinic: 10,000 patients, epsilon = 1")
    _render(console, result)


def _leave_people(folder: Path, force: bool) -> None:
    from discreet.experiments.people import CODEBOOK, TABLE, write_people

    write_people(folder, overwrite=force)
    note(f"10,000 made-up people are in {folder / TABLE}, and what their columns mean is in {folder / CODEBOOK}.")


def _render(console: Any, result: Demonstration) -> None:
    from rich.table import Table

    from discreet.measure.published import Published

    release, released, folder = result.release, result.release.plugin.released, result.folder
    assert isinstance(released, Published)  # noqa: S101 - a loaded release always has its noisy counts
    console.print(
        f"\nA chest clinic holds records of {released.rows:,} patients (synthetic ones) and releases\n"
        f"its posterior with {release.guarantee}. Every count\n"
        f"got discrete Laplace noise of scale {float(released.scale):g}; the ledger was charged first.\n"
        "A third party loads the file and asks:\n",
        soft_wrap=True,
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("probability of", no_wrap=True)
    for heading in ("truth", "exact", "private", "90 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for finding in result.findings:
        estimates = (finding.truth, finding.without_privacy.mean(), finding.released.mean())
        table.add_row(finding.question.words, *(f"{value:.3f}" for value in estimates), _interval(finding.released))
    console.print(table)
    first = result.findings[0]
    console.print(
        "\nexact: the posterior without privacy, never published. The intervals know about\n"
        "the noise: they are as wide as it makes them.\n\n"
        f"Then it adds {result.own_rows} patients of its own. For the first question it now believes\n"
        f"{first.updated.mean():.3f} ({_interval(first.updated)}).\n\n"
        f"Left in {folder}: clinic.json (the release), clinic.ledger (the budget),\n"
        "posteriors.png (the picture), clinic.html (a page for everybody). Open the page in a browser:\n\n"
        f"  {(folder / 'clinic.html').resolve().as_uri()}\n\n"
        "or ask the release yourself:\n\n"
        f"  {_command()} query {shlex.quote(str(folder / 'clinic.json'))} lung --given smoke=yes\n",
        soft_wrap=True,
        markup=False,  # a folder may be called anything
    )


def _command() -> str:
    """How to call this command again: by its name if the shell finds it, or else as it was called."""
    found, called = shutil.which("discreet"), Path(sys.argv[0])
    if called.stem == "discreet" and called.is_file() and not (found and called.samefile(found)):
        return shlex.quote(str(called))
    return "discreet"


def _interval(draws: Any) -> str:
    import numpy as np

    low, high = np.quantile(draws, [0.05, 0.95])
    return f"{low:.3f}-{high:.3f}"
