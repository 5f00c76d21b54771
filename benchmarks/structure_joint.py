"""A distribution of few columns as one table, fitted to noisy tables of pairs: what AIM's model is where that is small."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["Joint", "fit_joint"]


@dataclass(frozen=True, eq=False)
class Joint:
    """A distribution of all columns in one table. What all pairs of them expect is one product of matrices."""

    logs: np.ndarray
    sizes: dict[str, int]

    @cached_property
    def levels(self) -> np.ndarray:
        """Cells x levels of all columns: which each cell has."""
        places = np.indices(tuple(self.sizes.values())).reshape(len(self.sizes), -1)
        return np.concatenate([np.eye(size)[place] for place, size in zip(places, self.sizes.values(), strict=True)], axis=1)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """The levels of each column."""
        ends = np.cumsum([0, *self.sizes.values()]).tolist()
        return {node: slice(*ends[place : place + 2]) for place, node in enumerate(self.sizes)}

    def pairs(self, logs: np.ndarray) -> np.ndarray:
        """Chances of all pairs of levels, for these log-chances up to a constant."""
        chances = np.exp(logs - logs.max())
        return np.asarray((self.levels * (chances / chances.sum())[:, None]).T @ self.levels)

    def chances(self, nodes: tuple[str, ...]) -> np.ndarray:
        """Of the cells of a table of one or two nodes."""
        found = self._all[self.slices[nodes[0]], self.slices[nodes[-1]]]
        return (np.diag(found) if len(nodes) == 1 else found).ravel()

    @cached_property
    def _all(self) -> np.ndarray:
        return self.pairs(self.logs)

    def moved(self, logs: np.ndarray) -> Joint:
        """The same with other chances; what does not depend on them is kept."""
        found = Joint(logs - logs.max(), self.sizes)
        found.__dict__.update(levels=self.levels, slices=self.slices)
        return found


def fit_joint(start: Joint, measured: list[Any], rows: int, steps: int) -> Joint:
    """Mirror descent with Armijo's rule for the length of a step, as private-pgm has it, on one table of all columns."""
    sure, wanted = np.zeros((2, start.levels.shape[1], start.levels.shape[1]))
    for each in measured:
        one, two = start.slices[each.clique[0]], start.slices[each.clique[-1]]
        values = np.asarray(each.noisy_measurement) / rows
        weight = (rows / each.stddev) ** 2
        block = np.eye(values.size) if one == two else np.ones((one.stop - one.start, two.stop - two.start))
        sure[one, two] += weight * block
        wanted[one, two] += weight * (np.diag(values) if one == two else values.reshape(block.shape))
    wanted /= np.maximum(sure, 1e-300)
    logs, length = start.logs, 2.0 / float(sure.sum(axis=1).max() + sure.sum(axis=0).max())
    found = start.pairs(logs)
    for _ in range(steps):
        slopes = sure * (found - wanted)
        there = logs - length * ((start.levels @ slopes) * start.levels).sum(axis=1)
        then = start.pairs(there)
        gain = 0.5 * float((sure * ((found - wanted) ** 2 - (then - wanted) ** 2)).sum())
        if gain >= 0.5 * float((slopes * (found - then)).sum()):
            logs, found, length = there, then, 1.01 * length if gain > 0 else length
        else:
            length /= 2
    return start.moved(logs)
