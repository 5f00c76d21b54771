"""How the command shows linear models: coefficients, and predictions of the target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from discreet.cli.render import print_table, ready, write_text
from discreet.cli.show import INTERVAL, Predicted, Request, View
from discreet.errors import QueryError
from discreet.progress import progress

if TYPE_CHECKING:
    import polars as pl

    from discreet.inference.linear import Prediction

__all__ = ["LINEAR_VIEW"]


def _refuse_node(posterior: Any, node: str, as_json: bool) -> NoReturn:  # noqa: ARG001 - the interface of a view
    raise QueryError("This release is of a linear model, which has coefficients and no nodes. Leave the node out.")


def _show_coefficients(posterior: Any) -> None:
    """Print the coefficients in the user's units."""
    headings, rows = ready(posterior).summary(INTERVAL).table()
    write_text("\n")
    print_table(f"Coefficients of {posterior.model.target.name}", headings, rows, numbers=3)


def _coefficients(posterior: Any) -> dict[str, Any]:
    found: dict[str, Any] = ready(posterior).summary(INTERVAL).to_dict()
    return found


def _predict(posterior: Any, asked: Request) -> Predicted:
    own = posterior.model.target.name
    if asked.target not in (None, own) or asked.proba or asked.confidence is not None:
        raise typer.BadParameter(f"This release predicts {own!r} and nothing else, without probabilities of levels.")
    ready(posterior)
    with progress("Predicting"):
        predicted = posterior.predict(asked.data)
    return _frame(own, predicted), lambda: _document(own, predicted, asked.output)


def _frame(target: str, predicted: Prediction) -> pl.DataFrame:
    """The expected target and, where the release can tell, where the target of a new record will lie."""
    import polars as pl

    columns = [pl.Series(target, predicted.mean)]
    if predicted.predictive is not None:
        columns += [
            pl.Series(f"{target}_{end}", each) for end, each in zip(("lower", "upper"), predicted.predictive, strict=True)
        ]
    return pl.DataFrame(columns)


def _document(target: str, predicted: Prediction, output: Path | None) -> dict[str, Any]:
    head: dict[str, Any] = {"target": target, "rows": len(predicted), "interval": predicted.interval}
    if output is not None:
        return {**head, "output": str(output)}
    bounds = {} if predicted.predictive is None else dict(zip(("lower", "upper"), predicted.predictive, strict=True))
    return {**head, "predicted": predicted.mean.tolist(), **{end: each.tolist() for end, each in bounds.items()}}


def _draw(posterior: Any, node: str | None) -> Any:
    from discreet.plots.posteriors import draw_coefficients

    if node is not None:
        _refuse_node(posterior, node, as_json=False)
    return draw_coefficients(ready(posterior), interval=INTERVAL)


LINEAR_VIEW = View(
    show_node=_refuse_node,
    show_further=_show_coefficients,
    further=_coefficients,
    predict=_predict,
    draw=_draw,
)
