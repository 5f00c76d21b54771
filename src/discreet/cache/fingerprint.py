"""A digest of all that a computation depends on: its public inputs, the code that does it, and the arithmetic below that."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from discreet.version import __version__

__all__ = ["fingerprint"]

_COMPUTING = ("chains", "measure", "model", "posterior")
"""Rooms whose code decides what is found. Their text counts, too: a version says nothing about a checkout."""


def fingerprint(*inputs: object) -> str | None:
    """The same for the same inputs and no others; None where something is among them that is not plainly data."""
    found = hashlib.sha256()
    try:
        for part in _spell((__version__, _code(), np.__version__, inputs)):
            found.update(len(part).to_bytes(8, "little"))
            found.update(part)
    except TypeError:
        return None
    return found.hexdigest()


def _spell(value: Any) -> Iterator[bytes]:
    """Name what a value is, then spell out its parts; no two different values are spelt alike."""
    yield f"{type(value).__module__}.{type(value).__qualname__}".encode()
    if value is None or isinstance(value, bool | int | str):
        yield str(value).encode("utf-8", "surrogatepass")
    elif isinstance(value, float):
        yield value.hex().encode()
    elif isinstance(value, Enum):
        yield value.name.encode()
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield f"{value.dtype.str} {value.shape}".encode()
        yield value.tobytes()
    else:
        parts = _parts(value)
        yield str(len(parts)).encode()
        for part in parts:
            yield from _spell(part)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, Fraction):
        return [value.numerator, value.denominator]
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    if isinstance(value, tuple | list):
        return list(value)
    if isinstance(value, np.ndarray):
        return [value.shape, value.ravel().tolist()]
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, each.name) for each in fields(value)]
    raise TypeError


@lru_cache(maxsize=1)
def _code() -> str:
    """The digest of the code that computes, where it can be read."""
    home, found = Path(__file__).parent.parent, hashlib.sha256()
    for room in _COMPUTING:
        for path in sorted((home / room).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()
