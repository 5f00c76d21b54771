"""A digest of all that a computation depends on: its public inputs, the code that does it, and the arithmetic below that."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from discreet.version import __version__

__all__ = ["fingerprint"]

_COMPUTING = ("chains", "counts", "data", "inference", "measure", "model", "posterior")
_FILES = ("arrays.py", "checks.py", "guarantee.py")
"""Rooms and files whose code decides what is found. Their text counts, too: a version says nothing about a checkout."""

_TYPES: dict[type, tuple[bytes, tuple[str, ...] | None]] = {}


def fingerprint(*inputs: object) -> str | None:
    """The same for the same inputs and no others; None where something is among them that is not plainly data."""
    try:
        return _digest((__version__, _code(), np.__version__, inputs), {}).hex()
    except TypeError:
        return None


def _digest(value: object, known: dict[int, bytes]) -> bytes:
    parts: list[bytes] = []
    _spell(value, parts, known)
    return hashlib.sha256(b"".join(piece for part in parts for piece in (len(part).to_bytes(8, "little"), part))).digest()


def _spell(value: object, parts: list[bytes], known: dict[int, bytes]) -> None:
    """Name what a value is, then spell out its parts; no two different values are spelt alike.

    What the parts of a dataclass are is said by a digest: variables and families are met again and again in a release.
    """
    name, names = _look_at(type(value))
    parts.append(name)
    if value is None or isinstance(value, bool | int | str):
        parts.append(str(value).encode("utf-8", "surrogatepass"))
    elif isinstance(value, float):
        parts.append(value.hex().encode())
    elif isinstance(value, Enum):
        parts.append(value.name.encode())
    elif isinstance(value, np.ndarray) and value.dtype != object:
        parts += [f"{value.dtype.str} {value.shape}".encode(), value.tobytes()]
    elif names is not None:
        if id(value) not in known:
            known[id(value)] = _digest([getattr(value, each) for each in names], known)
        parts.append(known[id(value)])
    else:
        inner = _parts(value)
        parts.append(str(len(inner)).encode())
        for part in inner:
            _spell(part, parts, known)


def _parts(value: object) -> list[Any]:
    if isinstance(value, tuple | list):
        return list(value)
    if isinstance(value, Fraction):
        return [value.numerator, value.denominator]
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    if isinstance(value, np.ndarray):
        return [value.shape, value.ravel().tolist()]
    raise TypeError


def _look_at(kind: type) -> tuple[bytes, tuple[str, ...] | None]:
    """The name of a type, and the fields of a dataclass. There are few types and many values, so it is kept."""
    if kind not in _TYPES:
        names = tuple(each.name for each in fields(kind)) if is_dataclass(kind) else None
        _TYPES[kind] = f"{kind.__module__}.{kind.__qualname__}".encode(), names
    return _TYPES[kind]


@lru_cache(maxsize=1)
def _code() -> str:
    """The digest of the code that computes, where it can be read."""
    home, found = Path(__file__).parent.parent, hashlib.sha256()
    files = [path for name in _FILES for path in home.glob(name)]
    rooms = [path for room in _COMPUTING for path in sorted((home / room).rglob("*.py"))]
    for path in (*files, *rooms):
        found.update(path.read_bytes())
    return found.hexdigest()
