"""Answers to questions, kept in the user's cache: who asks the same again need not wait for the draws behind an interval."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.arrays import Floats
from discreet.inference.found import Found
from discreet.posterior.running import DamagedError, Entry, Slot

__all__ = ["find_answer"]

_LETTERS = 1024
"""Bytes of a caution, the rest of them zero."""


def find_answer(slot: Slot | None, shape: tuple[int, ...], find: Callable[[], Found]) -> Found:
    """What was kept, or what is found now: probabilities of this shape, with intervals."""
    entry = None if slot is None else slot.read()
    if entry is not None:
        try:
            return _read(entry, shape)
        except (DamagedError, UnicodeDecodeError):
            pass
    found = find()
    letters = (found.caution or "").encode()
    if slot is not None and found.lower is not None and found.upper is not None and len(letters) <= _LETTERS:
        words = np.zeros(_LETTERS)
        words[: len(letters)] = list(letters)
        noise = np.zeros(0) if found.noise is None else found.noise
        parts = {"probability": found.probability, "lower": found.lower, "upper": found.upper}
        slot.write({**parts, "noise": noise, "caution": words})
    return found


def _read(entry: Entry, shape: tuple[int, ...]) -> Found:
    probability, lower, upper = (_probabilities(entry, name, shape) for name in ("probability", "lower", "upper"))
    noise = _probabilities(entry, "noise", shape, (0,))
    words = bytes(entry.read("caution", (_LETTERS,), least=0.0).astype(np.uint8)).rstrip(b"\0").decode()
    return Found(probability, lower, upper, noise if noise.shape == shape else None, words or None)


def _probabilities(entry: Entry, name: str, *shapes: tuple[int, ...]) -> Floats:
    found = entry.read(name, *shapes, least=0.0)
    if (found > 1 + 1e-9).any():
        raise DamagedError
    return found
