"""How probable a table of records is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.inference.beliefs import Beliefs
from discreet.inference.elimination import Codes, mixed_radix
from discreet.inference.gaps import complete, eliminations
from discreet.inference.own_records import encode
from discreet.model.network import Network

__all__ = ["log_likelihood"]


def log_likelihood(beliefs: Beliefs, data: Any) -> float:
    """Log probability of the records at the mean parameters, summed over records; minus infinity if one is impossible.

    What a record leaves out (an absent column, a missing value) is summed over.
    """
    network = beliefs.network
    tables = {node: beliefs.mean(node) for node in network.nodes}
    total = 0.0
    for codes in encode(data, network):
        rows = len(next(iter(codes.values())))
        whole = complete(network, codes, network.nodes, rows)
        if whole.any():
            chosen = slice(None) if whole.all() else np.flatnonzero(whole)
            total += _complete_records(network, tables, {node: column[chosen] for node, column in codes.items()})
        for piece, part in eliminations(beliefs, (), codes, np.flatnonzero(~whole)):
            total += float(np.broadcast_to(part.log_evidence, piece.shape).sum())
    return total


def _complete_records(network: Network, tables: Mapping[str, Floats], codes: Mapping[str, Codes]) -> float:
    """Each cell of each table, as often as it occurs."""
    total = 0.0
    for family in network.families:
        cells = mixed_radix([codes[member] for member in family.members], family.shape)
        counts = np.bincount(cells, minlength=family.cells)
        seen = np.flatnonzero(counts)
        with np.errstate(divide="ignore"):
            total += float(counts[seen] @ np.log(tables[family.node].reshape(-1)[seen]))
    return total
