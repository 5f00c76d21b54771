"""Family tables: how often each level of a node occurs with each configuration of its parents.

Records are counted part by part while the next part is read, each family in the way that is fastest for it (``ways``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.counts.push_down import family_counts_in_engine
from discreet.counts.ways import Way, choose_ways
from discreet.data.encoding import Codes, code_batches
from discreet.data.engines import engine_frame
from discreet.errors import DataError, DomainError
from discreet.model.family import empty_cells
from discreet.model.impossible import show_combinations
from discreet.model.network import Network
from discreet.model.tables import Countable, TableSet

__all__ = ["FamilyCounter", "check_possible", "family_counts", "family_sensitivity", "table_counts", "table_sensitivity"]

PART_CELLS = 2**25
"""Values that are gathered before they are counted; the overhead of a call is spread over them."""
PART_ROWS = 2**17
"""Records that are gathered at the most: few enough that the first are counted while the next are read, and no more than a
batch of a file has, which need not be copied to be joined with others then."""
_LEAST_PART_ROWS = 2**13
"""Of many columns, at least so many."""
_WORKERS = os.cpu_count() or 1
_DIVIDED_CELLS = 2**24
"""Values of one batch that are worth more than one thread, which takes half a millisecond to begin."""


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
    Requires:   every value is a declared level (``data`` refuses others); combinations that are declared impossible are
                refused here, whatever engine has counted.
    Checked by: tests/property/test_counting.py::test_every_way_of_counting_equals_a_count_record_by_record
    """
    return _count_all(data, network, missing, rows, progress)


def table_counts(
    data: Any,
    tables: TableSet,
    *,
    missing: str | None = None,
    rows: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, npt.NDArray[np.int64]]:
    """Count tables of any nodes in one pass over the records: name of the table -> all levels but the last x levels of that.

    Claim:      each table sums to the number of records, and each cell is the number of records with its levels: as
                ``family_counts`` of a family with the same members.
    Requires:   as ``family_counts``.
    Checked by: tests/unit/counts/test_tables.py::test_tables_of_any_nodes_equal_the_families_of_a_network
    """
    return _count_all(data, tables, missing, rows, progress)


def _count_all(
    data: Any, network: Countable, missing: str | None, rows: int | None, progress: Callable[[int], None] | None
) -> dict[str, npt.NDArray[np.int64]]:
    frame = engine_frame(data)
    if frame is not None:
        tables = family_counts_in_engine(frame, network, missing=missing, progress=progress)
        counted = int(tables[network.families[0].node].sum())
    else:
        counter = FamilyCounter(network)
        for codes in code_batches(data, network, missing=missing, progress=progress):
            counter.add(codes)
        tables, counted = counter.tables(), counter.rows
    _check_totals(tables, counted)
    check_possible(tables, network)
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


def check_possible(tables: Mapping[str, npt.NDArray[np.int64]], network: Countable) -> None:
    """Refuse counts of records that the declaration says cannot exist, as a value that is not declared is refused.

    Claim:      afterwards every cell that is declared impossible is zero. The refusal says what was declared; neither which
                of it was found, nor how often.
    Requires:   tables of all families of the network.
    Checked by: tests/unit/counts/test_impossible_records.py::test_the_refusal_tells_neither_which_nor_how_many
    """
    if any(family.impossible and tables[family.node][empty_cells(family)].any() for family in network.families):
        raise DomainError(
            "The table holds a combination of levels that is declared impossible. Declared impossible: "
            f"{show_combinations(network.impossible)}. Correct the records, or leave out of the declaration what can occur. "
            "Do not drop the records: their number is published, and would tell."
        )


def _check_totals(tables: Mapping[str, npt.NDArray[np.int64]], rows: int) -> None:
    """Every table counts every record once. A defect of a counter would show here before it could be published."""
    if any(int(table.sum()) != rows or int(table.min()) < 0 for table in tables.values()):
        raise RuntimeError("A family table does not sum to the number of records; this is a defect of discreet.")


class FamilyCounter:
    """Adds up the family tables of batches of records. Counts are 64-bit integers: no file is long enough to overflow them.

    Parts are counted in threads, as many as there are cores, while the caller reads on; NumPy lets go of the interpreter.
    """

    def __init__(self, network: Countable) -> None:
        self._network = network
        self._part_rows = max(_LEAST_PART_ROWS, min(PART_ROWS, PART_CELLS // len(network.nodes)))
        self._ways: tuple[Way, ...] = ()
        self._sums: list[npt.NDArray[np.int64]] = []
        self._waiting: list[Codes] = []
        self._waiting_rows = 0
        self._pool: ThreadPoolExecutor | None = None
        self._running: list[Future[list[npt.NDArray[np.int64]]]] = []
        self.rows = 0

    def add(self, codes: Codes) -> None:
        """Count a batch, sooner or later; one that is longer than a part is divided between the cores."""
        rows = len(codes[self._network.nodes[0]])
        worth_it = rows * len(self._network.nodes) >= _DIVIDED_CELLS
        height = max(self._part_rows, -(-rows // _WORKERS)) if worth_it else max(1, rows)
        for start in range(0, rows, height):
            taken = min(height, rows - start)
            self._wait(codes if taken == rows else {node: codes[node][start : start + taken] for node in codes}, taken)

    def _wait(self, codes: Codes, rows: int) -> None:
        """Gather records. A part is handed to a thread when more follow than belong to it, the last one never."""
        if self._waiting_rows + rows > self._part_rows and 4 * self._waiting_rows >= self._part_rows:
            self._pool = self._pool or ThreadPoolExecutor(_WORKERS)
            self._running.append(self._pool.submit(_count, *self._part()))
        if len(self._running) > _WORKERS:  # no more parts in memory than can be worked on
            self._add_up(self._running.pop(0).result())
        self._waiting.append(codes)
        self._waiting_rows += rows
        self.rows += rows

    def tables(self) -> dict[str, npt.NDArray[np.int64]]:
        """The tables of all records so far: node -> configurations x levels."""
        if self._waiting_rows or not self._ways:
            self._add_up(_count(*self._part()))
        while self._running:
            self._add_up(self._running.pop(0).result())
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        found: dict[str, npt.NDArray[np.int64]] = {}
        for way, counted in zip(self._ways, self._sums, strict=True):
            found |= way.tables(counted)
        return {family.node: found[family.node] for family in self._network.families}

    def _part(self) -> tuple[tuple[Way, ...], list[Codes], int]:
        """Take what is waiting. The ways of the first part are those of all: no later one is much longer."""
        self._ways = self._ways or choose_ways(self._network, self._waiting_rows)
        part = self._ways, self._waiting, self._waiting_rows
        self._waiting, self._waiting_rows = [], 0
        return part

    def _add_up(self, counted: list[npt.NDArray[np.int64]]) -> None:
        self._sums = [sum_ + new for sum_, new in zip(self._sums, counted, strict=True)] if self._sums else counted


def _count(ways: Sequence[Way], batches: Sequence[Codes], rows: int) -> list[npt.NDArray[np.int64]]:
    """Count a part in all ways. Nothing that changes is touched, so that threads may do it at the same time."""
    if not rows:
        return [np.zeros(way.size, dtype=np.int64) for way in ways]
    joined = {node: np.concatenate([codes[node] for codes in batches]) for node in batches[0]} if batches[1:] else batches[0]
    return [way.count(joined, rows) for way in ways]
