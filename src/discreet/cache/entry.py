"""A file of arrays that are read one by one: no code in it, nothing believed, every part checked against its digest.

A line that names the format, the length and the digest of a header, the header (JSON: the key of the entry and, for each
array, its type, shape, place and digest), then the arrays. Whoever finds anything else than that has found no entry.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats

__all__ = ["DamagedError", "Entry", "open_entry", "pack"]

_MAGIC = b"discreet cache 1\n"
_PREFIX = len(_MAGIC) + 8 + 32
_WHOLE = ("|u1", "<u2", "<u4")
_TYPES = (*_WHOLE, "<f8")


class DamagedError(Exception):
    """What should be an entry is none: what it was to hold has to be computed anew."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an array is in the file, and what it must be."""

    type: str
    shape: tuple[int, ...]
    start: int
    digest: str

    @property
    def size(self) -> int:
        return math.prod(self.shape) * np.dtype(self.type).itemsize


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry whose header was read and checked; its arrays are read, and checked, when they are asked for."""

    path: Path
    _places: Mapping[str, _Place]

    def read(self, name: str, *shapes: tuple[int, ...], least: float | None = None) -> Floats:
        """An array, which must have one of these shapes; with ``least`` its numbers are finite, too, and none is smaller."""
        place = self._places.get(name)
        if place is None or place.shape not in shapes:
            raise DamagedError
        try:
            with _open(self.path) as file:
                file.seek(place.start)
                content = file.read(place.size)
        except OSError:
            raise DamagedError from None
        if len(content) != place.size or hashlib.sha256(content).hexdigest() != place.digest:
            raise DamagedError
        found = np.frombuffer(content, dtype=place.type).reshape(place.shape).astype(np.float64)
        if least is not None and not (np.isfinite(found) & (found >= least)).all():
            raise DamagedError
        return found


def pack(key: str, arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """The content of an entry. Numbers that are whole take the fewest bytes that hold them; all are read back as they are."""
    places: dict[str, list[Any]] = {}
    parts: list[bytes] = []
    start = 0
    for name, array in arrays.items():
        small = _shrink(np.ascontiguousarray(array, dtype=np.float64))
        part = small.tobytes()
        places[name] = [small.dtype.str, list(small.shape), start, hashlib.sha256(part).hexdigest()]
        parts.append(part)
        start += len(part)
    header = json.dumps({"key": key, "arrays": places}).encode()
    return b"".join([_MAGIC, len(header).to_bytes(8, "little"), hashlib.sha256(header).digest(), header, *parts])


def _shrink(array: Floats) -> npt.NDArray[Any]:
    """The same numbers as the smallest whole ones that are exactly the same, bit by bit; else as they are."""
    largest = float(array.max(initial=0.0))
    for name in _WHOLE:
        if 0 <= largest <= np.iinfo(name).max:
            small = np.maximum(array, 0).astype(name)
            if small.astype(np.float64).tobytes() == array.tobytes():
                return small
            break
    return array.astype("<f8")


def open_entry(path: Path, key: str) -> Entry:
    """Read the header of an entry and touch the file, so that it counts as used; ``DamagedError`` where there is none."""
    try:
        with _open(path) as file:
            size = os.fstat(file.fileno()).st_size
            places, end = _read_header(file, size, key)
            with suppress(OSError):  # where nothing can be written, nothing has to make room either
                os.utime(file.fileno() if os.utime in os.supports_fd else path)
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise DamagedError from None
    if end != size:
        raise DamagedError
    return Entry(path, places)


def _read_header(file: BinaryIO, size: int, key: str) -> tuple[dict[str, _Place], int]:
    """The places of all arrays, one behind the other, and where the file must end."""
    prefix = file.read(_PREFIX)
    length = int.from_bytes(prefix[len(_MAGIC) : len(_MAGIC) + 8], "little")
    if not prefix.startswith(_MAGIC) or length > size - _PREFIX:
        raise DamagedError
    header = file.read(length)
    if hashlib.sha256(header).digest() != prefix[-32:]:
        raise DamagedError
    content = json.loads(header)
    if content["key"] != key:
        raise DamagedError
    places, start = {}, _PREFIX + length
    for name, (kind, shape, offset, digest) in content["arrays"].items():
        place = _Place(kind, tuple(shape), start, digest)
        whole = all(type(each) is int and each >= 0 for each in (offset, *shape))
        if kind not in _TYPES or not whole or offset != start - _PREFIX - length:
            raise DamagedError
        places[name] = place
        start += place.size
    return places, start


def _open(path: Path) -> BinaryIO:
    """Open a file that is a plain one and that nobody but its owner, who is the user, can have written."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    file = os.fdopen(descriptor, "rb")
    state = os.fstat(descriptor)
    strange = os.name == "posix" and (state.st_uid != os.geteuid() or state.st_mode & 0o022)
    if strange or not stat.S_ISREG(state.st_mode):
        file.close()
        raise DamagedError
    return file
