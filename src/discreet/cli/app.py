"""The commands, in the order of the pipeline."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.answers import expect, explain, information, probability
from discreet.cli.ask import predict, query, sample, update
from discreet.cli.cache import cache
from discreet.cli.compare import compare
from discreet.cli.confidence import confidence
from discreet.cli.cuts import cuts
from discreet.cli.declare import declare
from discreet.cli.demo import demo
from discreet.cli.export import export
from discreet.cli.failures import TRACEBACK
from discreet.cli.fuse import fuse
from discreet.cli.learn import learn
from discreet.cli.ledger import ledger
from discreet.cli.page import page, report
from discreet.cli.plan import plan
from discreet.cli.plot import plot
from discreet.cli.release import release
from discreet.cli.reproduce import reproduce
from discreet.cli.show import show
from discreet.cli.signature import sign, verify
from discreet.cli.sites import sites
from discreet.version import __version__

__all__ = ["app"]

app = typer.Typer(
    name="discreet",
    add_completion=False,
    pretty_exceptions_enable=False,  # they show the values of variables, which may be records
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"discreet {__version__}")
        raise typer.Exit


@app.callback(
    epilog="Exit codes: 0 done, 2 wrong usage, 3 budget refused, 4 data outside the declared domain, 5 a file cannot be read "
    f"or written. {TRACEBACK}=1 shows where an unexpected error happened; that may show private values."
)
def _discreet(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Publish what private records say about a Bayesian network, with differential privacy, and use what was published.

    Example: discreet demo
    """


_STEWARD = (demo, declare, cuts, learn, plan, release, confidence, sign)
_LOOKING = (verify, show, page, report, plot, export, compare)
_ASKING = (query, probability, expect, information, explain, predict, update, fuse, sites, sample)
for command in (*_STEWARD, *_LOOKING, *_ASKING, ledger, cache):
    app.command()(command)
app.add_typer(reproduce, name="reproduce")
