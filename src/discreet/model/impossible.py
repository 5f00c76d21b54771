"""Structural zeros: combinations of levels that the declaration names as impossible, whatever the records are.

A combination names a level of some nodes that are one node and parents of it. Then it is a zero in that node's table: the
probability of the node's level, given those of the parents. Combinations of other nodes have no place in the network, whose
nodes would have to depend on one another for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from discreet.checks import items_of
from discreet.errors import ModelError, quoted, suggestion
from discreet.model.family import Family, Pattern, empty_cells
from discreet.model.variable import Variable

__all__ = ["Combination", "by_nodes", "check_rows", "list_combinations", "patterns_within", "show_combinations"]

Combination: TypeAlias = Mapping[str, str]
"""Node -> level, of levels that never occur together in a record."""
_FORM = "impossible is a list of combinations, such as [{'sex': 'male', 'pregnant': 'yes'}]."
_SHOWN = 6


def list_combinations(
    given: object, variables: Mapping[str, Variable], parents: Mapping[str, tuple[str, ...]]
) -> tuple[Combination, ...]:
    """What is declared impossible, each combination once, its nodes in their order; or an error that says what is wrong."""
    if isinstance(given, Mapping):  # a single one, whose nodes would be taken for the list
        raise ModelError(_FORM)
    found: dict[tuple[tuple[str, str], ...], None] = {}
    order = {node: place for place, node in enumerate(variables)}
    for combination in items_of(given, _FORM):
        if not isinstance(combination, Mapping) or not combination:
            raise ModelError(_FORM)
        levels = {node: _level(node, level, variables) for node, level in combination.items()}
        _check_place(levels, parents)
        found[tuple((node, levels[node]) for node in sorted(levels, key=order.__getitem__))] = None
    return tuple(MappingProxyType(dict(pairs)) for pairs in found)


def by_nodes(combinations: Iterable[Combination]) -> dict[frozenset[str], list[Combination]]:
    """Combinations of the same nodes together: of these there are few, however many combinations there are."""
    found: dict[frozenset[str], list[Combination]] = {}
    for combination in combinations:
        found.setdefault(frozenset(combination), []).append(combination)
    return found


def patterns_within(
    members: Sequence[str], combinations: Mapping[frozenset[str], Sequence[Combination]], variables: Mapping[str, Variable]
) -> tuple[Pattern, ...]:
    """The combinations whose nodes are all among these members, by places of members and levels."""
    return tuple(
        tuple((members.index(node), variables[node].levels.index(level)) for node, level in combination.items())
        for nodes, listed in combinations.items()
        if nodes.issubset(members)
        for combination in listed
    )


def check_rows(families: Iterable[Family], variables: Mapping[str, Variable]) -> None:
    """Refuse a node that is left without a level, unless its parents cannot occur as they are in the first place."""
    for family in families:
        if family.impossible:
            _check_family(family, variables)


def _check_family(family: Family, variables: Mapping[str, Variable]) -> None:
    above = tuple(pattern for pattern in family.impossible if all(axis < len(family.parents) for axis, _ in pattern))
    stuck = empty_cells(family).all(axis=1)
    if above:
        stuck = stuck & ~empty_cells(Family(family.node, family.parents, family.shape, above)).all(axis=1)
    if not stuck.any():
        return
    if not family.parents:
        raise ModelError(f"Every level of {family.node!r} is declared impossible; leave at least one.")
    row, names = int(stuck.argmax()), []
    for parent, size in zip(reversed(family.parents), reversed(family.shape[:-1]), strict=True):
        names.append(f"{parent}={variables[parent].levels[row % size]}")
        row //= size
    raise ModelError(
        f"Every level of {family.node!r} is declared impossible where {', '.join(reversed(names))}. Leave at least one, or "
        "declare that combination of its parents impossible, if it is."
    )


def show_combinations(combinations: Sequence[Combination]) -> str:
    """Combinations as people read them: ``sex=male, pregnant=yes; ...``."""
    shown = [", ".join(f"{node}={level}" for node, level in each.items()) for each in combinations[:_SHOWN]]
    more = [f"{len(combinations) - _SHOWN:,} more"] if len(combinations) > _SHOWN else []
    return "; ".join(shown + more)


def _level(node: object, level: object, variables: Mapping[str, Variable]) -> str:
    if not isinstance(node, str) or node not in variables:
        raise ModelError(
            f"A combination that is declared impossible names {quoted(node)}, which is not declared."
            f"{suggestion(node, sorted(variables))}"
        )
    levels = variables[node].levels
    if str(level) not in levels:
        raise ModelError(
            f"A combination that is declared impossible names the level {quoted(level)}, which {node!r} does not have."
            f"{suggestion(str(level), levels)}"
        )
    return str(level)


def _check_place(nodes: Iterable[str], parents: Mapping[str, tuple[str, ...]]) -> None:
    """One of the nodes must have all others as parents: only there can a network hold the zero."""
    named = list(nodes)
    if any(set(named) - {node} <= set(parents[node]) for node in named):
        return
    raise ModelError(
        f"The nodes {', '.join(map(repr, named))} are declared impossible together, but none of them has all others as "
        "parents, so the network cannot say it. Add the edges that are missing."
    )
