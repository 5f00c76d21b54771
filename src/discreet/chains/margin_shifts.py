"""Records change the level of one node in all tables that have it: a shared margin moves, and its copies go on agreeing.

For each node so many records leave a level and take another, in every family that has the node, along one line of cells: the
levels of all other nodes stay as they are. Lines with records at both levels are chosen most often. Nodes that are in no
common family move at once. Ties are counted with the unknown margins integrated out: copies that move together cost nothing.
The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.chains.family_state import FamilyState, NoiseAfter, move_noise
from discreet.chains.family_tables import FamilyTables
from discreet.chains.known_sums import KnownSums
from discreet.chains.row_priors import RowPriors
from discreet.chains.sum_forms import SumForms
from discreet.model.family import Booleans

__all__ = ["MarginShifts", "Moves", "Way"]

_TARGET = 0.4
_SHORTEST, _LONGEST = 0.5, 2.0**40
_SCALES = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class _Class:
    """Nodes that move at once. A line is a cell at the first level of its node; an entry is a node in a family."""

    levels: Integers
    """Of each node."""
    node_of_entry: Integers
    family_of_entry: Integers
    stride: Integers
    """For each entry, how many cells apart two neighbouring levels of the node are."""
    line: Integers
    entry_of_line: Integers
    starts: Integers
    """The first line of each entry."""
    node_of_margin: Integers
    """For each cell of a shared margin the node of this class that it has; the number of nodes where it has none."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """How the margins of one class of nodes are to move."""

    number: int
    """Of the class."""
    size: Floats
    """How many records change: nodes x chains."""
    level: Integers
    other: Integers
    turned: Booleans
    """Whether they leave the other level, instead of joining it: nodes x chains."""


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Records that leave a cell and join another, in each entry of a class: entries x chains."""

    cells: Integers
    size: Floats

    def apply(self, counts: Floats) -> Floats:
        """The tables after the moves: no cell is in two of them."""
        found, chain = counts.copy(), np.arange(self.size.shape[1])
        found[self.cells[0], chain] -= self.size
        found[self.cells[1], chain] += self.size
        return found


class MarginShifts:
    """Steps of whole margins; how many records move is learned node by node."""

    def __init__(self, tables: FamilyTables, forms: SumForms, generator: np.random.Generator) -> None:
        self._tables, self._generator = tables, generator
        self._forms = forms
        self._classes = _classes(tables)
        tied = tables.sums.precision[tables.sums.tied]
        width = float(1 / np.sqrt(np.median(tied))) if len(tied) else 1.0
        self._lengths = [np.full(len(each.levels), 2 * width) for each in self._classes]

    def step(self, turn: int, state: FamilyState, prior: RowPriors, rate: float) -> None:
        """Move the margins of one class of nodes; with a rate, learn how far."""
        way = self.draw(turn, state.counts.shape[1])
        if way is None:
            return
        moves, change = self.choose(way, way.size, state.counts)
        gain, after = self.gain(way, moves, state, prior)
        accepted = change + gain > -self._generator.standard_exponential(way.size.shape)
        self.take(way, moves, after, accepted, state)
        self.learn(way, accepted, rate)

    def draw(self, turn: int, chains: int) -> Way | None:
        """How to move the margins of one class of nodes in so many chains; None where no node is shared."""
        if not self._classes:
            return None
        number, generator = turn % len(self._classes), self._generator
        length, levels = self._lengths[number], self._classes[number].levels
        shape = (len(length), chains)
        scale = length[:, None] * np.exp(-_SCALES * generator.random(shape))
        size = np.floor(scale * generator.standard_exponential(shape)) + 1
        level = (generator.random(len(levels)) * levels).astype(np.int64)
        other = (level + 1 + (generator.random(len(levels)) * (levels - 1)).astype(np.int64)) % levels
        # Between the two levels each chain goes its own way: what all chains did together they would agree on by that alone.
        return Way(number, size, level, other, generator.random(shape) < 0.5)

    def choose(self, way: Way, size: Floats, counts: Floats) -> tuple[Moves, Floats]:
        """The cells that so many records leave and join; and, node by node, log ratios of the chances of the way back."""
        each, turned = self._classes[way.number], way.turned
        entry = each.entry_of_line
        node, stride = each.node_of_entry[entry], each.stride[entry]
        one, two = each.line + way.level[node] * stride, each.line + way.other[node] * stride
        here, there = np.where(turned[node], (counts[two], counts[one]), (counts[one], counts[two]))
        moved = size[node]
        # The same before the move and, the other way round, after it.
        weight = np.maximum(here - moved + 1, 0) * (there + 1)
        back = np.maximum(there - moved + 1, 0) * (here + 1)
        chosen = self._choose(weight, each)
        chain = np.arange(counts.shape[1])
        possible = weight[chosen, chain] > 0
        back[chosen, chain] = weight[chosen, chain]
        sums = np.add.reduceat(np.stack([weight, back]), each.starts, axis=1)
        ratio = np.where(possible, np.log(np.where(possible, sums[0] / np.where(possible, sums[1], 1), 1)), -np.inf)
        cells = np.stack([one[chosen], two[chosen]])
        cells = np.where(turned[each.node_of_entry], cells[::-1], cells)
        moves = Moves(cells, np.where(possible, size[each.node_of_entry], 0))
        return moves, np.add.reduceat(ratio, self._first_entries(each), axis=0)

    def part(self, way: Way, whole: Moves, size: Floats, counts: Floats) -> tuple[Moves, Booleans]:
        """The same moves of so many records in tables that may have fewer; and whether all of a node's have enough."""
        each = self._classes[way.number]
        wanted, chain = size[each.node_of_entry], np.arange(size.shape[1])
        enough = (whole.size > 0) & (counts[whole.cells[0], chain] >= wanted)
        possible = np.logical_and.reduceat(enough, self._first_entries(each), axis=0)
        return Moves(whole.cells, np.where(possible[each.node_of_entry], wanted, 0)), possible

    def gain(self, way: Way, moves: Moves, state: FamilyState, prior: RowPriors) -> tuple[Floats, NoiseAfter]:
        """Log ratios of the densities after and before the moves, node by node; and what becomes of the noise."""
        each, cells, size = self._classes[way.number], moves.cells, moves.size
        after = move_noise(self._tables, state, cells, size)
        change = after.change + self._density(cells, size, state, prior)
        change += self._forms.measured_logs(cells, size, state.counts)
        moved = moves.apply(state.counts)
        change += (self._forms.factors(moved) - self._forms.factors(state.counts))[each.family_of_entry]
        total = np.add.reduceat(change, self._first_entries(each), axis=0)
        return np.asarray(total - self._stretch(each, state.counts, moved)), after

    def take(self, way: Way, moves: Moves, after: NoiseAfter, accepted: Booleans, state: FamilyState) -> None:
        """Let the records of the accepted nodes move."""
        entries = accepted[self._classes[way.number].node_of_entry]
        self._take(Moves(moves.cells, np.where(entries, moves.size, 0)), state)
        after.apply(state, entries)

    def learn(self, way: Way, accepted: Booleans, rate: float) -> None:
        """Learn how far to move, at this rate."""
        if rate:
            length = self._lengths[way.number]
            length *= np.exp(rate * (accepted.mean(axis=1) - _TARGET))
            np.clip(length, _SHORTEST, _LONGEST, out=length)

    @staticmethod
    def _first_entries(each: _Class) -> Integers:
        return np.searchsorted(each.node_of_entry, np.arange(len(each.levels)))

    def _choose(self, weight: Floats, each: _Class) -> Integers:
        """A line of each entry in each chain, in proportion to the weights."""
        # As shares of their entry: next to the weights of another entry its own could be too small to be seen.
        total = np.add.reduceat(weight, each.starts, axis=0)
        sums = np.cumsum(weight / np.where(total > 0, total, 1)[each.entry_of_line], axis=0)
        before = np.where(each.starts[:, None] > 0, sums[each.starts - 1], 0)
        ends = np.append(each.starts[1:], len(weight)) - 1
        level = before + self._generator.random(before.shape) * (sums[ends] - before)
        below = np.add.reduceat(sums <= level[each.entry_of_line], each.starts, axis=0, dtype=np.int64)
        return np.asarray(np.minimum(each.starts[:, None] + below, ends[:, None]))

    def _density(self, cells: Integers, size: Floats, state: FamilyState, prior: RowPriors) -> Floats:
        """Log ratio of the densities of tables after and before, without noise and sums: entries x chains."""
        from scipy.special import gammaln

        tables, chain = self._tables, np.arange(size.shape[1])
        rows, moved = tables.row_of_cell[cells], np.stack([-size, size])
        here, weight = state.counts[cells, chain], np.broadcast_to(prior.cells, state.counts.shape)[cells, chain]
        found = gammaln(here + moved + weight) - gammaln(here + moved + 1) - gammaln(here + weight) + gammaln(here + 1)
        total, spread = state.rows[rows, chain], tables.row_spread[rows]
        strength = np.broadcast_to(prior.rows, state.rows.shape)[rows, chain]
        after = total + np.where(rows[0] == rows[1], 0, moved)  # the child's levels are in one row, which keeps its count
        found += gammaln(after + spread) - gammaln(after + strength) - gammaln(total + spread) + gammaln(total + strength)
        return np.asarray(found[0] + found[1])

    def _stretch(self, each: _Class, before: Floats, after: Floats) -> Floats:
        """How much less copies of margins agree after the moves, node by node."""
        found = np.zeros((len(each.levels) + 1, before.shape[1]))
        np.add.at(found, each.node_of_margin, self._forms.tension(after) - self._forms.tension(before))
        return found[:-1]

    def _take(self, moves: Moves, state: FamilyState) -> None:
        """Let the records move."""
        state.counts = moves.apply(state.counts)
        chain, rows = np.arange(moves.size.shape[1]), self._tables.row_of_cell[moves.cells]
        state.rows[rows[0], chain] -= moves.size
        state.rows[rows[1], chain] += moves.size


def _classes(tables: FamilyTables) -> list[_Class]:
    """Shared nodes in classes without common families, by the greedy rule: those in most families first."""
    tied = set(tables.sums.family[tables.sums.tied].tolist())
    holders: dict[str, list[int]] = {}
    for number, family in enumerate(tables.families):
        for node in family.members:
            holders.setdefault(node, []).append(number)
    shared = [node for node, numbers in holders.items() if len(numbers) > 1 and tied.issuperset(numbers)]
    taken: list[set[int]] = []
    groups: list[list[str]] = []
    for node in sorted(shared, key=lambda node: -len(holders[node])):
        place = next((place for place, used in enumerate(taken) if used.isdisjoint(holders[node])), len(groups))
        if place == len(groups):
            groups.append([])
            taken.append(set())
        groups[place].append(node)
        taken[place].update(holders[node])
    return [_class(tables, tables.sums, group, holders) for group in groups]


def _class(tables: FamilyTables, sums: KnownSums, nodes: list[str], holders: dict[str, list[int]]) -> _Class:
    entries = [(place, number) for place, node in enumerate(nodes) for number in holders[node]]
    lines, strides = [], []
    for place, number in entries:
        family = tables.families[number]
        axis = family.members.index(nodes[place])
        numbers = np.arange(family.cells).reshape(family.shape) + tables.cells_of(number).start
        lines.append(np.take(numbers, 0, axis=axis).ravel())
        strides.append(int(np.prod(family.shape[axis + 1 :], dtype=np.int64)))
    counts = np.array([len(each) for each in lines])
    levels = [tables.families[holders[node][0]].shape[tables.families[holders[node][0]].members.index(node)] for node in nodes]
    of_margin = [next((place for place, node in enumerate(nodes) if node in members), len(nodes)) for members in sums.nodes]
    return _Class(
        np.array(levels),
        np.array([place for place, _ in entries]),
        np.array([number for _, number in entries]),
        np.array(strides),
        np.concatenate(lines),
        np.repeat(np.arange(len(entries)), counts),
        np.cumsum(counts) - counts,
        np.repeat(of_margin, sums.sizes),
    )
