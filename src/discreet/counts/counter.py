"""Counting a network's families part by part, each family in the way that is fastest for it, while the next part is read."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.counts.bit_planes import BitPlanes, bit_planes
from discreet.counts.histogram import histogram
from discreet.data.encoding import Codes
from discreet.model.network import Family, Network

__all__ = ["FamilyCounter"]

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
