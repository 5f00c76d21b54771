"""What the third party holds: the posterior, and the release file that carries it."""

from discreet.posterior.dirichlet import DirichletPosterior, OwnRecords
from discreet.posterior.draws import PosteriorDraws
from discreet.posterior.fused_counts import FusedCounts
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.noisy_counts import NoisyCounts
from discreet.posterior.noisy_parities import NoisyParities, Repair
from discreet.posterior.point import PointPosterior
from discreet.posterior.posterior import Posterior
from discreet.posterior.release import MechanismRecord, Release
from discreet.posterior.release_file import load

__all__ = [
    "DirichletPosterior",
    "FusedCounts",
    "MechanismRecord",
    "NoiseAwarePosterior",
    "NoisyCounts",
    "NoisyParities",
    "OwnRecords",
    "PointPosterior",
    "Posterior",
    "PosteriorDraws",
    "Release",
    "Repair",
    "load",
]
