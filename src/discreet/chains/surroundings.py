"""The families that a chain visits for a question: those that the question needs, and others around them.

What a question needs are few tables of a large network. Tables around them know of the margins that they share, so the chain
visits these as well, the nearest first, as long as there are few cells. Of what is further away the published numbers are
told, added up to margins of tables that are visited (``known_sums.py``); what else tables out there would say is next to
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

from discreet.measure.measurement import Measurement, contrasts
from discreet.measure.published import Published
from discreet.model.network import Family, Network

__all__ = ["divide", "few_cells", "full_cells", "surrounding", "visited_cells"]

_FEW_CELLS, _MORE_CELLS, _FEW_NODES = 2**10, 2560, 60
"""Cells of the tables that are visited, in networks of up to so many nodes and in others, which are asked with more patience.

Half as many stand around a question that needs more."""


def divide(network: Network, released: Published) -> tuple[list[Family], list[Family]]:
    """Families with tables to visit, and nodes without parents of which nothing was published but in their children's tables.

    Those are read off the children's tables: as tables of their own they would only follow, and lag behind.
    """
    measured = {measurement.nodes for measurement in released.all_measurements}
    visited: list[Family] = []
    read: list[Family] = []
    for family in network.families:
        follows = not family.parents and network.children[family.node] and (family.node,) not in measured
        (read if follows and released.all_measurements else visited).append(family)
    return visited, read


def surrounding(network: Network, released: Published, nodes: Collection[str]) -> tuple[str, ...]:
    """The nodes whose families a chain visits for a question that needs these nodes, in the order of the network.

    All of a small network.
    """
    visited, read = divide(network, released)
    few = few_cells(network)
    if sum(family.cells for family in visited) <= few:
        return network.nodes
    tables = {family.node: family for family in visited}
    found = set(nodes)
    for node in nodes:
        holders = _holders(network.family(node), visited, released)
        if holders and not any(holder.node in found for holder in holders):
            found.add(min(holders, key=lambda holder: holder.cells).node)
    cells = sum(tables[node].cells for node in found if node in tables)
    few = max(few, cells + few // 2)
    for ring in _rings([family for family in visited if family.node in found], visited):
        sums = accumulate(family.cells for family in ring)
        room = [family for family, more in zip(ring, sums, strict=True) if cells + more <= few]
        found |= {family.node for family in room}
        cells += sum(family.cells for family in room)
        if len(room) < len(ring):
            break
    members = {member for node in found for member in network.family(node).members}
    found |= {family.node for family in read if family.node in members}
    return tuple(node for node in network.nodes if node in found)


def _holders(family: Family, visited: Sequence[Family], released: Published) -> list[Family]:
    """Families with a published table that contains this one, where it has none of its own: one of them must be visited.

    A sum of their numbers would be told it as well, but not beside what other tables are told of the same numbers.
    """
    wider = [set(each.nodes) for each in released.all_measurements if set(each.nodes) >= set(family.members)]
    if any(len(nodes) == len(family.members) for nodes in wider):
        return []
    return [each for each in visited if any(nodes <= set(each.members) for nodes in wider)]


def few_cells(network: Network) -> int:
    """How many cells chains visit in little time, for a network of this size."""
    return _FEW_CELLS if len(network.nodes) <= _FEW_NODES else _MORE_CELLS


def visited_cells(network: Network, released: Published, nodes: Collection[str]) -> int:
    """How many cells the tables of these nodes have that a chain visits."""
    return sum(family.cells for family in divide(network, released)[0] if family.node in nodes)


def full_cells(network: Network, released: Published, nodes: Collection[str]) -> int:
    """How many cells of these tables stand out from the noise of what was published of them: about those with many records."""
    known = [(set(each.nodes), each) for each in released.all_measurements]
    found = 0
    for family in divide(network, released)[0]:
        if family.node in nodes:
            members = set(family.members)
            noise = [
                _noise_of_cell(network, family, each)
                for wider, each in known
                if wider == members or (wider > members and not contrasts(each))
            ]
            found += int((released.near(family) > min(noise)).sum()) if noise else family.cells
    return found


def _noise_of_cell(network: Network, family: Family, measurement: Measurement) -> float:
    """How wide the noise is of a cell of a family, in a measurement of its nodes and perhaps others."""
    summed = math.prod(network.variable(node).size for node in measurement.nodes if node not in family.members)
    # Half the mean magnitude of a contrast is that of each of its cells.
    return math.sqrt(measurement.variance * summed / 2) / (2 if contrasts(measurement) else 1)


def _rings(first: Sequence[Family], families: Sequence[Family]) -> Iterator[list[Family]]:
    """Rings of families around the first: each shares nodes with the last one; small tables come before large ones."""
    having: dict[str, list[Family]] = {}
    for family in families:
        for member in family.members:
            having.setdefault(member, []).append(family)
    seen = {family.node for family in first}
    ring = list(first)
    while ring:
        near = {other.node: other for family in ring for member in family.members for other in having[member]}
        ring = sorted((family for node, family in near.items() if node not in seen), key=lambda family: family.cells)
        seen |= {family.node for family in ring}
        yield ring
