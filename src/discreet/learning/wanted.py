"""What kind of graph is looked for: all of it declared, and checked before any record is read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from discreet.checks import check_whole, items_of
from discreet.errors import ModelError, quoted, suggestion
from discreet.model.edges import check_acyclic, check_edges
from discreet.model.network import Network
from discreet.model.variable import Variable
from discreet.planning.form_choice import FormChoice, choose_form
from discreet.planning.form_kinds import Form
from discreet.planning.graph_forms import GraphFacts

__all__ = ["USUAL_PARENTS", "Form", "Wanted", "choose_wanted", "read_options", "read_wanted"]

_FORMS = "form is 'auto', 'tree', 'forest', 'dag', 'empty' (no edges), or with a target 'tan' or 'naive_bayes'."
_AUTOMATIC = {False: (Form.DAG, Form.TREE, Form.FOREST, Form.EMPTY), True: (Form.DAG, Form.TAN, Form.NAIVE_BAYES)}
"""What auto chooses from, without and with a target."""
_MOST_COLUMNS = 200
"""Of more columns there would be more pairs than anybody waits for, and a budget spread too thin to tell them apart."""
USUAL_PARENTS = 3
"""Where nobody says how many a node of a dag may have."""
_MOST_PARENTS = 6
_NARROW = 128
"""Cells of a family that may have more parents than usual, where nobody said how many."""
_MOST_LEVELS = 1000
"""Of a column with more, no pair is looked at: its table could never be filled."""
_MOST_ALL_LEVELS = 600
"""Of all columns of a dag, whose pairs are measured at once."""
_MOST_TABLE = 2**16
"""Cells of the largest table that is looked at."""


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
        if self.form.has_target and self.target is not None:
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
        if self.form.is_fixed:
            return ()
        narrow = [node for node in self.nodes if self.sizes[node] <= _MOST_LEVELS]
        more = 1 if self.target is None else self.sizes[self.target]
        allowed = (pair for pair in combinations(narrow, 2) if frozenset(pair) not in self.forbidden)
        return tuple(pair for pair in allowed if more * self.cells(pair) <= _MOST_TABLE)


def read_options(
    variables: tuple[Variable, ...],
    form: object,
    target: str | None,
    parents: int | None,
    required: object,
    forbidden: object,
) -> tuple[Wanted, ...]:
    """The same for every form that ``auto`` may take; of any other word, for that form alone.

    Claim:      as ``read_wanted``, for each; which there are depends on the declaration alone.
    Requires:   nothing; where no form can be, the first is refused.
    Checked by: tests/unit/learning/test_automatic_form.py::test_forms_that_cannot_be_are_not_offered
    """
    _check_columns([variable.name for variable in variables], target)
    if _word(form) != "auto":
        return (read_wanted(variables, form, target, parents, required, forbidden),)
    found, refused = [], []
    for each in _AUTOMATIC[target is not None]:
        try:
            found.append(read_wanted(variables, each, target if each.has_target else None, parents, required, forbidden))
        except ModelError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return tuple(found)


def read_wanted(
    variables: tuple[Variable, ...],
    form: object,
    target: str | None,
    parents: int | None,
    required: object,
    forbidden: object,
) -> Wanted:
    """Check what is asked for.

    Claim:      afterwards there is a graph of this form with all required arrows and no forbidden edge.
    Requires:   nothing; what cannot be is refused, before any record is read.
    Checked by: tests/unit/learning/test_bad_graphs.py::test_what_is_refused_costs_nothing
    """
    names = [variable.name for variable in variables]
    _check_columns(names, target)
    chosen = _form(form, target)
    most = USUAL_PARENTS if parents is None else check_whole(parents, "parents", 1, ModelError)
    if most > _MOST_PARENTS:
        raise ModelError(f"A node of a learned graph has at most {_MOST_PARENTS} parents; ask for fewer.")
    arrows = _edges(required, names, "required")
    barred = frozenset(frozenset(edge) for edge in _edges(forbidden, names, "forbidden"))
    limit = most if chosen is Form.DAG else 2 if chosen.has_target else 1
    narrow = _MOST_PARENTS if parents is None and chosen is Form.DAG else 0
    wanted = Wanted(variables, chosen, target if chosen.has_target else None, limit, arrows, barred, narrow)
    _check_required(wanted)
    return wanted


def choose_wanted(options: Sequence[Wanted], facts: GraphFacts) -> tuple[Wanted, FormChoice | None]:
    """The form to look for; why, where there was a choice.

    Claim:      depends on public facts alone: the declaration, the number of records or persons, and the budget.
    Requires:   options of one declaration.
    Checked by: tests/unit/learning/test_automatic_form.py::test_the_form_does_not_depend_on_the_records
    """
    if len(options) == 1:
        return options[0], None
    choice = choose_form(facts, [wanted.form for wanted in options])
    return next(wanted for wanted in options if wanted.form is choice.form), choice


def _check_columns(names: list[str], target: str | None) -> None:
    if len(names) > _MOST_COLUMNS:
        raise ModelError(
            f"A graph of {len(names):,} columns cannot be learned: {_MOST_COLUMNS} are the most. Choose columns with "
            "schema.select([...]), by what everybody knows of them."
        )
    if target is not None and target not in names:
        raise ModelError(f"There is no column {quoted(target)} to be the target.{suggestion(target, names)}")


def _word(form: object) -> str:
    return form.value if isinstance(form, Form) else str(form).strip().casefold()


def _form(form: object, target: str | None) -> Form:
    word = _word(form)
    if word not in {each.value for each in Form}:
        raise ModelError(f"There is no form {quoted(form)}. {_FORMS}")
    found = Form(word)
    if found.has_target != (target is not None):
        raise ModelError(
            f"{word} is for predicting one column from the others: say whose level, such as target='income'."
            if target is None
            else f"A {word} has no target. Leave target out, or write form='tan' for a classifier."
        )
    return found


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
            said = f"{len(listed)} required parents" + (", the target among them" if wanted.form.has_target else "")
            raise ModelError(f"{quoted(node)} has {said}; a {wanted.form.value} allows {wanted.most_parents}.")
    if wanted.form in (Form.TREE, Form.FOREST, Form.EMPTY) and _has_ring(wanted.required):
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
