"""What the records are about, as the command is told it: a network, a linear model, or a schema with a target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import checked_model_file

if TYPE_CHECKING:
    from discreet.model import LinearModel, Network, Schema

__all__ = ["SchemaOption", "TargetOption", "read_declared"]

SchemaOption = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        callback=checked_model_file,
        help="Schema of the columns instead of a network, .json: of it naive Bayes is made, for --target.",
    ),
]
TargetOption = Annotated[
    str | None, typer.Option("--target", metavar="COLUMN", help="The column that is to be predicted, with --schema.")
]


def read_declared(
    network: Path | None, model: Path | None, schema: Path | None, target: str | None
) -> Network | LinearModel | Schema:
    """Read the one declaration that is given."""
    from discreet.model import read_linear_model, read_network, read_schema

    if sum(given is not None for given in (network, model, schema)) != 1:
        said = "by a network, with --model FILE.toml, or with --schema FILE and --target COLUMN."
        raise typer.BadParameter(f"Declare what the records are about, once: {said}")
    if (schema is None) != (target is None):
        said = "A schema has no graph: --schema and --target go together. A network file may refer to a schema, too."
        raise typer.BadParameter(said, param_hint="--target")
    if schema is not None:
        return read_schema(schema)
    return read_network(str(network)) if model is None else read_linear_model(model)
