"""A Bayesian network: variables and who depends on whom. Public knowledge, so frozen and checked once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from types import MappingProxyType
from typing import ClassVar, cast

from discreet.checks import items_of
from discreet.display import Display, Displayed, counted
from discreet.errors import ModelError, QueryError, of_kind, quoted, suggestion
from discreet.model.declaration import NETWORKS, NODE_HEADINGS, ModelKind, node_rows
from discreet.model.edges import check_acyclic, check_edges, check_parents, list_parents, order_nodes
from discreet.model.family import Family
from discreet.model.impossible import Combination, by_nodes, check_rows, list_combinations, patterns_within, show_combinations
from discreet.model.read_value import place_of
from discreet.model.schema import Schema
from discreet.model.variable import Variable

__all__ = ["CELL_LIMIT", "Family", "Network", "check_network"]

CELL_LIMIT = 2**22
"""Most cells that all family tables may have together: what a release file of a readable size can carry."""
_VARIABLES = "The variables of a network are a list of Variable(name, levels)."


@dataclass(frozen=True, init=False, repr=False)
class Network(Displayed):
    """Variables and the parents of each node, without cycles.

    ``variables`` is a list of them, or a Schema whose columns they are.
    ``parents`` maps a node to its parents in table order; nodes that are left out have none. ``impossible`` lists
    combinations of levels that no record can have, such as ``{"sex": "male", "pregnant": "yes"}``: of nodes of which one has
    all others as parents, and known without looking at the records. ``learned`` says that the arrows were found in records:
    they say what goes with what, and not what causes what.
    """

    variables: tuple[Variable, ...]
    parents: Mapping[str, tuple[str, ...]]
    impossible: tuple[Combination, ...]
    learned: bool
    kind: ClassVar[ModelKind[Network]] = NETWORKS

    def __init__(
        self,
        variables: Iterable[Variable] | Schema,
        parents: Mapping[str, Iterable[str]] | None = None,
        *,
        impossible: Iterable[Mapping[str, object]] = (),
        learned: bool = False,
    ) -> None:
        listed = variables.variables if isinstance(variables, Schema) else items_of(variables, _VARIABLES)
        declared = cast("tuple[Variable, ...]", listed)
        _check_variables(declared)
        given = list_parents({} if parents is None else parents)
        check_parents({variable.name for variable in declared}, given)
        complete = {variable.name: given.get(variable.name, ()) for variable in declared}
        object.__setattr__(self, "variables", declared)
        object.__setattr__(self, "parents", MappingProxyType(complete))
        object.__setattr__(self, "learned", bool(learned))
        check_acyclic(complete)
        object.__setattr__(self, "impossible", list_combinations(impossible, self._by_name, complete))
        _check_size(self.families)
        check_rows(self.families, self._by_name)

    @classmethod
    def from_edges(
        cls,
        variables: Iterable[Variable] | Schema,
        edges: Iterable[tuple[str, str]],
        *,
        impossible: Iterable[Mapping[str, object]] = (),
    ) -> Network:
        """Build from (parent, child) pairs; a child's parents keep the order of the list."""
        parents: dict[str, list[str]] = {}
        for parent, child in check_edges(edges):
            parents.setdefault(child, []).append(parent)
        return cls(variables, parents, impossible=impossible)

    def __hash__(self) -> int:  # asked for again and again, so computed once
        return self._hash

    def __reduce__(self) -> tuple[Callable[..., Network], tuple[object, ...]]:
        # The read-only views of parents and combinations can be neither pickled nor copied.
        made = partial(Network, impossible=[dict(each) for each in self.impossible], learned=self.learned)
        return (made, (self.variables, dict(self.parents)))

    def _display(self) -> Display:
        size = f"{counted(len(self.nodes), 'node')}, {counted(self.edges, 'edge')}, {counted(self.cells, 'cell')}"
        facts = [("impossible", show_combinations(self.impossible))] if self.impossible else []
        facts += [("arrows", "learned from records: not causes")] if self.learned else []
        return Display(f"Network of {size}", facts, NODE_HEADINGS, node_rows(self))

    @cached_property
    def _hash(self) -> int:
        return hash((self.variables, tuple(self.parents.items()), tuple(tuple(each.items()) for each in self.impossible)))

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Names of the variables, in declared order."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def _by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    @cached_property
    def _families(self) -> dict[str, Family]:
        found, impossible = {}, by_nodes(self.impossible)
        for node, parents in self.parents.items():
            members = (*parents, node)
            shape = tuple(self._by_name[member].size for member in members)
            found[node] = Family(node, parents, shape, patterns_within(members, impossible, self._by_name))
        return found

    def variable(self, node: str) -> Variable:
        """Return the declaration of one node."""
        if not isinstance(node, str) or node not in self._by_name:
            raise QueryError(f"There is no node {quoted(node)}.{suggestion(node, self.nodes)}")
        return self._by_name[node]

    def level_index(self, node: str, level: object) -> int:
        """Where a level stands in the declared order; a raw value, such as 37 between cuts, stands for the level it is in."""
        place = place_of(self.variable(node), level)
        if place is None:
            raise QueryError(f"{node!r} has no level {quoted(level)}.{self._likely(node, str(level))}")
        return place

    def _likely(self, node: str, asked: str) -> str:
        """What may have been meant: the level that has a label of this name, or one that is spelled alike."""
        variable = self.variable(node)
        labels = () if variable.reading is None else variable.reading.labels
        meant = [level for level, label in labels if label.casefold() == asked.strip().casefold()]
        if len(meant) == 1:
            return f" That is the label of {quoted(meant[0])}: name the level."
        return suggestion(asked, variable.levels)

    def family(self, node: str) -> Family:
        """Return the node with its parents."""
        return self._families[self.variable(node).name]

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """All families, in the order of the nodes."""
        return tuple(self._families.values())

    @cached_property
    def cells(self) -> int:
        """Counts in all family tables together."""
        return sum(family.cells for family in self.families)

    @property
    def parameters(self) -> int:
        """Free probabilities: each row of a table sums to one."""
        return sum(family.configurations * (family.levels - 1) for family in self.families)

    @property
    def edges(self) -> int:
        """Number of arrows."""
        return sum(len(parents) for parents in self.parents.values())

    def in_degree(self, node: str) -> int:
        """Count the parents."""
        return len(self.family(node).parents)

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """The children of every node."""
        found: dict[str, list[str]] = {node: [] for node in self.nodes}
        for node, parents in self.parents.items():
            for parent in parents:
                found[parent].append(node)
        return MappingProxyType({node: tuple(children) for node, children in found.items()})

    @cached_property
    def topological_order(self) -> tuple[str, ...]:
        """Nodes, parents before children."""
        return order_nodes(self.parents)

    @cached_property
    def maximal_families(self) -> tuple[Family, ...]:
        """Families that no other family contains."""
        # A family that contains this one contains its node, so it belongs to a child; equal families would be a cycle.
        return tuple(
            family
            for family in self.families
            if not any(set(family.members) <= set(self.family(child).members) for child in self.children[family.node])
        )

    @cached_property
    def downward_closure(self) -> frozenset[frozenset[str]]:
        """Every subset of every family, the empty set included: the paper's N_I."""
        widest = max(len(family.members) for family in self.families)
        if widest > 20:
            raise ModelError(f"The downward closure of a family of {widest} nodes has 2^{widest} sets; use fewer parents.")
        maximal = [family.members for family in self.maximal_families]
        sizes = ((members, size) for members in maximal for size in range(len(members) + 1))
        return frozenset(frozenset(subset) for members, size in sizes for subset in combinations(members, size))


def check_network(given: object) -> None:
    """Refuse what is no network where one is needed as such."""
    if not isinstance(given, Network):
        raise ModelError(f"{of_kind(given)} is not a Network. Make one, or read it with read_network(path).")


def _check_variables(variables: tuple[Variable, ...]) -> None:
    if not variables:
        raise ModelError("A network needs at least one variable.")
    if not all(isinstance(variable, Variable) for variable in variables):
        raise ModelError(_VARIABLES)
    twice, count = Counter(variable.name for variable in variables).most_common(1)[0]
    if count > 1:
        raise ModelError(f"Two variables are called {twice!r}; rename one.")
    if len({variable.column for variable in variables}) < len(variables):
        raise ModelError("Two variables are read from one column of the table; keep one of them.")


def _check_size(families: tuple[Family, ...]) -> None:
    total = sum(family.cells for family in families)
    if total <= CELL_LIMIT:
        return
    largest = sorted(families, key=lambda each: -each.cells)[:3]
    sizes = "; ".join(f"{each.node!r} {_count(each.cells)} cells ({len(each.parents)} parents)" for each in largest)
    raise ModelError(
        f"The tables of this network have {_count(total)} cells, more than {CELL_LIMIT:,}. Largest: {sizes}. "
        "Give these nodes fewer parents or merge levels."
    )


def _count(cells: int) -> str:
    # Thousands of parents give numbers that Python refuses to print.
    return f"{cells:,}" if cells < 10**15 else f"about 2^{cells.bit_length() - 1}"
