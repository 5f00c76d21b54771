"""Directed graphs from noisy pairs, all of them or some: order, parents and probabilities follow without the records.

Nodes are placed one after the other, first those that have most to do with nodes that are placed. A node takes the parent
whose table with it is furthest from what is expected so far, less what noise alone would do; its probabilities are fitted
anew, and so on until nothing is left that noise does not explain. What is expected comes from synthetic records that grow
with the graph. All of it is post-processing of what was published; the generator has a fixed seed, so it can be repeated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.learning.fits import FamilyFit, fit_family
from discreet.learning.wanted import Wanted
from discreet.measure.pairs import PairTables

__all__ = ["FEW", "MOST_CELLS", "SYNTHETIC", "Grown", "grow_directed"]

SYNTHETIC = 50_000
"""How many synthetic records a graph has."""
FEW = 2000
"""How many it has in a rehearsal, of which nothing is kept."""
MOST_CELLS = 5000
"""Of a family, but for parents that are required."""
_SEED = 20
_DOUBT = 0.5
"""How strictly parents are taken: of m candidates that have nothing to explain one in the root of m would be."""


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """The parents of each node, and Dirichlet parameters of its probabilities: configurations x levels."""

    parents: Mapping[str, tuple[str, ...]]
    concentrations: Mapping[str, Floats] = field(repr=False)
    _records: Mapping[str, Integers] = field(repr=False)
    """Synthetic ones, of the graph with these probabilities."""

    def table(self, one: str, two: str) -> Floats:
        """The joint probabilities of two nodes."""
        sizes = [self.concentrations[node].shape[1] for node in (one, two)]
        cells = np.bincount(self._records[one] * sizes[1] + self._records[two], minlength=math.prod(sizes))
        return cells.reshape(sizes) / len(self._records[one])


def grow_directed(wanted: Wanted, pairs: PairTables, synthetic: int = SYNTHETIC, *, sure: bool = True) -> Grown:
    """Find a graph and its probabilities from noisy pairs; how sure these are only where that is asked for.

    Claim:      depends on the records only through ``pairs``.
    Requires:   pairs of all nodes.
    Checked by: tests/unit/learning/test_directed.py::test_a_planted_graph_is_found
                tests/unit/learning/test_directed.py::test_what_is_required_and_forbidden_is_kept
    """
    growth = _Growth(wanted, pairs, synthetic, sure)
    while len(growth.placed) < len(wanted.nodes):
        growth.place(growth.next())
    return Grown({node: growth.parents[node] for node in wanted.nodes}, growth.concentrations, growth.records)


class _Growth:
    """A graph that grows, and synthetic records of the nodes that it has."""

    def __init__(self, wanted: Wanted, pairs: PairTables, synthetic: int, sure: bool) -> None:
        self.wanted, self.pairs, self._size, self._sure = wanted, pairs, synthetic, sure
        self.placed: list[str] = []
        self.parents: dict[str, tuple[str, ...]] = {}
        self.concentrations: dict[str, Floats] = {}
        self.records: dict[str, Integers] = {}
        # Not noise: what these draws are made from was published, with its noise, and nothing else of the records can reach
        # this object. A seed that everybody knows makes the graph a function of the published numbers, so anybody can grow it
        # again from the file; privacy does not rest on it, as it would on a seed of noise.
        self._generator = np.random.default_rng(_SEED)
        self._tables: dict[tuple[str, str], Floats] = {}
        self._offered = {frozenset(pair) for pair in wanted.pairs if pairs.has(*pair)}
        self._apart = {
            frozenset((one, two)): max(0.0, self._gain(one, two, np.outer(pairs.margins[one], pairs.margins[two])))
            for one, two in wanted.pairs
            if pairs.has(one, two)
        }

    def next(self) -> str:
        """The node with most to do with those that are placed, whose required parents are; at first, with all."""
        waiting = [node for node in self.wanted.nodes if node not in self.parents]
        ready = [node for node in waiting if all(parent in self.parents for parent in self.wanted.given[node])]

        def ties(node: str) -> float:
            others = self.placed or [other for other in self.wanted.nodes if other != node]
            gains = sorted((self._apart.get(frozenset((node, other)), 0.0) for other in others), reverse=True)
            return sum(gains[: self.wanted.most_parents] if self.placed else gains)

        return max(ready, key=ties)

    def place(self, node: str) -> None:
        """Give a node its parents, its probabilities, and synthetic values."""
        chosen = list(self.wanted.given[node])
        fit = self._fit(node, chosen, None)
        while len(chosen) < self.wanted.most_parents:
            best = self._best(node, chosen, fit)
            if best is None:
                break
            chosen.append(best)
            fit = self._fit(node, chosen, fit.coefficients)
        self._keep(node, tuple(chosen), self._fit(node, chosen, fit.coefficients, strength=True) if self._sure else fit)

    def _best(self, node: str, chosen: list[str], fit: FamilyFit) -> str | None:
        """The parent whose table with the node is furthest from what is expected, if any is further than noise."""
        size = self.wanted.sizes[node]
        probabilities, configurations = fit.probabilities.reshape(-1, size), self._configurations(chosen)
        best, largest, most = None, 0.0, min(MOST_CELLS, self.pairs.rows)
        for other in self.placed:
            cells = self.wanted.cells((*chosen, node, other))
            if other in chosen or frozenset((node, other)) not in self._offered or cells > most:
                continue
            if not self.wanted.allows(len(chosen) + 1, cells):
                continue
            levels = self.wanted.sizes[other]
            together = np.bincount(configurations * levels + self.records[other], minlength=len(probabilities) * levels)
            predicted = together.reshape(-1, levels).T @ probabilities / self._size
            gain = self._gain(other, node, predicted)
            if gain > max(largest, self._chance(other, node, predicted)):
                best, largest = other, gain
        return best

    def _chance(self, one: str, two: str, predicted: Floats) -> float:
        """What the largest gain of all nodes that are placed may be by noise alone; nothing where pairs were picked.

        To be picked they had to be far from what was expected. The gain of a pair that has nothing to explain is about a
        weighted sum of squared normal numbers, of which Laurent and Massart bound what is exceeded with probability exp(-x).
        """
        if self.pairs.picked:
            return 0.0
        free, spread = math.prod(size - 1 for size in predicted.shape), self.pairs.spread(one, two)
        deviation = math.sqrt(predicted.size / (2 * free) * float(((spread**2 / (predicted + spread)) ** 2).sum()))
        depth = _DOUBT * math.log(max(len(self.placed), 1))
        return deviation * (math.sqrt(2 * depth) + math.sqrt(2 / free) * depth)

    def _gain(self, one: str, two: str, predicted: Floats) -> float:
        """How far a pair is from what is expected of it, less what noise alone would do: about a divergence, in nats."""
        spread = self.pairs.spread(one, two)
        return 0.5 * float((((self._pair(one, two) - predicted) ** 2 - spread**2) / (predicted + spread)).sum())

    def _pair(self, one: str, two: str) -> Floats:
        """The noisy table of a pair, worked out once."""
        if (one, two) not in self._tables:
            self._tables[one, two] = self.pairs.pair(one, two)
        return self._tables[one, two]

    def _fit(self, node: str, chosen: list[str], start: Floats | None, *, strength: bool = False) -> FamilyFit:
        """Fitted probabilities of the node, given the parents' joint probabilities among the synthetic records."""
        margin, spread = self.pairs.margins[node], self.pairs.margin_spread(node) / 2
        shape = tuple(self.wanted.sizes[parent] for parent in chosen)
        joint = np.bincount(self._configurations(chosen), minlength=math.prod(shape)).reshape(shape) / self._size
        tables = []
        for place, parent in enumerate(chosen):
            side = joint.sum(axis=tuple(axis for axis in range(len(chosen)) if axis != place))
            # The noisy table has the margin that was measured; the synthetic records' is near it, and the fit needs theirs.
            tables.append(self._pair(parent, node) + np.outer(side - self.pairs.margins[parent], margin))
        spreads = [self.pairs.spread(parent, node) for parent in chosen]
        return fit_family(joint, margin, spread, tables, spreads, start, self._contrasts(node, chosen) if strength else None)

    def _contrasts(self, node: str, chosen: list[str]) -> list[float]:
        """How far noise moves each contrast of the node's margin, and of its tables with the parents, as probabilities."""
        cells = [(1 - 1 / self.wanted.sizes[parent]) * (1 - 1 / self.wanted.sizes[node]) for parent in chosen]
        found = [
            self.pairs.spread(parent, node) / math.sqrt(max(share, 1e-9)) for parent, share in zip(chosen, cells, strict=True)
        ]
        return [self.pairs.margin_spread(node), *found]

    def _keep(self, node: str, chosen: tuple[str, ...], fit: FamilyFit) -> None:
        size = self.wanted.sizes[node]
        probabilities = fit.probabilities.reshape(-1, size)
        configurations = self._configurations(list(chosen))
        seen = np.bincount(configurations, minlength=len(probabilities)) / self._size * self.pairs.rows
        strength = np.atleast_1d(fit.strength).ravel()
        worth = np.maximum(1 / (1 / strength + 1 / np.maximum(seen, 1.0)), 0.1)
        self.parents[node] = chosen
        self.concentrations[node] = probabilities * worth[:, None]
        self.records[node] = self._draw(probabilities, configurations)
        self.placed.append(node)

    def _configurations(self, chosen: list[str]) -> Integers:
        found = np.zeros(self._size, dtype=np.int64)
        for parent in chosen:
            found = found * self.wanted.sizes[parent] + self.records[parent]
        return found

    def _draw(self, probabilities: Floats, configurations: Integers) -> Integers:
        """One value for each record, as evenly spread within each configuration as can be: tables are followed closely."""
        order = np.lexsort((self._generator.random(self._size), configurations))
        ordered = configurations[order]
        starts = np.searchsorted(ordered, np.arange(len(probabilities) + 1))
        place = np.arange(self._size) - starts[ordered]
        shift = self._generator.random(len(probabilities))[ordered]
        uniform = (place + shift) / np.diff(starts)[ordered]
        sums = np.cumsum(probabilities, axis=1)[ordered, :-1]
        found = np.empty(self._size, dtype=np.int64)
        found[order] = (uniform[:, None] >= sums).sum(axis=1)
        return found
