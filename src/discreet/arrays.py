"""Arrays by what they hold. Only aliases: any code may import this file, and it imports nothing of ours."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "Integers", "Places", "WholeNumbers"]

Floats: TypeAlias = npt.NDArray[np.float64]
"""Probabilities, Dirichlet parameters, draws: whatever comes after a release."""
Integers: TypeAlias = npt.NDArray[np.int64]
"""Counts and other statistics of records, and noisy ones as they are published."""
Places: TypeAlias = npt.NDArray[np.intp]
"""Places in another array."""
WholeNumbers: TypeAlias = npt.NDArray[Any]
"""64-bit integers, or, where noise may be larger than they are, Python's integers in an array of objects."""
