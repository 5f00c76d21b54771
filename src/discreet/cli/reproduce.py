"""`discreet reproduce`: the paper's figures, its table and its claims, as printed and as they are true."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import NetworkFile, whole
from discreet.cli.render import note, print_json, print_table
from discreet.progress import progress

if TYPE_CHECKING:
    from discreet.experiments.study import Outcome, Study

__all__ = ["reproduce"]

reproduce = typer.Typer(
    no_args_is_help=True,
    help="Reproduce the paper's figures, table and claims, and where they differ. Each takes seconds to minutes: see its help."
    "\n\nExample: discreet reproduce claims",
)

Folder = Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to leave the files.")]
Seed = Annotated[int, typer.Option("--seed", metavar="S", parser=whole(0), help="The same seed gives the same numbers.")]
PublicData = Annotated[
    Path | None, typer.Option("--data", metavar="FILE", exists=True, dir_okay=False, help="Public records: CSV or Parquet.")
]


@reproduce.command()
def figure1(
    output: Folder = Path("reproduction"),
    rows: Annotated[int, typer.Option("--rows", metavar="N", parser=whole(2), help="Training records.")] = 50,
    features: Annotated[
        int, typer.Option("--features", metavar="D", parser=whole(1), help="Features of the synthetic records.")
    ] = 16,
    repeats: Annotated[int, typer.Option("--repeats", metavar="R", parser=whole(1))] = 100,
    data: PublicData = None,
    target: Annotated[str | None, typer.Option("--target", metavar="COLUMN", help="The class, with --data.")] = None,
    seed: Seed = 2016,
) -> None:
    """Accuracy of naive Bayes against epsilon, for every mechanism.

    Takes about 140 seconds of processor time, on two cores if there are two; that goes with the number of repeats.

    Example: discreet reproduce figure1 --repeats 20
    """
    from discreet.experiments.figure1 import figure1 as study
    from discreet.experiments.figure1 import write_figure1

    _check_together(data, target)
    planned = study(
        rows=rows, features=features, repeats=repeats, seed=seed, data=None if data is None else str(data), target=target
    )
    _carry_out(planned, output, write_figure1)


@reproduce.command()
def figure2(
    output: Folder = Path("reproduction"),
    rows: Annotated[
        int, typer.Option("--rows", metavar="N", parser=whole(40), help="Synthetic records, a tenth for training.")
    ] = 370_000,
    repeats: Annotated[int, typer.Option("--repeats", metavar="R", parser=whole(1))] = 20,
    data: PublicData = None,
    target: Annotated[str | None, typer.Option("--target", metavar="COLUMN", help="What to predict, with --data.")] = None,
    seed: Seed = 2016,
) -> None:
    """Squared error of linear regression against the precision of the prior.

    Takes about 90 seconds of processor time, on two cores if there are two; that goes with the number of repeats.

    Example: discreet reproduce figure2 --repeats 5
    """
    from discreet.experiments.figure2 import figure2 as study
    from discreet.experiments.figure2 import write_figure2

    _check_together(data, target)
    planned = study(rows=rows, repeats=repeats, seed=seed, data=None if data is None else str(data), target=target)
    _carry_out(planned, output, write_figure2)


@reproduce.command()
def table1(
    network: NetworkFile = None,
    output: Folder = Path("reproduction"),
    rows: Annotated[int, typer.Option("--rows", metavar="N", parser=whole(2), help="Number of records.")] = 50,
    epsilon: Annotated[str, typer.Option("--epsilon", metavar="E", help="Privacy budget, as a decimal or a fraction.")] = "2",
    seed: Seed = 2016,
) -> None:
    """Privacy and utility of every mechanism: printed, corrected, measured. Default: naive Bayes with 16 features.

    Takes about 10 seconds of processor time, and more for larger networks.

    Example: discreet reproduce table1 --rows 1000 --epsilon 5
    """
    from discreet.experiments.claims import naive_bayes_16
    from discreet.experiments.table1 import COLUMNS, PARTS, lines, write_table1
    from discreet.experiments.table1 import table1 as evaluate
    from discreet.guarantee import exact
    from discreet.model.convert import as_network

    public, started = naive_bayes_16() if network is None else as_network(network), time.monotonic()
    with progress("Evaluating", lambda: PARTS, "parts") as advance:
        entries = evaluate(public, rows, exact(epsilon), seed, advance)
    print_table("", COLUMNS[:-1], [line[:-1] for line in lines(entries)], numbers=3)
    named = "naive Bayes, 16 features" if network is None else Path(network).name
    settings = {"network": named, "rows": rows, "epsilon": epsilon, "seed": seed}
    for path in write_table1(entries, output, settings, time.monotonic() - started):
        note(f"Wrote {path}")


@reproduce.command()
def claims(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")] = False,
) -> None:
    """Examine every statement of the paper by a computation: holds, sharpened, corrected or rejected.

    Takes about 3 seconds of processor time.

    Example: discreet reproduce claims
    """
    from discreet.experiments.claims import examine, statements

    with progress("Examining", lambda: len(statements()), "statements") as advance:
        findings = examine(advance)
    if as_json:
        print_json({"claims": [finding.to_dict() for finding in findings]})
    else:
        rows = [(each.item, each.verdict, each.numbers, "yes" if each.agrees else "NO") for each in findings]
        print_table("", ("statement", "verdict", "what was computed", "borne out"), rows)
    if not all(finding.agrees for finding in findings):
        note("A computation contradicts its verdict: please report this.")
        raise typer.Exit(1)


def _check_together(data: Path | None, target: str | None) -> None:
    if (data is None) != (target is None):
        raise typer.BadParameter("Give --data and --target together: the file and the column to predict.")


def _carry_out(study: Study, folder: Path, write: Callable[[Outcome, Path, float], tuple[Path, ...]]) -> None:
    """Run a study with a progress bar and write its files; an interrupted one leaves those of the repeats that it did."""
    from discreet.experiments.study import run

    started = time.monotonic()
    with progress(f"Reproducing {study.name}", lambda: study.repeats, "repeats") as advance:
        outcome = run(study, folder, advance)
    if not outcome.done:
        note("Stopped before the first repeat was done; nothing was written.")
        raise typer.Exit(130)
    for path in write(outcome, folder, time.monotonic() - started):
        note(f"Wrote {path}")
    if not outcome.complete:
        note(f"Stopped after {outcome.done} of {study.repeats} repeats, which the files show. The same command goes on.")
        raise typer.Exit(130)
