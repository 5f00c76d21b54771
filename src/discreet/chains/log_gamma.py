"""The logarithm of the gamma function and its slope for many numbers at once: by Stirling's series from x + 2 on."""

from __future__ import annotations

import numpy as np

from discreet.arrays import Floats

__all__ = ["digamma", "log_gamma"]

_HALF_LOG = 0.5 * np.log(2 * np.pi)


def log_gamma(x: Floats) -> Floats:
    """Log Gamma(x) to 3e-5, the better the larger x is; x > 0."""
    shifted = x + 2
    inverse = 1 / shifted
    found = (shifted - 0.5) * np.log(shifted)
    found += _HALF_LOG - shifted
    found += inverse * (1 / 12 - inverse * inverse / 360)
    found -= np.log(x * (x + 1))
    return np.asarray(found)


def digamma(x: Floats) -> Floats:
    """The slope of log Gamma at x, to 6e-4, the better the larger x is; x > 0.

    The logarithm is that of single precision, which takes a third of the time and is off by a millionth.
    """
    shifted = x + 2
    inverse = 1 / shifted
    found = np.log(shifted.astype(np.float32)).astype(np.float64)
    found -= inverse * (0.5 + inverse / 12)
    found -= (2 * x + 1) / (x * (x + 1))
    return found
