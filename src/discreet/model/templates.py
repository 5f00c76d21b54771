"""Networks of a known form, which nobody writes out node by node: naive Bayes, a chain, a tree, a complete graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import cast

from discreet.checks import check_whole, items_of
from discreet.errors import ModelError, quoted, suggestion
from discreet.model.network import Network
from discreet.model.schema import Schema
from discreet.model.variable import Variable

__all__ = ["chain_network", "complete_network", "naive_bayes", "tree_network"]

_DECLARED = "A network is made of a schema, or of a list of Variable(name, levels)."


def naive_bayes(
    label: str | Schema,
    features: str | Iterable[str] | Mapping[str, Iterable[object]],
    levels: Iterable[object] = ("0", "1"),
    *,
    impossible: Iterable[Mapping[str, object]] = (),
) -> Network:
    """Naive Bayes: the label is the only parent of every feature.

    ``naive_bayes(schema, "income")`` takes all columns of a schema, with "income" for the label. Otherwise ``features`` is a
    list of names, which share ``levels`` with the label, or a mapping from name to its own levels (then ``levels`` are the
    label's). ``impossible`` is what it is for a Network.
    """
    if isinstance(label, Schema):
        variables = _starting_with(label.variables, features)
        return Network(variables, {each.name: [variables[0].name] for each in variables[1:]}, impossible=impossible)
    if isinstance(features, str):
        raise ModelError(f"The features are one text; give a list such as [{features!r}].")
    shared = Variable(label, levels).levels
    declared = dict(features) if isinstance(features, Mapping) else {}
    names = [str(name) for name in items_of(features, "The features are a list of names, or a mapping from names to levels.")]
    if label in names:
        raise ModelError(f"{label!r} is the label and a feature; rename one.")
    variables = [Variable(label, shared), *(Variable(name, declared.get(name, shared)) for name in names)]
    return Network(variables, {name: [label] for name in names}, impossible=impossible)


def chain_network(declared: Schema | Iterable[Variable]) -> Network:
    """A chain: each column depends on the one before it. ``schema.select([...])`` puts columns into another order."""
    variables = _variables(declared)
    return Network(variables, {after.name: [before.name] for before, after in pairwise(variables)})


def tree_network(declared: Schema | Iterable[Variable], root: str, *, branches: int = 2) -> Network:
    """A tree: from the root each column has so many children, in declared order, until there is none left."""
    check_whole(branches, "branches", error=ModelError)
    variables = _starting_with(_variables(declared), root)
    parents = {each.name: [variables[place // branches].name] for place, each in enumerate(variables[1:])}
    return Network(variables, parents)


def complete_network(declared: Schema | Iterable[Variable]) -> Network:
    """A complete graph: each column depends on all before it. For a few columns; more have too many cells."""
    names = [variable.name for variable in _variables(declared)]
    return Network(_variables(declared), {name: names[:place] for place, name in enumerate(names)})


def _variables(declared: Schema | Iterable[Variable]) -> Sequence[Variable]:
    if isinstance(declared, Schema):
        return declared.variables
    listed = items_of(declared, _DECLARED)
    if not listed or not all(isinstance(each, Variable) for each in listed):
        raise ModelError(_DECLARED)
    return cast("tuple[Variable, ...]", listed)


def _starting_with(variables: Sequence[Variable], first: object) -> list[Variable]:
    """The variables with one of them first, the others in their order."""
    names = [variable.name for variable in variables]
    if not isinstance(first, str) or first not in names:
        raise ModelError(f"There is no column {quoted(first)} among those that are declared.{suggestion(first, names)}")
    return sorted(variables, key=lambda variable: variable.name != first)
