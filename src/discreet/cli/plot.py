"""`discreet plot`: a picture of a release, of a ledger, or of what a budget buys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.files import check_output
from discreet.cli.options import (
    Force,
    HolderPrior,
    NoCache,
    Output,
    PlanDelta,
    check_not_swapped,
    checked_model_file,
    make_prior,
    whole,
)
from discreet.cli.questions import split_given
from discreet.cli.render import note, prepare
from discreet.cli.show import view_of

__all__ = ["plot"]

_PICTURES = (".png", ".svg", ".pdf")
_BUDGETS = ("0.1", "0.2", "0.5", "1", "2", "5")
_LEDGER = b"SQLite format 3\0"


def plot(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", callback=checked_model_file, help="Release file, network file, or ledger. The content says which."
        ),
    ],
    output: Output,
    node: Annotated[str | None, typer.Argument(metavar="NODE", help="Node whose probabilities to draw; else all.")] = None,
    given: Annotated[
        list[str] | None, typer.Option("--given", metavar="NODE=LEVEL", help="Draw the density given this; may be repeated.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="FILE", help="Draw densities against those of another such file.")
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option("--rows", metavar="N", parser=whole(1), help="Of a network: predicted errors at several budgets."),
    ] = None,
    delta: PlanDelta = None,
    dataset: Annotated[str | None, typer.Option("--dataset", metavar="NAME", help="Data set of a ledger.")] = None,
    prior: HolderPrior = None,
    force: Force = False,
    no_cache: NoCache = False,
) -> None:
    """Draw how sure a release is, what a ledger has spent over time, or, with --rows, what a budget buys.

    Of a release: its network, the intervals of one node, its densities against a baseline, or the coefficients of a line.

    Example: discreet plot clinic.json lung -o lung.png
    """
    check_not_swapped(file, node)
    if output.suffix.lower() not in _PICTURES:
        raise typer.BadParameter("The name of a picture must end in .png, .svg or .pdf.", param_hint="--output")
    check_output(output, force=force, inputs=tuple(filter(None, (file, against))))
    if _is_ledger(file):
        _check_unused(node=node, given=given, against=against, rows=rows)
        axes = _draw_ledger(file, dataset)
    elif rows is not None:
        _check_unused(node=node, given=given, against=against, dataset=dataset)
        axes = _draw_budgets(file, rows, delta)
    else:
        _check_unused(delta=delta, dataset=dataset)
        axes = _draw_release(file, node, given or [], against, make_prior(prior), cache=not no_cache)
    _save(axes, output, force=force)


def _check_unused(**options: object) -> None:
    """Refuse words that the picture has no use for: who writes them expects another picture."""
    for name, value in options.items():
        if value:
            raise typer.BadParameter(
                "This does not belong to such a picture.", param_hint=name if name == "node" else f"--{name}"
            )


def _is_ledger(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(_LEDGER)) == _LEDGER
    except OSError:
        return False  # whoever reads it as something else says what is wrong with it


def _draw_ledger(file: Path, dataset: str | None) -> Any:
    import discreet
    from discreet.errors import suggestion
    from discreet.plots.axes import draw_budget

    accounts = {account.dataset: account for account in discreet.Ledger.datasets(file)}
    if dataset is None and len(accounts) == 1:
        (dataset,) = accounts
    if dataset not in accounts:
        said = "The ledger has several data sets; name one." if dataset is None else "The ledger has no data set of that name."
        raise typer.BadParameter(f"{said}{suggestion(dataset, accounts)}", param_hint="--dataset")
    return draw_budget(accounts[dataset])


def _draw_budgets(file: Path, rows: int, delta: str | None) -> Any:
    import discreet
    from discreet.plots.axes import draw_plans
    from discreet.progress import progress

    network = discreet.read_network(file)
    with progress("Planning"):
        plans = [discreet.plan(network, rows=rows, epsilon=epsilon, delta=delta) for epsilon in _BUDGETS]
    axes = draw_plans(plans)
    axes.set_title(f"{rows:,} records", fontsize=10, loc="left")
    return axes


def _draw_release(file: Path, node: str | None, given: list[str], against: Path | None, prior: Any, *, cache: bool) -> Any:
    from discreet.inference.question import check_question
    from discreet.plots.densities import draw_answer
    from discreet.release_file.document import read_posterior, read_value

    if not given and against is None:
        posterior = read_value(file, prior=prior, cache=cache)
        return view_of(posterior).draw(posterior, node)
    if node is None:
        raise typer.BadParameter("Say of which node to draw the density.", param_hint="NODE")
    asked = read_posterior(file, prior=prior, cache=cache)
    baseline = None if against is None else read_posterior(against, cache=cache)
    known = split_given(given, asked.network)
    for each in filter(None, (asked, baseline)):
        check_question(each.network, node, known)  # a wrong word should not have to wait for the chain
        prepare(each)
    names = (file.name, "" if against is None else against.name)
    return draw_answer(asked, node, known, baseline=baseline, names=names)


def _save(axes: Any, output: Path, *, force: bool) -> None:
    import io

    from discreet.output_file import write_atomically

    picture = io.BytesIO()
    axes.figure.savefig(picture, format=output.suffix.lower()[1:], dpi=130)
    write_atomically(output, picture.getvalue(), overwrite=force)
    note(f"The picture is in {output}.")
