"""How far one record moves the parities of a network: the exact sensitivity behind the paper's Corollary 2.

Replacing a record flips the bits z in which the two differ, and moves exactly those odd counts whose set meets z in an odd
number of nodes, each by one. So the sensitivity is the largest number of such sets, over all z: 2 (|closure| - 1) in the
paper's coefficients at most, usually less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from discreet.measure.strategies.odd_weight import largest_odd_weight
from discreet.model.network import Network

__all__ = ["ParitySensitivity", "parity_sensitivity"]


@dataclass(frozen=True, slots=True)
class ParitySensitivity:
    """An upper bound on how far one record moves all odd counts together, and how it was found."""

    value: int
    exact: bool
    """Whether a replaced record can move that much; otherwise the graph is too entangled to know, and it may be less."""


@lru_cache(maxsize=64)
def parity_sensitivity(network: Network) -> ParitySensitivity:
    """The most odd counts that replacing one record can move.

    Claim:      max over z of #{g in the closure : <g, z> odd} <= value <= |closure| - 1, with equality on the left where
                ``exact``.                                                                   [GUARANTEES 2.2]
    Requires:   variables of two levels.
    Checked by: tests/unit/measure/strategies/test_parity_sensitivity.py::test_the_bound_is_exact_on_small_graphs
                tests/unit/measure/strategies/test_parity_sensitivity.py::test_published_values
    """
    found = largest_odd_weight(network, dict.fromkeys(network.downward_closure - {frozenset()}, 1))
    return ParitySensitivity(found.bound, found.bound == found.attained)
