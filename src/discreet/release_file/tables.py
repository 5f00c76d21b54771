"""Tables of counts in a file.

Grid points of split probabilities in a release file: lists of whole numbers in units of 2^-32, kept by the law's floor.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from discreet.arrays import Integers
from discreet.errors import FormatError
from discreet.measure.strategies.lipschitz import GRID_BITS
from discreet.model.files.json_parts import json_object
from discreet.model.files.plain_shapes import Integer, Table
from discreet.model.files.shape import Entry, MapOf, Shared
from discreet.model.network import Family, Network

__all__ = ["SPLITS", "check_floor", "lists", "splits_of"]


def lists(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Tables as JSON can carry them."""
    return {node: table.tolist() for node, table in tables.items()}


def _grid(least: int) -> Integer:
    return Integer(least, 2**GRID_BITS - least, "whole numbers between floor and ceiling")


_DRAWS = Table(_grid(1), 3, least=1, too_few="There are no draws of {} in the release file. Ask the steward for it again.")
SPLITS = Entry(
    Shared(
        "splits",
        Entry(
            MapOf(Entry(_DRAWS, "The draws of {}"), least=1),
            says="Node -> draws -> parent configurations (first parent slowest) -> splits of the levels, as probabilities of"
            " the first part in units of 2^-32. A split parts levels start .. end - 1 after ceil((end - start) / 2) of "
            "them; splits "
            "are listed with those of the first part before those of the second.",
        ),
    ),
    "The draws",
)


def splits_of(tables: dict[str, list[Any]], network: Network, floor: Fraction) -> dict[str, Integers]:
    """Node -> draws x configurations x splits; every node with the same number of draws, kept by the floor."""
    json_object(tables, "The draws", network.nodes)
    kept = _grid(max(int(floor * 2**GRID_BITS), 1))
    found = {family.node: _checked(tables[family.node], family, kept) for family in network.families}
    if len({len(table) for table in found.values()}) != 1:
        raise FormatError("The nodes in the release file do not have the same number of draws.")
    return found


def _checked(draws: list[Any], family: Family, kept: Integer) -> Integers:
    rows = list(chain.from_iterable(draws))
    if {len(draw) for draw in draws} != {family.configurations} or {len(row) for row in rows} != {family.levels - 1}:
        raise FormatError(f"The draws of {family.node!r} have the wrong shape in the file.")
    if not kept.holds(list(chain.from_iterable(rows))):
        raise FormatError(f"The draws of {family.node!r} must be {kept.called}.")
    return np.array(draws, dtype=np.int64)


def check_floor(floor: Fraction) -> Fraction:
    """A floor on the grid, below one half; 0 for none."""
    if floor >= Fraction(1, 2) or (floor * 2**GRID_BITS).denominator != 1:
        raise FormatError("The floor in the release file is not a multiple of 2^-32 below one half.")
    return floor
