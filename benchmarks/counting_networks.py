"""Counting all families of networks of many shapes, a million records each, from one byte per value, in memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import discreet as dc

from .counting import LIMIT, PLAIN, bincount, count, read_once
from .networks import point, sampled
from .results import OURS, Goal, Kind, Row
from .timing import measured

_ROWS, _COLUMNS = 1_000_000, 20
_NAMES = ("asia", "cancer", "earthquake", "hailfinder", "hepar2", "win95pts", "water", "andes", "munin1", "pigs")
_RANDOM = ((2, 0), (2, 2), (2, 6), (2, 7), (3, 2), (5, 2), (20, 1))
"""Levels and parents of each column."""


def run() -> list[Row]:
    """Networks of the literature, then random ones."""
    rows = []
    for name, network, codes in _cases():
        contenders = {
            OURS: lambda network=network, codes=codes: partial(count, network, codes),
            LIMIT: lambda codes=codes: partial(read_once, codes),
            PLAIN: lambda network=network, codes=codes: partial(bincount, network, codes),
        }
        cells = sum(family.cells for family in network.families)
        case = f"{name}: {len(network.nodes)} columns, {cells:,} counts"
        rows += measured("counting_networks", case, contenders, {PLAIN: Goal(Kind.FASTER, 3)})
    return rows


def _cases() -> Iterator[tuple[str, dc.Network, dict[str, np.ndarray]]]:
    for name in _NAMES:
        yield name, point(name).network, sampled(name, _ROWS)
    for levels, parents in _RANDOM:
        yield (f"random, {levels} levels, {parents} parents", *_random(levels, parents))


def _random(levels: int, parents: int) -> tuple[dc.Network, dict[str, np.ndarray]]:
    """Every column has so many of those before it as its parents, as far as there are so many."""
    generator = np.random.default_rng(1)
    nodes = [f"column_{number}" for number in range(_COLUMNS)]
    chosen = {
        node: [nodes[one] for one in generator.choice(place, min(parents, place), replace=False)]
        for place, node in enumerate(nodes)
        if place and parents
    }
    variables = [dc.Variable(node, [str(level) for level in range(levels)]) for node in nodes]
    codes = {node: generator.integers(0, levels, _ROWS).astype(np.uint8) for node in nodes}
    return dc.Network(variables, chosen), codes
