"""Repeatable random bits for experiments on public data: the same seed, the same picture. They protect nobody."""

from __future__ import annotations

import numpy as np

__all__ = ["SeededBits"]


class SeededBits:
    """Bytes of a seeded generator. A release made with them says so among its caveats."""

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def read(self, count: int) -> bytes:
        """Return ``count`` bytes."""
        return self._generator.bytes(count)
