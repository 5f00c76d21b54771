"""The flip that moves the most: which bits of a record to change so that the sets it makes odd weigh the most.

Each set of the downward closure lies in a family, so the weight of the odd sets is a sum of one table for each maximal family,
and its maximum over all 2^k flips is found one node at a time, as in a query: add up the tables that know the node, keep the
better of its two values. All of it is in 64-bit integers, so what comes out is exact, not nearly so.

How far one record moves the parities of a network: the exact sensitivity behind the paper's Corollary 2.

Replacing a record flips the bits z in which the two differ, and moves exactly those odd counts whose set meets z in an odd
number of nodes, each by one. So the sensitivity is the largest number of such sets, over all z: 2 (|closure| - 1) in the
paper's coefficients at most, usually less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.measure.residuals import walsh_hadamard
from discreet.model.min_fill import min_fill
from discreet.model.network import Network

__all__ = ["OddWeight", "ParitySensitivity", "largest_odd_weight", "odd_weight", "parity_sensitivity"]

_WIDEST = 18
"""Most nodes of a table that is made on the way; tables that would be wider are maximised in parts."""
_LARGEST_TOTAL = 2**60

Weights = Mapping[frozenset[str], int]
_Scope = tuple[str, ...]
_Factor = tuple[_Scope, npt.NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class OddWeight:
    """What the largest weight of odd sets cannot exceed, and a flip that comes as near to it as was found."""

    bound: int
    attained: int
    """The weight of the sets that ``flipped`` makes odd: equal to the bound wherever no table was too wide."""
    flipped: frozenset[str]


def largest_odd_weight(network: Network, weights: Weights, widest: int = _WIDEST) -> OddWeight:
    """Bound the weight of the sets that meet z in an odd number of nodes, over all sets z of nodes.

    Claim:      attained <= max over z of sum_{g : |g & z| odd} weight(g) <= bound, in exact integers; all three are equal
                unless a table was wider than ``widest``. Proof: with each g given to one maximal family S that contains it,
                the sum is sum_S f_S(z in S), f_S = (total - transform) / 2 because (-1)^|g & z| is 1 - 2 [odd]. Maximising
                over one node v: max_v (F(v) + rest) = rest + max_v F(v), F the sum of the tables that know v; and where F is
                kept in parts, max_v sum F_i(v) <= sum max_v F_i(v). ``attained`` is the weight of one z.  [GUARANTEES 2.2]
    Requires:   variables of two levels; non-negative integer weights of exactly the non-empty sets of the downward closure,
                with a total that 64 bits can hold (checked).
    Checked by: tests/unit/measure/strategies/test_odd_weight.py::test_the_bound_is_the_maximum_over_all_flips
                tests/unit/measure/strategies/test_odd_weight.py::test_tables_maximised_in_parts_never_bound_from_below
    """
    if weights.keys() != network.downward_closure - {frozenset()}:
        raise ValueError("Every non-empty set of the downward closure needs a weight, and no other.")
    if any(type(weight) is not int or weight < 0 for weight in weights.values()) or sum(weights.values()) > _LARGEST_TOTAL:
        raise ValueError("Weights are whole numbers of at least zero whose sum 64 bits can hold.")
    turn = {node: place for place, node in enumerate(_order(network))}
    waiting: dict[str, list[_Factor]] = {node: [] for node in turn}  # each table with the first of its nodes in turn
    for scope, table in _factors(network, weights):
        waiting[min(scope, key=turn.__getitem__)].append((scope, table))
    bound, made = 0, []
    for node in turn:
        parts = [_sum(part, node) for part in _parts(waiting[node], widest)]
        made.append((node, parts))
        for scope, table in parts:
            better = table.max(axis=-1)
            if scope[:-1]:
                waiting[min(scope[:-1], key=turn.__getitem__)].append((scope[:-1], better))
            else:
                bound += int(better)
    flipped = _flipped(made)
    return OddWeight(bound, odd_weight(weights, flipped), flipped)


def odd_weight(weights: Weights, flipped: frozenset[str]) -> int:
    """The weight of the sets that meet the flipped nodes in an odd number.

    Claim:      the sum of weights over g with |g & flipped| odd.
    Requires:   nothing.
    Checked by: tests/unit/measure/strategies/test_odd_weight.py::test_the_bound_is_the_maximum_over_all_flips
    """
    return sum(weight for gamma, weight in weights.items() if len(gamma & flipped) % 2)


@lru_cache(maxsize=16)
def _order(network: Network) -> tuple[str, ...]:
    scopes = [frozenset(family.members) for family in network.maximal_families]
    return min_fill(scopes, (), dict.fromkeys(network.nodes, 2))[0]


def _factors(network: Network, weights: Weights) -> Iterator[_Factor]:
    """For each maximal family the weight of its odd sets as a table of the flips of its members."""
    for members, sets in _counted(network):
        table: npt.NDArray[np.int64] = np.zeros((2,) * len(members), dtype=np.int64)
        table.ravel()[[place for place, _ in sets]] = [weights[gamma] for _, gamma in sets]
        yield members, (table.sum() - walsh_hadamard(table)) // 2


@lru_cache(maxsize=16)
def _counted(network: Network) -> tuple[tuple[_Scope, tuple[tuple[int, frozenset[str]], ...]], ...]:
    """For each maximal family its sets with their places in its table; each set in the first family that contains it."""
    known: set[frozenset[str]] = {frozenset()}
    found = []
    for family in network.maximal_families:
        sets = []
        for place, chosen in enumerate(np.ndindex(family.shape)):
            gamma = frozenset(node for node, inside in zip(family.members, chosen, strict=True) if inside)
            if gamma not in known:
                sets.append((place, gamma))
                known.add(gamma)
        found.append((family.members, tuple(sets)))
    return tuple(found)


def _parts(factors: list[_Factor], widest: int) -> list[list[_Factor]]:
    """Group tables, the widest first, so that no sum of a group knows more than ``widest`` nodes unless one table does."""
    groups: list[tuple[set[str], list[_Factor]]] = []
    for factor in sorted(factors, key=lambda factor: -len(factor[0])):
        for nodes, group in groups:
            if len(nodes.union(factor[0])) <= widest:
                nodes.update(factor[0])
                group.append(factor)
                break
        else:
            groups.append((set(factor[0]), [factor]))
    return [group for _, group in groups]


def _sum(factors: list[_Factor], last: str) -> _Factor:
    """The sum of tables, with the axis of one node last."""
    scope = (*dict.fromkeys(node for nodes, _ in factors for node in nodes if node != last), last)
    total: npt.NDArray[np.int64] = np.zeros((2,) * len(scope), dtype=np.int64)
    for nodes, table in factors:
        known = [node for node in scope if node in nodes]
        total += table.transpose([nodes.index(node) for node in known]).reshape([1 + (node in nodes) for node in scope])
    return scope, total


def _flipped(made: list[tuple[str, list[_Factor]]]) -> frozenset[str]:
    """Walk back: every node takes the better value, given those that were decided."""
    chosen: dict[str, int] = {}
    for node, parts in reversed(made):
        gains = sum(table[tuple(chosen[other] for other in scope[:-1])] for scope, table in parts)
        chosen[node] = int(np.argmax(gains))
    return frozenset(node for node, value in chosen.items() if value)


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
