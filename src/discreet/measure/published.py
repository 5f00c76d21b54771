"""What a mechanism published: measurements with their numbers, and how family tables, or a matrix of moments, follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import cast

import numpy as np

from discreet.arrays import Floats
from discreet.errors import ModelError
from discreet.measure.agreement import nearest_agreeing
from discreet.measure.known_zeros import known_numbers
from discreet.measure.laws import MomentNoise
from discreet.measure.learning import Learning, measurements_within
from discreet.measure.measurement import Measurement, Statistic, number_shape
from discreet.measure.observations import Observations, observations
from discreet.measure.strategies.moment_noise import check_measures
from discreet.model.family import empty_cells
from discreet.model.linear import LinearModel
from discreet.model.network import Family, Network

__all__ = ["Published", "PublishedMoments", "Repair"]


class Repair(Enum):
    """How family tables follow from the numbers, and what is done about negative cells."""

    PROJECT = "project"
    """The nearest tables that are non-negative, consistent and sum to the number of records."""
    INCREMENT = "increment"
    """The paper's: a public increment makes all cells non-negative with the promised probability; the rest is clamped."""
    CLAMP = "clamp"
    """Negative cells become zero, and the tables no longer agree. A family's counts are those of the measured table that says
    most about it, moved into [0, rows], where the true ones are: step 4 of the paper's Algorithm 1."""


@dataclass(frozen=True, eq=False)
class Published:
    """Measurements of ``rows`` records, with their numbers."""

    network: Network = field(repr=False)
    measurements: tuple[Measurement, ...] = field(repr=False)
    rows: int
    repair: Repair = Repair.PROJECT
    increment: int = 0
    """What the mode INCREMENT adds to the number of records; depends on the noise alone."""
    learning: Learning | None = field(default=None, repr=False)
    """How the graph came about, where it was learned from the same records."""

    def __post_init__(self) -> None:
        if any(each.published.shape != number_shape(self.network, each) for each in self.all_measurements):
            raise ModelError("The numbers of a measurement do not fit its nodes: it needs one axis for each that has one.")
        if any(each.published[known_numbers(self.network, each)].any() for each in self.measurements):
            raise ModelError("A measurement has another number than zero for what the network declares impossible.")
        if not isinstance(self.repair, Repair):
            raise ModelError("The repair of the tables is not known to this version. Update discreet.")

    @property
    def scale(self) -> Fraction:
        """The largest scale of the noise on a number."""
        return max(each.law.scale for each in self.measurements)

    @cached_property
    def earlier(self) -> tuple[Measurement, ...]:
        """What was measured on the way to the graph and is about one family of it; its noise is independent of the rest."""
        return () if self.learning is None else measurements_within(self.network, self.learning.measurements)

    @property
    def all_measurements(self) -> tuple[Measurement, ...]:
        """The measurements of the release, then the earlier ones."""
        return (*self.measurements, *self.earlier)

    @cached_property
    def fused(self) -> dict[str, Floats]:
        """The maximal families' tables by least squares, one axis per member: unbiased, agreeing, perhaps negative."""
        space = self._together.space
        return space.tables(space.cells(self._together.fuse(self._signed, self.rows)))

    def table(self, family: Family) -> Floats:
        """A family's table by least squares, before any repair; one axis per member."""
        return _margin(self.network, self.fused, family)

    def near(self, family: Family) -> Floats:
        """A table near what was published, in no time and in any order: negative cells and all, if that is cheaper."""
        return self.table(family) if self.repair is Repair.PROJECT else self.update(family)

    def update(self, family: Family) -> Floats:
        """What the release adds to the prior's parameters: configurations x levels, never negative."""
        if self.repair is Repair.PROJECT:
            table = _margin(self.network, self._nearest, family).clip(0, self.rows)
        elif self.repair is Repair.CLAMP and family.node in self._sources:
            source = self._sources[family.node]
            table = _margin_of(source.nodes, source.signed(self.rows), family).clip(0, self.rows)
        else:
            table = np.maximum(self.table(family) + self.increment / family.cells, 0)
        return np.where(empty_cells(family), 0.0, table.reshape(-1, family.levels))

    @cached_property
    def _together(self) -> Observations:
        return observations(self.network, self.all_measurements, [each.variance for each in self.all_measurements])

    @property
    def _signed(self) -> list[Floats]:
        return [each.signed(self.rows) for each in self.all_measurements]

    @cached_property
    def _nearest(self) -> dict[str, Floats]:
        return nearest_agreeing(self._together, self._signed, self.rows)

    @cached_property
    def _sources(self) -> dict[str, Measurement]:
        """For each family the measured table that says most about it, where one contains it."""
        containing: dict[str, list[tuple[frozenset[str], Measurement]]] = {node: [] for node in self.network.nodes}
        tables = [each for each in self.measurements if each.statistic is Statistic.COUNTS]
        for each in sorted(tables, key=lambda each: each.variance * each.published.size):
            for node in each.nodes:
                containing[node].append((frozenset(each.nodes), each))
        found = {}
        for family in self.network.families:
            wider = (each for nodes, each in containing[family.node] if nodes.issuperset(family.members))
            if (best := next(wider, None)) is not None:
                found[family.node] = best
        return found


@dataclass(frozen=True, slots=True, eq=False)
class PublishedMoments:
    """The moments of ``rows`` records of a linear model, with their numbers."""

    model: LinearModel = field(repr=False)
    measurement: Measurement = field(repr=False)
    rows: int

    def __post_init__(self) -> None:
        check_measures(self.measurement, self.model)
        if self.measurement.published.shape != (len(self.noise.triangle.places),):
            raise ModelError("The moments do not fit the model: one is needed for every pair of columns.")
        if self.rows < 1:
            raise ModelError("Moments need at least one record.")

    @property
    def noise(self) -> MomentNoise:
        """The law of the noise."""
        return cast("MomentNoise", self.measurement.law)

    @property
    def values(self) -> tuple[int, ...]:
        """The noisy moments, of any size, row by row of the upper triangle."""
        return tuple(self.measurement.published.tolist())

    @property
    def matrix(self) -> Floats:
        """The sum of u u', u = (1, features, target) in [-1, 1], as noise left it; the number of records is exact."""
        triangle = self.noise.triangle
        matrix: Floats = np.zeros((triangle.size, triangle.size))
        matrix[0, 0] = self.rows  # stays if there is an intercept
        for (row, column), value in zip(triangle.places, self.values, strict=True):
            matrix[row, column] = matrix[column, row] = value / triangle.unit
        return matrix


def _margin_of(nodes: tuple[str, ...], table: Floats, family: Family) -> Floats:
    """Sum a table, one axis for each of these nodes, down to a family that it contains."""
    axes = tuple(axis for axis, node in enumerate(nodes) if node not in family.members)
    kept = [node for node in nodes if node in family.members]
    return np.asarray(table.sum(axis=axes).transpose([kept.index(member) for member in family.members]))


def _margin(network: Network, tables: Mapping[str, Floats], family: Family) -> Floats:
    """A family's table from those of the maximal families, which agree: the first that contains it will do."""
    wider = (each for each in network.maximal_families if set(family.members) <= set(each.members))
    source = network.family(family.node) if family.node in tables else next(wider)
    return _margin_of(source.members, tables[source.node], family)
