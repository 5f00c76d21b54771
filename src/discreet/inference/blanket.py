"""The fast way to predict: a node's Markov blanket decides its distribution, and only the families that contain it matter.

Families are merged while the table of the merged ones stays small. Sixteen yes-or-no features then cost two look-ups for a
record instead of sixteen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.inference.beliefs import Beliefs
from discreet.inference.elimination import Codes, mixed_radix
from discreet.model.network import Family, Network

__all__ = ["Blanket", "make_blanket"]

_MERGED_CONFIGURATIONS = 2**12
_CHUNK = 2**15


@dataclass(frozen=True, slots=True, eq=False)
class _LogTable:
    """Log probabilities of the target's levels (first axis) for each configuration of the members (second axis)."""

    members: tuple[str, ...]
    sizes: tuple[int, ...]
    logs: npt.NDArray[Any]

    def at(self, codes: Mapping[str, Codes], piece: slice) -> npt.NDArray[Any]:
        """Levels x records."""
        if not self.members:
            return self.logs
        numbers = mixed_radix([codes[member][piece] for member in self.members], self.sizes).astype(np.intp)
        return self.logs.take(numbers, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Blanket:
    """A target with the log tables of the families that contain it."""

    nodes: frozenset[str]
    """The Markov blanket: parents, children and the children's other parents."""
    tables: tuple[_LogTable, ...]
    levels: int

    def probability(self, codes: Mapping[str, Codes], rows: int) -> Floats:
        """Distribution of the target for each record, records x levels; not a number where a record is impossible."""
        result = np.empty((rows, self.levels))
        for start in range(0, rows, _CHUNK):
            piece = slice(start, min(start + _CHUNK, rows))
            logs = np.zeros((self.levels, piece.stop - start))
            for table in self.tables:
                logs += table.at(codes, piece)
            with np.errstate(invalid="ignore", under="ignore"):
                logs -= logs.max(axis=0)
                np.exp(logs, out=logs)
                logs /= logs.sum(axis=0)
            result[piece] = logs.T
        return result


def make_blanket(beliefs: Beliefs, target: str) -> Blanket:
    """Gather the families that contain the target, at the mean parameters."""
    network = beliefs.network
    families = [network.family(node) for node in (target, *network.children[target])]
    nodes = frozenset(member for family in families for member in family.members) - {target}
    tables = tuple(_merge(beliefs, target, group) for group in _groups(network, target, families))
    return Blanket(nodes, tables, network.variable(target).size)


def _groups(network: Network, target: str, families: list[Family]) -> list[list[Family]]:
    groups: list[list[Family]] = []
    members: set[str] = set()
    for family in families:
        together = members | set(family.members)
        if groups and math.prod(network.variable(node).size for node in together - {target}) <= _MERGED_CONFIGURATIONS:
            groups[-1].append(family)
            members = together
        else:
            groups.append([family])
            members = set(family.members)
    return groups


def _merge(beliefs: Beliefs, target: str, families: list[Family]) -> _LogTable:
    """The sum of the families' log tables over all their members."""
    network = beliefs.network
    others = sorted({member for family in families for member in family.members} - {target}, key=network.nodes.index)
    axes = {node: axis for axis, node in enumerate([target, *others])}
    total = np.zeros([network.variable(node).size for node in axes])
    for family in families:
        with np.errstate(divide="ignore"):
            logs = np.log(beliefs.mean(family.node)).reshape(family.shape)
        order = sorted(range(len(family.members)), key=lambda axis: axes[family.members[axis]])
        spread = tuple(slice(None) if node in family.members else None for node in axes)
        total += logs.transpose(order)[spread]
    return _LogTable(tuple(others), total.shape[1:], np.ascontiguousarray(total.reshape(total.shape[0], -1)))
