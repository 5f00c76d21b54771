"""The search for the layout of a K-norm release with the least predicted error, from the graph alone.

The error is that of the cells after least squares, which is known in advance. Three things are chosen: which parts are
measured (what others imply may be left out), which groups share a radius, and how epsilon is split over the bundles. The split
has a fixed point that is iterated; the rest is a local search that takes every improvement it meets. Nothing is random, and
the variance of all noise is proportional to 1 / epsilon^2, so one layout serves every epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Places
from discreet.measure.measurement import Margin, Statistic
from discreet.measure.needs import needs
from discreet.model.network import Network

__all__ = ["BlockSearch", "Layout"]

_QUICK, _LONG, _ROUNDS, _NEAREST = 3, 200, 6, 3
_GAIN = 1 - 1e-4
_NOTHING = 1e-6
_FEWEST_AHEAD, _AHEAD = 4, 16
"""Layouts that are looked at together, at most, or the places whose layouts are."""
_MANY_GROUPS = 60
"""Above this number of groups one start of the search is enough: it takes seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Which parts are measured, the bundle of each group, what each bundle gets of epsilon, and the error at epsilon 1."""

    active: npt.NDArray[np.bool_]
    home: Places
    share: Floats
    error: float


class BlockSearch:
    """All layouts of one network."""

    def __init__(self, network: Network) -> None:
        order = {node: place for place, node in enumerate(network.nodes)}
        children: dict[tuple[str, ...], list[str]] = {}
        for family in network.families:
            children.setdefault(tuple(sorted(family.parents, key=order.__getitem__)), []).append(family.node)
        needed = needs(network)
        self.groups = tuple(children)
        self.parts = [(place, None) for place, parents in enumerate(children) if parents] + [
            (place, child) for place, parents in enumerate(children) for child in children[parents]
        ]
        levels = needed.levels
        self.information: Any = needed.information([_asked(self.groups[at], child, levels) for at, child in self.parts])
        self._transposed = self.information.T.tocsr()
        self._cost = needed.cost
        self._group = np.array([place for place, _ in self.parts])
        self._size = np.array([1 if child is None or levels[child] == 2 else levels[child] for _, child in self.parts])
        self._configurations = np.array([math.prod(levels[node] for node in parents) for parents in self.groups])
        self._blocks, self._room = self._configurations[self._group], (self._size + 1) * (self._size + 2)
        self._last: tuple[Layout, tuple[Floats, Floats, list[int]]] | None = None
        self._maximal = self._of({family.node for family in network.maximal_families}, levels)

    def best(self) -> Layout:
        """The best layout that the search finds."""
        every = np.ones(len(self.parts), dtype=bool)
        apart, together = np.arange(len(self.groups)), np.zeros(len(self.groups), dtype=np.intp)
        bare = every.copy()
        bare[[place for place, (_, child) in enumerate(self.parts) if child is None]] = False
        starts = [self.start(every, apart)]
        if len(self.groups) <= _MANY_GROUPS:
            starts += [self.start(every, together), self.start(bare, together), self.start(bare, apart)]
            starts.append(self.start(self._maximal, apart))
        found = [self._improved(start) for start in starts if start.error < np.inf]
        return min(found, key=lambda layout: layout.error)

    def _of(self, nodes: set[str], levels: Mapping[str, int]) -> npt.NDArray[np.bool_]:
        """The parts from which these families' tables follow: counts of configurations where no child's levels say them."""
        chosen = {(group, child) for group, child in self.parts if child in nodes}
        said = {group for group, child in chosen if child is not None and levels[child] > 2}
        silent = {group for group, _ in chosen} - said
        return np.array([(group, child) in chosen or (child is None and group in silent) for group, child in self.parts])

    def start(self, active: npt.NDArray[np.bool_], home: Places) -> Layout:
        """A layout with a good split, before any search."""
        share = np.cbrt(np.bincount(home, self._dimensions(active[None])[0], len(self.groups)))
        return self._settle([Layout(active, home, share, np.inf)], _LONG)[0]

    def variances(self, layout: Layout) -> Floats:
        """The variance of each part's coordinates at epsilon 1, before rounding; infinite for those not measured.

        It is 4 / share^2 (D + 1)(D + 2) (m + 1)(m + 2) / ((G + 1)(G + 2)) 2 / ((p + 1)(p + 2)) for a part of p coordinates in
        blocks of m, a group of G and a bundle of D: see ``coordinate_variance``.
        """
        active, home = layout.active[None], layout.home[None]
        with np.errstate(divide="ignore"):
            return np.asarray(self._unit(active, home, self._dimensions(active))[0] / layout.share[home[0, self._group]] ** 2)

    def _dimensions(self, active: npt.NDArray[np.bool_]) -> Floats:
        """Of every group, in each of some layouts: layouts x groups."""
        return np.asarray(self._configurations * _sums(self._group, self._size * active, len(self.groups)))

    def _unit(self, active: npt.NDArray[np.bool_], home: Places, group: Floats) -> Floats:
        """The variance of every part if its bundle had all of epsilon: layouts x parts."""
        inside = group[:, self._group]
        width = inside / self._blocks
        bundle = _picked(_sums(home, group, len(self.groups)), home[:, self._group])
        spread = (bundle + 1) * (bundle + 2) * (width + 1) * (width + 2) / ((inside + 1) * (inside + 2))
        return np.where(active, 8 * spread / self._room, np.inf)

    def _settle(self, layouts: Sequence[Layout], steps: int) -> list[Layout]:
        """The fixed point of each split: a bundle's share is as the error that it could still take away.

        Many layouts are looked at together, each as if it were alone: one by one, the calls would take longer than the sums.
        """
        active, homes = np.array([each.active for each in layouts]), np.array([each.home for each in layouts])
        home, group, found = homes[:, self._group], self._dimensions(active), np.array([each.share for each in layouts])
        share = np.where(_sums(homes, group, len(self.groups)) > 0, found, 0.0)
        share = share / np.maximum(share.sum(axis=1, keepdims=True), _NOTHING)
        inverse, best, going = 1 / self._unit(active, homes, group), np.full(len(layouts), np.inf), np.arange(len(layouts))
        at = every = _places(home, *share.shape)
        for left in reversed(range(steps)):
            weights = share.ravel()[at] ** 2 * inverse
            precision = np.ascontiguousarray((self.information @ weights.T).T)
            with np.errstate(divide="ignore"):
                errors = self._cost / precision
            error = np.where(precision.min(axis=1) > 0, errors.sum(axis=1), np.inf)
            on = error < best[going] * (1 - 1e-6)
            if not on.all():
                going, share, error, inverse = going[on], share[on], error[on], inverse[on]
                errors, precision, weights = errors[on], precision[on], weights[on]
                at = _places(home[going], *share.shape)
            best[going], found[going] = error, share
            if not left or not len(going):
                break
            share = self._shared(errors, precision, weights, share, at)
        active &= found.ravel()[every] > 0
        return [Layout(active[place], each.home, found[place], float(best[place])) for place, each in enumerate(layouts)]

    def _shared(self, errors: Floats, precision: Floats, weights: Floats, share: Floats, at: Places) -> Floats:
        """The next split of each of some layouts, from the errors that the last one leaves."""
        taken = (self._transposed @ (errors / precision).T).T * weights
        share = np.cbrt(np.bincount(at.ravel(), taken.ravel(), share.size).reshape(share.shape) * share**2)
        share = np.where(share > _NOTHING * share.max(axis=1, keepdims=True), share, 0.0)
        return np.asarray(share / share.sum(axis=1, keepdims=True))

    def _improved(self, layout: Layout) -> Layout:
        for _ in range(_ROUNDS):
            before = layout.error
            for change in (self._toggled, self._merged, self._moved):
                layout = self._settle([change(layout)], _LONG)[0]
            if layout.error >= before * _GAIN:
                break
        return layout

    def _pass(self, layout: Layout, places: int, tries: Callable[[Layout, int], list[Layout]]) -> Layout:
        """Go through the places once and take the best try at each, where that helps.

        The tries at the next places are looked at together, more of them the longer nothing was taken. What they say after
        the first that is taken is forgotten, so that it is as if they had been looked at one by one.
        """
        place, ahead = 0, _FEWEST_AHEAD
        while place < places:
            near = [tries(layout, each) for each in range(place, min(place + ahead, places))]
            settled = iter(self._settle([each for some in near for each in some], _QUICK) if any(near) else ())
            taken = layout
            for some in near:
                place += 1
                taken = _better(layout, min(islice(settled, len(some)), key=lambda each: each.error, default=layout))
                if taken is not layout:
                    break
            ahead = min(2 * ahead, _AHEAD) if taken is layout else _FEWEST_AHEAD
            layout = taken
        return layout

    def _toggled(self, layout: Layout) -> Layout:
        """Measure each part that is not, and leave out each that is, where that helps."""
        return self._pass(layout, len(self.parts), self._toggles)

    def _toggles(self, layout: Layout, place: int) -> list[Layout]:
        group = self.parts[place][0]
        active, share = layout.active.copy(), layout.share.copy()
        active[place] = not active[place]
        if active[place] and share[layout.home[group]] == 0:
            share[layout.home[group]] = 1 / len(share)
        return [Layout(active, layout.home, share, layout.error)]

    def _merged(self, layout: Layout) -> Layout:
        """Let neighbouring bundles share a radius where that helps. A common radius gives shares as the dimensions."""
        while True:
            pairs = list(pairwise(self._sorted(layout)[2]))
            joined = [_joined(layout, one, other) for one, other in pairs]
            batches = [joined[start : start + _AHEAD] for start in range(0, len(joined), _AHEAD)]
            settled = [each for some in batches for each in self._settle(some, _QUICK)]
            before, used = layout.error, set[int]()
            for error, (one, other) in sorted((each.error, pair) for each, pair in zip(settled, pairs, strict=True)):
                if error < before * _GAIN and not {one, other} & used:
                    layout = _better(layout, self._settle([_joined(layout, one, other)], _QUICK)[0])
                    used |= {one, other}
            if layout.error >= before * _GAIN:
                return layout

    def _moved(self, layout: Layout) -> Layout:
        """Put each group into another bundle, or one of its own, where that helps."""
        return self._pass(layout, len(self.groups), self._moves)

    def _moves(self, layout: Layout, group: int) -> list[Layout]:
        own, (sizes, bundles, order) = layout.home[group], self._sorted(layout)
        if not sizes[group] or not layout.share[own]:
            return []
        here = order.index(own)
        others = [bundle for bundle in order[max(0, here - _NEAREST + 1) : here + _NEAREST] if bundle != own]
        if bundles[own] > sizes[group]:
            others += np.flatnonzero(bundles == 0)[:1].tolist()
        tries = []
        for bundle in others:
            home, share = layout.home.copy(), layout.share.copy()
            part = share[own] * sizes[group] / bundles[own]
            home[group] = bundle
            share[own], share[bundle] = share[own] - part, share[bundle] + part
            tries.append(Layout(layout.active, home, share, layout.error))
        return tries

    def _sorted(self, layout: Layout) -> tuple[Floats, Floats, list[int]]:
        """The dimensions of all groups, those of all bundles, and the bundles by share of epsilon per coordinate.

        They are kept for the last layout, which is asked for all of its groups in turn.
        """
        if self._last is None or self._last[0] is not layout:
            groups: Floats = self._dimensions(layout.active[None])[0]
            sizes: Floats = np.asarray(np.bincount(layout.home, groups, len(groups)), dtype=np.float64)
            live = np.flatnonzero((sizes > 0) & (layout.share > 0))
            order = live[np.argsort(layout.share[live] / (sizes[live] + 1.5), kind="stable")]
            self._last = layout, (groups, sizes, [int(place) for place in order])
        return self._last[1]


def _picked(values: Floats, at: Places) -> Floats:
    """From each row of the values those at its places."""
    return np.asarray(values.ravel()[_places(at, *values.shape)])


def _sums(at: Places, weights: npt.NDArray[Any], length: int) -> Floats:
    """``bincount`` of each row of the weights."""
    rows = len(weights)
    sums = np.bincount(_places(at, rows, length).ravel(), weights.ravel(), rows * length)
    return np.asarray(sums, dtype=np.float64).reshape(rows, length)


def _places(at: Places, rows: int, length: int) -> Places:
    return np.asarray(at + length * np.arange(rows)[:, None])


def _joined(layout: Layout, one: int, other: int) -> Layout:
    share = layout.share.copy()
    share[one] += share[other]
    share[other] = 0
    return Layout(layout.active, np.where(layout.home == other, one, layout.home), share, layout.error)


def _better(one: Layout, other: Layout) -> Layout:
    return other if other.error < one.error * _GAIN else one


def _asked(parents: tuple[str, ...], child: str | None, levels: Mapping[str, int]) -> Margin:
    if child is None:
        return Margin(parents)
    return Margin((*parents, child), Statistic.CONTRAST if levels[child] == 2 else Statistic.COUNTS)
