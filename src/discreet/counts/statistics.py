"""What measurements ask of the records, from family tables: integers, before any noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from discreet.arrays import Integers
from discreet.counts.margins import margin_counts
from discreet.counts.parities import odd_counts
from discreet.measure.measurement import Asked, Statistic
from discreet.model.network import Network

__all__ = ["statistics"]


def statistics(tables: Mapping[str, Integers], network: Network, asked: Sequence[Asked]) -> tuple[Integers, ...]:
    """The exact numbers that each measurement asks for, one axis for each node that is not contrasted. Never publish them.

    Claim:      COUNTS: the numbers of records with each combination of levels; CONTRAST: for each configuration of the other
                nodes, the number of records with the first level of the last node minus that with the second; PARITY: the
                number of records in which an odd number of the nodes shows its second level.
    Requires:   ``tables`` of all families of the network; nodes that lie inside a family; contrasted ones of two levels.
    Checked by: tests/property/test_blocks.py::test_blocks_equal_a_sum_over_records
                tests/property/test_blocks.py::test_margins_equal_a_sum_over_records
                tests/property/test_parities.py::test_odd_counts_equal_a_count_record_by_record
    """
    parities = any(each.statistic is Statistic.PARITY for each in asked)
    odd = odd_counts(tables, network) if parities else {}
    found: list[Integers] = []
    for each in asked:
        if each.statistic is Statistic.PARITY:
            found.append(np.array(odd[frozenset(each.nodes)], dtype=np.int64))
            continue
        (table,) = margin_counts(tables, network, [each.nodes])
        contrast = each.statistic is Statistic.CONTRAST
        found.append(np.asarray(table[..., 0] - table[..., 1]) if contrast else table)
    return tuple(found)
