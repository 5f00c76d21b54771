"""Which families are counted in which way: by bit planes, by joint histograms, or all by stacked histograms.

The choice looks at the network and at the number of records, which are public, and at nothing else. It compares how long each
way takes by a few constants that were measured once, with NumPy 2.4 on one machine; a wrong constant costs time and no more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from discreet.counts.bit_planes import Term, bit_planes, terms_of
from discreet.counts.groups import FamilyGroup, family_groups
from discreet.counts.histograms import JointHistograms, stack_families
from discreet.model.network import Family
from discreet.model.tables import Countable

__all__ = ["Way", "choose_ways"]

_FEW_ROWS = 2**11
"""Below this nothing but stacked histograms is worth a thought, and thinking would take longer than counting."""
_PLANE_CELLS = 256
"""Largest table that may be counted by bit planes: larger ones never are faster so."""
_ROWS_PER_CELL, _MOST_CELLS = 8, 2**14
"""Records that make one more cell of a joint table worth while: it must be cleared, added up and summed over."""

# Nanoseconds: for a call of NumPy with what surrounds it, and for each record.
_TERM, _TERM_ROW = 1150.0, 0.0135
_PLANE, _PLANE_ROW = 1500.0, 0.065
_GROUP, _GROUP_ROW, _GROUP_CELL = 3000.0, 1.2, 1.5
_NODE, _NODE_ROW = 1200.0, 0.13
_TABLE, _TABLE_CELL = 7000.0, 1.0
_STACKED, _STACKED_ROW, _STACKED_MEMBER_ROW = 2000.0, 1.4, 0.35


class Way(Protocol):
    """A way to count some families: records become counts, which add up over parts, and those become tables."""

    @property
    def size(self) -> int:
        """How many counts there are."""

    def count(self, codes: Mapping[str, npt.NDArray[Any]], rows: int) -> npt.NDArray[np.int64]:
        """Count so many records: node -> level numbers."""

    def tables(self, counted: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.int64]]:
        """The family tables, configurations x levels, from the sum of all counts."""


def choose_ways(network: Countable, rows: int) -> tuple[Way, ...]:
    """The ways that together count every family once, fast for about so many records at a time.

    Claim:      each family of the network is counted by exactly one of the ways.
    Requires:   nothing: any choice gives the same tables.
    Checked by: tests/unit/counts/test_ways.py::test_every_family_is_counted_in_exactly_one_way
    """
    return _choose(network, 1 << max(0, rows.bit_length() - 1))


@lru_cache(maxsize=64)
def _choose(network: Countable, rows: int) -> tuple[Way, ...]:
    if rows < _FEW_ROWS:
        return (stack_families(network.families),)
    groups = family_groups(network, min(_MOST_CELLS, rows // _ROWS_PER_CELL))
    planes, joint, cost = _divide(groups, network.families, rows)
    if cost + _TABLE * len(network.families) > sum(_stacked_cost(family, rows) for family in network.families):
        return (stack_families(network.families),)
    ways: list[Way] = [bit_planes(planes)] if planes else []
    return (*ways, JointHistograms(joint)) if joint else tuple(ways)


def _divide(
    groups: Sequence[FamilyGroup], families: Sequence[Family], rows: int
) -> tuple[tuple[Family, ...], tuple[FamilyGroup, ...], float]:
    """Families for bit planes, groups for joint histograms, and what both take.

    Families share planes and terms. So at first all are counted by bit planes, and a group leaves them when all that nobody
    else needs takes longer than its histogram, until no other group does.
    """
    needed = terms_of([family for family in families if family.cells <= _PLANE_CELLS])
    users = Counter(term for terms in needed.values() for term in terms)
    staying, cost, before = list(groups), 0.0, -1
    joint: list[FamilyGroup] = []
    while len(joint) != before:
        before = len(joint)
        for group in list(staying):
            own = Counter(term for family in group.families for term in needed.get(family.node, ()))
            alone = _planes_cost([term for term, uses in own.items() if users[term] == uses], rows)
            if alone > _group_cost(group, rows) or any(family.node not in needed for family in group.families):
                staying.remove(group)
                joint.append(group)
                users.subtract(own)
                cost += _group_cost(group, rows)
    cost += _planes_cost([term for term, uses in users.items() if uses], rows)
    return tuple(family for group in staying for family in group.families), tuple(joint), cost


def _planes_cost(terms: Sequence[Term], rows: int) -> float:
    planes = sum(len(term) == 1 for term in terms)
    return len(terms) * (_TERM + _TERM_ROW * rows) + planes * (_PLANE + _PLANE_ROW * rows)


def _group_cost(group: FamilyGroup, rows: int) -> float:
    fixed = _GROUP + _NODE * len(group.nodes) + (_GROUP_CELL + _TABLE_CELL * len(group.families)) * group.cells
    return fixed + rows * (_GROUP_ROW + _NODE_ROW * len(group.nodes))


def _stacked_cost(family: Family, rows: int) -> float:
    return _STACKED + rows * (_STACKED_ROW + _STACKED_MEMBER_ROW * len(family.members))
