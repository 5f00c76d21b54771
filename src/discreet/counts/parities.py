"""Parities: for each set of binary nodes, in how many records an odd number of them shows its second level.

These are the paper's Fourier coefficients in integers: with n records, phi = n - 2 odd, and the coefficient is
2^(-|I|/2) phi. A set inside a family is counted from that family's table, so nothing over all nodes is ever made, and the
engine that counted the families has done all the work that touches records.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import ModelError
from discreet.measure.walsh_hadamard import walsh_hadamard
from discreet.model.network import Network

__all__ = ["Parities", "odd_counts"]

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
