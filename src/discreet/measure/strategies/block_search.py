"""The search for the layout of a K-norm release with the least predicted error, from the graph alone.

The error is that of the cells after least squares, which is known in advance. Three things are chosen: which parts are
measured (what others imply may be left out), which groups share a radius, and how epsilon is split over the bundles. The split
has a fixed point that is iterated; the rest is a local search that takes every improvement it meets. Nothing is random, and
the variance of all noise is proportional to 1 / epsilon^2, so one layout serves every epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.measure.measurement import Margin, Statistic
from discreet.measure.needs import needs
from discreet.model.network import Network

__all__ = ["BlockSearch", "Layout"]

_QUICK, _LONG, _ROUNDS, _NEAREST = 3, 200, 6, 3
_GAIN = 1 - 1e-4
_NOTHING = 1e-6
_MANY_GROUPS = 60
"""Above this number of groups one start of the search is enough: it takes seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Which parts are measured, the bundle of each group, what each bundle gets of epsilon, and the error at epsilon 1."""

    active: npt.NDArray[np.bool_]
    home: npt.NDArray[np.intp]
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

    def start(self, active: npt.NDArray[np.bool_], home: npt.NDArray[np.intp]) -> Layout:
        """A layout with a good split, before any search."""
        share = np.cbrt(np.bincount(home, self._dimensions(active), len(self.groups)))
        return self._settled(Layout(active, home, share, np.inf), _LONG)

    def variances(self, layout: Layout) -> Floats:
        """The variance of each part's coordinates at epsilon 1, before rounding; infinite for those not measured.

        It is 4 / share^2 (D + 1)(D + 2) (m + 1)(m + 2) / ((G + 1)(G + 2)) 2 / ((p + 1)(p + 2)) for a part of p coordinates in
        blocks of m, a group of G and a bundle of D: see ``coordinate_variance``.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(
                self._unit(layout, self._dimensions(layout.active)) / layout.share[layout.home[self._group]] ** 2
            )

    def _dimensions(self, active: npt.NDArray[np.bool_]) -> Floats:
        return np.asarray(self._configurations * np.bincount(self._group, self._size * active, len(self.groups)))

    def _unit(self, layout: Layout, group: Floats) -> Floats:
        inside = group[self._group]
        width = inside / self._blocks
        bundle = np.bincount(layout.home, group, len(self.groups))[layout.home[self._group]]
        spread = (bundle + 1) * (bundle + 2) * (width + 1) * (width + 2) / ((inside + 1) * (inside + 2))
        return np.where(layout.active, 8 * spread / self._room, np.inf)

    def _settled(self, layout: Layout, steps: int) -> Layout:
        """The fixed point of the split: a bundle's share is as the error that it could still take away."""
        home, group = layout.home[self._group], self._dimensions(layout.active)
        share = np.where(np.bincount(layout.home, group, len(self.groups)) > 0, layout.share, 0.0)
        share = share / max(share.sum(), _NOTHING)
        inverse = 1 / self._unit(layout, group)
        best = replace(layout, error=np.inf)
        for _ in range(steps):
            weights = share[home] ** 2 * inverse
            precision = self.information @ weights
            if precision.min() <= 0:
                break
            errors = self._cost / precision
            if not errors.sum() < best.error * (1 - 1e-6):
                break
            best = replace(layout, share=share, error=float(errors.sum()))
            pull = np.bincount(home, (self._transposed @ (errors / precision)) * weights, len(share))
            share = np.cbrt(pull * share**2)
            share = np.where(share > _NOTHING * share.max(), share, 0.0)
            share = share / share.sum()
        return replace(best, active=best.active & (best.share[home] > 0))

    def _improved(self, layout: Layout) -> Layout:
        for _ in range(_ROUNDS):
            before = layout.error
            for change in (self._toggled, self._merged, self._moved):
                layout = self._settled(change(layout), _LONG)
            if layout.error >= before * _GAIN:
                break
        return layout

    def _toggled(self, layout: Layout) -> Layout:
        """Measure each part that is not, and leave out each that is, where that helps."""
        for place, (group, _) in enumerate(self.parts):
            active, share = layout.active.copy(), layout.share.copy()
            active[place] = not active[place]
            if active[place] and share[layout.home[group]] == 0:
                share[layout.home[group]] = 1 / len(share)
            layout = _better(layout, self._settled(replace(layout, active=active, share=share), _QUICK))
        return layout

    def _merged(self, layout: Layout) -> Layout:
        """Let neighbouring bundles share a radius where that helps. A common radius gives shares as the dimensions."""
        while True:
            tries = []
            order = self._by_density(layout)
            for one, other in pairwise(order):
                tries.append((self._joined(layout, one, other).error, one, other))
            before, used = layout.error, set[int]()
            for error, one, other in sorted(tries):
                if error < before * _GAIN and not {one, other} & used:
                    layout = _better(layout, self._joined(layout, one, other))
                    used |= {one, other}
            if layout.error >= before * _GAIN:
                return layout

    def _joined(self, layout: Layout, one: int, other: int) -> Layout:
        share = layout.share.copy()
        share[one] += share[other]
        share[other] = 0
        home = np.where(layout.home == other, one, layout.home)
        return self._settled(replace(layout, home=home, share=share), _QUICK)

    def _moved(self, layout: Layout) -> Layout:
        """Put each group into another bundle, or one of its own, where that helps."""
        for group in range(len(self.groups)):
            own, sizes = layout.home[group], self._dimensions(layout.active)
            bundles = np.bincount(layout.home, sizes, len(sizes))
            if not sizes[group] or not layout.share[own]:
                continue
            order = self._by_density(layout)
            here = order.index(own)
            others = [bundle for bundle in order[max(0, here - _NEAREST + 1) : here + _NEAREST] if bundle != own]
            if bundles[own] > sizes[group]:
                others += np.flatnonzero(bundles == 0)[:1].tolist()
            tries = [layout]
            for bundle in others:
                home, share = layout.home.copy(), layout.share.copy()
                part = share[own] * sizes[group] / bundles[own]
                home[group] = bundle
                share[own], share[bundle] = share[own] - part, share[bundle] + part
                tries.append(self._settled(replace(layout, home=home, share=share), _QUICK))
            layout = _better(layout, min(tries, key=lambda each: each.error))
        return layout

    def _by_density(self, layout: Layout) -> list[int]:
        """The bundles by share of epsilon per coordinate."""
        sizes = np.bincount(layout.home, self._dimensions(layout.active), len(self.groups))
        live = np.flatnonzero((sizes > 0) & (layout.share > 0))
        return [int(place) for place in live[np.argsort(layout.share[live] / (sizes[live] + 1.5), kind="stable")]]


def _better(one: Layout, other: Layout) -> Layout:
    return other if other.error < one.error * _GAIN else one


def _asked(parents: tuple[str, ...], child: str | None, levels: Mapping[str, int]) -> Margin:
    if child is None:
        return Margin(parents)
    return Margin((*parents, child), Statistic.CONTRAST if levels[child] == 2 else Statistic.COUNTS)
