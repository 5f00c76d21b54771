"""The prior of the counts of a family's rows: what is known of parents elsewhere is not said again.

The counts of a family's rows are Dirichlet-multinomial with a parameter s for each row. So are those of the levels of one
parent, and of the combinations of several parents, with the sums of these parameters. But what is known of parents has its
place elsewhere: tables that come earlier, parents before children and small ones before large ones, have a law of their own
for all nodes that they share with this one, and every table that shares them is tied to theirs. So the law of rows is divided
by what it says of parents that are shared with earlier tables: of m records at a combination of their levels, with the sum S
of parameters, the factor is G(m + a) / G(m + S) with a = 1. A parent that no earlier table has brings its own prior: there a
is the prior's parameter, which is one at the most where there are other parents. The parameters s are as small as they can be
with no S below its a: then what is said of the largest set of parents needs no factor. Several sets of parents are divided one
by one, which is not quite what they say together.

Ties are normal, and counts are not below zero. So a table that is tied to an earlier one, and has no law of its own for what
they share, weighs as much as the part of a normal law above zero: P(m / w) where the earlier table has m records, with P the
normal distribution function and w the width of the tie. That would push the earlier table away from zero. It is given the
inverse of this, for k tables about 1 + k exp(-b m / w), which has the value and the slope of the inverse at zero.

Steps that move many rows of a table by themselves need factors of single records. For a < S the factor is the integral of
x^(m + a - 1) (1 - x)^(S - a - 1), the density of a beta law: with x drawn from it, every record at the combination has the
factor x, and cells know nothing more of one another. Of the two terms above one is drawn: without a factor, or with one for
every record. The last axis of every array is the chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.chains.table_places import places_of, shape_of
from discreet.model.family import Booleans, empty_cells
from discreet.model.network import Family

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["CLOSED", "RowMargins", "homes", "row_margins"]

CLOSED = 1e-300
"""The Dirichlet parameter of what is declared impossible: a first record there is less likely by exp(-690)."""
_SAME = 1e-9
"""Where S is larger than a by less, there is no factor."""


@dataclass(frozen=True, slots=True, eq=False)
class RowMargins:
    """The law of rows, and the factors of combinations of nodes' levels of which it, or tied tables, would say too much."""

    spread: Floats
    """Dirichlet-multinomial parameter of each row's count."""
    matrix: csr_array = field(repr=False)
    """Combinations x cells: one where a cell has the combination. Those whose prior is divided out come first."""
    back: csr_array = field(repr=False)
    family: Integers
    """Of each combination."""
    above: Floats
    """The a of combinations whose prior is said elsewhere and divided out."""
    below: Floats
    """Their S."""
    pushing: Floats
    """How many tables push each of the others away from zero."""
    rate: Floats
    """By how much the term that makes up for it falls with each record."""

    def logs(self, counts: Floats) -> Floats:
        """The log of the factor of each combination: combinations x chains."""
        return self.logs_at(self.matrix @ counts)

    def logs_at(self, seen: Floats) -> Floats:
        """The same, if combinations have so many records."""
        from scipy.special import gammaln

        first = len(self.above)
        divided = gammaln(seen[:first] + self.above[:, None]) - gammaln(seen[:first] + self.below[:, None])
        return np.concatenate([divided, np.log1p(self.odds(seen[first:]))])

    def draw(self, counts: Floats, generator: np.random.Generator) -> Floats:
        """The log of the factor of each record in a cell, drawn given the tables: cells x chains."""
        seen, first = self.matrix @ counts, len(self.above)
        # x = kept / (kept + lost) has the beta law; and whether it is the second term.
        kept = generator.standard_gamma(seen[:first] + self.above[:, None])
        lost = generator.standard_gamma(np.broadcast_to((self.below - self.above)[:, None], kept.shape))
        odds = self.odds(seen[first:])
        falls = generator.random(odds.shape) * (1 + odds) < odds
        divided = -np.log1p(lost / np.maximum(kept, CLOSED))
        return np.asarray(self.back @ np.concatenate([divided, np.where(falls, -self.rate[:, None], 0)]))

    def odds(self, seen: Floats) -> Floats:
        """Of the second term of what makes up for ties against the first."""
        return np.asarray(self.pushing[:, None] * np.exp(-self.rate[:, None] * seen))


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """What is known of some parents of a family by itself."""

    nodes: tuple[str, ...]
    parameters: Floats
    """The a of each combination of their levels."""
    tie: tuple[str, ...] | None = None
    """The set of nodes that is shared with an earlier table, if they are known from there."""


def homes(families: Sequence[Family], sets: Iterable[tuple[str, ...]]) -> list[list[int]]:
    """For each set of nodes the families that have them all, from the earliest to the latest: the first is its home."""
    place = {number: turn for turn, number in enumerate(_in_order(families))}
    holders: dict[str, set[int]] = {}
    for number, family in enumerate(families):
        for node in family.members:
            holders.setdefault(node, set()).add(number)
    common = (set.intersection(*(holders.get(node, set()) for node in nodes)) for nodes in sets)
    return [sorted(numbers, key=place.__getitem__) for numbers in common]


def _in_order(families: Sequence[Family]) -> Iterator[int]:
    """Parents before children, and otherwise small tables before large ones: what they share is known best from them."""
    numbers = {family.node: number for number, family in enumerate(families)}
    waits = [sum(parent in numbers for parent in family.parents) for family in families]
    followers: dict[str, list[int]] = {}
    for number, family in enumerate(families):
        for parent in family.parents:
            followers.setdefault(parent, []).append(number)
    ready = [(family.cells, number) for number, family in enumerate(families) if not waits[number]]
    heapify(ready)
    while ready:
        _, number = heappop(ready)
        yield number
        for follower in followers.get(families[number].node, []):
            waits[follower] -= 1
            if not waits[follower]:
                heappush(ready, (families[follower].cells, follower))


def row_margins(
    families: Sequence[Family],
    ties: Mapping[tuple[str, ...], float],
    roots: Mapping[str, Floats],
) -> RowMargins:
    """The law of all families' rows.

    Tables that have all nodes of one of these sets are tied, with this variance of each. ``roots`` are the Dirichlet
    parameters of nodes without parents that have no table of their own.
    """
    from scipy.sparse import csr_array, vstack

    at_home: dict[tuple[str, ...], int] = {}
    shared: list[list[tuple[str, ...]]] = [[] for _ in families]
    for nodes, (first, *later) in zip(ties, homes(families, ties), strict=True):
        at_home[nodes] = first
        for number in later:
            shared[number].append(nodes)
    known = [_known(family, sets, roots) for family, sets in zip(families, shared, strict=True)]
    spreads = [_spread(family, each) for family, each in zip(families, known, strict=True)]
    matrix, owner = _combinations(families, [(number, each.nodes) for number, some in enumerate(known) for each in some])
    above = np.concatenate([np.zeros(0), *(each.parameters for some in known for each in some)])
    shares = [np.repeat(spread / family.levels, family.levels) for family, spread in zip(families, spreads, strict=True)]
    below = matrix @ np.concatenate(shares)
    divided = np.flatnonzero(below > above + _SAME)

    widths = _widths(families, known, at_home, ties)
    pushed, pushed_owner = _combinations(families, list(widths))
    sizes = [int(np.prod(shape_of(families[number], nodes))) for number, nodes in widths]
    pushing = np.repeat([float(len(each)) for each in widths.values()], sizes)
    rate = np.repeat([_steepness(len(each)) / float(np.mean(each)) for each in widths.values()], sizes)
    together = csr_array(vstack([matrix[divided], pushed]))
    owners = np.concatenate([owner[divided], pushed_owner])
    return RowMargins(
        np.concatenate(spreads), together, together.T.tocsr(), owners, above[divided], below[divided], pushing, rate
    )


def _widths(
    families: Sequence[Family],
    known: Sequence[Sequence[_Known]],
    at_home: Mapping[tuple[str, ...], int],
    ties: Mapping[tuple[str, ...], float],
) -> dict[tuple[int, tuple[str, ...]], list[float]]:
    """For each family and set of nodes at home there, the widths of the ties of all tables that have their law from there."""
    found: dict[tuple[int, tuple[str, ...]], list[float]] = {}
    for family, some in zip(families, known, strict=True):
        for each in some:
            if each.tie is not None:
                place = (at_home[each.tie], tuple(sorted(each.nodes)))
                summed = np.prod(shape_of(family, each.tie)) / np.prod(shape_of(family, each.nodes))
                found.setdefault(place, []).append(float(np.sqrt(2 * summed * ties[each.tie])))
    return found


@lru_cache(maxsize=256)
def _steepness(tables: int) -> float:
    """The b of so many tables around a common margin, of which none is below zero.

    With their home at zero that has the chance 1 / (1 + k): the home is the largest of 1 + k numbers alike. How the logarithm
    of the chance rises is root two times the mean of that largest one.
    """
    from scipy.special import ndtr

    places = np.linspace(-9, 9, 2001)
    density = np.exp(-np.square(places) / 2) * ndtr(places) ** tables
    largest = float((places * density).sum() / density.sum())
    return float(np.sqrt(2)) * largest * (1 + tables) / tables


def _known(family: Family, shared: Sequence[tuple[str, ...]], roots: Mapping[str, Floats]) -> list[_Known]:
    """Parents in disjoint sets: those that earlier tables have, the largest first; then the others, one by one."""
    sizes = dict(zip(family.parents, family.shape[:-1], strict=True))
    left, found = list(family.parents), []
    for nodes in sorted(shared, key=lambda nodes: (-np.prod([sizes.get(node, 1) for node in nodes]), nodes)):
        if here := tuple(node for node in left if node in nodes):
            found.append(_Known(here, np.ones(int(np.prod([sizes[node] for node in here]))), nodes))
            left = [node for node in left if node not in nodes]
    alone = [_Known((node,), np.asarray(roots.get(node, np.ones(sizes[node])), dtype=np.float64)) for node in left]
    return found + alone


def _spread(family: Family, known: Sequence[_Known]) -> Floats:
    """The parameter of each row; rows that are declared impossible stay empty."""
    possible = np.asarray(~empty_cells(family).all(axis=1))
    if len(known) == 1:  # of all parents
        return np.where(possible, known[0].parameters, CLOSED)
    # A strong prior of one parent would be one of the others, too.
    least = max((_least(family, each, possible) for each in known), default=1.0)
    return np.where(possible, least, CLOSED)


def _least(family: Family, each: _Known, possible: Booleans) -> float:
    """The least parameter of all rows alike with which no combination has less than its a."""
    combination = places_of(family, each.nodes, shape_of(family, each.nodes))[:: family.levels]
    rows = np.bincount(combination, possible, len(each.parameters))
    return float(np.max(np.minimum(1.0, each.parameters) / np.where(rows > 0, rows, np.inf)))


def _combinations(families: Sequence[Family], wanted: Sequence[tuple[int, tuple[str, ...]]]) -> tuple[csr_array, Integers]:
    """Combinations of the levels of some nodes of some families x all cells: one where a cell has it. And their families."""
    from scipy.sparse import csr_array

    starts = np.cumsum([0, *(family.cells for family in families)])
    none = np.zeros(0, dtype=np.int64)
    cells, combinations, owners, size = [none], [none], [none], 0
    for number, nodes in wanted:
        family = families[number]
        shape = shape_of(family, nodes)
        cells.append(starts[number] + np.arange(family.cells))
        combinations.append(size + places_of(family, nodes, shape))
        owners.append(np.full(int(np.prod(shape)), number))
        size += len(owners[-1])
    cell, combination = np.concatenate(cells), np.concatenate(combinations)
    matrix = csr_array((np.ones(len(cell)), (combination, cell)), shape=(size, int(starts[-1])))
    return matrix, np.concatenate(owners)
