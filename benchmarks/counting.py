"""Counting all families of ALARM from one byte per value, in memory."""

from __future__ import annotations

from functools import partial

import numpy as np

import discreet as dc
from discreet.counts import bit_planes, family_counts, groups, ways
from discreet.counts.families import FamilyCounter
from discreet.data.source import SLICE_ROWS

from . import peers
from .networks import numbered, point, sampled
from .results import OURS, Goal, Kind, Row
from .timing import measured

LIMIT, PLAIN = "reading the bytes once", "NumPy bincount"
FIRST, PUBLIC = "the same, planned anew", "the same from a data frame, checked"
_GOALS = {
    1_000: {PLAIN: Goal(Kind.FASTER, 1)},
    10_000: {PLAIN: Goal(Kind.FASTER, 1)},
    100_000: {PLAIN: Goal(Kind.FASTER, 3)},
    1_000_000: {
        PLAIN: Goal(Kind.FASTER, 3),
        "pgmpy": Goal(Kind.FASTER, 50),
        "pyAgrum": Goal(Kind.FASTER, 20),
        "mbi": Goal(Kind.FASTER, 10),
    },
    10_000_000: {LIMIT: Goal(Kind.SLOWER, 12)},
}


def run() -> list[Row]:
    """All sizes; the slowest peers stop at a million rows."""
    import polars as pl

    network = point("alarm").network
    codes = sampled("alarm", 10_000_000)
    rows = []
    for size in (1_000, 10_000, 100_000, 1_000_000, 10_000_000):
        part = {node: column[:size] for node, column in codes.items()}
        contenders = {
            OURS: lambda part=part: partial(count, network, part),
            FIRST: lambda part=part: partial(count_first, network, part),
            PUBLIC: lambda part=part: partial(family_counts, pl.DataFrame(part), numbered(network)),
            LIMIT: lambda part=part: partial(read_once, part),
            PLAIN: lambda part=part: partial(bincount, network, part),
            "mbi": lambda part=part: peers.mbi(network, part),
        }
        if size <= 1_000_000:
            contenders |= {
                "pyAgrum": lambda part=part: peers.pyagrum(point("alarm"), part),
                "pgmpy": lambda part=part: peers.pgmpy(network, part),
            }
        rows += measured("counting", f"{size:,} rows", contenders, _GOALS.get(size, {}), repeats=5 if size > 100_000 else 15)
    return rows


def count(network: dc.Network, codes: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What the library does with a table in memory once its values are level numbers."""
    counter = FamilyCounter(network)
    rows = len(codes[network.nodes[0]])
    for start in range(0, rows, SLICE_ROWS):
        counter.add({node: column[start : start + SLICE_ROWS] for node, column in codes.items()})
    return counter.tables()


def count_first(network: dc.Network, codes: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same, when nobody has counted this network before."""
    for planned in (ways._choose, groups.family_groups, bit_planes.bit_planes):
        planned.cache_clear()
    return count(network, codes)


def read_once(codes: dict[str, np.ndarray]) -> int:
    """Add up the bytes, eight at a time: nothing that looks at every value can take less on one core."""
    return sum(int(column.view(np.uint64).sum()) for column in codes.values())


def bincount(network: dc.Network, codes: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The plain way: a cell number for each record, then one count, for each family."""
    tables = {}
    for family in network.families:
        cells = np.zeros(len(codes[family.node]), dtype=np.int64)
        for member, size in zip(family.members, family.shape, strict=True):
            cells = cells * size + codes[member]
        tables[family.node] = np.bincount(cells, minlength=family.cells).reshape(-1, family.levels)
    return tables
