"""Random generators for answers to questions: everything here is public already, so a seed may choose it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from discreet.errors import QueryError

__all__ = ["GeneratorLike", "as_generator"]

GeneratorLike: TypeAlias = np.random.Generator | int | None
"""A generator, a seed for one that gives the same answers every time, or None for one that never does."""


def as_generator(given: GeneratorLike) -> np.random.Generator:
    """Take a generator as it is; make one of a seed, or of nothing."""
    if isinstance(given, np.random.Generator):
        return given
    if given is None:
        return np.random.default_rng()
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 0:
        raise QueryError("generator is a seed (a whole number of at least 0), or numpy.random.default_rng(seed).")
    return np.random.default_rng(int(given))
