"""Tables of any nodes, to be counted together in one pass: what is asked of records before there is a graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from discreet.errors import ModelError
from discreet.model.family import Family
from discreet.model.impossible import Combination
from discreet.model.variable import Variable

__all__ = ["Countable", "JointTable", "TableSet"]


class Countable(Protocol):
    """What records are counted for: a network, whose families are the tables, or a set of tables."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The columns that are read."""
        ...

    @property
    def nodes(self) -> tuple[str, ...]:
        """Their names, in declared order."""
        ...

    @property
    def families(self) -> tuple[Family, ...]:
        """The tables, each with a name of its own in ``node``."""
        ...

    @property
    def impossible(self) -> tuple[Combination, ...]:
        """What no record can have."""
        ...

    def variable(self, node: str) -> Variable:
        """The declaration of one node."""
        ...

    def __hash__(self) -> int:
        """How it is to be counted is worked out once."""
        ...


@dataclass(frozen=True, slots=True)
class JointTable(Family):
    """A table of some nodes that is counted as a family is. Its ``node`` is the name of the table, and no node's."""

    axes: tuple[str, ...] = ()

    @property
    def members(self) -> tuple[str, ...]:
        """The nodes, in the order of the axes."""
        return self.axes


@dataclass(frozen=True, eq=False)
class TableSet:
    """Tables of some of the variables, each of different nodes in declared order."""

    variables: tuple[Variable, ...]
    sets: tuple[tuple[str, ...], ...]
    impossible: tuple[Combination, ...] = ()

    @classmethod
    def of(cls, variables: Iterable[Variable], sets: Iterable[tuple[str, ...]]) -> TableSet:
        """The tables of these nodes; each once."""
        return cls(tuple(variables), tuple(dict.fromkeys(sets)))

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Names of all variables, in declared order."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def _by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    def variable(self, node: str) -> Variable:
        """The declaration of one node."""
        return self._by_name[node]

    def shape(self, nodes: tuple[str, ...]) -> tuple[int, ...]:
        """The levels of each of these nodes."""
        return tuple(self._by_name[node].size for node in nodes)

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """One table for each set, called by its place in the list."""
        if any(len(set(nodes)) < len(nodes) or not nodes for nodes in self.sets):
            raise ModelError("A table is of different nodes, and of at least one.")
        return tuple(JointTable(str(place), (), self.shape(nodes), (), nodes) for place, nodes in enumerate(self.sets))
