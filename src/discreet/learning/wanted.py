"""What kind of graph is looked for: all of it declared, and checked before any record is read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import combinations

from discreet.checks import check_whole, items_of
from discreet.errors import ModelError, quoted, suggestion
from discreet.model.edges import check_acyclic, check_edges
from discreet.model.network import Network
from discreet.model.variable import Variable

__all__ = ["Form", "Wanted", "read_wanted"]

_FORMS = "form is 'auto', 'tree', 'forest', 'tan' (which needs a target) or 'dag'."
_MOST_COLUMNS = 200
"""Of more columns there would be more pairs than anybody waits for, and a budget spread too thin to tell them apart."""
_USUAL_PARENTS = 3
_MOST_PARENTS = 6
_NARROW = 128
"""Cells of a family that may have more parents than usual, where nobody said how many."""
_MOST_LEVELS = 1000
"""Of a column with more, no pair is looked at: its table could never be filled."""
_MOST_ALL_LEVELS = 600
"""Of all columns of a dag, whose pairs are measured at once."""
_MOST_TABLE = 2**16
"""Cells of the largest table that is looked at."""


class Form(Enum):
    """What graphs are looked for."""

    TREE = "tree"
    """Every node has at most one parent, and as many have one as can."""
    FOREST = "forest"
    """The same, but edges that do not pay are left out."""
    TAN = "tan"
    """Tree-augmented naive Bayes: the target is a parent of all others, which may have one more."""
    DAG = "dag"
    """Every node has at most so many parents."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """Public facts about the graph that is looked for."""

    variables: tuple[Variable, ...]
    form: Form
    target: str | None
    parents: int
    """How many parents a node may have at the most."""
    required: tuple[tuple[str, str], ...]
    """Arrows that the graph has in any case."""
    forbidden: frozenset[frozenset[str]]
    """Pairs between which there is no edge, in either direction."""
    narrow_parents: int = 0
    """How many parents a node may have at the most while its family has few cells, if these are more."""

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """In declared order."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """How many levels each node has."""
        return {variable.name: variable.size for variable in self.variables}

    def cells(self, nodes: Iterable[str]) -> int:
        """Of the table of these nodes."""
        return math.prod(self.sizes[node] for node in nodes)

    @property
    def most_parents(self) -> int:
        """How many parents any node may have."""
        return max(self.parents, self.narrow_parents)

    def allows(self, parents: int, cells: int) -> bool:
        """Whether a family may have so many parents and cells."""
        return parents <= self.parents or (parents <= self.narrow_parents and cells <= _NARROW)

    def network(self, parents: Mapping[str, Iterable[str]], nodes: Iterable[str] | None = None) -> Network:
        """The network of these arrows, of all nodes or of some; its arrows were learned."""
        kept = set(self.nodes if nodes is None else nodes)
        return Network([each for each in self.variables if each.name in kept], parents, learned=True)

    @cached_property
    def given(self) -> dict[str, tuple[str, ...]]:
        """The arrows before any record was looked at: those that are required, and a target's."""
        found: dict[str, list[str]] = {node: [] for node in self.nodes}
        if self.form is Form.TAN and self.target is not None:
            for node in self.nodes:
                if node != self.target:
                    found[node].append(self.target)
        for parent, child in self.required:
            if parent not in found[child]:
                found[child].append(parent)
        return {node: tuple(listed) for node, listed in found.items()}

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs that could get an edge, in declared order: not forbidden, of columns that are not too wide."""
        narrow = [node for node in self.nodes if self.sizes[node] <= _MOST_LEVELS]
        more = 1 if self.target is None else self.sizes[self.target]
        allowed = (pair for pair in combinations(narrow, 2) if frozenset(pair) not in self.forbidden)
        return tuple(pair for pair in allowed if more * self.cells(pair) <= _MOST_TABLE)


def read_wanted(
    variables: tuple[Variable, ...],
    form: object,
    target: str | None,
    parents: int | None,
    required: object,
    forbidden: object,
) -> Wanted:
    """Check what is asked for. ``auto`` becomes a form: tree-augmented naive Bayes where there is a target, else a dag.

    Claim:      afterwards there is a graph of this form with all required arrows and no forbidden edge.
    Requires:   nothing; what cannot be is refused, before any record is read.
    Checked by: tests/unit/learning/test_bad_graphs.py::test_what_is_refused_costs_nothing
    """
    names = [variable.name for variable in variables]
    if len(names) > _MOST_COLUMNS:
        raise ModelError(
            f"A graph of {len(names):,} columns cannot be learned: {_MOST_COLUMNS} are the most. Choose columns with "
            "schema.select([...]), by what everybody knows of them."
        )
    if target is not None and target not in names:
        raise ModelError(f"There is no column {quoted(target)} to be the target.{suggestion(target, names)}")
    chosen = _form(form, target)
    most = _USUAL_PARENTS if parents is None else check_whole(parents, "parents", 1, ModelError)
    if most > _MOST_PARENTS:
        raise ModelError(f"A node of a learned graph has at most {_MOST_PARENTS} parents; ask for fewer.")
    arrows = _edges(required, names, "required")
    barred = frozenset(frozenset(edge) for edge in _edges(forbidden, names, "forbidden"))
    limit = {Form.TREE: 1, Form.FOREST: 1, Form.TAN: 2, Form.DAG: most}[chosen]
    narrow = _MOST_PARENTS if parents is None and chosen is Form.DAG else 0
    wanted = Wanted(variables, chosen, target if chosen is Form.TAN else None, limit, arrows, barred, narrow)
    _check_required(wanted)
    return wanted


def _form(form: object, target: str | None) -> Form:
    word = form.value if isinstance(form, Form) else str(form).strip().casefold()
    if word == "auto":
        return Form.DAG if target is None else Form.TAN
    if word not in {each.value for each in Form}:
        raise ModelError(f"There is no form {quoted(form)}. {_FORMS}")
    if (word == Form.TAN.value) != (target is not None):
        raise ModelError(
            "tan is naive Bayes with edges between the features: say whose, such as target='income'."
            if target is None
            else f"A {word} has no target. Leave target out, or write form='tan' for a classifier."
        )
    return Form(word)


def _edges(given: object, names: list[str], what: str) -> tuple[tuple[str, str], ...]:
    meaning = f"{what} is a list of pairs of columns, such as [('smoke', 'lung')]."
    if isinstance(given, str):
        raise ModelError(meaning)
    found = check_edges(items_of(given, meaning))
    for edge in found:
        for node in edge:
            if node not in names:
                raise ModelError(f"{what} names {quoted(node)}, which is no column.{suggestion(node, names)}")
        if edge[0] == edge[1]:
            raise ModelError(f"{what} has an edge from {quoted(edge[0])} to itself.")
    return tuple(dict.fromkeys((one, two) for one, two in found))


def _check_required(wanted: Wanted) -> None:
    """Refuse arrows that no graph of this form can have."""
    arrows = [(parent, node) for node, listed in wanted.given.items() for parent in listed]
    both = [edge for edge in arrows if frozenset(edge) in wanted.forbidden]
    if both:
        raise ModelError(f"The edge between {quoted(both[0][0])} and {quoted(both[0][1])} is required and forbidden.")
    check_acyclic(wanted.given)
    for node, listed in wanted.given.items():
        if len(listed) > wanted.most_parents:
            said = f"{len(listed)} required parents" + (", the target among them" if wanted.form is Form.TAN else "")
            raise ModelError(f"{quoted(node)} has {said}; a {wanted.form.value} allows {wanted.most_parents}.")
    if wanted.form in (Form.TREE, Form.FOREST) and _has_ring(wanted.required):
        raise ModelError("The required edges go round in a ring, which no tree does. Leave one of them out.")
    wanted.network(wanted.given)  # refuses tables that are too large
    if wanted.form is Form.DAG and sum(wanted.sizes.values()) > _MOST_ALL_LEVELS:
        raise ModelError(
            f"All columns together have {sum(wanted.sizes.values()):,} levels, and a dag is learned for at most "
            f"{_MOST_ALL_LEVELS}. Merge levels, choose columns with schema.select([...]), or write form='forest'."
        )


def _has_ring(edges: Iterable[tuple[str, str]]) -> bool:
    root: dict[str, str] = {}

    def find(node: str) -> str:
        while root.setdefault(node, node) != node:
            node = root[node]
        return node

    for one, two in edges:
        if find(one) == find(two):
            return True
        root[find(one)] = find(two)
    return False
