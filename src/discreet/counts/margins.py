"""Margins: how many records have each combination of levels of a few nodes of one family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from discreet.arrays import Integers
from discreet.model.network import Network

__all__ = ["margin_counts", "squared_margin_sensitivity"]


def margin_counts(tables: Mapping[str, Integers], network: Network, margins: Sequence[tuple[str, ...]]) -> list[Integers]:
    """The table of each margin, one axis for each of its nodes in the order given.

    Claim:      each cell is the number of records with its levels.
    Requires:   ``tables`` of all families of the network; margins that lie inside a family.
    Checked by: tests/property/test_blocks.py::test_margins_equal_a_sum_over_records
    """
    return [_margin(tables, network, nodes) for nodes in margins]


def squared_margin_sensitivity() -> int:
    """The square of the Euclidean distance by which replacing one record moves a margin.

    Claim:      at most 2: one cell loses the old record, one gains the new.                      [GUARANTEES 7.2]
    Requires:   neighbours replace one record; the number of records stays.
    Checked by: tests/property/test_blocks.py::test_replacing_one_record_moves_a_margin_by_at_most_the_root_of_two
    """
    return 2


def _margin(tables: Mapping[str, Integers], network: Network, nodes: tuple[str, ...]) -> Integers:
    family = next(family for family in network.families if set(nodes) <= set(family.members))
    left_out = tuple(axis for axis, member in enumerate(family.members) if member not in nodes)
    kept = [member for member in family.members if member in nodes]
    table = tables[family.node].reshape(family.shape).sum(axis=left_out)
    return np.ascontiguousarray(table.transpose([kept.index(node) for node in nodes]), dtype=np.int64)
