"""Tables of counts in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import FormatError
from discreet.model.files.json_parts import LARGEST_INTEGER, json_list, json_object
from discreet.model.network import Family

__all__ = ["counts_from_json", "lists"]


def counts_from_json(
    content: object, families: tuple[Family, ...], what: str, smallest: int = -LARGEST_INTEGER
) -> dict[str, npt.NDArray[np.int64]]:
    """Tables of integers for these families and no others."""
    entries = json_object(content, what, [family.node for family in families])
    tables = {}
    for family in families:
        table = json_list(entries[family.node], what)
        if len(table) != family.configurations or any(type(row) is not list or len(row) != family.levels for row in table):
            raise FormatError(f"The table of {family.node!r} has the wrong shape in the file.")
        if any(type(value) is not int or not smallest <= value < LARGEST_INTEGER for row in table for value in row):
            raise FormatError(f"The table of {family.node!r} holds something that is not a count.")
        tables[family.node] = np.array(table, dtype=np.int64)
    return tables


def lists(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Tables as JSON can carry them."""
    return {node: table.tolist() for node, table in tables.items()}
