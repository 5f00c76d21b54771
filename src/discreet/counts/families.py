"""Family tables: how often each level of a node occurs with each configuration of its parents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.data.encoding import Codes, code_batches
from discreet.model.network import Family, Network

__all__ = ["family_counts", "family_sensitivity"]


def family_counts(
    data: Any,
    network: Network,
    *,
    missing: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, npt.NDArray[np.int64]]:
    """Count every family: node -> table of configurations x levels, first parent slowest. The posterior updates of the paper.

    Claim:      each table sums to the number of records, and cell (j, k) is the number of records in which the parents have
                configuration j and the node level k.                                               [Paper, Example 1]
    Requires:   every value is a declared level (``data`` refuses others).
    Checked by: tests/property/test_counts.py::test_tables_equal_a_count_record_by_record
    """
    tables = {family.node: np.zeros(family.cells, dtype=np.int64) for family in network.families}
    for codes in code_batches(data, network, missing=missing, progress=progress):
        for family in network.families:
            tables[family.node] += np.bincount(_cell_numbers(family, codes), minlength=family.cells)
    return {family.node: tables[family.node].reshape(-1, family.levels) for family in network.families}


def family_sensitivity(network: Network) -> int:
    """How far replacing one record moves all family tables together, as a sum of absolute differences.

    Claim:      at most 2 |I|, and this is attained: one cell of each table loses the old record, one gains the new.
                                                                                   [Paper, Lemma 1; GUARANTEES 1.1]
    Requires:   neighbours replace one record; the number of records stays.
    Checked by: tests/property/test_counts.py::test_replacing_one_record_moves_at_most_two_cells_per_family
    """
    return 2 * len(network.nodes)


def _cell_numbers(family: Family, codes: Codes) -> npt.NDArray[np.intp]:
    """The cell of each record, as a number in mixed radix: the first parent is the most significant digit."""
    cells = codes[family.members[0]].astype(np.intp)
    for member, size in zip(family.members[1:], family.shape[1:], strict=True):
        cells *= size
        cells += codes[member]
    return cells
