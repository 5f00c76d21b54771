"""A family's table as a margin of a wider one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from discreet.arrays import Floats
from discreet.model.network import Family, Network

__all__ = ["margin", "margin_of"]


def margin_of(source: Family, table: Floats, family: Family) -> Floats:
    """Sum a family's table, one axis per member, down to another family that it contains."""
    axes = tuple(axis for axis, member in enumerate(source.members) if member not in family.members)
    kept = [member for member in source.members if member in family.members]
    return np.asarray(table.sum(axis=axes).transpose([kept.index(member) for member in family.members]))


def margin(network: Network, tables: Mapping[str, Floats], family: Family) -> Floats:
    """A family's table from those of the maximal families, which agree: the first that contains it will do."""
    wider = (each for each in network.maximal_families if set(family.members) <= set(each.members))
    source = network.family(family.node) if family.node in tables else next(wider)
    return margin_of(source, tables[source.node], family)
