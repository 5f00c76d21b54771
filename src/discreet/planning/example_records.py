"""Records as they might be, before any is seen: one network drawn from the prior, and counts of records drawn from it.

A steward can look at them as if they were hers. They follow from what is declared alone: probabilities that a network file may
have are not used, since they may come from records.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from discreet.arrays import Floats
from discreet.model.family import zero_probabilities
from discreet.model.network import Family, Network

__all__ = ["draw_example", "example_counts"]

_SEED = 2016  # pages must be reproducible; nothing here is released
_MOST_CODES = 4_000_000
"""Levels that are drawn, over all nodes and records; of more records so many are drawn and their counts are scaled up."""


def example_counts(network: Network, rows: int) -> dict[str, Floats]:
    """The counts of every family, configurations x levels, among so many records of a network drawn from a uniform prior.

    Claim:      depends on public quantities alone; the same for the same network and rows.
    Requires:   rows >= 1.
    Checked by: tests/unit/planning/test_plan_grid.py::test_example_records_follow_from_what_is_declared
    """
    drawn = max(1, min(rows, _MOST_CODES // len(network.nodes)))
    codes = draw_example(network, drawn)
    return {family.node: _count(family, codes) * (rows / drawn) for family in network.families}


def draw_example(network: Network, rows: int) -> Mapping[str, np.ndarray]:
    """The records themselves, as numbers of levels: node -> records.

    Claim:      depends on public quantities alone; none is declared impossible.
    Requires:   rows >= 1.
    Checked by: tests/unit/planning/test_plan_grid.py::test_example_records_follow_from_what_is_declared
    """
    generator, codes = np.random.default_rng(_SEED), dict[str, np.ndarray]()
    for node in network.topological_order:
        family = network.family(node)
        possible = np.where(zero_probabilities(family), 0.0, 1.0)
        table = generator.standard_gamma(possible) + 1e-300 * possible
        shares = np.cumsum(table, axis=1) / np.maximum(table.sum(axis=1, keepdims=True), 1e-300)
        place = _configuration(family, codes, rows)
        codes[node] = np.minimum((generator.random(rows)[:, None] >= shares[place]).sum(axis=1), family.levels - 1)
    return codes


def _configuration(family: Family, codes: Mapping[str, np.ndarray], rows: int) -> np.ndarray:
    """The number of each record's configuration of the parents, the first parent slowest."""
    place = np.zeros(rows, dtype=np.int64)
    for parent, size in zip(family.parents, family.shape[:-1], strict=True):
        place = place * size + codes[parent]
    return place


def _count(family: Family, codes: Mapping[str, np.ndarray]) -> Floats:
    cells = _configuration(family, codes, len(codes[family.node])) * family.levels + codes[family.node]
    return np.bincount(cells, minlength=family.cells).reshape(family.configurations, family.levels).astype(np.float64)
