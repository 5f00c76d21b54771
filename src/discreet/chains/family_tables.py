"""The unknown true tables behind a release, family by family, with their law given the release.

For one family let N be its true table and T the counts of its parents' configurations. Given T each row of N is
Dirichlet-multinomial: the prior with the parameters integrated out. T itself is Dirichlet-multinomial, as far as nothing else
is said of the parents (``row_margins.py``). The family's own published numbers are used with the exact law of their noise;
numbers that are no family's own, and those that were published on the way to a learned graph, are a normal likelihood for one
family that contains them. The total is known. Tables that share nodes are tied (``known_sums.py``), so what one knows reaches
the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.chains.incomplete_gamma import LogTails
from discreet.chains.known_sums import KnownSums, known_sums
from discreet.chains.listening import own_measurements, told_measurements
from discreet.chains.row_margins import CLOSED, RowMargins, row_margins
from discreet.errors import ModelError
from discreet.measure.laws import GaussianNoise, KNormNoise, LaplaceNoise, WeightedNoise
from discreet.measure.measurement import Measurement, contrasts
from discreet.measure.observations import shared_margins
from discreet.measure.published import Published
from discreet.model.family import Booleans, zero_probabilities
from discreet.model.network import Family

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["FamilyTables", "family_tables"]

_LEAST_SCALE = 1e-3
"""Noise below this moves no count."""


@dataclass(frozen=True, eq=False)
class FamilyTables:
    """All families in one column of cells, the largest first, with everything that their law needs."""

    families: tuple[Family, ...]
    family_of_cell: Integers
    row_of_cell: Integers
    prior: Floats
    """What is known of each cell's Dirichlet parameter before the release; where parameters are learned, one's own records."""
    row_margins: RowMargins = field(repr=False)
    """The law of the rows' counts, which says nothing of parents that is said elsewhere."""
    coordinate: Integers
    """Which of the family's own published numbers each cell counts into; 0 is none."""
    sign: Floats
    noisy: Floats
    """The published numbers; the first is nobody's."""
    part: Integers
    """Of each published number: numbers of one part have noise of one law together. The first part is nobody's."""
    family_of_part: Integers
    inverse_scale: Floats
    """For each part, of Laplace noise; zero elsewhere."""
    inverse_variance: Floats
    shape: Floats
    """For each part, of K-norm noise; zero elsewhere."""
    inverse_radius: Floats
    """For each part, of K-norm noise; zero elsewhere."""
    tails: LogTails = field(repr=False)
    """Log density of K-norm noise at a norm in units of the radius."""
    sums: KnownSums = field(repr=False)
    """What is known about sums of cells besides the families' own numbers."""

    def cells_of(self, number: int) -> slice:
        """The cells of a family."""
        first = int(np.searchsorted(self.family_of_cell, number))
        return slice(first, first + self.families[number].cells)

    @property
    def row_spread(self) -> Floats:
        """Dirichlet-multinomial parameter of each row's count."""
        return self.row_margins.spread

    @cached_property
    def possible(self) -> Booleans:
        """Whether the level of each cell can occur in its row."""
        return np.concatenate([~zero_probabilities(family).ravel() for family in self.families])

    @cached_property
    def family_of_row(self) -> Integers:
        """The family of each row."""
        return np.repeat(np.arange(len(self.families)), [family.configurations for family in self.families])

    @cached_property
    def squared(self) -> bool:
        """Whether noise is Gaussian; all numbers of a release have noise of one kind."""
        return bool(self.inverse_variance.any())

    @cached_property
    def cell_starts(self) -> Integers:
        """The first cell of each family."""
        return np.searchsorted(self.family_of_cell, np.arange(len(self.families)))

    @cached_property
    def first_rows(self) -> Integers:
        """The first row of each family."""
        return np.searchsorted(self.family_of_row, np.arange(len(self.families)))

    @cached_property
    def row_starts(self) -> Integers:
        """The first cell of each row."""
        return np.searchsorted(self.row_of_cell, np.arange(len(self.family_of_row)))

    @cached_property
    def part_starts(self) -> Integers:
        """The first number of each part."""
        return np.searchsorted(self.part, np.arange(len(self.family_of_part)))

    @cached_property
    def row_of_part(self) -> Integers:
        """The row that a part of noise is about; numbers of one part are never about two rows."""
        found = np.zeros(len(self.family_of_part), dtype=np.int64)
        found[self.part[self.coordinate]] = self.row_of_cell
        found[0] = 0
        return found

    @cached_property
    def numbers(self) -> csr_array:
        """What the cells count into: published numbers x cells."""
        from scipy.sparse import csr_array

        places = (self.coordinate, np.arange(len(self.coordinate)))
        return csr_array((np.where(self.coordinate > 0, self.sign, 0), places), shape=(len(self.noisy), len(self.coordinate)))

    @cached_property
    def rates(self) -> Floats:
        """Of K-norm noise one over its radius; of any other by how much the log density falls with a part's magnitudes."""
        other = self.inverse_variance / 2 if self.squared else self.inverse_scale
        return self.inverse_radius if self.tails.known else other

    def sum_rows(self, values: Floats) -> Floats:
        """Sums over the cells of each row."""
        return np.add.reduceat(values, self.row_starts, axis=0)

    def magnitude(self, gaps: Floats) -> Floats:
        """What the density of noise depends on: the squares of Gaussian noise, the absolute values of any other."""
        return np.square(gaps) if self.squared else np.abs(gaps)

    def noise_log(self, parts: Integers, norms: Floats) -> Floats:
        """Log density of the noise of parts, from the sum of the magnitudes in each."""
        if self.tails.known:
            return self.tails(parts, norms * self.inverse_radius[parts])
        return np.asarray(-self.rates[parts] * norms)

    @cached_property
    def spreads(self) -> Floats:
        """About how wide the noise of one number of each part is; infinite where there is none."""
        laws = np.maximum(self.inverse_scale, np.sqrt(self.inverse_variance))
        known = self.inverse_radius > 0
        # The mean magnitude of one of so many numbers whose density falls as the tail of a gamma law with that of all.
        numbers = np.bincount(self.part)
        shape = (self.shape + numbers) / (1 + numbers)
        spread = np.where(known, shape / np.where(known, self.inverse_radius, 1), np.inf)
        return np.minimum(np.where(laws > 0, 1 / np.where(laws > 0, laws, 1), np.inf), spread)

    def widths(self) -> Floats:
        """About how far noise moves a cell of each family."""
        found = np.full(len(self.families), np.inf)
        np.minimum.at(found, self.family_of_part, self.spreads)
        sums = self.sums
        precision = np.add.reduceat((sums.precision[sums.place] * sums.sign**2).sum(axis=0), self.cell_starts)
        cells = np.array([family.cells for family in self.families])
        return np.asarray(np.clip(np.minimum(found, np.sqrt(cells / np.maximum(precision, 1e-30))), 1.0, 2.0**40))


def family_tables(
    published: Published,
    families: Sequence[Family],
    known: Mapping[str, Floats],
    roots: Mapping[str, Floats] | None = None,
) -> FamilyTables:
    """Lay out families and gather what is known about each.

    ``known`` are their Dirichlet parameters, node by node; ``roots`` those of nodes without parents that have no table here.
    """
    network, measurements = published.network, published.measurements
    families = tuple(sorted(families, key=lambda family: (-family.cells, family.levels)))
    own = own_measurements(network, measurements)
    margins = shared_margins(network, published.all_measurements, published.rows)
    cells = [family.cells for family in families]
    rows = [family.configurations for family in families]
    levels = np.repeat([family.levels for family in families], rows)
    row_of_cell = np.repeat(np.arange(len(levels)), levels)
    parameters = np.concatenate(
        [np.where(zero_probabilities(family), CLOSED, known[family.node]).ravel() for family in families]
    )
    numbered, signs, noisy = _numbered(families, own, published)
    part, family_of_part = _parts(families, own, measurements)
    each = [_law(measurements[own[family.node]]) if family.node in own else np.zeros(4) for family in families]
    laws = np.array(each)[family_of_part].T
    laws[:, 0] = 0
    sums = known_sums(families, told_measurements(families, own, published.all_measurements), published.rows, margins)
    return FamilyTables(
        families,
        np.repeat(np.arange(len(cells)), cells),
        row_of_cell,
        parameters,
        row_margins(families, sums.ties, {} if roots is None else roots),
        numbered,
        signs,
        noisy,
        part,
        family_of_part,
        laws[0],
        laws[1],
        laws[2],
        laws[3],
        LogTails(laws[2]),
        sums,
    )


def _numbered(families: Sequence[Family], own: dict[str, int], published: Published) -> tuple[Integers, Floats, Floats]:
    """Number the own measurements of all families, from 1: for each cell its number and its sign; and the numbers' values."""
    places, signs, values = [], [], [np.zeros(1)]
    first = 1
    for family in families:
        if family.node in own:
            noisy, place, sign = _counted(family, published.measurements[own[family.node]], published.rows)
            values.append(noisy)
            places.append(place + first)
            signs.append(sign)
            first += noisy.size
        else:
            places.append(np.zeros(family.cells))
            signs.append(np.zeros(family.cells))
    return np.concatenate(places).astype(np.int64), np.concatenate(signs), np.concatenate(values)


def _parts(families: Sequence[Family], own: dict[str, int], measurements: Sequence[Measurement]) -> tuple[Integers, Integers]:
    """The part of each number, and the family of each part. A part is a number alone, or all numbers of a row."""
    parts, of = [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=np.int64)]
    first = 1
    for place, family in enumerate(families):
        if family.node in own:
            measurement = measurements[own[family.node]]
            numbers = measurement.published.size
            single = isinstance(measurement.law, KNormNoise) and measurement.law.size == 1
            count = numbers if single else family.configurations
            parts.append(first + np.repeat(np.arange(count), numbers // count))
            of.append(np.full(count, place))
            first += count
    return np.concatenate(parts), np.concatenate(of)


def _counted(family: Family, measurement: Measurement, rows: int) -> tuple[Floats, Floats, Floats]:
    """The published numbers in the family's order, and for each cell the place of its number and what a record adds."""
    kept = measurement.nodes[: len(measurement.nodes) - contrasts(measurement)]
    wanted = [member for member in family.members if member in kept]
    noisy = measurement.signed(rows).transpose([kept.index(member) for member in wanted]).ravel()
    if contrasts(measurement):
        places = np.arange(family.configurations, dtype=np.float64)
        return noisy, np.repeat(places, 2), np.tile([1.0, -1.0], family.configurations)
    return noisy, np.arange(family.cells, dtype=np.float64), np.ones(family.cells)


def _law(measurement: Measurement) -> Floats:
    law = measurement.law
    match law:
        case LaplaceNoise() | WeightedNoise():
            return np.array([1 / max(measurement.unit * float(law.scale), _LEAST_SCALE), 0, 0, 0])
        case GaussianNoise():
            return np.array([0, 1 / max(measurement.variance, _LEAST_SCALE**2), 0, 0])
        case KNormNoise():
            shape, scale = law.tail
            return np.array([0, 0, shape, 1 / max(scale, _LEAST_SCALE)])
    raise ModelError("A measurement has a law of noise that this version does not know. Update discreet.")
