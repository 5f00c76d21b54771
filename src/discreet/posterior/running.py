"""How chains are run: whether what they find is kept for the next time, and whether people see how far they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import numpy.typing as npt

from discreet.cache.entry import DamagedError, Entry
from discreet.cache.fingerprint import fingerprint
from discreet.cache.folder import Cache, find_cache
from discreet.errors import ModelError

__all__ = ["USUAL", "DamagedError", "Entry", "Running", "Slot", "find_slot", "run_by", "same_inputs"]

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Running:
    """Nothing is written unless it is asked for: a library that leaves files behind would surprise."""

    cache: bool = False
    """Whether what chains find is kept in the user's cache, and taken from it."""
    progress: bool = True
    """Whether somebody who watches a terminal or a notebook sees how far they are."""

    def __post_init__(self) -> None:
        if not isinstance(self.cache, bool) or not isinstance(self.progress, bool):
            raise ModelError("cache and progress are True or False; the environment variable DISCREET_CACHE names a folder.")


USUAL = Running()


@runtime_checkable
class _Runs(Protocol):
    """A posterior that is found by chains."""

    running: Running


def run_by(posterior: P, running: Running) -> P:
    """The same posterior, its chains run so; one without chains as it is."""
    if not isinstance(posterior, _Runs) or posterior.running == running:
        return posterior
    return cast("P", replace(cast("Any", posterior), running=running))


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one result in the user's cache."""

    cache: Cache
    key: str

    def read(self) -> Entry | None:
        """What is kept there; None where it has to be found first."""
        return self.cache.read(self.key)

    def write(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep a result, if that is possible."""
        self.cache.write(self.key, arrays)


def same_inputs(one: object, other: object) -> bool:
    """Whether two inputs of chains are the same, part by part; not where one of them is not plainly data."""
    first = fingerprint(one)
    return first is not None and first == fingerprint(other)


def find_slot(running: Running, *inputs: object) -> Slot | None:
    """The place of what follows from these inputs and nothing else, all of them public; None where nothing is to be kept."""
    cache = find_cache() if running.cache else None
    key = None if cache is None else fingerprint(*inputs)
    return None if cache is None or key is None else Slot(cache, key)
