"""Family tables: how often each level of a node occurs with each configuration of its parents.

Records are counted part by part while the next part is read, each family in the way that is fastest for it: by bit planes, or
by a histogram of the numbers of cells.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.counts.bit_planes import BitPlanes, bit_planes
from discreet.counts.push_down import family_counts_in_engine
from discreet.data.encoding import Codes, code_batches
from discreet.data.engines import engine_frame
from discreet.errors import DataError, DomainError
from discreet.model.family import empty_cells
from discreet.model.impossible import show_combinations
from discreet.model.network import Family, Network

__all__ = ["FamilyCounter", "check_possible", "family_counts", "family_sensitivity", "histogram", "table_sensitivity"]

PART_CELLS = 2**25
"""Values that are gathered before they are counted; the overhead of a call is spread over them."""
PART_ROWS = 2**18
"""Records that are gathered at the most: few enough that the first are counted while the next are read."""
_FEW_ROWS = 2**13
"""Below this a histogram of each family takes less time than packing bits."""
_PLANE_CELLS = 128
"""Largest table that is counted by bit planes: each cell costs an AND and a population count."""
_CELL_ROWS = 2**11
"""Records in a part that make one more cell worth its calls: in short parts only smaller tables are counted by bit planes."""
_CHUNK = 2**15
"""Rows at a time: the cell numbers of a chunk stay in the cache."""


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


def check_possible(tables: Mapping[str, npt.NDArray[np.int64]], network: Network) -> None:
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


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The counts of a part: terms of the bit planes, and the tables that were counted by histograms."""

    terms: npt.NDArray[np.int64]
    tables: dict[str, npt.NDArray[np.int64]]


@lru_cache(maxsize=64)
def _choose(network: Network, part_rows: int) -> tuple[BitPlanes | None, tuple[Family, ...]]:
    """Which families are counted by bit planes, and which by histograms."""
    limit = min(_PLANE_CELLS, part_rows // _CELL_ROWS)
    small = tuple(family for family in network.families if family.cells <= limit)
    large = tuple(family for family in network.families if family.cells > limit)
    return (bit_planes(small) if small else None), large


class FamilyCounter:
    """Adds up the family tables of batches of records. Counts are 64-bit integers: no file is long enough to overflow them.

    Parts are counted in threads, as many as there are cores, while the caller reads on; NumPy lets go of the interpreter.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._part_rows = max(_FEW_ROWS, min(PART_ROWS, PART_CELLS // len(network.nodes)))
        self._planes, self._large = _choose(network, self._part_rows)
        self._terms = np.zeros(self._planes.terms if self._planes else 0, dtype=np.int64)
        self._tables = {
            family.node: np.zeros((family.configurations, family.levels), dtype=np.int64) for family in network.families
        }
        self._waiting: list[Codes] = []
        self._waiting_rows = 0
        self._workers = os.cpu_count() or 1
        self._pool: ThreadPoolExecutor | None = None
        self._running: list[Future[_Counted]] = []
        self.rows = 0

    def add(self, codes: Codes) -> None:
        """Count a batch, sooner or later. A part is handed to a thread when another batch follows it, the last one never."""
        if self._waiting_rows >= self._part_rows:
            self._pool = self._pool or ThreadPoolExecutor(self._workers)
            self._running.append(self._pool.submit(self._count, *self._part()))
        if len(self._running) > self._workers:  # no more parts in memory than can be worked on
            self._add_up(self._running.pop(0).result())
        rows = len(codes[self._network.nodes[0]])
        self._waiting.append(codes)
        self._waiting_rows += rows
        self.rows += rows

    def tables(self) -> dict[str, npt.NDArray[np.int64]]:
        """The tables of all records so far: node -> configurations x levels."""
        if self._waiting_rows:
            self._add_up(self._count(*self._part()))
        while self._running:
            self._add_up(self._running.pop(0).result())
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        found = dict(self._tables)
        if self._planes is not None:
            for node, table in self._planes.tables(self._terms).items():
                found[node] = found[node] + table
        return found

    def _part(self) -> tuple[list[Codes], int]:
        """Take what is waiting."""
        part = self._waiting, self._waiting_rows
        self._waiting, self._waiting_rows = [], 0
        return part

    def _count(self, batches: list[Codes], rows: int) -> _Counted:
        """Count a part. Touches nothing of this object that changes, so that threads may do it at the same time."""
        planes = self._planes if rows >= _FEW_ROWS else None
        by_histogram = self._network.families if planes is None else self._large
        tables = {family.node: histogram(family, batches) for family in by_histogram}
        return _Counted(planes.count(batches, rows) if planes else np.zeros_like(self._terms), tables)

    def _add_up(self, counted: _Counted) -> None:
        self._terms += counted.terms
        for node, table in counted.tables.items():
            self._tables[node] += table


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
