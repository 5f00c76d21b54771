"""What was declared, as rows of a table for people: the nodes of a network, the columns of a linear model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.display import listed

if TYPE_CHECKING:
    from discreet.model.linear import LinearModel
    from discreet.model.network import Network

__all__ = ["COLUMN_HEADINGS", "NODE_HEADINGS", "column_rows", "node_rows"]

NODE_HEADINGS = ("node", "levels", "parents")
COLUMN_HEADINGS = ("column", "", "bounds")
_LEVELS = 12


def node_rows(network: Network) -> list[tuple[str, str, str]]:
    """One row for each node, in declared order."""
    return [
        (variable.name, listed(variable.levels, _LEVELS), ", ".join(network.parents[variable.name]))
        for variable in network.variables
    ]


def column_rows(model: LinearModel) -> list[tuple[str, str, str]]:
    """One row for each feature, and one for the target."""
    return [
        (column.name, "target" if column is model.target else "feature", f"{column.low:g} to {column.high:g}")
        for column in model.columns
    ]
