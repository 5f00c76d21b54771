"""What the records are about, as the command is told it: a network, a linear model, or a schema with a target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import checked_model_file

if TYPE_CHECKING:
    from discreet.learned import Learned
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
    network: Path | None, model: Path | None, schema: Path | None, target: str | None, *, learning: bool = False
) -> Network | LinearModel | Schema | Learned:
    """Read the one declaration that is given."""
    from discreet.model import read_linear_model, read_schema

    if sum(given is not None for given in (network, model, schema)) != 1:
        said = "by a network, with --model FILE.toml, or with --schema FILE and --target COLUMN."
        raise typer.BadParameter(f"Declare what the records are about, once: {said}")
    if learning and schema is None:
        raise typer.BadParameter("A graph is learned for a schema: give --schema FILE, and no network.", param_hint="--learn")
    if not learning and (schema is None) != (target is None):
        said = "A schema has no graph: --schema and --target go together. A network file may refer to a schema, too."
        raise typer.BadParameter(said, param_hint="--target")
    if schema is not None:
        return read_schema(schema)
    if model is not None:
        return read_linear_model(model)
    return _read_graph(Path(str(network)))


def _read_graph(path: Path) -> Network | Learned:
    """A network, or a graph that was learned, told by what the file says it is."""
    from discreet.model import read_network
    from discreet.release_file.learned_graph import is_learned_file, read_learned

    return read_learned(path) if is_learned_file(path) else read_network(str(path))
