"""The unknown true tables behind a release, family by family, with their law given the release.

For one family let N be its true table and T the counts of its parents' configurations. Given T each row of N is
Dirichlet-multinomial: the prior with the parameters integrated out. T itself is Dirichlet-multinomial with the mean and
spread that the network's prior gives to the parents' configurations. The family's own published numbers are used with the
exact law of their noise; what all other published numbers say about N, through common margins, is a normal likelihood. The
total is known.

Families are treated one by one: what ties the tables of two families together is used to estimate each, but the errors of the
two are then taken as independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from discreet.model.network import Family, Network
from discreet.model.prior import Prior, Table
from discreet.posterior.incomplete_gamma import LogTails
from discreet.posterior.measurement import GaussianNoise, KNormNoise, LaplaceNoise, Measurement
from discreet.posterior.shared_margins import shared_margins

__all__ = ["FamilyTables", "family_tables"]

Integers = npt.NDArray[np.int64]

LARGEST_FORM = 2**11
"""Most cells of a table for which what other tables say is used; the quadratic form has the square of it."""
_LEAST_SCALE = 1e-3
"""Noise below this moves no count."""
_PRIOR_DRAWS = 400
_SEED = 2016  # for a summary of the prior, the same in every run


@dataclass(frozen=True, slots=True, eq=False)
class FamilyTables:
    """All families in one column of cells, the largest first, with everything that their law needs."""

    families: tuple[Family, ...]
    family_of_cell: Integers
    row_of_cell: Integers
    prior: Table
    """Dirichlet parameter of each cell."""
    row_prior: Table
    """Sum of the Dirichlet parameters of each row."""
    row_spread: Table
    """Dirichlet-multinomial parameter of each row's count; zero where the only row's count is known."""
    coordinate: Integers
    """Which of the family's own published numbers each cell counts into; 0 is none."""
    sign: Table
    noisy: Table
    """The published numbers; the first is nobody's."""
    inverse_scale: Table
    """For each row, of Laplace noise; zero elsewhere."""
    inverse_variance: Table
    shape: Table
    """For each row, of K-norm noise; zero elsewhere."""
    inverse_radius: Table
    """For each row, of K-norm noise; zero elsewhere."""
    tails: LogTails = field(repr=False)
    """Log density of K-norm noise at a norm in units of the radius."""
    forms: dict[int, tuple[Table, Table]] = field(repr=False)
    """For some families the quadratic form and the linear one of what other measurements say."""

    def cells_of(self, number: int) -> slice:
        """The cells of a family."""
        first = int(np.searchsorted(self.family_of_cell, number))
        return slice(first, first + self.families[number].cells)

    @property
    def has_radius(self) -> bool:
        """Whether any row has K-norm noise."""
        return bool(self.inverse_radius.any())

    def widths(self) -> Table:
        """About how far noise moves a cell of each family."""
        laws = np.maximum(self.inverse_scale, np.sqrt(self.inverse_variance))
        known = self.inverse_radius > 0
        spread = np.where(known, self.shape / 2 / np.where(known, self.inverse_radius, 1), np.inf)
        row = np.minimum(np.where(laws > 0, 1 / np.where(laws > 0, laws, 1), np.inf), spread)
        found = np.full(len(self.families), np.inf)
        np.minimum.at(found, self.family_of_cell, row[self.row_of_cell])
        for number, (matrix, _) in self.forms.items():
            found[number] = min(found[number], 1 / np.sqrt(max(float(np.diag(matrix).mean()), 1e-30)))
        return np.asarray(np.clip(found, 1.0, 2.0**40))


def family_tables(network: Network, prior: Prior, measurements: Sequence[Measurement]) -> FamilyTables:
    """Lay out all families and gather what is known about each."""
    margins = shared_margins(network, measurements)
    spreads = _spreads(network, prior)
    own = _own(network, measurements)
    families = tuple(sorted(network.families, key=lambda family: -family.cells))
    cells = [family.cells for family in families]
    rows = [family.configurations for family in families]
    row_start = np.cumsum([0, *rows])
    columns: dict[str, list[Table]] = {name: [] for name in ("prior", "coordinate", "sign", "noisy")}
    laws = np.zeros((4, row_start[-1]))
    columns["noisy"].append(np.zeros(1))
    numbered = 1
    forms = {}
    for number, family in enumerate(families):
        columns["prior"].append(prior.concentration(family).ravel())
        mine = own.get(family.node)
        coordinate, sign = np.zeros(family.cells), np.zeros(family.cells)
        if mine is not None:
            measurement = measurements[mine]
            noisy, coordinate, sign = _counted(family, measurement)
            columns["noisy"].append(noisy)
            coordinate = coordinate + numbered
            numbered += noisy.size
            laws[:, row_start[number] : row_start[number + 1]] = _law(measurement)[:, None]
        columns["coordinate"].append(coordinate)
        columns["sign"].append(sign)
        if margins is not None and family.cells <= LARGEST_FORM:
            form = margins.quadratic(family, [] if mine is None else [mine])
            if form is not None:
                forms[number] = form
    table = {name: np.concatenate(parts) for name, parts in columns.items()}
    row_of_cell = np.repeat(np.arange(row_start[-1]), np.repeat([family.levels for family in families], rows))
    return FamilyTables(
        families,
        np.repeat(np.arange(len(cells)), cells),
        row_of_cell,
        table["prior"],
        np.bincount(row_of_cell, table["prior"]).astype(np.float64),
        np.concatenate([spreads[family.node] for family in families]),
        table["coordinate"].astype(np.int64),
        table["sign"],
        table["noisy"],
        laws[0],
        laws[1],
        laws[2],
        laws[3],
        LogTails(laws[2]),
        forms,
    )


def _own(network: Network, measurements: Sequence[Measurement]) -> dict[str, int]:
    """For each family the number of a measurement of exactly its nodes whose rows are the family's, if there is one."""
    by_members = {frozenset(family.members): family.node for family in network.families}
    found: dict[str, int] = {}
    for number, measurement in enumerate(measurements):
        node = by_members.get(frozenset(measurement.members))
        fits = measurement.contrasts == 0 or (measurement.contrasts == 1 and measurement.members[-1] == node)
        if node is not None and fits:
            found.setdefault(node, number)
    return found


def _counted(family: Family, measurement: Measurement) -> tuple[Table, Table, Table]:
    """The published numbers in the family's order, and for each cell the place of its number and what a record adds."""
    kept = measurement.members[: len(measurement.members) - measurement.contrasts]
    wanted = [member for member in family.members if member in kept]
    noisy = measurement.noisy.transpose([kept.index(member) for member in wanted]).ravel().astype(np.float64)
    if measurement.contrasts:
        rows = np.arange(family.configurations, dtype=np.float64)
        return noisy, np.repeat(rows, 2), np.tile([1.0, -1.0], family.configurations)
    return noisy, np.arange(family.cells, dtype=np.float64), np.ones(family.cells)


def _law(measurement: Measurement) -> Table:
    match measurement.law:
        case LaplaceNoise(scale):
            return np.array([1 / max(scale, _LEAST_SCALE), 0, 0, 0])
        case GaussianNoise(variance):
            return np.array([0, 1 / max(variance, _LEAST_SCALE**2), 0, 0])
        case KNormNoise(shape, scale):
            return np.array([0, 0, shape, 1 / max(scale, _LEAST_SCALE)])


def _spreads(network: Network, prior: Prior) -> dict[str, Table]:
    """Dirichlet parameters with about the mean and the spread of each parents' configuration under the prior.

    Margins of nodes are drawn from the prior, parents taken as independent of one another.
    """
    generator = np.random.default_rng(_SEED)
    margin: dict[str, Table] = {}
    found: dict[str, Table] = {}
    for node in network.topological_order:
        family = network.family(node)
        share = np.ones((_PRIOR_DRAWS, 1))
        for parent in family.parents:
            share = (share[:, :, None] * margin[parent][:, None, :]).reshape(_PRIOR_DRAWS, -1)
        table = prior.concentration(family)
        drawn = generator.standard_gamma(table, (_PRIOR_DRAWS, *table.shape)) + 1e-300
        drawn /= drawn.sum(axis=2, keepdims=True)
        margin[node] = np.einsum("dc,dcl->dl", share, drawn)
        found[node] = np.zeros(1) if not family.parents else _matched(share)
    return found


def _matched(share: Table) -> Table:
    mean, variance = share.mean(axis=0), share.var(axis=0)
    total = (mean * (1 - mean)).sum() / max(float(variance.sum()), 1e-12) - 1
    return np.asarray(mean * max(float(total), 1e-3))
