"""The sets within a family: what its parities are about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

__all__ = ["subsets"]


def subsets(members: tuple[str, ...]) -> Iterator[frozenset[str]]:
    """Every subset but the empty one, small ones first.

    Claim:      2^s - 1 different sets for s members.
    Requires:   members that differ.
    Checked by: tests/unit/measure/strategies/test_parity_weights.py::test_a_simulation_has_the_predicted_variances
    """
    return (frozenset(chosen) for size in range(1, len(members) + 1) for chosen in combinations(members, size))
