"""`discreet predict`: the most probable level of a node for every record of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.files import check_table_output, write_table
from discreet.cli.options import AsJson, Data, Force, Plugin, PosteriorFile
from discreet.cli.posterior import ready_posterior
from discreet.cli.progress import progress
from discreet.cli.render import note, print_json

if TYPE_CHECKING:
    import polars as pl

__all__ = ["predict"]


def predict(
    file: PosteriorFile,
    data: Data,
    target: Annotated[str, typer.Option("--target", metavar="NODE", help="Node to predict.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="Table to write: .csv or .parquet; else CSV on stdout."),
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Also give the probability of every level.")] = False,
    plugin: Plugin = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Predict a node for every record of a table, which may lack columns and values. Costs no privacy budget.

    Example: discreet predict clinic.json new_patients.csv --target lung -o predicted.csv
    """
    check_table_output(output, force=force, inputs=(file, data))
    posterior = ready_posterior(file, plugin=plugin)
    levels = posterior.network.variable(target).levels
    with progress("Predicting"):
        probabilities = posterior.predict_proba(data, target)
    frame = _frame(target, levels, probabilities, proba)
    if output is not None or not as_json:
        write_table(frame, output)
    if output is not None:
        note(f"{frame.height:,} predictions are in {output}.")
    if as_json:
        print_json(_document(target, levels, probabilities, output))


def _frame(target: str, levels: tuple[str, ...], probabilities: Any, proba: bool) -> pl.DataFrame:
    """Put the predicted level under the name of the target and, if wanted, a column ``target=level`` for every level."""
    import polars as pl

    names = pl.Series(target, levels, dtype=pl.String)
    columns = [names.gather(probabilities.argmax(axis=1))]
    if proba:
        columns += [pl.Series(f"{target}={level}", probabilities[:, place]) for place, level in enumerate(levels)]
    return pl.DataFrame(columns)


def _document(target: str, levels: tuple[str, ...], probabilities: Any, output: Path | None) -> dict[str, Any]:
    head = {"target": target, "levels": list(levels), "rows": len(probabilities)}
    if output is not None:
        return {**head, "output": str(output)}
    chosen = [levels[place] for place in probabilities.argmax(axis=1)]
    return {**head, "predicted": chosen, "probabilities": probabilities.tolist()}
