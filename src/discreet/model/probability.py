"""Probability tables: one row per parent configuration (first parent slowest), one column per level; and trees of splits.

A categorical variable is a balanced binary tree of splits: which half of the levels, then which half of that, and so on. A
Dirichlet distribution of the levels is a product of independent Beta distributions of the splits. A variable with m levels
has m - 1 splits; each level is reached by at most ceil(log2 m) of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.errors import ModelError
from discreet.model.family import zero_probabilities
from discreet.model.network import Family, Network

__all__ = [
    "ProbabilityTable",
    "Split",
    "check_probabilities",
    "check_tables",
    "check_zeros",
    "depth",
    "levels_from_splits",
    "name_configuration",
    "sides",
    "splits",
    "touched",
]

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


def check_zeros(network: Network, tables: Mapping[str, ProbabilityTable]) -> None:
    """Refuse tables that give a probability to what the network declares impossible."""
    for family in network.families:
        if family.impossible and tables[family.node][zero_probabilities(family)].any():
            raise ModelError(
                f"The table of {family.node!r} gives a probability to what is declared impossible; write 0 there, or leave it "
                "out of the declaration."
            )


Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True, slots=True)
class Split:
    """The levels start .. end - 1, parted at middle. The split's probability is that of the first part."""

    start: int
    middle: int
    end: int


@lru_cache(maxsize=256)
def splits(levels: int) -> tuple[Split, ...]:
    """The splits of a variable with so many levels; each before those inside it."""
    found: list[Split] = []
    waiting = [(0, levels)]
    while waiting:
        start, end = waiting.pop()
        if end - start > 1:
            middle = (start + end + 1) // 2
            found.append(Split(start, middle, end))
            waiting += [(middle, end), (start, middle)]
    return tuple(found)


def depth(levels: int) -> int:
    """The most splits that lead to a level: ceil(log2 m)."""
    return (levels - 1).bit_length()


def touched(family: Family) -> int:
    """The most splits of a family's table that the old and the new record pass, those that both pass in one way left out.

    Records in different parent configurations pass different splits: the longest path twice. A node without parents has one
    configuration: there the two paths part at some split, which both pass; at worst at the first.
    """
    if family.configurations > 1:
        return 2 * depth(family.levels)
    first = splits(family.levels)[0]
    return 2 + depth(first.middle) + depth(first.end - first.middle)


def sides(table: npt.NDArray[Number]) -> tuple[npt.NDArray[Number], npt.NDArray[Number]]:
    """Sums of the levels on the first and on the second side of every split: configurations x splits each."""
    parted = splits(table.shape[-1])
    first = np.stack([table[..., split.start : split.middle].sum(axis=-1) for split in parted], axis=-1)
    second = np.stack([table[..., split.middle : split.end].sum(axis=-1) for split in parted], axis=-1)
    return first, second


def levels_from_splits(values: Floats) -> Floats:
    """Probabilities of the levels from those of the splits: last axis of length m - 1 to length m."""
    parted = splits(values.shape[-1] + 1)
    result = np.ones((*values.shape[:-1], values.shape[-1] + 1))
    for place, split in enumerate(parted):
        result[..., split.start : split.middle] *= values[..., place, None]
        result[..., split.middle : split.end] *= 1 - values[..., place, None]
    return result
