"""All tables and priors that the chains visited: what a posterior that knows about noise is made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.chains.effort import Effort
from discreet.chains.row_margins import homes
from discreet.chains.surroundings import divide
from discreet.measure.published import Published
from discreet.model.family import Booleans, empty_cells, zero_probabilities
from discreet.model.network import Family, Network
from discreet.model.prior import Hierarchical, Prior

if TYPE_CHECKING:
    from discreet.chains.family_tables import FamilyTables
    from discreet.chains.row_priors import RowPriors

__all__ = ["GoingVisits", "Visits", "by_node", "known_parameters", "learned_parameters", "near_tables", "visit"]

_CUT = 1.0
"""How many widths of noise a cell must hold to have records when the chain starts."""
_LONE_ROW = 0.5
"""The prior of a row that has nothing to learn from: Jeffreys'."""
_WEAK = 1.0
"""The largest Dirichlet parameters of a prior that says little."""


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """For each node, tables that could be behind a release. The chains take turns: round after round, all chains."""

    chains: int
    rounds: int
    counts: Mapping[str, Floats] = field(repr=False)
    """Node -> visits, configurations, levels."""
    parameters: Mapping[str, Floats] = field(repr=False)
    """Node -> Dirichlet parameters of the prior and one's own records: visits, or 1 for all; configurations or 1; levels."""
    own: Mapping[str, Floats] | Mapping[str, Integers] = field(repr=False)
    spreads: Mapping[str, Floats] | None = field(default=None, repr=False)
    """Node -> how different sites are, visit by visit; None where they are taken to be alike."""

    def concentrations(self, family: Family) -> Floats:
        """Dirichlet parameters for each visit: visits, configurations, levels; zero for what is declared impossible."""
        node = family.node
        found = self.counts[node] + self.parameters[node]
        found = np.asarray(found + self.own[node] if node in self.own else found)
        return np.where(zero_probabilities(family), 0.0, found) if family.impossible else found

    def spread(self, count: int, generator: np.random.Generator) -> Integers:
        """So many visits, as evenly spread over the chains' way as can be, the chains in turn."""
        rounds = -(-count // self.chains)
        place = np.floor((np.arange(rounds) + generator.random(rounds)) * self.rounds / rounds).astype(np.int64)
        return (place[:, None] * self.chains + np.arange(self.chains)).ravel()[:count]


def visit(
    network: Network,
    prior: Prior,
    released: Published | None,
    own: Mapping[str, Floats] | Mapping[str, Integers],
    effort: Effort,
    seed: int,
    progress: Callable[[int], None] | None = None,
    nodes: Collection[str] | None = None,
) -> Visits:
    """Run the chains over tables that could be behind a release, given a prior and exact records of one's own.

    With ``nodes`` over the tables of these alone.
    """
    if released is None and not isinstance(prior, Hierarchical):
        zero = {family.node: np.zeros((1, family.configurations, family.levels)) for family in network.families}
        return Visits(1, 1, zero, {family.node: prior.concentration(family)[None] for family in network.families}, own)
    return GoingVisits(network, prior, released, own, effort, seed, nodes).run(effort, progress)


class GoingVisits:
    """Chains over the tables of these nodes, or of all, which can go on."""

    def __init__(
        self,
        network: Network,
        prior: Prior,
        released: Published | None,
        own: Mapping[str, Floats] | Mapping[str, Integers],
        effort: Effort,
        seed: int,
        nodes: Collection[str] | None = None,
    ) -> None:
        # Visits that were kept are read without any of this.
        from discreet.chains.family_tables import family_tables
        from discreet.chains.groups import Groups
        from discreet.chains.row_priors import row_priors

        self._prior, self._own, self._nodes = prior, own, nodes
        self._released = Published(network, (), 0) if released is None else released
        visited, self._read = (
            [each for each in part if nodes is None or each.node in nodes] for part in divide(network, self._released)
        )
        self._cells = network.cells if nodes is None else sum(family.cells for family in visited)
        # A table of several parents can hold a weak prior of a root and no other: roots of which more is known have their own.
        visited += [family for family in self._read if _is_known(family, prior, own)]
        self._read = [family for family in self._read if not _is_known(family, prior, own)]
        known, roots = known_parameters(prior, own, visited), {each.node: _root_parameters(each, prior) for each in self._read}
        self._tables = tables = family_tables(self._released, visited, known, roots)

        def begin(chains: int, generator: np.random.Generator) -> tuple[Floats, RowPriors]:
            start = near_tables(tables, self._released, chains, generator)
            return start, row_priors(tables, prior, chains, generator)

        self._groups = Groups(tables, begin, self._made(effort), seed)

    def _made(self, effort: Effort) -> Effort:
        return effort.within(self._cells)

    def run(self, effort: Effort, progress: Callable[[int], None] | None = None, *, keep: bool = False) -> Visits:
        """What they visit in the last rounds of an effort. If they are kept, they can go on for a longer one."""
        tables, made = self._tables, self._made(effort)
        visited = self._groups.run(made, progress, keep=keep)
        counts = by_node(tables, visited.counts)
        parameters = {family.node: self._prior.concentration(family)[None] for family in (*tables.families, *self._read)}
        if visited.logs is not None:
            parameters |= learned_parameters(tables, visited.logs)
        found = homes(tables.families, [(family.node,) for family in self._read])
        for family, at_home in zip(self._read, found, strict=True):
            counts[family.node] = _read(family, tables.families[at_home[0]], counts)
            if visited.logs is not None:
                parameters[family.node] = _root_parameters(family, self._prior)[None, None]
        return Visits(made.chains, made.rounds, counts, parameters, self._own)


def known_parameters(
    prior: Prior, own: Mapping[str, Floats] | Mapping[str, Integers], families: Sequence[Family]
) -> dict[str, Floats]:
    """Dirichlet parameters that are known before the release: where a prior is learned, those of one's own records alone."""
    found = {}
    for family in families:
        known = 0 if isinstance(prior, Hierarchical) else prior.concentration(family)
        found[family.node] = np.zeros((family.configurations, family.levels)) + known + own.get(family.node, 0)
    return found


def _root_parameters(family: Family, prior: Prior) -> Floats:
    """The Dirichlet parameters of a node without parents that is read off; a prior has nothing there to be learned from."""
    learned = isinstance(prior, Hierarchical)
    return np.full(family.levels, _LONE_ROW) if learned else prior.concentration(family).ravel()


def _is_known(family: Family, prior: Prior, own: Mapping[str, Floats] | Mapping[str, Integers]) -> bool:
    """Whether more is known of a node without parents than a weak prior says, by its prior or by one's own records."""
    return bool((_root_parameters(family, prior) + np.ravel(own.get(family.node, 0)) > _WEAK).any())


def _read(family: Family, holder: Family, counts: Mapping[str, Floats]) -> Floats:
    """The counts of a node without parents: those of the one table that has its prior."""
    table = counts[holder.node].reshape(-1, *holder.shape)
    others = tuple(1 + axis for axis, member in enumerate(holder.members) if member != family.node)
    return np.asarray(table.sum(axis=others)[:, None])


def by_node(tables: FamilyTables, kept: npt.NDArray[np.floating[Any]]) -> dict[str, Floats]:
    """Rounds, cells, chains of all families -> for each node visits, configurations, levels; as precise as what was kept."""
    found: dict[str, Floats] = {}
    for number, family in enumerate(tables.families):
        part = np.moveaxis(kept[:, tables.cells_of(number)], 2, 1)
        found[family.node] = cast("Floats", part.reshape(-1, family.configurations, family.levels))
    return found


def learned_parameters(tables: FamilyTables, logs: Floats) -> dict[str, Floats]:
    """Rounds, parameters, chains of all families -> for each node visits, 1, levels."""
    exact = np.moveaxis(np.exp(logs), 2, 1).reshape(-1, logs.shape[1])
    levels = np.cumsum([0, *(family.levels for family in tables.families)])
    bounds = zip(tables.families, levels[:-1], levels[1:], strict=True)
    return {family.node: exact[:, None, first:end] for family, first, end in bounds}


def near_tables(tables: FamilyTables, released: Published, chains: int, generator: np.random.Generator) -> Floats:
    """Tables near those of least squares, as far apart as noise is wide; each sums to the number of records."""
    if not released.rows:
        return np.zeros((len(tables.row_of_cell), chains))
    columns = []
    for family, width in zip(tables.families, np.minimum(tables.widths(), released.rows), strict=True):
        table = released.near(family).reshape(-1, 1) + width / 2 * generator.laplace(size=(family.cells, chains))
        # Where most cells are empty, noise that was cut off at zero would be a crowd of records that are not there.
        possible = ~empty_cells(family).ravel()
        columns.append(_whole_where(possible, np.maximum(table - _CUT * width, 0) + 1e-9, released.rows))
    return np.concatenate(columns)


def _whole(table: Floats, rows: int) -> Floats:
    """Columns of whole numbers that sum to the number of records, in proportion to these."""
    table = table * (rows / table.sum(axis=0))
    whole = np.floor(table)
    rest = np.rint(rows - whole.sum(axis=0)).astype(np.int64)
    order = np.argsort(np.argsort(whole - table, axis=0, kind="stable"), axis=0, kind="stable")
    return np.asarray(whole + (order < rest))


def _whole_where(possible: Booleans, table: Floats, rows: int) -> Floats:
    """The same in the cells that are possible, and zero in the others."""
    found = np.zeros_like(table)
    found[possible] = _whole(table[possible], rows)
    return found
