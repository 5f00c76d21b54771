"""Counting a network's families chunk by chunk, each family in the way that is fastest for it."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.counts.bit_planes import BitPlanes, bit_planes
from discreet.counts.histogram import histogram
from discreet.data.encoding import Codes
from discreet.model.network import Family, Network

__all__ = ["FamilyCounter"]

CHUNK_ROWS = 2**20
"""Records that are counted at a time; a call's overhead is spread over them."""
_PART_ROWS = 2**19
"""Fewest records that are worth a thread of their own."""
_FEW_ROWS = 2**14
"""Below this a histogram of each family takes less time than packing bits."""
_PLANE_CELLS = 128
"""Largest table that is counted by bit planes: each cell costs an AND and a population count."""


@lru_cache(maxsize=64)
def _chosen(network: Network) -> tuple[BitPlanes | None, tuple[Family, ...]]:
    """Which families are counted by bit planes, and which by histograms."""
    small = tuple(family for family in network.families if family.cells <= _PLANE_CELLS)
    large = tuple(family for family in network.families if family.cells > _PLANE_CELLS)
    return (bit_planes(small) if small else None), large


class FamilyCounter:
    """Adds up the family tables of batches of records. Counts are 64-bit integers: no file is long enough to overflow them."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._planes, self._large = _chosen(network)
        self._terms = np.zeros(self._planes.terms if self._planes else 0, dtype=np.int64)
        self._tables = {
            family.node: np.zeros((family.configurations, family.levels), dtype=np.int64) for family in network.families
        }
        self._waiting: list[Codes] = []
        self._waiting_rows = 0
        self.rows = 0

    def add(self, codes: Codes) -> None:
        """Count a batch, now or together with the next ones."""
        rows = len(codes[self._network.nodes[0]])
        self._waiting.append(codes)
        self._waiting_rows += rows
        self.rows += rows
        if self._waiting_rows >= CHUNK_ROWS:
            self._count_waiting()

    def tables(self) -> dict[str, npt.NDArray[np.int64]]:
        """The tables of all records so far: node -> configurations x levels."""
        self._count_waiting()
        found = dict(self._tables)
        if self._planes is not None:
            for node, table in self._planes.tables(self._terms).items():
                found[node] = found[node] + table
        return found

    def _count_waiting(self) -> None:
        if not self._waiting_rows:
            return
        codes = self._waiting[0] if len(self._waiting) == 1 else _joined(self._waiting)
        rows, self._waiting, self._waiting_rows = self._waiting_rows, [], 0
        planes = self._planes if rows >= _FEW_ROWS else None
        for family in self._large if planes is not None else self._network.families:
            self._tables[family.node] += histogram(family, codes, rows)
        if planes is not None:
            self._terms += _counted_in_parallel(planes, codes, rows)


def _counted_in_parallel(planes: BitPlanes, codes: Codes, rows: int) -> npt.NDArray[np.int64]:
    """Split a chunk among the processor's cores; NumPy lets go of the interpreter while it works."""
    workers = min(os.cpu_count() or 1, max(1, rows // _PART_ROWS))
    size = -(-rows // workers)
    parts = [{node: column[start : start + size] for node, column in codes.items()} for start in range(0, rows, size)]
    lengths = [min(size, rows - start) for start in range(0, rows, size)]
    if workers == 1:
        return planes.count(codes, rows)
    with ThreadPoolExecutor(workers) as pool:
        return np.asarray(np.sum(list(pool.map(planes.count, parts, lengths)), axis=0), dtype=np.int64)


def _joined(batches: list[Codes]) -> dict[str, npt.NDArray[Any]]:
    return {node: np.concatenate([batch[node] for batch in batches]) for node in batches[0]}
