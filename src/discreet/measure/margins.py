"""A family's table as a margin of a wider one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from discreet.arrays import Floats
from discreet.model.network import Family, Network

__all__ = ["margin", "margin_of"]


def margin_of(nodes: tuple[str, ...], table: Floats, family: Family) -> Floats:
    """Sum a table, one axis for each of these nodes, down to a family that it contains."""
    axes = tuple(axis for axis, node in enumerate(nodes) if node not in family.members)
    kept = [node for node in nodes if node in family.members]
    return np.asarray(table.sum(axis=axes).transpose([kept.index(member) for member in family.members]))


def margin(network: Network, tables: Mapping[str, Floats], family: Family) -> Floats:
    """A family's table from those of the maximal families, which agree: the first that contains it will do."""
    wider = (each for each in network.maximal_families if set(family.members) <= set(each.members))
    source = network.family(family.node) if family.node in tables else next(wider)
    return margin_of(source.members, tables[source.node], family)
