"""Where the nodes of a graph stand: in layers, arrows pointing down, with few crossings and short ways.

Sugiyama's method. Nodes are put into layers of bounded width; where an arrow passes a layer it takes a place of its own there;
the places of a layer are ordered by the middle of their neighbours; and they are moved as near to these as the order allows,
which is a regression that keeps an order, solved by pooling.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

__all__ = ["Box", "Layout", "lay_out"]

_GAP_ACROSS, _GAP_DOWN, _LANE = 28.0, 64.0, 14.0
"""Space between boxes beside and below one another, and what an arrow that passes between boxes takes."""
_SWEEPS = 24
_SETTLING = 40
_STRAIGHTNESS = 8.0
"""How much more each arrow that passes a layer wants to be straight than a box wants to be near its neighbours."""

Layer: TypeAlias = list[int]
Neighbours: TypeAlias = list[list[int]]


@dataclass(frozen=True, slots=True)
class Box:
    """Where a node stands: its left upper corner and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes of the nodes, the arrows as paths of SVG, and the size of it all."""

    boxes: Mapping[str, Box]
    arrows: Sequence[tuple[str, str, str]]
    """Parent, child, path."""
    width: float
    height: float


def lay_out(parents: Mapping[str, Sequence[str]], sizes: Mapping[str, tuple[float, float]]) -> Layout:
    """Place nodes of these sizes, width and height."""
    names = list(parents)
    number = {name: place for place, name in enumerate(names)}
    above = [[number[parent] for parent in parents[name]] for name in names]
    layers, ways = _pass_layers(above, _choose_layers(above))
    up, down = _neighbours(ways, sum(map(len, layers)))
    layers = _order(layers, up, down)
    widths = [sizes[name][0] for name in names] + [_LANE] * (sum(map(len, layers)) - len(names))
    middles = _settle(layers, widths, ways, (up, down))
    heights = [max((sizes[names[item]][1] for item in layer if item < len(names)), default=0.0) for layer in layers]
    tops = [sum(heights[:place]) + place * _GAP_DOWN for place in range(len(layers))]
    level = {item: place for place, layer in enumerate(layers) for item in layer}
    boxes = {name: Box(middles[item] - sizes[name][0] / 2, tops[level[item]], *sizes[name]) for item, name in enumerate(names)}
    arrows = []
    for way in ways:
        first, last = boxes[names[way[0]]], boxes[names[way[-1]]]
        lanes = [(middles[item], tops[level[item]], tops[level[item]] + heights[level[item]]) for item in way[1:-1]]
        start, end = (middles[way[0]], first.y + first.height), (middles[way[-1]], last.y)
        arrows.append((names[way[0]], names[way[-1]], _path(start, lanes, end)))
    width = max(middles[item] + widths[item] / 2 for item in range(len(middles)))
    return Layout(boxes, arrows, width, tops[-1] + heights[-1])


def _choose_layers(above: Neighbours) -> list[int]:
    """The layer of each node: below its parents, and no layer much wider than the whole is deep."""
    widest = max(4, math.ceil(1.5 * math.sqrt(len(above))))
    below: Neighbours = [[] for _ in above]
    for child, parents in enumerate(above):
        for parent in parents:
            below[parent].append(child)
    layer, filled = [0] * len(above), [0] * (2 * len(above) + 1)
    order = _topological(above, below)
    for node in order:
        place = max((layer[parent] + 1 for parent in above[node]), default=0)
        while filled[place] >= widest:
            place += 1
        layer[node], filled[place] = place, filled[place] + 1
    for node in reversed(order):  # a node that has more children than parents belongs near its children
        if len(below[node]) > len(above[node]):
            place = min(layer[child] for child in below[node]) - 1
            if place > layer[node] and filled[place] < widest:
                filled[layer[node]], filled[place], layer[node] = filled[layer[node]] - 1, filled[place] + 1, place
    used = sorted(set(layer))
    return [used.index(place) for place in layer]


def _topological(above: Neighbours, below: Neighbours) -> list[int]:
    left = [len(parents) for parents in above]
    order = [node for node, count in enumerate(left) if not count]
    for node in order:
        for child in below[node]:
            left[child] -= 1
            if not left[child]:
                order.append(child)
    return order


def _pass_layers(above: Neighbours, layer: list[int]) -> tuple[list[Layer], list[list[int]]]:
    """All that stands in each layer, and each arrow as the places that it passes; arrows of one parent share a lane."""
    layers: list[Layer] = [[] for _ in range(max(layer) + 1)]
    for node, place in enumerate(layer):
        layers[place].append(node)
    ways, lanes, following = [], dict[tuple[int, int], int](), len(above)
    for child, parents in enumerate(above):
        for parent in parents:
            for place in range(layer[parent] + 1, layer[child]):
                if (parent, place) not in lanes:
                    lanes[parent, place] = following
                    layers[place].insert(len(layers[place]) // 2, following)
                    following += 1
            ways.append([parent, *(lanes[parent, place] for place in range(layer[parent] + 1, layer[child])), child])
    return layers, ways


def _neighbours(ways: list[list[int]], count: int) -> tuple[Neighbours, Neighbours]:
    up: Neighbours = [[] for _ in range(count)]
    down: Neighbours = [[] for _ in range(count)]
    for way in ways:
        for one, other in pairwise(way):
            if other not in down[one]:
                down[one].append(other)
                up[other].append(one)
    return up, down


def _order(layers: list[Layer], up: Neighbours, down: Neighbours) -> list[Layer]:
    """Sweep down and up, each layer ordered by the middle of its neighbours; the order of fewest crossings is kept."""
    best, fewest = layers, _crossings(layers, down)
    current = [list(layer) for layer in layers]
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        towards, sequence = (up, range(1, len(layers))) if sweep % 2 == 0 else (down, range(len(layers) - 2, -1, -1))
        for place in sequence:
            beside = current[place - 1] if sweep % 2 == 0 else current[place + 1]
            rank = {item: number for number, item in enumerate(beside)}
            own = {item: number for number, item in enumerate(current[place])}
            current[place].sort(key=lambda item: _middle([rank[other] for other in towards[item]], own[item]))
        crossings = _crossings(current, down)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in current], crossings
    return best


def _middle(ranks: list[int], own: int) -> float:
    return sum(ranks) / len(ranks) if ranks else float(own)


def _crossings(layers: list[Layer], down: Neighbours) -> int:
    """How many pairs of arrows cross."""
    found = 0
    for upper, lower in pairwise(layers):
        rank = {item: number for number, item in enumerate(lower)}
        seen: list[int] = []
        for item in upper:
            ends = [rank[other] for other in down[item]]
            found += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return found


def _settle(
    layers: list[Layer], widths: list[float], ways: list[list[int]], around: tuple[Neighbours, Neighbours]
) -> list[float]:
    """The middle of everything across, in the order of its layer and without touching."""
    middles = [0.0] * len(widths)
    for layer in layers:
        start = -sum(widths[item] + _GAP_ACROSS for item in layer) / 2
        for item in layer:
            middles[item] = start + widths[item] / 2
            start += widths[item] + _GAP_ACROSS
    near = [[*above, *below] for above, below in zip(*around, strict=True)]
    lanes = {item: way[1:-1] for way in sorted(ways, key=len) for item in way[1:-1]}
    used = Counter(item for way in ways for item in way[1:-1])
    weights = [_STRAIGHTNESS * used[item] if item in used else 1.0 for item in range(len(widths))]
    for step in range(_SETTLING):
        # First everything goes to the middle of its neighbours; then each arrow becomes straight where it passes layers.
        wishes = near if step < _SETTLING // 2 else [lanes.get(item, near[item]) for item in range(len(widths))]
        for layer in layers if step % 2 == 0 else reversed(layers):
            wanted = [_wanted(item, wishes[item], middles) for item in layer]
            _move(layer, wanted, [weights[item] for item in layer], widths, middles)
    left = min(middles[item] - widths[item] / 2 for item in range(len(widths)))
    return [middle - left for middle in middles]


def _wanted(item: int, others: list[int], middles: list[float]) -> float:
    return sum(middles[other] for other in others) / len(others) if others else middles[item]


def _move(layer: Layer, wanted: list[float], weights: list[float], widths: list[float], middles: list[float]) -> None:
    """As near to what is wanted as the order and the widths allow, in squares: pool what stands in each other's way."""
    offsets = [0.0]
    for one, other in pairwise(layer):
        offsets.append(offsets[-1] + (widths[one] + widths[other]) / 2 + _GAP_ACROSS)
    pools: list[tuple[float, float, int]] = []
    for place, offset, weight in zip(wanted, offsets, weights, strict=True):
        pool = (place - offset, weight, 1)
        while pools and pools[-1][0] > pool[0]:
            value, heavy, count = pools.pop()
            total = heavy + pool[1]
            pool = ((value * heavy + pool[0] * pool[1]) / total, total, count + pool[2])
        pools.append(pool)
    values = [value for value, _, count in pools for _ in range(count)]
    for item, value, offset in zip(layer, values, offsets, strict=True):
        middles[item] = value + offset


def _path(start: tuple[float, float], lanes: list[tuple[float, float, float]], end: tuple[float, float]) -> str:
    """A smooth line that runs straight down where it passes a layer, so that it touches no box."""
    x, y = start
    parts = [f"M{x:.1f} {y:.1f}"]
    for across, top, bottom in (*lanes, (*end, end[1])):
        bend = (y + top) / 2
        parts.append(f"C{x:.1f} {bend:.1f} {across:.1f} {bend:.1f} {across:.1f} {top:.1f}")
        if bottom > top:
            parts.append(f"V{bottom:.1f}")
        x, y = across, bottom
    return "".join(parts)
