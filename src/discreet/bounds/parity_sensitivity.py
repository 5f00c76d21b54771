"""How far one record moves the parities of a network: the exact sensitivity behind the paper's Corollary 2.

Replacing a record flips the bits z in which the two differ, and moves exactly those odd counts whose set meets z in an odd
number of nodes, each by one. So the sensitivity is the largest number of such sets, over all z: 2 (|closure| - 1) in the
paper's coefficients at most, usually less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.model.network import Network

__all__ = ["ParitySensitivity", "least_sensitivity", "odd_weight", "parity_sensitivity"]

_ENUMERATED_NODES = 16
_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class ParitySensitivity:
    """An upper bound on how far one record moves all odd counts together, and how it was found."""

    value: int
    method: str
    """``enumeration`` (exact), ``families`` (half of each family's sets) or ``dual bound`` (of an integer programme)."""


@lru_cache(maxsize=64)
def parity_sensitivity(network: Network) -> ParitySensitivity:
    """The most odd counts that replacing one record can move.

    Claim:      max over z of #{g in the closure : <g, z> odd} <= value <= |closure| - 1.    [GUARANTEES 2.2]
    Requires:   variables of two levels. A solver's solution is never trusted, only its dual bound, rounded up.
    Checked by: tests/unit/bounds/test_parity_sensitivity.py::test_the_bound_is_exact_on_small_graphs
                tests/unit/bounds/test_parity_sensitivity.py::test_published_values
    """
    sets = [gamma for gamma in network.downward_closure if gamma]
    if len(network.nodes) <= _ENUMERATED_NODES:
        weights = dict.fromkeys(sets, Fraction(1))
        return ParitySensitivity(int(_largest_by_enumeration(network, weights)), "enumeration")
    # Of the sets inside a family of s nodes, at most half of all 2^s can be odd.
    simple = min(len(sets), sum(2 ** (len(family.members) - 1) for family in network.maximal_families))
    if least_sensitivity(network) == simple:
        return ParitySensitivity(simple, "families")
    bound = _dual_bound(network, dict.fromkeys(sets, 1.0))
    if bound is not None and bound < simple:
        return ParitySensitivity(bound, "dual bound")
    return ParitySensitivity(simple, "families")


def least_sensitivity(network: Network) -> int:
    """A number that the sensitivity cannot be below, found at once: exact on small graphs, else flips that move many sets.

    Claim:      max over z of #{g in the closure : <g, z> odd} >= the value, because it is attained by a z.
    Requires:   variables of two levels.
    Checked by: tests/unit/bounds/test_parity_sensitivity.py::test_the_quick_lower_bound_is_below_and_near
    """
    if len(network.nodes) <= _ENUMERATED_NODES:
        return parity_sensitivity(network).value
    return _climbed(network)


def _climbed(network: Network) -> int:
    sets = sorted((gamma for gamma in network.downward_closure if gamma), key=sorted)
    place = {node: index for index, node in enumerate(network.nodes)}
    inside = np.zeros((len(sets), len(place)), dtype=np.int64)
    for row, gamma in enumerate(sets):
        inside[row, [place[node] for node in gamma]] = 1
    return max(_climb(inside, start) for start in (np.zeros(len(place)), np.ones(len(place)), np.arange(len(place)) % 2))


def _climb(inside: npt.NDArray[np.int64], start: npt.NDArray[Any]) -> int:
    """Flip the node that makes the most sets odd, as long as one does."""
    odd = inside @ start.astype(np.int64) % 2
    while True:
        gains = (1 - 2 * odd) @ inside
        best = int(np.argmax(gains))
        if gains[best] <= 0:
            return int(odd.sum())
        odd = odd ^ inside[:, best]


def odd_weight(weights: Mapping[frozenset[str], Fraction], flipped: frozenset[str]) -> Fraction:
    """The weight of the sets that meet the flipped nodes in an odd number.

    Claim:      the sum of weights over g with |g & flipped| odd.
    Requires:   non-negative weights.
    Checked by: tests/unit/bounds/test_parity_sensitivity.py::test_the_bound_is_exact_on_small_graphs
    """
    return sum((weight for gamma, weight in weights.items() if len(gamma & flipped) % 2), Fraction(0))


def _largest_by_enumeration(network: Network, weights: Mapping[frozenset[str], Fraction]) -> Fraction:
    """The largest odd weight over all 2^k flips, in exact integers after clearing denominators."""
    common = math.lcm(*(weight.denominator for weight in weights.values()))
    place = {node: index for index, node in enumerate(network.nodes)}
    masks = np.array([sum(1 << place[node] for node in gamma) for gamma in weights], dtype=np.uint32)
    amounts = np.array([int(weight * common) for weight in weights.values()], dtype=object)
    flips = np.arange(2 ** len(network.nodes), dtype=np.uint32)
    totals = np.zeros(len(flips), dtype=object if common > 2**20 else np.int64)
    for mask, amount in zip(masks, amounts, strict=True):
        totals += (np.bitwise_count(flips & mask) % 2).astype(totals.dtype) * amount
    return Fraction(int(totals.max()), common)


def _dual_bound(network: Network, weights: Mapping[frozenset[str], float]) -> int | None:
    """An upper bound from integer programming: maximise the odd sets subject to |g & z| = 2 t_g + odd_g."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import lil_array

    nodes, sets = len(network.nodes), list(weights)
    place = {node: index for index, node in enumerate(network.nodes)}
    rows = lil_array((len(sets), nodes + 2 * len(sets)))
    for index, gamma in enumerate(sets):
        for node in gamma:
            rows[index, place[node]] = 1
        rows[index, nodes + index] = -1
        rows[index, nodes + len(sets) + index] = -2
    objective = np.concatenate([np.zeros(nodes), [-weights[gamma] for gamma in sets], np.zeros(len(sets))])
    halves = [len(gamma) // 2 for gamma in sets]
    result = milp(
        objective,
        integrality=np.ones(len(objective)),
        bounds=Bounds(0, np.concatenate([np.ones(nodes + len(sets)), halves])),
        constraints=LinearConstraint(rows.tocsr(), 0, 0),
        options={"time_limit": _SECONDS},
    )
    bound = float(getattr(result, "mip_dual_bound", None) or math.nan)
    if not math.isfinite(bound):
        return None
    # The count is an integer, so it is at most the floor of a true bound. Rounding up all but the solver's own tolerance
    # is never below that floor, and forgives a bound that came out a little too small.
    return math.ceil(-bound - 1e-6)
