"""Which measurement is a family's own, with the exact law of its noise, and which families are told the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from discreet.measure.laws import KNormNoise
from discreet.measure.measurement import Measurement, contrasts
from discreet.model.network import Family, Network

__all__ = ["own_measurements", "told_measurements"]


def own_measurements(network: Network, measurements: Sequence[Measurement]) -> dict[str, int]:
    """For each family the number of a measurement of exactly its nodes whose rows are the family's, if there is one."""
    by_members = {frozenset(family.members): family.node for family in network.families}
    found: dict[str, int] = {}
    for number, measurement in enumerate(measurements):
        node = by_members.get(frozenset(measurement.nodes))
        alone = isinstance(measurement.law, KNormNoise) and measurement.law.size > 1
        free = contrasts(measurement) == 0 and not alone  # no axis has a meaning of its own
        if node is not None and (free or (contrasts(measurement) <= 1 and measurement.nodes[-1] == node)):
            found.setdefault(node, number)
    return found


def told_measurements(
    families: Sequence[Family], own: dict[str, int], measurements: Sequence[Measurement]
) -> dict[int, list[Measurement]]:
    """Measurements that are no family's own: each is told to the smallest family that contains it, and to no other.

    One that none of these families contains is told to those that have a part of its nodes, no node to two of them.
    """
    found: dict[int, list[Measurement]] = {}
    taken = {own[family.node] for family in families if family.node in own}
    having: dict[str, set[int]] = {}
    for place, family in enumerate(families):
        for node in family.members:
            having.setdefault(node, set()).add(place)
    for number, measurement in enumerate(measurements):
        if number not in taken:
            for place in _listeners(families, having, measurement):
                found.setdefault(place, []).append(measurement)
    return found


def _listeners(families: Sequence[Family], having: Mapping[str, set[int]], measurement: Measurement) -> list[int]:
    """The families that a measurement is told to: one that contains it, or some that share what it says of margins."""
    nodes = measurement.nodes
    contrasted = nodes[len(nodes) - contrasts(measurement) :]  # where these are summed over nothing is known
    near = set[int]().union(*(having.get(node, ()) for node in nodes))
    shared = {place: [node for node in nodes if place in having.get(node, ())] for place in near}
    wanted = [place for place, common in shared.items() if set(contrasted) <= set(common)]
    found: list[int] = []
    left = set(nodes)
    for place in sorted(wanted, key=lambda place: (-len(shared[place]), families[place].cells, place)):
        if left.issuperset(shared[place]):
            found.append(place)
            left -= set(shared[place])
    return found
