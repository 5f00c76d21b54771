"""`discreet page` and `discreet report`: a release for people without Python, to click on and to print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from discreet.cli.files import check_output
from discreet.cli.options import Force, HolderPrior, NoCache, Output, ReleaseFile, make_prior
from discreet.cli.render import note, prepare
from discreet.cli.rounds import Rounds, run_rounds
from discreet.output_file import write_atomically

if TYPE_CHECKING:
    from discreet.releases import Release

__all__ = ["page", "report"]

_PAGES = (".html", ".htm")
_REPORTS = (*_PAGES, ".md")


def page(
    file: ReleaseFile,
    output: Output,
    prior: HolderPrior = None,
    rounds: Rounds = None,
    force: Force = False,
    no_cache: NoCache = False,
) -> None:
    """Write a release as one HTML file that answers questions in any browser, offline. Costs no privacy budget.

    Example: discreet page clinic.json -o clinic.html
    """
    from discreet.page.document import make_page

    _check_name(output, _PAGES)
    check_output(output, force=force, inputs=(file,))
    write_atomically(output, make_page(*_load(file, prior, rounds, no_cache)))
    note(f"Wrote {str(output)!r}: open it in a browser. It needs no network and sends nothing.")


def report(
    file: ReleaseFile,
    output: Output,
    prior: HolderPrior = None,
    rounds: Rounds = None,
    force: Force = False,
    no_cache: NoCache = False,
) -> None:
    """Write what a release is, for reading and printing: guarantee, graph, tables with intervals, known weaknesses.

    Example: discreet report clinic.json -o report.html
    """
    from discreet.page.report import make_report
    from discreet.page.report_html import write_html
    from discreet.page.report_markdown import write_markdown

    _check_name(output, _REPORTS)
    check_output(output, force=force, inputs=(file,))
    content = make_report(*_load(file, prior, rounds, no_cache))
    write_atomically(output, (write_markdown if output.suffix.lower() == ".md" else write_html)(content))
    note(f"Wrote {str(output)!r}.")


def _check_name(output: Path, endings: tuple[str, ...]) -> None:
    """Before the chains run, which may take a while."""
    if output.suffix.lower() not in endings:
        raise typer.BadParameter(f"The name must end in {' or '.join(endings)}.", param_hint="--output")


def _load(file: Path, prior: str | None, rounds: int | None, no_cache: bool) -> tuple[Release[Any], str, Any]:
    """The release, how examples call its file, and its posterior, ready to be asked."""
    import discreet

    release = discreet.load(file, prior=make_prior(prior), cache=not no_cache)
    return release, file.name, prepare(run_rounds(release.posterior, rounds))
