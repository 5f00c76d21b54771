"""What was declared: the kinds of model that there are, and how each shows itself to people and to programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from discreet.display import listed
from discreet.guarantee import Caveat
from discreet.model.files.strict_json import show_text

if TYPE_CHECKING:
    from discreet.model.linear import LinearModel
    from discreet.model.network import Network

__all__ = [
    "COLUMN_HEADINGS",
    "LINEAR_MODELS",
    "NETWORKS",
    "NODE_HEADINGS",
    "Model",
    "ModelKind",
    "column_rows",
    "kind_of_model",
    "node_rows",
]

M = TypeVar("M")

NODE_HEADINGS = ("node", "levels", "parents")
COLUMN_HEADINGS = ("column", "", "bounds")
_LEVELS = 12


def _nothing(_model: object) -> tuple[Caveat, ...]:
    return ()


@dataclass(frozen=True, slots=True, eq=False)
class ModelKind(Generic[M]):
    """A kind of model: what is true of all such models, whatever they declare. A model says of which kind it is."""

    plural: str
    """What such models are called in sentences."""
    declares_prior: bool
    """Whether the declaration says all about prior and gaps, so that a release is given neither."""
    headings: tuple[str, ...]
    rows: Callable[[M], list[tuple[str, str, str]]]
    """What was declared, as a table for people."""
    to_dict: Callable[[M], dict[str, Any]]
    """What can be asked about, in a form that JSON can carry."""
    caveats: Callable[[M], tuple[Caveat, ...]] = _nothing
    """What whoever reads a release must know about what was declared."""


class Model(Protocol):
    """What everybody may know before any record is read."""

    @property
    def kind(self) -> ModelKind[Any]:
        """The kind of model that it is."""
        ...


def kind_of_model(thing: object) -> ModelKind[Any] | None:
    """The kind of a model; None for whatever is no model. Its type is asked, since a table may have a column "kind"."""
    kind = getattr(type(thing), "kind", None)
    return kind if isinstance(kind, ModelKind) else None


def node_rows(network: Network) -> list[tuple[str, str, str]]:
    """One row for each node, in declared order."""
    return [
        (variable.shown_name, listed(variable.shown_levels, _LEVELS), ", ".join(network.parents[variable.name]))
        for variable in network.variables
    ]


def column_rows(model: LinearModel) -> list[tuple[str, str, str]]:
    """One row for each feature, and one for the target."""
    return [
        (column.name, "target" if column is model.target else "feature", f"{column.low:g} to {column.high:g}")
        for column in model.columns
    ]


def _nodes(network: Network) -> dict[str, Any]:
    parents = network.parents
    nodes = [
        {"name": variable.name, "levels": list(variable.levels), "parents": list(parents[variable.name])}
        for variable in network.variables
    ]
    impossible = [dict(each) for each in network.impossible]
    return {"nodes": nodes, **({"impossible": impossible} if impossible else {})}


def _columns(model: LinearModel) -> dict[str, Any]:
    return {"columns": [{"name": column.name, "bounds": [column.low, column.high]} for column in model.columns]}


def _chosen_cuts(network: Network) -> tuple[Caveat, ...]:
    """Which cuts were chosen from records: they were paid for, but not by what a release of this network costs."""
    receipts = [(variable.name, variable.reading.receipt) for variable in network.variables if variable.reading is not None]
    return tuple(
        Caveat(
            "chosen-cuts",
            f"The cuts of {show_text(name)} were chosen privately from records. That was paid for apart, and is not in the "
            f"guarantee of this release: {receipt}.",
        )
        for name, receipt in receipts
        if receipt is not None
    )


NETWORKS: ModelKind[Network] = ModelKind("networks", False, NODE_HEADINGS, node_rows, _nodes, _chosen_cuts)
LINEAR_MODELS: ModelKind[LinearModel] = ModelKind("linear models", True, COLUMN_HEADINGS, column_rows, _columns)
