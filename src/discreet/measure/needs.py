"""What least squares needs to know about a network: which margins its tables are made of, and what each table tells of them.

A family's table is made of one residual for each set A of its nodes: what its margin on A tells beyond smaller margins. A
measured table t with independent cells of variance v tells the residual of A in t as well as a measurement of variance
v prod_{j in t, not in A} m_j would. Informations add, so the error of any choice of tables is known before any is measured.

The sets within a family: what its parities are about.

How noisy a family table is: the variance of a cell, and that of the total of a parent configuration.

Both matter for a conditional probability, which is a cell over a total. Cells of one configuration may share noise, as they do
in tables that agree with one another, so the one does not follow from the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from discreet.arrays import Floats, Places
from discreet.errors import ModelError
from discreet.measure.measurement import Asked, Measurement, contrasts
from discreet.model.network import Family, Network

__all__ = [
    "CellNoise",
    "Needs",
    "WIDEST_FAMILY",
    "check_width",
    "fused_cell_noise",
    "needs",
    "recovers",
    "subsets",
    "too_wide",
]

WIDEST_FAMILY = 16
"""Most nodes of a family whose table can be put together from others: it has margins on all sets of its nodes."""


@dataclass(frozen=True, eq=False)
class Needs:
    """The sets of nodes whose residuals make up the family tables, and what the error of each costs."""

    sets: tuple[frozenset[str], ...]
    place: Mapping[frozenset[str], int] = field(repr=False)
    cost: Floats = field(repr=False)
    """Variance that a unit of variance of a residual gives to a cell, averaged over the cells of all families."""
    levels: Mapping[str, int] = field(repr=False)
    """Of all nodes of the network."""
    tables: Mapping[tuple[str, ...], tuple[Places, Floats]] = field(repr=False)
    """For the members of each family that is looked at, and for its parents: the places of the sets that their table is made
    of, and what the variance of each adds to that of a cell."""

    def information(self, asked: Sequence[Asked]) -> Any:
        """Sparse matrix, sets x measurements: the information on each residual, for signed numbers of variance one.

        A node that is contrasted tells nothing of sets without it, and twice as much of the others.
        """
        from scipy.sparse import csr_array

        entries = [(place, column, value) for column, each in enumerate(asked) for place, value in self.told_by(each)]
        rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
        return csr_array((np.array(values), (rows, columns)), shape=(len(self.sets), len(asked)))

    def told_by(self, asked: Asked) -> Iterator[tuple[int, float]]:
        """The places of the sets of whose residuals a measurement tells something, and how much that is: more than nothing."""
        free = len(asked.nodes) - contrasts(asked)
        always = frozenset(asked.nodes[free:])
        if not always <= self._known:
            return
        cells = math.prod(self.levels[node] for node in asked.nodes)
        # Nodes that no set has need not be looked at: in a network of hundreds of nodes a family touches few tables.
        inside = tuple(node for node in asked.nodes[:free] if node in self._known)
        for chosen in (always | more for more in (frozenset(), *subsets(inside))):
            if chosen in self.place:
                yield self.place[chosen], 2 ** len(always) / (cells // self._sizes[self.place[chosen]])

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset[str]().union(*self.sets)

    @cached_property
    def _sizes(self) -> list[int]:
        return [math.prod(self.levels[node] for node in chosen) for chosen in self.sets]

    def cell_noise(self, families: Iterable[Family], variance: Floats) -> dict[str, CellNoise]:
        """The variances in the families' tables, where the residuals of ``sets`` have these variances."""
        return {
            family.node: CellNoise(self._variance(family.members, variance), self._variance(family.parents, variance))
            for family in families
        }

    def _variance(self, members: tuple[str, ...], variance: Floats) -> float:
        """The variance of a cell of the table of these nodes, which some family contains."""
        places, weights = self.tables[members]
        return math.fsum(variance[places] * weights)


def too_wide(network: Network) -> bool:
    """Whether a family has too many nodes.

    Claim:      more than ``WIDEST_FAMILY``.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_consistent_laplace.py::test_a_family_that_is_too_wide_costs_nothing
    """
    return max(len(family.members) for family in network.families) > WIDEST_FAMILY


def check_width(network: Network) -> None:
    """Refuse a network with a family that is too wide.

    Claim:      afterwards no family has more than ``WIDEST_FAMILY`` nodes.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_consistent_laplace.py::test_a_family_that_is_too_wide_costs_nothing
    """
    if too_wide(network):
        widest = max(len(family.members) for family in network.families)
        raise ModelError(
            f"A family of {widest} nodes has 2^{widest} margins to agree on; use at most {WIDEST_FAMILY - 1} parents."
        )


@lru_cache(maxsize=16)
def needs(network: Network) -> Needs:
    """The sets that all of a network's tables need, as ``_needs`` has them.

    Claim:      for independent residuals with variances var_A (those of a measurement of the residual's coordinates) a cell of
                a family has variance sum over non-empty A in it of var_A prod_{i in A} (1 - 1 / m_i) prod_{j not in A} m_j^-2;
                ``cost`` holds the weights of this sum, averaged over all cells.                 [GUARANTEES 1.1, 2.8, 7.2]
    Requires:   the number of records is public, so the residual of the empty set has no error.
    Checked by: tests/unit/measure/test_needs.py::test_costs_reproduce_the_fused_variances
    """
    return _needs(network, network.families)


def _needs(network: Network, families: Sequence[Family]) -> Needs:
    """The sets that the tables of some families need; the cost is averaged over their cells."""
    levels = {variable.name: variable.size for variable in network.variables}
    cost: dict[frozenset[str], float] = {}
    place: dict[frozenset[str], int] = {}
    tables: dict[tuple[str, ...], tuple[Places, Floats]] = {}
    cells = sum(family.cells for family in families)
    for family in families:
        for chosen, weight in _weights(family.members, levels):
            place.setdefault(chosen, len(place))
            cost[chosen] = cost.get(chosen, 0.0) + weight * family.cells / cells
        for members in (family.members, family.parents):
            weights = dict(_weights(members, levels))
            tables[members] = np.array([place[chosen] for chosen in weights], dtype=np.intp), np.array(list(weights.values()))
    return Needs(tuple(place), place, np.array(list(cost.values())), levels, tables)


def recovers(network: Network, asked: Sequence[Asked]) -> bool:
    """Whether every family's table follows from these measurements.

    Claim:      true where every residual of every family is measured.
    Requires:   the number of records is public.
    Checked by: tests/unit/measure/test_needs.py::test_tables_are_recovered_only_where_every_residual_is_measured
    """
    needed = needs(network)
    return len({place for each in asked for place, _ in needed.told_by(each)}) == len(needed.sets)


def fused_cell_noise(network: Network, measurements: Sequence[Measurement], node: str | None = None) -> dict[str, CellNoise]:
    """The variances of cells and of totals of parent configurations after fusion, by the node of the family.

    With ``node`` only those of its family are computed, which in a large network takes far less time.

    Claim:      as in ``needs``, with 1 / var_A the sum over the measurements t that tell of A of 2^c / (v_t prod m_j), j over
                the nodes of t that are not in A, c its contrasted nodes, all in A, and v_t the variance of its signed numbers.
                Measurements of different residuals are uncorrelated, so this is the best linear unbiased estimate.
                                                                                     [GUARANTEES 1.1, 2.8, 7.2, 10]
    Requires:   measurements with independent or uncorrelated noise from which every family can be recovered.
    Checked by: tests/unit/measure/strategies/test_laplace_strategy.py::test_a_simulated_fusion_has_the_predicted_variances
                tests/unit/measure/strategies/test_gaussian_strategy.py::test_a_simulated_release_has_the_predicted_error
                tests/unit/measure/strategies/test_knorm_strategy.py::test_a_simulated_release_has_the_predicted_error
                tests/unit/measure/strategies/test_parity_weights.py::test_a_simulation_has_the_predicted_variances
                tests/unit/measure/test_needs.py::test_the_noise_of_one_family_is_that_among_all
    """
    if node is None:
        needed = needs(network)
        information = needed.information(measurements) @ np.array([1 / each.variance for each in measurements])
        return needed.cell_noise(network.families, 1 / information)
    family = network.family(node)
    needed = _needs(network, (family,))
    information = np.zeros(len(needed.sets))  # of so few sets a matrix takes longer to make than to use
    for each in measurements:
        if not set(family.members).isdisjoint(each.nodes):
            for place, value in needed.told_by(each):
                information[place] += value / each.variance
    return needed.cell_noise((family,), 1 / information)


def _weights(members: tuple[str, ...], levels: Mapping[str, int]) -> Iterator[tuple[frozenset[str], float]]:
    """For every non-empty set of the members, what its residual's variance adds to the variance of a cell."""
    for chosen in subsets(members):
        inside = math.prod(1 - 1 / levels[node] for node in chosen)
        yield chosen, inside / math.prod(levels[node] for node in members if node not in chosen) ** 2


def subsets(members: tuple[str, ...]) -> Iterator[frozenset[str]]:
    """Every subset but the empty one, small ones first.

    Claim:      2^s - 1 different sets for s members.
    Requires:   members that differ.
    Checked by: tests/unit/measure/strategies/test_parity_weights.py::test_a_simulation_has_the_predicted_variances
    """
    return (frozenset(chosen) for size in range(1, len(members) + 1) for chosen in combinations(members, size))


@dataclass(frozen=True, slots=True)
class CellNoise:
    """Variances of the noise in one family table, before negative cells are repaired; the same for all its cells."""

    cell: float
    total: float
    """Of the sum over a node's levels, the parents' levels being given; 0 where it is the public number of records."""
