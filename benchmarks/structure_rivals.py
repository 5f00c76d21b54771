"""MST and AIM as their papers have them, on top of private-pgm (mbi): measured margins, fitted by mirror descent.

All that is spent is for replace-one, with the number of records known: a table of counts then moves by 2 in L1 norm and by the
root of 2 in L2 norm, so Gaussian noise of deviation s costs rho = 1 / s^2, and a choice by L1 distance has sensitivity 2.
What is private comes from NumPy's generator, as in a benchmark: these are contenders, and no release.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from discreet.conversion import rho_of_epsilon

from .structure_joint import Joint, fit_joint
from .utility_data import Task

__all__ = ["aim", "mixed_likelihood", "mst", "pair_variation", "rivals_at_hand"]

_STEPS, _STEPS_BETWEEN = 1000, 50
"""Of mirror descent, for the last fit and for those on the way to it."""
_LARGEST = 4.0
"""Megabytes of AIM's junction tree. The paper has 80, with which a fit on adult takes hours here."""
_SMALL = 2**17
"""Cells of all columns together, up to which AIM's model is one table: of dense graphs that is faster than a junction tree."""
_SHARES = (1e-9, 1e-4, 1e-3, 1e-2, 0.03, 0.1)
"""Of the uniform distribution that a rival is mixed with; the best for the test records is taken, which favours the rival."""

Nodes = tuple[str, ...]


def rivals_at_hand() -> bool:
    """Whether private-pgm can be imported."""
    try:
        _library()
    except ImportError:
        return False
    return True


def _library() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the precision of JAX, which is set before anything is computed
        import jax
        import mbi
    jax.config.update("jax_enable_x64", True)  # as mbi advises for more than 100,000 records
    return mbi


@dataclass
class _Private:
    """Training records as level numbers, a generator, and the rho that is left."""

    task: Task
    rho: float
    generator: np.random.Generator
    maps: dict[str, np.ndarray] = field(default_factory=dict)
    """Of columns whose rare levels were joined, the new level of each."""

    def __post_init__(self) -> None:
        self.sizes = {variable.name: variable.size for variable in self.task.network.variables}
        self.codes = {node: self.task.codes(self.task.train, node) for node in self.sizes}
        self.tables: dict[Nodes, np.ndarray] = {}

    @property
    def rows(self) -> int:
        return self.task.train.height

    @property
    def domain(self) -> Any:
        return _library().Domain(list(self.sizes), list(self.sizes.values()))

    def table(self, nodes: Nodes) -> np.ndarray:
        if nodes not in self.tables:
            self.tables[nodes] = count_cells(self.codes, nodes, self.sizes)
        return self.tables[nodes]

    def measure(self, nodes: Nodes, rho: float) -> Any:
        """Gaussian noise for this rho."""
        self.rho -= rho
        deviation = math.sqrt(1 / rho)
        noisy = self.table(nodes) + self.generator.normal(0, deviation, self.table(nodes).size)
        return _library().LinearMeasurement(noisy, nodes, deviation)

    def choose(self, scores: Sequence[float], sensitivity: float, rho: float) -> int:
        """The exponential mechanism, whose epsilon costs epsilon^2 / 8."""
        self.rho -= rho
        logs = math.sqrt(8 * rho) / (2 * sensitivity) * np.array(scores)
        return int(np.argmax(logs + self.generator.gumbel(size=len(logs))))

    def merge(self, node: str, levels: np.ndarray) -> None:
        """Join levels of a column from here on."""
        self.maps[node], self.codes[node] = levels, levels[self.codes[node]]
        self.sizes[node] = int(levels.max()) + 1
        self.tables.clear()


def count_cells(codes: dict[str, np.ndarray], nodes: Iterable[str], sizes: dict[str, int]) -> np.ndarray:
    """Counts of the cells of a table, the last node's levels fastest."""
    cells, whole = np.zeros(len(next(iter(codes.values()))), dtype=np.int64), 1
    for node in nodes:
        cells, whole = cells * sizes[node] + codes[node], whole * sizes[node]
    return np.bincount(cells, minlength=whole).astype(float)


def _fit(private: _Private, measured: list[Any], steps: int, start: Any = None) -> _Model:
    """By private-pgm; where a joint table is given to begin with, on it."""
    if isinstance(start, Joint):
        return _Model(fit_joint(start, measured, private.rows, steps), dict(private.sizes), private.rows)
    estimator, rows = _library().estimation.MirrorDescent(), float(private.rows)
    found = estimator.estimate(private.domain, measured, known_total=rows, iters=steps, warm_start=start, tol=1e-7)
    return _Model(found, dict(private.sizes), private.rows)


@dataclass(frozen=True, eq=False)
class _Model:
    """A fitted model, read in NumPy: JAX would compile every pair anew."""

    fitted: Any
    sizes: dict[str, int]
    rows: int

    @cached_property
    def _parts(self) -> list[Any]:
        """The model's factors with the places of their nodes."""
        axes, parts = {node: place for place, node in enumerate(self.sizes)}, []
        for clique in self.fitted.potentials.cliques:
            values = np.asarray(self.fitted.potentials[clique].datavector(flatten=False))
            parts += [np.exp(values - values.max()), [axes[node] for node in clique]]
        return parts

    def expect(self, nodes: Nodes) -> np.ndarray:
        """How many records each cell of a table is expected to have."""
        if isinstance(self.fitted, Joint):
            return self.fitted.chances(nodes) * self.rows
        import opt_einsum

        found = opt_einsum.contract(*self._parts, [list(self.sizes).index(node) for node in nodes], optimize="greedy").ravel()
        return np.asarray(found / found.sum() * self.rows)


def mst(task: Task, epsilon: str, delta: str | None, seed: int) -> tuple[float, float]:
    """Margins, a spanning tree chosen by L1 distance from independence, its tables: a third of rho each.

    [McKenna, Miklau & Sheldon 2021]. Levels of fewer than three deviations of the noise are joined after the first third.
    """
    private = _start(task, epsilon, delta, seed)
    third, nodes = private.rho / 3, list(private.sizes)
    measured = [private.measure((node,), third / len(nodes)) for node in nodes]
    for each in measured:
        _join_rare(private, each)
    whole = {node: len(levels) for node, levels in private.maps.items()}
    measured = [each.compress(private.maps, whole) for each in measured]
    model, trees = _fit(private, measured, _STEPS), {node: node for node in nodes}
    pairs = list(combinations(nodes, 2))
    far = {pair: float(np.abs(private.table(pair) - model.expect(pair)).sum()) for pair in pairs}
    for _ in range(len(nodes) - 1):
        offered = [pair for pair in pairs if trees[pair[0]] != trees[pair[1]]]
        one, two = offered[private.choose([far[pair] for pair in offered], 2, third / (len(nodes) - 1))]
        trees = {node: trees[one] if tree == trees[two] else tree for node, tree in trees.items()}
        measured.append(private.measure((one, two), third / (len(nodes) - 1)))
    assert private.rho > -1e-12
    return _judge(private, _fit(private, measured, _STEPS))


def _join_rare(private: _Private, measured: Any) -> None:
    kept = measured.noisy_measurement >= 3 * measured.stddev
    if (~kept).sum() > 1:
        private.merge(measured.clique[0], np.where(kept, np.cumsum(kept) - 1, kept.sum()))


def aim(task: Task, epsilon: str, delta: str | None, seed: int) -> tuple[float, float]:
    """Tables chosen one by one where the model is furthest off, measured with noise that shrinks when it hides everything.

    [McKenna, Mullins, Sheldon & Miklau 2022], with all pairs as the workload, of weight one each.
    """
    private = _start(task, epsilon, delta, seed)
    nodes, whole = list(private.sizes), private.rho
    workload = list(combinations(nodes, 2))
    candidates: list[Nodes] = [(node,) for node in nodes] + workload
    weights = {each: sum(len(set(each) & set(pair)) for pair in workload) for each in candidates}
    rounds = 16 * len(nodes)
    noise, choice = 0.9 * whole / rounds, 0.1 * whole / rounds
    measured = [private.measure((node,), noise) for node in nodes]
    cells = math.prod(private.sizes.values())
    model = _fit(private, measured, _STEPS_BETWEEN, Joint(np.zeros(cells), private.sizes) if cells <= _SMALL else None)
    while private.rho > 1e-9 * whole:
        if private.rho < 2 * (noise + choice):
            noise, choice = 0.9 * private.rho, 0.1 * private.rho
        room = _LARGEST * (1 - (private.rho - noise - choice) / whole)
        offered = [each for each in candidates if _size(private, measured, each) <= room]
        blur = math.sqrt(2 / math.pi) / math.sqrt(noise)
        scores = [weights[each] * (_gap(private, model, each) - blur * private.table(each).size) for each in offered]
        taken = offered[private.choose(scores, 2 * max(weights[each] for each in offered), choice)]
        before = model.expect(taken)
        measured.append(private.measure(taken, noise))
        model = _fit(private, measured, _STEPS_BETWEEN, model.fitted)
        if np.abs(model.expect(taken) - before).sum() <= blur * before.size:
            noise, choice = 4 * noise, 4 * choice
    assert private.rho > -1e-12
    return _judge(private, _fit(private, measured, _STEPS, model.fitted))


def _gap(private: _Private, model: _Model, nodes: Nodes) -> float:
    return float(np.abs(private.table(nodes) - model.expect(nodes)).sum())


def _size(private: _Private, measured: list[Any], nodes: Nodes) -> float:
    """Megabytes of the junction tree with one table more."""
    tree = _library().junction_tree
    return float(tree.hypothetical_model_size(private.domain, [*{each.clique for each in measured}, nodes]))


def _start(task: Task, epsilon: str, delta: str | None, seed: int) -> _Private:
    rho = rho_of_epsilon(Fraction(epsilon), Fraction(delta or 0))
    return _Private(task, float(rho), np.random.default_rng([seed, int(1000 * float(epsilon))]))


def _judge(private: _Private, model: _Model) -> tuple[float, float]:
    """Mean log-likelihood of the test records, and mean total variation of all pairs to theirs."""
    task = private.task
    test = {node: task.codes(task.test, node) for node in private.sizes}
    sizes = {variable.name: variable.size for variable in task.network.variables}
    spread = {node: np.bincount(levels) for node, levels in private.maps.items()}
    joined = {node: private.maps[node][codes] if node in private.maps else codes for node, codes in test.items()}
    logs = _log_chances(model, joined, private.sizes)
    for node, many in spread.items():  # levels that were joined are equally likely
        logs -= np.log(many[joined[node]])

    def table(one: str, two: str) -> np.ndarray:
        found = model.expect((one, two)).reshape(private.sizes[one], private.sizes[two]) / private.rows
        for axis, node in enumerate((one, two)):
            if node in spread:
                shared = found / spread[node].reshape((-1, 1) if axis == 0 else (1, -1))
                found = np.take(shared, private.maps[node], axis=axis)
        return found

    found = {(one, two): table(one, two) for one, two in combinations(sizes, 2)}
    return mixed_likelihood(logs, math.prod(sizes.values())), pair_variation(found, test, sizes)


def _log_chances(model: _Model, codes: dict[str, np.ndarray], sizes: dict[str, int]) -> np.ndarray:
    """By the junction tree: tables of its cliques over tables of what two neighbours share."""
    if isinstance(model.fitted, Joint):
        cells = np.ravel_multi_index([codes[node] for node in sizes], tuple(sizes.values()))
        logs = model.fitted.logs
        return np.asarray(logs[cells] - np.log(np.exp(logs).sum()))
    tree, _ = _library().junction_tree.make_junction_tree(model.fitted.domain, [tuple(each) for each in model.fitted.cliques])
    found = np.zeros(len(next(iter(codes.values()))))

    def add(nodes: Nodes, sign: int) -> None:
        cells = np.zeros(len(found), dtype=np.int64)
        for node in nodes:
            cells = cells * sizes[node] + codes[node]
        with np.errstate(divide="ignore"):
            found[:] += sign * np.log(np.maximum(model.expect(nodes)[cells] / model.rows, 1e-300))

    for clique in tree.nodes:
        add(tuple(clique), 1)
    for one, two in tree.edges:
        shared = tuple(node for node in one if node in two)
        if shared:
            add(shared, -1)
    return found


def mixed_likelihood(logs: np.ndarray, cells: int) -> float:
    """The mean of log-probabilities after a little of the uniform distribution, as much as suits best, was mixed in."""
    even = -math.log(cells)
    return max(float(np.logaddexp(logs + math.log1p(-share), even + math.log(share)).mean()) for share in _SHARES)


def pair_variation(tables: dict[tuple[str, str], np.ndarray], test: dict[str, np.ndarray], sizes: dict[str, int]) -> float:
    """Mean total variation of tables of pairs to those of the test records."""
    rows = len(next(iter(test.values())))
    far = [np.abs(table.ravel() - count_cells(test, pair, sizes) / rows).sum() / 2 for pair, table in tables.items()]
    return float(np.mean(far))
