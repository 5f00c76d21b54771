"""Randomness of a release: the operating system's generator and nothing else.

There is no seed and no buffer: a buffer would be copied by a fork, and two processes would then add the same noise.
"""

from __future__ import annotations

import os
from typing import Protocol

__all__ = ["Bits", "OperatingSystemBits"]


class Bits(Protocol):
    """A source of independent uniform bytes."""

    def read(self, count: int) -> bytes:
        """Return ``count`` fresh bytes."""
        ...


class OperatingSystemBits:
    """The operating system's cryptographic generator."""

    def read(self, count: int) -> bytes:
        """Return ``count`` fresh bytes."""
        return os.urandom(count)
