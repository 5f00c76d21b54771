"""`discreet predict`: the most probable level of a node for every record of a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.confidence import check_about
from discreet.cli.files import check_table_output, write_table
from discreet.cli.options import AsJson, Data, Force, Plugin, PosteriorFile
from discreet.cli.posterior import ready
from discreet.cli.progress import progress
from discreet.cli.regression import is_regression, prediction_document, prediction_frame
from discreet.cli.render import note, print_json
from discreet.display import listed

if TYPE_CHECKING:
    import polars as pl

    from discreet.posterior import Posterior

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
    from discreet.posterior.posterior_file import read_value

    check_table_output(output, force=force, inputs=(file, data) if confidence is None else (file, data, confidence))
    if confidence is not None and plugin:
        raise typer.BadParameter("It is about predictions without --plugin.", param_hint="--confidence")
    value = read_value(file, plugin=plugin)
    if is_regression(value):
        frame, document = _regression(value, data, target, proba or confidence is not None, output)
    else:
        frame, document = _network(value, data, target, proba, output, _calibrate(confidence, value, target, file))
    if output is not None or not as_json:
        write_table(frame, output)
    if output is not None:
        note(f"{frame.height:,} predictions are in {output}.")
    if as_json:
        print_json(document())


def _network(
    posterior: Posterior,
    data: Path,
    target: str | None,
    proba: bool,
    output: Path | None,
    calibrate: Callable[[Any], Any],
) -> tuple[pl.DataFrame, Callable[[], dict[str, Any]]]:
    from discreet.queries.own_records import encode_without

    if target is None:
        raise typer.BadParameter("Say which node to predict: --target NODE.", param_hint="--target")
    levels = posterior.network.variable(target).levels
    first = next(encode_without(data, posterior.network, target), None)  # what cannot be read should not wait for the chain
    if first is not None:
        _note_absent([node for node in posterior.network.nodes if node not in first and node != target])
    ready(posterior)
    with progress("Predicting"):
        probabilities = calibrate(posterior.predict_proba(data, target))
    return _frame(target, levels, probabilities, proba), lambda: _document(target, levels, probabilities, output)


def _note_absent(nodes: list[str]) -> None:
    """A column that is misspelt looks like one that is not there, so those that are not are named."""
    if nodes:
        note(f"The table has no column for these nodes, which are summed over: {listed(nodes, most=12)}.")


def _calibrate(confidence: Path | None, posterior: Posterior, target: str | None, file: Path) -> Callable[[Any], Any]:
    """What to do with probabilities; a file that does not fit is told before anything is predicted."""
    import discreet
    from discreet.queries.calibration import calibrated, check_confidence
    from discreet.queries.confidence import check_target

    if confidence is None or target is None:
        return lambda probabilities: probabilities
    check_target(posterior.network, target)
    made = discreet.load(confidence)
    found = check_confidence(made.posterior)
    check_about(made, target, file)
    ready(found)
    return lambda probabilities: calibrated(probabilities, found)


def _regression(
    value: Any, data: Path, target: str | None, proba: bool, output: Path | None
) -> tuple[pl.DataFrame, Callable[[], dict[str, Any]]]:
    own = value.model.target.name
    if target not in (None, own) or proba:
        raise typer.BadParameter(f"This release predicts {own!r} and nothing else, without probabilities of levels.")
    with progress("Predicting"):
        predicted = value.predict(data)
    return prediction_frame(own, predicted), lambda: prediction_document(own, predicted, output)


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
