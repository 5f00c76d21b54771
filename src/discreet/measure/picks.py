"""Single columns and pairs that were picked one by one, as they were published, and what they say: margins, tables of pairs.

Of a pair only what goes together is taken from its own numbers; what each column says alone was measured once, before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from discreet.arrays import Floats
from discreet.errors import ModelError
from discreet.measure.measurement import Measurement, Statistic

__all__ = ["PickedPairs"]

_LEAST = 0.25
"""Of the noise's deviation: no level of a column is less probable."""


@dataclass(frozen=True, eq=False)
class PickedPairs:
    """Noisy numbers of single columns, and of some pairs of them, each with noise of its own; several of one are averaged."""

    sizes: Mapping[str, int]
    """How many levels each column has, in declared order."""
    rows: int
    measurements: tuple[Measurement, ...] = field(repr=False)

    def __post_init__(self) -> None:
        single = {each.nodes for each in self.measurements if len(each.nodes) == 1}
        wide = {(node,) for node, size in self.sizes.items() if size > 1}
        if not wide <= single or any(
            len(each.nodes) > 2 or not set(each.nodes) <= set(self.sizes) for each in self.measurements
        ):
            raise ModelError("A graph from picked pairs needs every column measured, and of each pair numbers of its own.")

    @cached_property
    def _columns(self) -> dict[str, tuple[Floats, float]]:
        """Of each column how far its levels are from even, as probabilities, and the deviation of their noise."""
        found = {}
        for node, size in self.sizes.items():
            own = [each for each in self.measurements if each.nodes == (node,)]
            found[node] = _average(_alone(each, self.rows) for each in own) if own else (np.zeros(size), 0.0)
        return found

    @cached_property
    def margins(self) -> dict[str, Floats]:
        """The probabilities of each column's levels, none of them zero."""
        found = {}
        for node, (uneven, deviation) in self._columns.items():
            kept = np.maximum(1 / self.sizes[node] + uneven, _LEAST * deviation)
            found[node] = kept / kept.sum()
        return found

    def margin_spread(self, node: str) -> float:
        """How far noise moves the margin of a column, as a probability: further, where it has two levels and others more."""
        return self._columns[node][1]

    @cached_property
    def _pairs(self) -> dict[frozenset[str], tuple[tuple[str, str], Floats, float]]:
        """Of each pair that was picked, what goes together, and the deviation of the noise of each of its contrasts."""
        order = {node: place for place, node in enumerate(self.sizes)}
        found: dict[frozenset[str], list[tuple[Floats, float]]] = {}
        for each in self.measurements:
            if len(each.nodes) == 2:
                table, deviation = _together(each, self.rows)
                turned = order[each.nodes[0]] > order[each.nodes[1]]
                found.setdefault(frozenset(each.nodes), []).append((table.T if turned else table, deviation))
        named = {pair: sorted(pair, key=order.__getitem__) for pair in found}
        return {pair: ((named[pair][0], named[pair][1]), *_average(tables)) for pair, tables in found.items()}

    @property
    def picked(self) -> bool:
        """No pair is there that was not picked."""
        return True

    def has(self, one: str, two: str) -> bool:
        """Whether the pair was picked."""
        return frozenset((one, two)) in self._pairs

    def pair(self, one: str, two: str) -> Floats:
        """Noisy probabilities of the levels of two columns; the margins are those above, some cells may be negative."""
        nodes, table, _ = self._pairs[frozenset((one, two))]
        together = table if nodes[0] == one else table.T
        sides = self.margins[one][:, None] / self.sizes[two] + self.margins[two] / self.sizes[one]
        return np.asarray(together + sides - 1 / (self.sizes[one] * self.sizes[two]))

    def spread(self, one: str, two: str) -> float:
        """How far noise moves a cell of the table of a pair, as a probability."""
        return self._pairs[frozenset((one, two))][2] * math.sqrt((1 - 1 / self.sizes[one]) * (1 - 1 / self.sizes[two]))


def _alone(measurement: Measurement, rows: int) -> tuple[Floats, float]:
    """What one column says, as probabilities that sum to nothing, and the deviation of each."""
    numbers = measurement.published.astype(np.float64) / rows
    deviation = math.sqrt(measurement.law.variance) / rows
    if measurement.statistic is Statistic.CONTRAST:
        return np.array([1.0, -1.0]) * float(numbers) / 2, deviation / 2
    return numbers - numbers.mean(), deviation


def _together(measurement: Measurement, rows: int) -> tuple[Floats, float]:
    """What goes together in a pair: its table as probabilities without what each column says alone."""
    numbers = measurement.published.astype(np.float64) / rows
    deviation = math.sqrt(measurement.law.variance) / rows
    if measurement.statistic is Statistic.CONTRAST:
        return np.outer(numbers - numbers.mean(), [0.5, -0.5]), deviation / math.sqrt(2)
    sides = numbers.mean(axis=0) + numbers.mean(axis=1)[:, None]
    return numbers - sides + numbers.mean(), deviation


def _average(measured: Iterable[tuple[Floats, float]]) -> tuple[Floats, float]:
    """Measurements of one thing, each weighted by how sure it is."""
    listed = list(measured)
    weights = [deviation**-2 for _, deviation in listed]
    whole = sum(weights)
    mean = sum((weight * table for weight, (table, _) in zip(weights, listed, strict=True)), np.zeros_like(listed[0][0]))
    return np.asarray(mean / whole), whole**-0.5
