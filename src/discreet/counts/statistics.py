"""What measurements ask of the records, from family tables: integers, before any noise.

Margins: how many records have each combination of levels of a few nodes of one family. Blocks, for K-norm noise, are made of
margins and of contrasts between their levels.

Parities: for each set of binary nodes, in how many records an odd number of them shows its second level. These are the
paper's Fourier coefficients in integers: with n records, phi = n - 2 odd, and the coefficient is 2^(-|I|/2) phi.

What lies inside a family is counted from that family's table, so nothing over all nodes is ever made, and the engine that
counted the families has done all the work that touches records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.errors import ModelError
from discreet.measure.blocks import BLOCK_SENSITIVITY
from discreet.measure.measurement import Asked, Statistic, contrasts
from discreet.measure.residuals import walsh_hadamard
from discreet.model.network import Network

__all__ = ["Parities", "block_sensitivity", "margin_counts", "odd_counts", "squared_margin_sensitivity", "statistics"]


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
        contrast = contrasts(each) > 0  # refuses what is no statistic of a table
        table = margin_counts(tables, network, each.nodes)
        found.append(np.asarray(table[..., 0] - table[..., 1]) if contrast else table)
    return tuple(found)


def block_sensitivity() -> int:
    """How far replacing one record moves a bundle of groups, in the norm of its noise.

    Claim:      for every group the sum over its blocks of the largest L1 norm of a part moves by at most 2, so the largest
                over the groups does; 2 is attained. Proof: if the record's configuration stays, one block changes: the count
                does not, a sign by at most 2, a vector with a single one by at most 2 in L1 norm. If it moves from j to j',
                block j loses and block j' gains one record's block, and all parts of that have L1 norm 1.
                                                                                                  [GUARANTEES 10]
    Requires:   neighbours replace one record; the number of records stays.
    Checked by: tests/property/test_blocks.py::test_replacing_one_record_moves_a_group_by_at_most_two_and_two_is_attained
    """
    return BLOCK_SENSITIVITY


def margin_counts(tables: Mapping[str, Integers], network: Network, nodes: tuple[str, ...]) -> Integers:
    """The table of a margin, one axis for each of its nodes in the order given.

    Claim:      each cell is the number of records with its levels.
    Requires:   ``tables`` of all families of the network; nodes that lie inside a family.
    Checked by: tests/property/test_blocks.py::test_margins_equal_a_sum_over_records
    """
    family = next(family for family in network.families if set(nodes) <= set(family.members))
    left_out = tuple(axis for axis, member in enumerate(family.members) if member not in nodes)
    kept = [member for member in family.members if member in nodes]
    table = tables[family.node].reshape(family.shape).sum(axis=left_out)
    return np.ascontiguousarray(table.transpose([kept.index(node) for node in nodes]), dtype=np.int64)


def squared_margin_sensitivity() -> int:
    """The square of the Euclidean distance by which replacing one record moves a margin.

    Claim:      at most 2: one cell loses the old record, one gains the new.                      [GUARANTEES 7.2]
    Requires:   neighbours replace one record; the number of records stays.
    Checked by: tests/property/test_blocks.py::test_replacing_one_record_moves_a_margin_by_at_most_the_root_of_two
    """
    return 2


Parities: TypeAlias = dict[frozenset[str], int]
"""A number for each non-empty set of the downward closure."""


def odd_counts(tables: Mapping[str, npt.NDArray[np.int64]], network: Network) -> Parities:
    """Count records with odd parity for every non-empty set of the downward closure.

    Claim:      exact: for a table h on binary nodes S and g within S, sum_x (-1)^<g,x> h(x) = n - 2 odd(g).
                Replacing one record x by x' changes odd(g) by at most one, and only if <g, x + x'> is odd.
                                                                            [Paper, Theorem 2; GUARANTEES 2.1, 2.2]
    Requires:   all variables have two levels (checked); the tables are those of ``family_counts``.
    Checked by: tests/property/test_parities.py::test_odd_counts_equal_a_count_record_by_record
                tests/property/test_parities.py::test_replacing_one_record_moves_exactly_the_odd_sets
    """
    if any(variable.size != 2 for variable in network.variables):
        raise ModelError("Parities need variables of two levels. Merge levels, or use the Laplace mechanism.")
    found: Parities = {}
    for family in network.maximal_families:
        table = tables[family.node].reshape(family.shape)
        rows = int(table.sum())
        for place, value in np.ndenumerate(walsh_hadamard(table)):
            gamma = frozenset(node for node, chosen in zip(family.members, place, strict=True) if chosen)
            if gamma:
                found[gamma] = (rows - int(value)) // 2
    return found
