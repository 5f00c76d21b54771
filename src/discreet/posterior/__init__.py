"""What the third party holds: the posterior, and the release file that carries it."""

from discreet.measure.measurement import Measurement
from discreet.measure.published import Published, Repair
from discreet.posterior.dirichlet import DirichletPosterior, OwnRecords
from discreet.posterior.draws import PosteriorDraws
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.point import PointPosterior
from discreet.posterior.posterior import Posterior
from discreet.release_file.writer import load
from discreet.releases import MechanismRecord, Release

__all__ = [
    "DirichletPosterior",
    "Measurement",
    "MechanismRecord",
    "NoiseAwarePosterior",
    "OwnRecords",
    "PointPosterior",
    "Posterior",
    "PosteriorDraws",
    "Published",
    "Release",
    "Repair",
    "load",
]
