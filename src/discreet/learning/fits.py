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
_CLOSE = 1e-7
"""When a step changes the loss by less than this part of it, it is the last."""
_FEW = 160
"""Coefficients for which Newton's steps are cheaper than many short ones."""
_BRAKE = 1e-3
_LEAST_NOISE = 1e-7
"""Tables are fitted no closer than this: far less than records leave open, and matrices of less cannot be turned round."""
_MOST_TOGETHER = 1500


@dataclass(frozen=True, slots=True, eq=False)
class FamilyFit:
    """Conditional probabilities of a node, one axis for each parent and the last for the node; and how sure they are."""

    probabilities: Floats = field(repr=False)
    coefficients: Floats = field(repr=False)
    strength: Floats = field(repr=False)
    """For each configuration of the parents, how many records the noisy tables are worth."""


class _Family:
    """The log-linear family of a node with so many levels, whose parents have these joint probabilities.

    Configurations of the parents are rows. ``held`` says which coefficients each has: the node's own, and of each parent those
    of its level. The same matrix sums configurations to the table of the node alone, and to those of each parent.
    """

    def __init__(
        self, weights: Floats, margin: Floats, spread: float, tables: Sequence[Floats], spreads: Sequence[float]
    ) -> None:
        self.levels, self.shape = len(margin), weights.shape if tables else ()
        self.logs, self.weights = np.log(np.maximum(margin, 1e-9)), weights.reshape(-1, 1)
        places = np.indices(self.shape).reshape(len(self.shape), len(self.weights))
        first = np.cumsum([1, *self.shape])[:-1, None]
        self.places = np.concatenate([np.zeros((1, len(self.weights)), dtype=np.int64), places + first])
        self.held = np.zeros((len(self.weights), 1 + sum(self.shape)))
        for each in self.places:
            self.held[range(len(each)), each] = 1
        self.targets = np.concatenate([margin[None], *tables])
        self.noise = np.maximum(np.repeat([spread, *spreads], [1, *self.shape])[:, None], _LEAST_NOISE)
        self.precision = np.full(self.targets.shape, SLOPES**-2)
        self.precision[0] = LEVELS**-2

    def probabilities(self, coefficients: Floats) -> Floats:
        """Of each level, for each configuration."""
        logs = self.logs + self.held @ coefficients.reshape(self.targets.shape)
        powers = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def loss(self, coefficients: Floats) -> tuple[float, Floats]:
        """Minus the log posterior, and its slopes."""
        found, given = self.probabilities(coefficients), coefficients.reshape(self.targets.shape)
        gap = (self.held.T @ (found * self.weights) - self.targets) / self.noise
        pull = self.held @ (gap / self.noise)
        moved = found * self.weights * (pull - (found * pull).sum(axis=1, keepdims=True))
        value = 0.5 * float((gap**2).sum() + (self.precision * given**2).sum())
        return value, (self.held.T @ moved + self.precision * given).ravel()

    def information(self, coefficients: Floats) -> Floats:
        """The second derivatives of the loss, as if the tables moved in straight lines: what is certain about coefficients."""
        found, levels, size = self.probabilities(coefficients), self.levels, self.targets.size
        turned = found[:, :, None] * (np.eye(levels) - found[:, None, :]) * self.weights[:, :, None]
        summed = self.held.T @ (self.held[:, :, None] * turned.reshape(len(found), 1, -1)).reshape(len(found), -1)
        moves = summed.reshape(len(self.targets), -1, levels, levels).transpose(0, 2, 1, 3).reshape(size, size)
        scaled = moves / np.repeat(self.noise, levels)[:, None]
        return np.asarray(scaled.T @ scaled + np.diag(self.precision.ravel()))

    def strength(self, coefficients: Floats) -> Floats:
        """What the tables are worth for each configuration: the records whose sampling would leave as much open as noise."""
        found, levels = self.probabilities(coefficients), self.levels
        turned = found[:, :, None] * (np.eye(levels) - found[:, None, :])
        if self.targets.size <= _MOST_TOGETHER:
            covariance = np.linalg.inv(self.information(coefficients))
            parts = covariance.reshape(len(self.targets), levels, -1, levels)
            moved = sum((parts[one, :, two, :] for one in self.places for two in self.places), np.zeros(()))
            open_ = np.einsum("cij,cjk,cik->c", turned, moved, turned)
        else:  # each coefficient for itself: to turn the whole matrix round would take minutes
            own = self.held.T @ (turned * self.weights[:, :, None]).reshape(len(found), -1)
            sure = ((own.reshape(-1, levels, levels) / self.noise[:, :, None]) ** 2).sum(axis=1) + self.precision
            open_ = (turned**2 @ (self.held @ (1 / sure))[:, :, None]).sum(axis=(1, 2))
        worth = (found * (1 - found)).sum(axis=1) / np.maximum(open_, 1e-12) - 1
        return np.asarray(np.maximum(worth, 0.1).reshape(self.shape))

    def settle(self, first: Floats) -> Floats:
        """The most probable coefficients: by Newton's steps where these are cheap, else along slopes."""
        if len(first) <= _FEW:
            return self._step(first)
        # Only who learns a graph of wide columns needs it, and it is slow to load.
        from scipy.optimize import minimize

        settings = {"maxiter": _ITERATIONS, "ftol": _CLOSE}
        return np.asarray(minimize(self.loss, first, jac=True, method="L-BFGS-B", options=settings).x)

    def _step(self, found: Floats) -> Floats:
        """Steps of Gauss and Newton, shorter ones (Levenberg, Marquardt) where a step leads uphill."""
        (value, slopes), brake = self.loss(found), 0.0
        information = self.information(found)
        for _ in range(_ITERATIONS):
            step = np.linalg.solve(information + brake * np.diag(np.diag(information)), slopes)
            lower, there = self.loss(found - step)
            if lower > value:
                brake = max(10 * brake, _BRAKE)
                continue
            close = value - lower <= _CLOSE * value
            found, value, slopes, brake = found - step, lower, there, brake / 10 if brake > _BRAKE else 0.0
            if close:
                break
            information = self.information(found)
        return found


def fit_family(
    weights: Floats,
    margin: Floats,
    spread: float,
    tables: Sequence[Floats],
    spreads: Sequence[float],
    start: Floats | None = None,
    contrasts: Sequence[float] | None = None,
) -> FamilyFit:
    """The most probable conditional probabilities, given noisy tables (parent, node) and the parents' joint probabilities.

    Claim:      depends on what was published alone.
                How sure they are is worked out where ``contrasts`` are given: how far noise moves each contrast of the margin
                and of each table. The cells of a table have more entries than contrasts, and noise that moves them together:
                taken for independent, as the fit does, they would count the same numbers up to four times.
    Requires:   ``weights`` sum to one, with an axis for each table; positive spreads.
    Checked by: tests/unit/learning/test_fits.py::test_tables_without_noise_are_fitted
                tests/unit/learning/test_fits.py::test_the_slopes_of_the_loss_are_its_derivatives
                tests/unit/learning/test_fits.py::test_tables_are_worth_what_their_noise_leaves
    """
    family = _Family(weights, margin, spread, tables, spreads)
    first = np.zeros(family.targets.size)
    if start is not None:
        first[: len(start)] = start
    found = family.settle(first)
    if contrasts is None:
        worth = np.ones(family.shape)
    else:
        worth = _Family(weights, margin, contrasts[0], tables, contrasts[1:]).strength(found)
    return FamilyFit(family.probabilities(found).reshape(*family.shape, -1), found, worth)
