"""One file per mechanism: how counts of private records become something that may be published."""

from discreet.mechanisms.auto import Auto
from discreet.mechanisms.fourier import Fourier
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.knorm import KNorm
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.mechanisms.linear_sampler import RegressionSampler
from discreet.mechanisms.map_point import MapPoint
from discreet.mechanisms.pipeline import plan, plan_grid, release
from discreet.mechanisms.sampler import Sampler

__all__ = [
    "Auto",
    "Fourier",
    "Gaussian",
    "KNorm",
    "Laplace",
    "MapPoint",
    "RegressionMoments",
    "RegressionSampler",
    "Sampler",
    "plan",
    "plan_grid",
    "release",
]
