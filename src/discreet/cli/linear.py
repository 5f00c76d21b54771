"""Linear models in the command: what `plan`, `release`, `show` and `predict` do where there is no network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from discreet.cli.render import note, print_json, print_lines, print_table
from discreet.errors import QueryError, suggestion

if TYPE_CHECKING:
    import polars as pl

    from discreet.inference.linear import Prediction
    from discreet.model import LinearModel

__all__ = [
    "REGRESSION_MECHANISMS",
    "check_declared",
    "check_fits",
    "is_regression",
    "prediction_document",
    "prediction_frame",
    "print_plan",
    "refuse_node",
    "show_coefficients",
]

REGRESSION_MECHANISMS = ("regression-moments", "regression-moments-gaussian", "regression-sampler")
"""Words for `--mechanism` beside a linear model; the first is the default."""


def check_declared(network: Path | None, model: Path | None) -> None:
    """Exactly one declaration says what the records are about."""
    if (network is None) == (model is None):
        raise typer.BadParameter("Declare what the records are about, once: by a network, or with --model FILE.toml.")


def check_fits(word: str | None, model: Path | None, missing: str | None, prior: str | None) -> None:
    """Refuse a mechanism or an option that belongs to the other kind of declaration."""
    if model is None:
        if word in REGRESSION_MECHANISMS:
            raise typer.BadParameter(f"{word!r} is for linear models: give one with --model.", param_hint="--mechanism")
        return
    if missing is not None or prior is not None:
        raise typer.BadParameter("--missing and --prior are for networks. A linear model declares its own prior.")
    if word is not None and word not in REGRESSION_MECHANISMS:
        hint = suggestion(word, REGRESSION_MECHANISMS)
        raise typer.BadParameter(f"{word!r} is not for linear models.{hint}", param_hint="--mechanism")


def is_regression(value: object) -> bool:
    """Whether a released value is about a linear model."""
    from discreet.model import LinearModel

    return isinstance(getattr(value, "model", None), LinearModel)


def print_plan(model: LinearModel, rows: int, epsilon: str, delta: str | None, as_json: bool) -> None:
    """Say what each mechanism would cost and how wrong predictions with it would be."""
    import discreet
    from discreet.planning.linear import HEADINGS
    from discreet.planning.plan import meanings

    plans = discreet.plan(model, rows=rows, epsilon=epsilon, delta=delta)
    if as_json:
        print_json(plans.to_dict())
        return
    print_table("", HEADINGS, [each.cells() for each in plans], numbers=len(HEADINGS) - 1)
    print_lines(meanings(plans))
    note(f"Both are root mean square errors of the expected {model.target.name}, in its own units, and approximations.")


def show_coefficients(value: Any, interval: float) -> None:
    """Print the coefficients in the user's units."""
    headings, rows = value.summary(interval).table()
    print_table(f"Coefficients of {value.model.target.name}", headings, rows, numbers=3)


def refuse_node(node: str | None) -> None:
    """A regression has no nodes to show."""
    if node is not None:
        raise QueryError("This release is of a linear model, which has coefficients and no nodes. Leave the node out.")


def prediction_frame(target: str, predicted: Prediction) -> pl.DataFrame:
    """The expected target and, where the release can tell, where the target of a new record will lie."""
    import polars as pl

    columns = [pl.Series(target, predicted.mean)]
    if predicted.predictive is not None:
        columns += [
            pl.Series(f"{target}_{end}", each) for end, each in zip(("lower", "upper"), predicted.predictive, strict=True)
        ]
    return pl.DataFrame(columns)


def prediction_document(target: str, predicted: Prediction, output: Path | None) -> dict[str, Any]:
    """The same as plain values."""
    head: dict[str, Any] = {"target": target, "rows": len(predicted), "interval": predicted.interval}
    if output is not None:
        return {**head, "output": str(output)}
    bounds = {} if predicted.predictive is None else dict(zip(("lower", "upper"), predicted.predictive, strict=True))
    return {**head, "predicted": predicted.mean.tolist(), **{end: each.tolist() for end, each in bounds.items()}}
