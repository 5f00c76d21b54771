"""Draws of the weights of a regression from its tempered posterior: what the sampler publishes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import ModelError
from discreet.model.linear import Floats, LinearModel
from discreet.posterior.coefficients import Coefficient, Coefficients

if TYPE_CHECKING:
    from discreet.queries.regression import Line, Prediction

__all__ = ["PLACES", "RegressionDraws"]

PLACES = 32
"""Binary places of a released weight."""


@dataclass(frozen=True, slots=True)
class RegressionDraws:
    """Released draws. ``steps``: one row per draw of w / sqrt(number of weights), in steps of 2^-32, intercept first.

    The draws come from the posterior in which every record counts ``tempering`` times. About the truth they tell this: the
    mean of K draws with covariance C is off by (tempering + 1/K) C, as far as all laws are Gaussian. One draw has no C.
    """

    model: LinearModel
    steps: tuple[tuple[int, ...], ...]
    tempering: Fraction
    rows: int

    def __post_init__(self) -> None:
        width = len(self.model.coordinates)
        if not self.steps or any(len(draw) != width for draw in self.steps):
            raise ModelError("The draws do not fit the model: each needs one number for every weight.")
        if not 0 < self.tempering <= 1 or self.rows < 1:
            raise ModelError("A draw needs at least one record and a tempering in (0, 1].")

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
        from discreet.queries.regression import check_interval

        level = check_interval(interval)
        draws = self.coefficients
        mean = draws.mean(axis=0)
        sd = self._error * draws.std(axis=0, ddof=1) if len(draws) > 1 else np.full(len(mean), math.nan)
        half = self._quantile(level) * sd
        entries = (
            Coefficient(
                name, float(mean[place]), float(sd[place]), float(mean[place] - half[place]), float(mean[place] + half[place])
            )
            for place, name in enumerate(self.model.coefficients)
        )
        return Coefficients(tuple(entries), level)

    def predict(self, data: Any, interval: float = 0.9) -> Prediction:
        """Expected target of every record, with intervals if there are more draws than weights."""
        from discreet.queries.regression import predict_target

        return predict_target(self._known(interval), data)

    def _known(self, interval: float) -> Line:
        from discreet.queries.regression import Line, check_interval

        level, weights = check_interval(interval), self.weights
        # A covariance of fewer draws than weights is blind in some directions, and would call a prediction sure there.
        covariance = (
            self._error**2 * np.cov(weights.T).reshape(2 * weights.shape[1:]) if len(weights) > weights.shape[1] else None
        )
        noise = float(self.model.noise) if self.model.noise is not None else math.nan
        return Line(self.model, weights.mean(axis=0), covariance, noise, self._quantile(level), level)

    @property
    def _error(self) -> float:
        """What turns the standard deviation of draws into that of their mean about the truth."""
        return math.sqrt(self.tempering + Fraction(1, len(self.steps)))

    def _quantile(self, interval: float) -> float:
        from scipy.stats import t

        return float(t.ppf(0.5 + interval / 2, max(1, len(self.steps) - 1)))
