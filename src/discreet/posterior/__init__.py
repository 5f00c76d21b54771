"""What the third party holds: beliefs about the parameters, given what was released and records of one's own."""

from typing import TypeAlias

from discreet.inference.own_counts import OwnRecords
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.draws import PosteriorDraws
from discreet.posterior.linear import RegressionPosterior
from discreet.posterior.linear_draws import RegressionDraws
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.point import PointPosterior
from discreet.posterior.posterior import Posterior

__all__ = [
    "DirichletPosterior", "NoiseAwarePosterior", "OwnRecords", "PointPosterior", "Posterior", "PosteriorDraws",
    "ReleasedPosterior",
]  # fmt: skip

ReleasedPosterior: TypeAlias = (
    NoiseAwarePosterior | DirichletPosterior | PosteriorDraws | PointPosterior | RegressionPosterior | RegressionDraws
)
"""All that a release file can hold: of a network, which ``isinstance(posterior, Posterior)`` tells, or of a linear model."""
