"""Draws of the weights of a regression from its tempered posterior: what the sampler publishes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.checks import check_probability
from discreet.display import Display, Displayed
from discreet.errors import ModelError
from discreet.inference.linear import Line, Prediction, predict_target
from discreet.model.linear import LinearModel
from discreet.posterior.coefficients import Coefficient, Coefficients, regression_display, units_map
from discreet.posterior.data_tree import line_tree

__all__ = ["PLACES", "RegressionDraws"]

PLACES = 32
"""Binary places of a released weight."""


@dataclass(frozen=True, slots=True, repr=False)
class RegressionDraws(Displayed):
    """Released draws. ``steps``: one row per draw of w / sqrt(number of weights), in steps of 2^-32, intercept first.

    The draws come from the posterior in which every record counts ``temper`` = t times, so it leans on the prior more than
    the records would ask for. Let C be the covariance of draws and B the precision of the prior. As far as all laws are
    Gaussian, and for a truth as the prior expects it, the mean of K draws is off by (t + 1/K) C + (1 - t) C B C: for A the
    precision of the records C^-1 = B + t A, the mean C t A (w + error of covariance A^-1) misses w by -C B w from the prior
    and C t^2 A C from the error, and t A = C^-1 - B. One draw has no C.
    """

    model: LinearModel
    steps: tuple[tuple[int, ...], ...]
    temper: Fraction
    rows: int

    def __post_init__(self) -> None:
        width = len(self.model.coordinates)
        if not self.steps or any(len(draw) != width for draw in self.steps):
            raise ModelError("The draws do not fit the model: each needs one number for every weight.")
        if self.model.learned:
            raise ModelError("Draws come from a posterior whose prior is declared: the model needs its precisions.")
        if not 0 < self.temper <= 1 or self.rows < 1:
            raise ModelError("A draw needs at least one record and a temper in (0, 1].")

    def _display(self) -> Display:
        return regression_display(self.model, self.rows, self, 0)

    @property
    def weights(self) -> Floats:
        """Draws of the scaled weights w, one row each."""
        steps = np.array(self.steps, dtype=np.float64)
        weights: Floats = steps * (math.sqrt(len(self.model.coordinates)) / 2**PLACES)
        return weights

    @property
    def coefficients(self) -> Floats:
        """Draws of the coefficients in the user's units, one row each, intercept first."""
        return self.model.to_units(self.weights)

    def summary(self, interval: float = 0.9) -> Coefficients:
        """Mean, standard deviation and interval of every coefficient in the user's units; of one draw, only the mean."""
        interval = check_probability(interval)
        mean = self.model.to_units(self.weights.mean(axis=0))
        sd = self._deviations()
        half = self._quantile(interval) * sd
        columns = zip(self.model.coefficients, mean, sd, mean - half, mean + half, strict=True)
        return Coefficients(tuple(Coefficient(name, *map(float, numbers)) for name, *numbers in columns), interval)

    def predict(self, data: Any, interval: float = 0.9) -> Prediction:
        """Expected target of every record, with intervals if there are more draws than weights."""
        return predict_target(self.line(interval), data)

    def to_datatree(self, draws: int | None = None, chains: int | None = None) -> Any:
        """The released draws of the coefficients, in the user's units, as an ``xarray.DataTree`` of one chain."""
        return line_tree(self.model, self.weights[:, None], len(self.weights) if draws is None else draws, chains)

    def line(self, interval: float = 0.9) -> Line:
        """What predictions are computed from."""
        interval, weights = check_probability(interval), self.weights
        # A covariance of fewer draws than weights is blind in some directions, and would call a prediction sure there.
        covariance = self._covariance() if len(weights) > weights.shape[1] else None
        noise = float(self.model.noise) if self.model.noise is not None else math.nan
        return Line(self.model, weights.mean(axis=0), covariance, noise, self._quantile(interval), interval)

    def _covariance(self) -> Floats:
        """How far the mean of the draws is off, as a covariance of the scaled weights."""
        weights, temper = self.weights, float(self.temper)
        spread = np.cov(weights.T).reshape(2 * weights.shape[1:])
        prior = np.diag([float(precision) for precision in self.model.precisions])
        covariance: Floats = (temper + 1 / len(weights)) * spread + (1 - temper) * spread @ prior @ spread
        return covariance

    def _deviations(self) -> Floats:
        """Standard deviations of the coefficients in the user's units; NaN for one draw."""
        if len(self.steps) == 1:
            return np.full(len(self.model.coefficients), math.nan)
        slopes = units_map(self.model)
        deviations: Floats = np.sqrt(np.einsum("ij,ik,kj->j", slopes, self._covariance(), slopes))
        return deviations

    def _quantile(self, interval: float) -> float:
        from scipy.stats import t

        return float(t.ppf(0.5 + interval / 2, max(1, len(self.steps) - 1)))
