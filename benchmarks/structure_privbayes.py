"""PrivBayes as its paper has it, with a sensitivity of its score that holds: a contender for learned graphs, and no release.

The score R is half of the L1 distance of a child's table with its parents from the product of both margins, in records. One
replaced record moves the table by 2 in L1 norm and the product by 4 at the most, so R by 3. Where the child has two levels R
is the sum over configurations j of |c_1j - t b_j|, t the share of its second level and b_j the records of j: the shift of t
moves that by 1 in all, and the record itself by t where it leaves and 1 - t where it arrives, so R by 2.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

import discreet as dc

from .structure_rivals import count_cells, mixed_likelihood, pair_variation
from .utility_data import Task

__all__ = ["privbayes"]

_STRUCTURE = 0.3
"""Of epsilon, for the graph."""
_USEFUL = 4
"""How many times what noise adds to it a cell must hold on average."""
_DRAWN = 200_000

Parents = tuple[str, ...]


def privbayes(task: Task, epsilon: str, delta: str | None, seed: int) -> tuple[float, float]:
    """Parents chosen by the exponential mechanism with score R, then a table for each node with Laplace noise.

    [Zhang, Cormode, Procopiuc, Srivastava & Xiao 2017], without hierarchies of levels. Pure epsilon, whatever delta is.
    """
    del delta
    whole, generator = float(epsilon), np.random.default_rng([seed, int(1000 * float(epsilon))])
    sizes = {variable.name: variable.size for variable in task.network.variables}
    codes = {node: task.codes(task.train, node) for node in sizes}
    nodes, rows = list(sizes), task.train.height
    tables = (1 - _STRUCTURE) * whole
    most = rows * tables / (2 * len(nodes) * _USEFUL)  # cells of a useful table
    first = nodes[generator.integers(len(nodes))]
    parents: dict[str, Parents] = {first: ()}
    while len(parents) < len(nodes):
        node, chosen = _choose(codes, sizes, parents, most, _STRUCTURE * whole / (len(nodes) - 1), generator)
        parents[node] = chosen
    scale = 2 * len(nodes) / tables
    chances = {}
    for node, chosen in parents.items():
        counts = count_cells(codes, (*chosen, node), sizes)
        noisy = np.maximum(counts + generator.laplace(0, scale, counts.shape), 0).reshape(-1, sizes[node])
        sums = noisy.sum(axis=1, keepdims=True)
        chances[node] = np.where(sums > 0, noisy / np.maximum(sums, 1e-300), 1 / sizes[node])
    return _judge(task, sizes, parents, chances)


def _choose(
    codes: dict[str, np.ndarray],
    sizes: dict[str, int],
    parents: dict[str, Parents],
    most: float,
    epsilon: float,
    generator: np.random.Generator,
) -> tuple[str, Parents]:
    """A node that is left, with the largest sets of parents whose tables are useful."""
    offered, scores = [], []
    for node in [each for each in sizes if each not in parents]:
        for chosen in _largest_sets(tuple(parents), sizes, most / sizes[node]):
            table = count_cells(codes, (*chosen, node), sizes).reshape(-1, sizes[node])
            even = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
            offered.append((node, chosen))
            scores.append(np.abs(table - even).sum() / 2)
    sensitivity = 2 if all(sizes[node] == 2 for node, _ in offered) else 3
    logs = epsilon / (2 * sensitivity) * np.array(scores)
    return offered[int(np.argmax(logs + generator.gumbel(size=len(logs))))]


def _largest_sets(nodes: Parents, sizes: dict[str, int], cells: float) -> list[Parents]:
    """Sets of nodes with at most so many cells to which no other can be added."""
    if len({sizes[node] for node in nodes}) == 1:
        number = min(len(nodes), int(math.log(max(cells, 1)) / math.log(sizes[nodes[0]])))
        return list(combinations(nodes, number))
    found: list[tuple[Parents, int]] = [((), 1)]
    for node in nodes:
        found += [((*each, node), held * sizes[node]) for each, held in found if held * sizes[node] <= cells]
    return [each for each, held in found if not any(node not in each and held * sizes[node] <= cells for node in nodes)] or [
        ()
    ]


def _judge(
    task: Task, sizes: dict[str, int], parents: dict[str, Parents], chances: dict[str, np.ndarray]
) -> tuple[float, float]:
    test = {node: task.codes(task.test, node) for node in sizes}
    logs = np.zeros(task.test.height)
    for node, chosen in parents.items():
        cells = np.zeros(len(logs), dtype=np.int64)
        for parent in chosen:
            cells = cells * sizes[parent] + test[parent]
        logs += np.log(np.maximum(chances[node][cells, test[node]], 1e-300))
    network = dc.Network(task.network.variables, parents)
    drawn = dc.PointPosterior(network, chances).sample(_DRAWN, 7)
    made = {node: task.codes(drawn, node) for node in sizes}
    pairs = {
        (one, two): (count_cells(made, (one, two), sizes) / _DRAWN).reshape(sizes[one], sizes[two])
        for one, two in combinations(sizes, 2)
    }
    return mixed_likelihood(logs, math.prod(sizes.values())), pair_variation(pairs, test, sizes)
