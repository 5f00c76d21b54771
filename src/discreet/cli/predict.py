"""`discreet predict`: the level of a node, or the target of a linear model, for every record of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.files import check_table_output, write_table
from discreet.cli.options import AsJson, Data, Force, Plugin, PosteriorFile
from discreet.cli.render import note, print_json
from discreet.cli.view import Request, view_of

__all__ = ["predict"]


def predict(
    file: PosteriorFile,
    data: Data,
    target: Annotated[
        str | None, typer.Option("--target", metavar="NODE", help="Node to predict; a linear model knows its own.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="Table to write: .csv or .parquet; else CSV on stdout."),
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Also give the probability of every level.")] = False,
    confidence: Annotated[
        Path | None,
        typer.Option("--confidence", metavar="FILE", help="Release of `discreet confidence`, to calibrate probabilities."),
    ] = None,
    plugin: Plugin = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Predict a node for every record of a table, which may lack columns and values. Costs no privacy budget.

    With the release of a linear model: the expected target, and where the target of a new record will lie, if that is known.

    Example: discreet predict clinic.json new_patients.csv --target lung -o predicted.csv
    """
    from discreet.release_file.document import read_value

    check_table_output(output, force=force, inputs=(file, data) if confidence is None else (file, data, confidence))
    if confidence is not None and plugin:
        raise typer.BadParameter("It is about predictions without --plugin.", param_hint="--confidence")
    posterior = read_value(file, plugin=plugin)
    frame, document = view_of(posterior).predict(posterior, Request(file, data, target, proba, confidence, output))
    if output is not None or not as_json:
        write_table(frame, output)
    if output is not None:
        note(f"{frame.height:,} predictions are in {output}.")
    if as_json:
        print_json(document())
