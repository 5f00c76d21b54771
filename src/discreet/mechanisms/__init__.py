"""One file per mechanism: how counts of private records become something that may be published."""

from discreet.mechanisms.auto import Auto
from discreet.mechanisms.fourier import Fourier
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.knorm import KNorm
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.pipeline import plan, release

__all__ = ["Auto", "Fourier", "Gaussian", "KNorm", "Laplace", "Mechanism", "plan", "release"]
