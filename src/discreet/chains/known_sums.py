"""What is known about sums of a family's cells besides its own numbers: measured ones, and margins that tables share.

A measured sum has noise that is taken as normal. A shared margin is unknown: every table that has it is tied to it, so tables
that share nodes agree. A tie lets a table differ from the margin by a part of what is not known anyway: tighter ties would
hold the chain, looser ones would keep from a table what others know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.chains.table_places import places_of, shape_of
from discreet.measure.measurement import Measurement, contrasts
from discreet.measure.observations import SharedMargins
from discreet.model.network import Family

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["KnownSums", "known_sums"]

_SHARE = 0.5
"""A table's variance around a shared margin, as a share of the margin's variance as far as it is known."""
_LEAST_VARIANCE = 0.25
_LARGEST_MARGIN = 2**8
"""Cells of the largest margins that are tied."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownSums:
    """All sums of all families; each cell is in at most one sum of a layer. The first sum is nobody's."""

    place: Integers = field(repr=False)
    """The sum that each cell counts into: layers x cells."""
    sign: Floats = field(repr=False)
    """What a record in the cell adds to it."""
    family: Integers = field(repr=False)
    """Of each sum; the first belongs to none and is given to the first family."""
    precision: Floats = field(repr=False)
    """Of each sum around its target."""
    measured: Floats = field(repr=False)
    """The targets of measured sums; zero for others."""
    margin: Integers = field(repr=False)
    """For each sum the cell of a shared margin that it is tied to; -1 where it was measured."""
    copies: Floats = field(repr=False)
    """How many tables are tied to each cell of a shared margin."""
    sizes: Integers = field(repr=False)
    """How many cells each shared margin has."""
    ties: Mapping[tuple[str, ...], float] = field(repr=False)
    """The variance of a table's cell around each shared margin."""

    @property
    def nodes(self) -> tuple[tuple[str, ...], ...]:
        """Of each shared margin."""
        return tuple(self.ties)

    @property
    def tied(self) -> Integers:
        """The sums that are tied to a shared margin."""
        return np.flatnonzero(self.margin >= 0)

    def matrix(self) -> csr_array:
        """Sums x cells."""
        from scipy.sparse import csr_array

        cells = np.broadcast_to(np.arange(self.place.shape[1]), self.place.shape)
        entries = np.where(self.place > 0, self.sign, 0).ravel()
        return csr_array((entries, (self.place.ravel(), cells.ravel())), shape=(len(self.family), self.place.shape[1]))


class _Gathered:
    """Sums as they are found, family by family."""

    def __init__(self, families: Sequence[Family]) -> None:
        self.layers: dict[int, list[tuple[Integers, Floats]]] = {number: [] for number in range(len(families))}
        self.family, self.margin = [np.zeros(1, dtype=np.int64)], [np.full(1, -1)]
        self.precision, self.measured = [np.zeros(1)], [np.zeros(1)]
        self._size = 1

    def add(self, number: int, place: Integers, sign: Floats, target: Floats, precision: float, margin: Integers) -> None:
        """Sums of one family: the place of each cell among them and what it adds, and what is known of each."""
        self.layers[number].append((self._size + place, sign))
        self.family.append(np.full(len(target), number))
        self.precision.append(np.full(len(target), precision))
        self.measured.append(target)
        self.margin.append(margin)
        self._size += len(target)


def known_sums(
    families: Sequence[Family],
    told: Mapping[int, Sequence[Measurement]],
    rows: int,
    margins: SharedMargins | None,
) -> KnownSums:
    """Gather the sums of families: ``told`` are measurements that are no family's own, by the number of a family."""
    found = _Gathered(families)
    for number, measurements in told.items():
        for each in measurements:
            place, sign, target = _measured(families[number], each, rows)
            variance = each.variance * (each.published.size / len(target))  # where it has other nodes, these are summed over
            found.add(number, place, sign, target, 1 / max(variance, _LEAST_VARIANCE), np.full(len(target), -1))
    copies, variances = ({}, {}) if margins is None else _tie(found, families, rows, margins)
    place, sign = _stack(families, found.layers)
    return KnownSums(
        place,
        sign,
        np.concatenate(found.family),
        np.concatenate(found.precision),
        np.concatenate(found.measured),
        np.concatenate(found.margin),
        np.concatenate([np.zeros(0), *copies.values()]),
        np.array([len(each) for each in copies.values()], dtype=np.int64),
        variances,
    )


def _tie(
    found: _Gathered, families: Sequence[Family], rows: int, margins: SharedMargins
) -> tuple[dict[tuple[str, ...], Floats], dict[tuple[str, ...], float]]:
    """Tie tables to the margins that they share: for each how many tables its cells have, and the variance of a table."""
    copies: dict[tuple[str, ...], Floats] = {}
    variances: dict[tuple[str, ...], float] = {}
    first = 0
    for nodes, numbers in _shared(families).items():
        shape = shape_of(families[numbers[0]], nodes)
        cells = first + np.arange(int(np.prod(shape)))
        variances[nodes] = variance = _variance(margins.margin(nodes, shape)[1], len(cells), rows)
        for number in numbers:
            place = places_of(families[number], nodes, shape)
            found.add(number, place, np.ones(families[number].cells), np.zeros(len(cells)), 1 / variance, cells)
        copies[nodes] = np.full(len(cells), float(len(numbers)))
        first += len(cells)
    return copies, variances


def _variance(noise: float, cells: int, rows: int) -> float:
    """Of a table around a margin of so many cells, from the variance of these under noise."""
    # Where noise says nothing: that of the cells of tables all of which are equally likely.
    known = (1.0 + rows) ** 2 * max(cells - 1, 1) / (cells**2 * (cells + 1))
    return max(_SHARE / (1 / max(noise, _LEAST_VARIANCE) + 1 / known), _LEAST_VARIANCE)


def _stack(families: Sequence[Family], layers: Mapping[int, list[tuple[Integers, Floats]]]) -> tuple[Integers, Floats]:
    """Layers x cells: a family with fewer sums than others counts into nobody's in the other layers."""
    depth = max((len(each) for each in layers.values()), default=0)
    places, signs = [], []
    for number, family in enumerate(families):
        missing = depth - len(layers[number])
        empty = [(np.zeros(family.cells, dtype=np.int64), np.zeros(family.cells))] * missing
        found = [*layers[number], *empty]
        places.append(np.array([place for place, _ in found], dtype=np.int64).reshape(depth, family.cells))
        signs.append(np.array([sign for _, sign in found], dtype=np.float64).reshape(depth, family.cells))
    return np.concatenate(places, axis=1), np.concatenate(signs, axis=1)


def _measured(family: Family, measurement: Measurement, rows: int) -> tuple[Integers, Floats, Floats]:
    """Of each cell of a family the number of a measurement that it counts into and what it adds; and the numbers.

    Numbers are summed over nodes that the family does not have.
    """
    halves = contrasts(measurement)
    axes = measurement.nodes[: len(measurement.nodes) - halves]
    kept = tuple(node for node in axes if node in family.members)
    levels = np.unravel_index(np.arange(family.cells), family.shape)
    sign = np.ones(family.cells)
    for node in measurement.nodes[len(axes) :]:
        sign *= 1 - 2 * levels[family.members.index(node)]
    numbers = (
        measurement.signed(rows).astype(np.float64).sum(axis=tuple(axis for axis, node in enumerate(axes) if node not in kept))
    )
    return places_of(family, kept, shape_of(family, kept)), sign, numbers.ravel()


def _shared(families: Sequence[Family]) -> dict[tuple[str, ...], tuple[int, ...]]:
    """Sets of nodes that several families have in common, with the families; none within another of the same families."""
    holders: dict[str, list[int]] = {}
    for number, family in enumerate(families):
        for node in family.members:
            holders.setdefault(node, []).append(number)
    neighbours = {pair for numbers in holders.values() for pair in combinations(numbers, 2)}
    common = {frozenset(families[one].members) & frozenset(families[two].members) for one, two in neighbours}
    common |= {frozenset([node]) for node, numbers in holders.items() if len(numbers) > 1}
    found: dict[tuple[int, ...], list[frozenset[str]]] = {}
    for nodes in sorted(common, key=lambda nodes: (len(nodes), sorted(nodes))):
        numbers = tuple(sorted(set.intersection(*(set(holders[node]) for node in nodes))))
        if np.prod(shape_of(families[numbers[0]], sorted(nodes)), dtype=np.int64) <= _LARGEST_MARGIN:
            # A larger set of the same families comes later, and says more.
            found[numbers] = [*(each for each in found.get(numbers, []) if not each < nodes), nodes]
    return {tuple(sorted(nodes)): numbers for numbers, sets in found.items() for nodes in sets}
