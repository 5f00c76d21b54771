"""Sums of products of contrasts for all pairs of columns, from tables of pairs: integers, before any noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from discreet.arrays import Integers
from discreet.errors import DataError

__all__ = ["contrast_table", "pair_numbers"]

_MOST = 2**62


def contrast_table(levels: int) -> Integers:
    """The contrasts of every level, levels x (levels - 1): ones before the i-th level, -i there, zeros after it.

    Claim:      those of ``kernel/noise/pairs.py``, for which the noise was made.
    Requires:   nothing.
    Checked by: tests/unit/counts/test_pairs.py::test_contrasts_are_those_of_the_kernel
    """
    level, contrast = np.arange(levels)[:, None], np.arange(1, max(levels, 1))[None, :]
    return np.asarray((level < contrast) - contrast * (level == contrast), dtype=np.int64)


def pair_numbers(single: Mapping[str, Integers], table: Callable[[tuple[str, ...]], Integers]) -> Integers:
    """The sums of u_i u_j over all records, for i < j of different columns, row by row. Never publish them.

    Claim:      the numbers for which ``PairedColumns`` says how far one record moves them.
    Requires:   ``single`` counts every column's levels, in declared order, and ``table`` those of two.
    Checked by: tests/unit/counts/test_pairs.py::test_numbers_equal_a_sum_over_records
    """
    nodes = list(single)
    codes = {node: contrast_table(len(single[node])) for node in nodes}
    largest = int(single[nodes[0]].sum()) * max(len(each) for each in single.values()) ** 2
    if largest > _MOST:
        raise DataError("The table has too many records for sums of 64 bits. Take the average of fewer records of a person.")
    ends = np.cumsum([1, *(codes[node].shape[1] for node in nodes)]).tolist()
    whole = np.zeros((ends[-1], ends[-1]), dtype=np.int64)
    owner = np.zeros(ends[-1], dtype=np.int64)
    for place, node in enumerate(nodes):
        own = slice(ends[place], ends[place + 1])
        owner[own] = place + 1
        whole[0, own] = single[node] @ codes[node]
        for other in range(place + 1, len(nodes)):
            block = codes[node].T @ table((node, nodes[other])) @ codes[nodes[other]]
            whole[own, ends[other] : ends[other + 1]] = block
    wanted = np.triu(owner[:, None] != owner[None, :], 1)
    return np.asarray(whole[wanted], dtype=np.int64)
