"""Counting by histogram: each record's cell as a number in mixed radix, then one pass that counts numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.model.network import Family

__all__ = ["histogram"]

_CHUNK = 2**15
"""Rows at a time: the cell numbers of a chunk stay in the cache."""


def histogram(family: Family, batches: Sequence[Mapping[str, npt.NDArray[Any]]]) -> npt.NDArray[np.int64]:
    """Count the cells of one family in some batches of records: configurations x levels.

    Claim:      cell (j, k) is the number of records with parent configuration j and level k.       [Paper, Example 1]
    Requires:   level numbers below the sizes of the family's shape (``data`` refuses others).
    Checked by: tests/property/test_counting.py::test_every_way_of_counting_equals_a_count_record_by_record
    """
    total = np.zeros(family.cells, dtype=np.int64)
    for codes in batches:
        for start in range(0, len(codes[family.node]), _CHUNK):
            total += np.bincount(_cells(family, codes, slice(start, start + _CHUNK)), minlength=family.cells)
    return total.reshape(-1, family.levels)


def _cells(family: Family, codes: Mapping[str, npt.NDArray[Any]], part: slice) -> npt.NDArray[Any]:
    """The cell of each record, as a number in mixed radix: the first parent is the most significant digit.

    In the narrowest integers that hold the number of cells, which all numbers and sizes on the way stay within.
    """
    cells = codes[family.members[0]][part].astype(np.min_scalar_type(family.cells))
    for member, size in zip(family.members[1:], family.shape[1:], strict=True):
        cells *= size
        cells += codes[member][part]
    return cells
