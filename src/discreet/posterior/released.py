"""All that a release file can hold, as a type: who reads one does not know beforehand which it is."""

from __future__ import annotations

from typing import TypeAlias

from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.draws import PosteriorDraws
from discreet.posterior.linear import RegressionPosterior
from discreet.posterior.linear_draws import RegressionDraws
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.point import PointPosterior

__all__ = ["ReleasedPosterior"]

ReleasedPosterior: TypeAlias = (
    NoiseAwarePosterior | DirichletPosterior | PosteriorDraws | PointPosterior | RegressionPosterior | RegressionDraws
)
"""Of a network, which ``isinstance(posterior, Posterior)`` tells, or of a linear model: the last two."""
