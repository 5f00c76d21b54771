"""How far some replaced record moves the statistics of a network: lower bounds on sensitivities, found by looking."""

from __future__ import annotations

import numpy as np

from discreet.counts.families import family_counts
from discreet.model.network import Network

__all__ = ["largest_move", "most_odd"]

_STARTS = 20


def largest_move(network: Network, generator: np.random.Generator) -> int:
    """The largest L1 distance of all family counts of two records, among random pairs that differ in every node."""
    import polars as pl

    records = []
    for _ in range(_STARTS):
        first = {variable.name: int(generator.integers(variable.size)) for variable in network.variables}
        records += [first, {variable.name: (first[variable.name] + 1) % variable.size for variable in network.variables}]
    levels = {variable.name: variable.levels for variable in network.variables}
    tables = [
        family_counts(pl.DataFrame([{name: levels[name][code] for name, code in record.items()}]), network)
        for record in records
    ]
    lines = [np.concatenate([table[node].ravel() for node in network.nodes]) for table in tables]
    return max(int(np.abs(old - new).sum()) for old, new in zip(lines[::2], lines[1::2], strict=True))


def most_odd(network: Network, generator: np.random.Generator) -> int:
    """The most parities that a replacement flips: changed nodes are chosen at random, then one by one as long as it helps."""
    nodes = list(network.nodes)
    sets = np.array([[node in members for node in nodes] for members in network.downward_closure if members], dtype=np.int64)
    best = 0
    for _ in range(_STARTS):
        changed = generator.integers(0, 2, len(nodes))
        while True:
            neighbours = (changed + np.vstack([np.zeros_like(changed), np.eye(len(nodes), dtype=np.int64)])) % 2
            flipped = (neighbours @ sets.T % 2).sum(axis=1)
            best = max(best, int(flipped.max()))
            if flipped.argmax() == 0:
                break
            changed = neighbours[flipped.argmax()]
    return best
