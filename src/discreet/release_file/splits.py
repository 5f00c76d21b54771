"""Grid points of split probabilities in a release file: lists of whole numbers in units of 2^-32, kept by the law's floor."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import Integers
from discreet.errors import FormatError
from discreet.measure.strategies.lipschitz import GRID_BITS
from discreet.model.files.json_parts import json_fraction, json_list, json_object
from discreet.model.network import Family, Network

__all__ = ["floor_from_json", "floor_to_json", "splits_from_json"]


def splits_from_json(content: object, network: Network, floor: Fraction) -> dict[str, Integers]:
    """Node -> draws x configurations x splits; every node with the same number of draws, at least one."""
    entries = json_object(content, "The draws", network.nodes)
    least = max(int(floor * 2**GRID_BITS), 1)
    found = {family.node: _table(entries[family.node], family, least) for family in network.families}
    if len({len(table) for table in found.values()}) != 1:
        raise FormatError("The nodes in the release file do not have the same number of draws.")
    return found


def _table(content: object, family: Family, least: int) -> Integers:
    draws = json_list(content, "The draws")
    for draw in draws:
        rows = json_list(draw, "The draws")
        fits = len(rows) == family.configurations and all(type(row) is list and len(row) == family.levels - 1 for row in rows)
        if not fits:
            raise FormatError(f"The draws of {family.node!r} have the wrong shape in the file.")
        if any(type(value) is not int or not least <= value <= 2**GRID_BITS - least for row in rows for value in row):
            raise FormatError(f"The draws of {family.node!r} hold something that is outside floor and ceiling.")
    if not draws:
        raise FormatError(f"There are no draws of {family.node!r} in the file.")
    return np.array(draws, dtype=np.int64)


def floor_to_json(floor: Fraction) -> Any:
    """The floor as exact text; none where draws are not truncated."""
    return str(floor) if floor else None


def floor_from_json(content: object) -> Fraction:
    """A floor on the grid, below one half; 0 for none."""
    if content is None:
        return Fraction(0)
    floor = json_fraction(content, "The floor")
    if floor >= Fraction(1, 2) or (floor * 2**GRID_BITS).denominator != 1:
        raise FormatError("The floor in the release file is not a multiple of 2^-32 below one half.")
    return floor
