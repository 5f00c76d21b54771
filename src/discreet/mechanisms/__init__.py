"""One file per mechanism: how counts of private records become something that may be published."""

from discreet.mechanisms.fourier import Fourier
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.pipeline import plan, release
from discreet.mechanisms.regression_moments import RegressionMoments
from discreet.mechanisms.regression_sampler import RegressionSampler

__all__ = ["Fourier", "Laplace", "Mechanism", "RegressionMoments", "RegressionSampler", "plan", "release"]
