"""Family tables: how often each level of a node occurs with each configuration of its parents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.counts.counter import FamilyCounter
from discreet.counts.push_down import family_counts_in_engine
from discreet.data.encoding import code_batches
from discreet.data.engines import engine_frame
from discreet.errors import DataError
from discreet.model.network import Network

__all__ = ["family_counts", "family_sensitivity", "table_sensitivity"]


def family_counts(
    data: Any,
    network: Network,
    *,
    missing: str | None = None,
    rows: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, npt.NDArray[np.int64]]:
    """Count every family: node -> table of configurations x levels, first parent slowest. The posterior updates of the paper.

    Records that another engine holds are counted there. ``rows`` is the number of records that is expected, where it is
    known; another number is an error.

    Claim:      each table sums to the number of records, and cell (j, k) is the number of records in which the parents have
                configuration j and the node level k.                                               [Paper, Example 1]
    Requires:   every value is a declared level (``data`` refuses others).
    Checked by: tests/property/test_counting.py::test_every_way_of_counting_equals_a_count_record_by_record
    """
    frame = engine_frame(data)
    if frame is not None:
        tables = family_counts_in_engine(frame, network, missing=missing, progress=progress)
        counted = int(tables[network.nodes[0]].sum())
    else:
        counter = FamilyCounter(network)
        for codes in code_batches(data, network, missing=missing, progress=progress):
            counter.add(codes)
        tables, counted = counter.tables(), counter.rows
    _check_totals(tables, counted)
    if rows is not None and rows != counted:
        raise DataError("The table does not have the declared number of records. Correct the number, or look for damage.")
    return tables


def family_sensitivity(network: Network) -> int:
    """How far replacing one record moves all family tables together, as a sum of absolute differences.

    Claim:      at most 2 |I|, and this is attained: one cell of each table loses the old record, one gains the new.
                                                                                   [Paper, Lemma 1; GUARANTEES 1.1]
    Requires:   neighbours replace one record; the number of records stays.
    Checked by: tests/property/test_counts.py::test_replacing_one_record_moves_at_most_two_cells_per_family
    """
    return 2 * len(network.nodes)


def table_sensitivity() -> int:
    """How far replacing one record moves one family table, as a sum of absolute differences.

    Claim:      at most 2: one cell loses the old record, one gains the new.        [Paper, proof of Lemma 1; GUARANTEES 1.1]
    Requires:   neighbours replace one record; the number of records stays.
    Checked by: tests/property/test_counts.py::test_replacing_one_record_moves_at_most_two_cells_per_family
    """
    return 2


def _check_totals(tables: Mapping[str, npt.NDArray[np.int64]], rows: int) -> None:
    """Every table counts every record once. A defect of a counter would show here before it could be published."""
    if any(int(table.sum()) != rows or int(table.min()) < 0 for table in tables.values()):
        raise RuntimeError("A family table does not sum to the number of records; this is a defect of discreet.")
