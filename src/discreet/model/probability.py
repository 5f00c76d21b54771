"""Probability tables: one row per parent configuration (first parent slowest), one column per level."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from discreet.errors import ModelError
from discreet.model.network import Family, Network

__all__ = ["ProbabilityTable", "check_probabilities", "check_tables", "name_configuration"]

ProbabilityTable = npt.NDArray[np.float64]

_REFUSED = 1e-2
"""A row further from one than this is a mistake; published networks round their probabilities to a few digits."""

_EXACT = 1e-12
"""A row this near to one is left as it is, so that reading back what was written changes nothing."""


def name_configuration(network: Network, family: Family, row: int) -> str:
    """Name a row of a family's table: ``(smoke=yes, age=old)``."""
    if not family.parents:
        return "()"
    indices = np.unravel_index(row, family.shape[:-1])
    pairs = zip(family.parents, indices, strict=True)
    return "(" + ", ".join(f"{parent}={network.variable(parent).levels[int(index)]}" for parent, index in pairs) + ")"


def check_probabilities(network: Network, node: str, values: npt.ArrayLike) -> ProbabilityTable:
    """Check a node's table and normalise its rows, or say which row is wrong."""
    family = network.family(node)
    shape = (family.configurations, family.levels)
    try:
        table = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"The table of {node!r} is not a table of numbers.") from None
    if table.shape != shape:
        raise ModelError(f"The table of {node!r} has shape {table.shape}; it must be {shape}: configurations x levels.")
    sums = table.sum(axis=1)
    wrong = ~(np.isfinite(sums) & (np.abs(sums - 1.0) <= _REFUSED) & (table >= 0).all(axis=1))
    if wrong.any():
        where = name_configuration(network, family, int(wrong.argmax()))
        raise ModelError(f"The probabilities of {node!r} in configuration {where} must be at least zero and sum to one.")
    uneven = np.abs(sums - 1.0) > _EXACT
    table[uneven] /= sums[uneven, np.newaxis]
    return table


def check_tables(network: Network, tables: Mapping[str, npt.ArrayLike]) -> dict[str, ProbabilityTable]:
    """Check the tables of all nodes; each node must have one."""
    if not isinstance(tables, Mapping):
        raise ModelError("The tables are a mapping from each node to its table: configurations x levels.")
    missing = [node for node in network.nodes if node not in tables]
    if missing:
        raise ModelError(f"There are no probabilities for {missing[0]!r}; give a table for every node.")
    extra = [node for node in tables if node not in network.parents]
    if extra:
        raise ModelError(f"There is a table for {extra[0]!r}, which is not a node of the network; remove it.")
    return {node: check_probabilities(network, node, tables[node]) for node in network.nodes}
