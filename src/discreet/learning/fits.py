"""Conditional probabilities that fit noisy tables of pairs: log-linear in the single parents, with a prior. Public.

P(v | parents) is proportional to exp(t_0[v] + sum over parents s of t_s[x_s, v]): parents act one by one. The coefficients
have normal priors, and the noisy tables of (parent, node) a normal likelihood: what noise hides is drawn towards independence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats

__all__ = ["FamilyFit", "fit_family"]

SLOPES = 0.5
"""Standard deviation of the prior of a parent's coefficients."""
LEVELS = 2.0
"""The same of the coefficients of the node itself."""
_ITERATIONS = 100


@dataclass(frozen=True, slots=True, eq=False)
class FamilyFit:
    """Conditional probabilities of a node, one axis for each parent and the last for the node; and how sure they are."""

    probabilities: Floats = field(repr=False)
    coefficients: Floats = field(repr=False)
    strength: Floats = field(repr=False)
    """For each configuration of the parents, how many records the noisy tables are worth."""


class _Family:
    """The log-linear family of a node with so many levels, whose parents have these joint probabilities."""

    def __init__(
        self, weights: Floats, margin: Floats, spread: float, tables: Sequence[Floats], spreads: Sequence[float]
    ) -> None:
        self.weights, self.margin, self.spread, self.tables, self.spreads = weights, margin, spread, tables, spreads
        self.levels, self.parents = len(margin), weights.ndim if tables else 0
        sizes = weights.shape if tables else ()
        self.ends = np.cumsum([0, self.levels, *(size * self.levels for size in sizes)]).tolist()
        self.views = [
            (1,) * place + (size,) + (1,) * (self.parents - place - 1) + (self.levels,) for place, size in enumerate(sizes)
        ]
        self.others = [tuple(axis for axis in range(self.parents) if axis != place) for place in range(self.parents)]
        self.precision = np.full(self.ends[-1], SLOPES**-2)
        self.precision[: self.levels] = LEVELS**-2

    def probabilities(self, coefficients: Floats) -> Floats:
        logs = (np.log(np.maximum(self.margin, 1e-9)) + coefficients[: self.levels]).reshape((1,) * self.parents + (-1,))
        for place, view in enumerate(self.views):
            logs = logs + coefficients[self.ends[place + 1] : self.ends[place + 2]].reshape(view)
        powers = np.exp(logs - logs.max(axis=-1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))

    def loss(self, coefficients: Floats) -> tuple[float, Floats]:
        """Minus the log posterior, and its slopes."""
        found = self.probabilities(coefficients)
        joint = found * self.weights[..., None]
        axes = tuple(range(self.parents))
        gap = joint.sum(axis=axes) - self.margin
        value, pull = 0.5 * float(gap @ gap) / self.spread**2, (gap / self.spread**2).reshape((1,) * self.parents + (-1,))
        for place, (table, spread) in enumerate(zip(self.tables, self.spreads, strict=True)):
            gap = joint.sum(axis=self.others[place]) - table
            value += 0.5 * float((gap**2).sum()) / spread**2
            pull = pull + (gap / spread**2).reshape(self.views[place])
        moved = joint * (pull - (found * pull).sum(axis=-1, keepdims=True))
        slopes = [moved.sum(axis=axes), *(moved.sum(axis=others).ravel() for others in self.others)]
        value += 0.5 * float((self.precision * coefficients**2).sum())
        return value, np.concatenate(slopes) + self.precision * coefficients

    def strength(self, coefficients: Floats) -> Floats:
        """What the tables are worth for each configuration: the records whose sampling would leave as much open as noise."""
        found = self.probabilities(coefficients)
        covariance = np.linalg.inv(self._information(found))
        shape, levels = found.shape[:-1], self.levels
        worth = np.empty(shape)
        for place in np.ndindex(*shape):
            rows = list(range(levels))
            chosen = np.zeros((levels, self.ends[-1]))
            chosen[rows, rows] = 1
            for parent, level in enumerate(place):
                first = self.ends[parent + 1] + level * levels
                chosen[rows, range(first, first + levels)] = 1
            own = found[place]
            turned = (np.diag(own) - np.outer(own, own)) @ chosen
            open_ = float(np.einsum("ij,jk,ik->", turned, covariance, turned))
            worth[place] = max(float((own * (1 - own)).sum()) / max(open_, 1e-12) - 1, 0.1)
        return worth

    def _information(self, found: Floats) -> Floats:
        """The second derivatives of the loss, as if the tables moved in straight lines: what is certain about coefficients."""
        spread = found[..., :, None] * (np.eye(self.levels) - found[..., None, :]) * self.weights[..., None, None]
        blocks = [[self._block(spread, one, two) for two in range(-1, self.parents)] for one in range(-1, self.parents)]
        moves = np.block(blocks)
        noise = np.concatenate(
            [np.full(self.levels, self.spread), *(np.full(t.size, s) for t, s in zip(self.tables, self.spreads, strict=True))]
        )
        scaled = moves / noise[:, None]
        return np.asarray(scaled.T @ scaled + np.diag(self.precision))

    def _block(self, spread: Floats, one: int, two: int) -> Floats:
        """How the table of one parent moves with the coefficients of another; -1 is the node alone."""
        kept = sorted({place for place in (one, two) if place >= 0})
        summed = spread.sum(axis=tuple(axis for axis in range(self.parents) if axis not in kept))
        sizes = [self.weights.shape[place] if place >= 0 else 1 for place in (one, two)]
        if one == two and one >= 0:
            table = np.zeros((sizes[0], sizes[0], self.levels, self.levels))
            table[range(sizes[0]), range(sizes[0])] = summed
        else:
            table = summed.reshape(*(sizes if one < two else sizes[::-1]), self.levels, self.levels)
            table = table if one < two or one == two else table.transpose(1, 0, 2, 3)
        return np.asarray(table.transpose(0, 2, 1, 3).reshape(sizes[0] * self.levels, sizes[1] * self.levels))


def fit_family(
    weights: Floats,
    margin: Floats,
    spread: float,
    tables: Sequence[Floats],
    spreads: Sequence[float],
    start: Floats | None = None,
    *,
    strength: bool = False,
) -> FamilyFit:
    """The most probable conditional probabilities, given noisy tables (parent, node) and the parents' joint probabilities.

    Claim:      depends on what was published alone.
    Requires:   ``weights`` sum to one, with an axis for each table; positive spreads.
    Checked by: tests/unit/learning/test_fits.py::test_tables_without_noise_are_fitted
                tests/unit/learning/test_fits.py::test_the_slopes_of_the_loss_are_its_derivatives
    """
    # Only who learns a graph needs it, and it is slow to load.
    from scipy.optimize import minimize

    family = _Family(weights, margin, spread, tables, spreads)
    first = np.zeros(family.ends[-1])
    if start is not None:
        first[: len(start)] = start
    settings = {"maxiter": _ITERATIONS, "ftol": 1e-7}
    found = minimize(family.loss, first, jac=True, method="L-BFGS-B", options=settings).x
    worth = family.strength(found) if strength else np.ones(weights.shape if tables else ())
    return FamilyFit(family.probabilities(found), found, worth)
