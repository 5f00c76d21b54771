"""Records move from a row of a table to another: so many of one level leave the one, and join the other at some level.

From which level they leave and at which they join is chosen by the state, half the time evenly and half the time in
proportion to what is there: where rows are nearly pure, most other moves would be refused. Rows are paired without looking at
the state, each in one pair at most; all pairs of all families and chains move at once. Which of the two rows records leave is
drawn chain by chain: a way that all chains took together would move them all to the same side, and they would agree without
having arrived. The last axis of every array is the chain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.chains.family_state import FamilyState, move_noise
from discreet.chains.family_tables import FamilyTables
from discreet.chains.row_pairs import RowPairs
from discreet.chains.row_priors import RowPriors
from discreet.chains.sum_forms import SumForms

__all__ = ["Exchanges", "draw_sizes", "size_ratio"]

Booleans = npt.NDArray[np.bool_]
Array = TypeVar("Array", Floats, Integers)

_TARGET = 0.4
_SHORTEST, _LONGEST = 0.5, 2.0**40
_SCALES = 2.0
"""Numbers of records are drawn from lengths that reach from the learned one down to exp(-2) of it."""
_ALL = 0.25
"""How often all records leave a cell: weak priors set empty cells and others far apart, with little in between."""
_TINY = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class _Moves:
    """What is proposed: pairs x chains, and for sides of a pair 2 x pairs x chains."""

    cells: Integers
    size: Floats
    change: Floats
    """Log ratio of the densities and of the chances to propose, without noise."""


class Exchanges:
    """Steps across rows; how many records move is learned row by row."""

    def __init__(self, tables: FamilyTables, forms: SumForms, generator: np.random.Generator) -> None:
        self._tables, self._forms, self._generator = tables, forms, generator
        levels = np.array([family.levels for family in tables.families])[tables.family_of_row]
        place = np.arange(int(levels.max()))
        self._present = place < levels[:, None]
        self._cells = np.where(self._present, tables.row_starts[:, None] + place, 0)
        self._even = self._present / levels[:, None]
        self._levels = levels
        self._lengths = 4 * tables.widths()[tables.family_of_row]

    def step(self, pairs: RowPairs, state: FamilyState, prior: RowPriors, rate: float) -> None:
        """Move records in all pairs of rows; with a rate, learn how many."""
        rows = pairs.draw(self._generator)
        rows = rows[:, state.rows[rows].any(axis=(0, 2))]  # of two empty rows nothing moves, and both stay empty
        turned = self._generator.random((rows.shape[1], state.counts.shape[1])) < 0.5
        moves = self._propose(rows, turned, state, prior)
        accepted = self._accept(moves, state)
        size = np.where(accepted, moves.size, 0)
        chain = np.arange(size.shape[1])
        for side, sign in ((0, -1), (1, 1)):
            state.counts[moves.cells[side], chain] += sign * size
            state.rows[rows[side]] += np.where(turned, -sign, sign) * size
        if rate:
            possible = moves.size > 0
            share = accepted.sum(axis=1) / np.maximum(possible.sum(axis=1), 1)
            grown = np.where(possible.any(axis=1), np.exp(rate * (share - _TARGET)), 1)
            self._lengths[rows] = np.clip(self._lengths[rows] * grown, _SHORTEST, _LONGEST)

    def _propose(self, rows: Integers, turned: Booleans, state: FamilyState, prior: RowPriors) -> _Moves:
        generator, shape, cells = self._generator, turned.shape, self._cells[rows]
        present = self._present[rows[0]][..., None]
        held = _turn(state.counts[cells], turned[:, None]) * present
        parameters = _turn(np.broadcast_to(prior.cells, state.counts.shape)[cells], turned[:, None]) * present
        total = _turn(state.rows[rows], turned)
        strength = _turn(np.broadcast_to(prior.rows, state.rows.shape)[rows], turned)
        even = self._even[rows[0]][..., None]
        leave = self._choose(even + held[0] / np.maximum(total[0], 1)[:, None])
        join = self._choose(even + (held[1] + parameters[1]) / (total[1] + strength[1])[:, None])
        here = np.stack([_at(held[0], leave), _at(held[1], join)])
        weight = np.stack([_at(parameters[0], leave), _at(parameters[1], join)])
        length = np.sqrt(self._lengths[rows[0]] * self._lengths[rows[1]])[:, None] * np.exp(-_SCALES * generator.random(shape))
        size = draw_sizes(here[0], length, generator)
        share = (1 / self._levels[rows[0]])[:, None]
        change = self._tilt(here, weight, total, strength, size, share)
        change += size_ratio(here, size, length)
        spread = _turn(np.broadcast_to(self._tables.row_spread[rows][..., None], total.shape), turned)
        change += self._density(spread, here, weight, total, strength, size)
        way = _turn(np.broadcast_to(rows[..., None], total.shape), turned)
        chosen = np.stack([self._cells[way[0], leave], self._cells[way[1], join]])
        return _Moves(chosen, size, np.where(size > 0, change, -np.inf))

    @staticmethod
    def _tilt(here: Floats, weight: Floats, total: Floats, strength: Floats, size: Floats, share: Floats) -> Floats:
        """Log ratio of the chances to choose these levels on the way back and on the way there."""
        there = share + here[0] / np.maximum(total[0], 1)
        there = there * (share + (here[1] + weight[1]) / (total[1] + strength[1]))
        back = share + (here[1] + size) / np.maximum(total[1] + size, 1)
        back = back * (share + (here[0] - size + weight[0]) / (total[0] - size + strength[0]))
        return np.asarray(np.log(back) - np.log(there))

    @staticmethod
    def _density(spread: Floats, here: Floats, weight: Floats, total: Floats, strength: Floats, size: Floats) -> Floats:
        """Log ratio of the densities of the tables after and before, without noise."""
        from scipy.special import gammaln

        moved = np.stack([-size, size])
        after, sums = here + moved, total + moved
        found = gammaln(after + weight) - gammaln(after + 1) - gammaln(here + weight) + gammaln(here + 1)
        found += gammaln(sums + spread) - gammaln(sums + strength) - gammaln(total + spread) + gammaln(total + strength)
        return np.asarray(found[0] + found[1])

    def _choose(self, chances: Floats) -> Integers:
        """A level of each pair in each chain, from chances up to a factor: pairs x levels x chains."""
        sums = np.cumsum(chances, axis=1)
        level = self._generator.random((len(chances), 1, chances.shape[2])) * sums[:, -1:]
        return np.asarray((sums[:, :-1] <= level).sum(axis=1))

    def _accept(self, moves: _Moves, state: FamilyState) -> Booleans:
        """Which moves are accepted; gaps, norms and densities of noise are those after them. Rows share no part of noise."""
        after = move_noise(self._tables, state, moves.cells, moves.size)
        luck = self._generator.standard_exponential(moves.size.shape)
        change = moves.change + after.change + self._forms.move_logs(moves.cells, moves.size, state.counts)
        accepted = np.asarray(change > -luck)
        after.apply(state, accepted)
        return accepted


def draw_sizes(here: Floats, length: Floats, generator: np.random.Generator) -> Floats:
    """How many records leave: all, or as many as a geometric law says that ends at what is there; none where none are."""
    within = -np.expm1(-here / length)
    size = np.floor(-length * np.log1p(-generator.random(here.shape) * within)) + 1
    size = np.where(generator.random(here.shape) < _ALL, here, np.minimum(size, here))
    return np.where(here > 0, size, 0)


def size_ratio(here: Floats, size: Floats, length: Floats) -> Floats:
    """Log ratio of the chances of this size on the way back and on the way there, from what either cell has before."""
    possible = size > 0
    chances = []
    for held in (here[0], here[1] + size):
        some = np.exp(-(size - 1) / length) * -np.expm1(-1 / length) / np.where(possible, -np.expm1(-held / length), 1)
        chances.append(np.where(possible, _ALL * (size == held) + (1 - _ALL) * some, 1))
    # A size that is beyond all chance on the way back is refused.
    return np.asarray(np.log(np.maximum(chances[1], _TINY)) - np.log(np.maximum(chances[0], _TINY)))


def _turn(sides: Array, turned: Booleans) -> Array:
    """The two sides of each pair, the other way round in the chains where it is turned."""
    return cast("Array", np.where(turned, sides[::-1], sides))


def _at(values: Floats, level: Integers) -> Floats:
    """The value at the chosen level of each pair and chain."""
    return np.take_along_axis(values, level[:, None], axis=1)[:, 0]
