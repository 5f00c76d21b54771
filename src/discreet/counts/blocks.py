"""Blocks: the statistics of K-norm noise, from family tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from discreet.arrays import Integers
from discreet.counts.margins import margin_counts
from discreet.measure.strategies.blocks import BLOCK_SENSITIVITY, Bundle, Group
from discreet.model.network import Network

__all__ = ["block_counts", "block_sensitivity"]


def block_counts(
    tables: Mapping[str, Integers], network: Network, bundles: Sequence[Bundle]
) -> tuple[tuple[Integers, ...], ...]:
    """For each bundle and group a table of configurations x width, in the order of ``Group.parts``.

    Claim:      the entries are the numbers of records in each configuration of the parents; the number of records with the
                first level of a binary child minus that with the second; or the numbers with each level of a child of more.
    Requires:   ``tables`` of all families of the network; groups whose parents lie inside a family.
    Checked by: tests/property/test_blocks.py::test_blocks_equal_a_sum_over_records
    """
    return tuple(tuple(_blocks(tables, network, group) for group in bundle.groups) for bundle in bundles)


def block_sensitivity() -> int:
    """How far replacing one record moves a bundle of groups, in the norm of its noise.

    Claim:      for every group the sum over its blocks of the largest L1 norm of a part moves by at most 2, so the largest
                over the groups does; 2 is attained. Proof: if the record's configuration stays, one block changes: the count
                does not, a sign by at most 2, a vector with a single one by at most 2 in L1 norm. If it moves from j to j',
                block j loses and block j' gains one record's block, and all parts of that have L1 norm 1.        [GUARANTEES
                10]
    Requires:   neighbours replace one record; the number of records stays.
    Checked by: tests/property/test_blocks.py::test_replacing_one_record_moves_a_group_by_at_most_two_and_two_is_attained
    """
    return BLOCK_SENSITIVITY


def _blocks(tables: Mapping[str, Integers], network: Network, group: Group) -> Integers:
    columns = [_by_configuration(tables, network, group, child) for child in group.children]
    parts = [table[:, :1] - table[:, 1:] if table.shape[1] == 2 else table for table in columns]
    if group.counted:
        source = columns[0] if columns else _by_configuration(tables, network, group, None)
        parts = [source.sum(axis=1, keepdims=True), *parts]
    return np.ascontiguousarray(np.concatenate(parts, axis=1), dtype=np.int64)


def _by_configuration(tables: Mapping[str, Integers], network: Network, group: Group, child: str | None) -> Integers:
    """Counts of the configurations x the levels of the child, or x 1 without one."""
    nodes = group.parents if child is None else (*group.parents, child)
    return margin_counts(tables, network, [nodes])[0].reshape(group.configurations, -1)
