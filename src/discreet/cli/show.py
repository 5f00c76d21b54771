"""`discreet show`: what a release file holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import AsJson, Plugin, ReleaseFile, check_not_swapped
from discreet.cli.render import print_facts, print_json, print_table, write_text
from discreet.cli.summary import summary
from discreet.cli.view import view_of

if TYPE_CHECKING:
    from discreet.releases import Release

__all__ = ["show"]


def show(
    file: ReleaseFile,
    node: Annotated[str | None, typer.Argument(metavar="NODE", help="Node whose probability table to show.")] = None,
    plugin: Plugin = False,
    as_json: AsJson = False,
) -> None:
    """Say what a release is and what to beware of; with a node, show its conditional probabilities.

    Of a linear model the coefficients are shown, in the units of the declaration.

    Example: discreet show clinic.json
    """
    import discreet

    check_not_swapped(file, node)
    release = discreet.load(file)
    view = view_of(release.value)
    if node is not None:
        view.show_node(release.plugin if plugin else release.posterior, node, as_json)
    elif as_json:
        print_json({**summary(release), **view.further(release.value)})
    else:
        _show_release(release)
        view.show_further(release.value)


def _show_release(release: Release[Any]) -> None:
    """Facts about the release, then what can be asked of it."""
    from discreet.release_file.kinds import declared_rows, facts

    print_facts(facts(release))
    headings, rows = declared_rows(release.value)
    write_text("\n")
    print_table("", headings, rows)
