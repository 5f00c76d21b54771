"""Chains of large networks run in two groups, each in a thread of its own: NumPy lets both cores work on large arrays.

What they visit depends on the seed and the network alone, not on how many cores there are.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np

from discreet.arrays import Floats
from discreet.chains.effort import Effort
from discreet.chains.family_chain import GoingChain, Visited
from discreet.chains.family_tables import FamilyTables
from discreet.chains.row_priors import RowPriors

__all__ = ["Groups"]

_LARGE = 2**16
"""Cells of tables from which on two threads are faster than one: below, they would wait for one another at every call."""

Begin = Callable[[int, np.random.Generator], tuple[Floats, RowPriors]]
Progress = Callable[[int], None]


class _StoppedError(Exception):
    """The other group ended early: nobody waits for this one."""


class Groups:
    """All chains, which can go on. ``begin`` gives so many of them tables and parameters to start from."""

    def __init__(self, tables: FamilyTables, begin: Begin, effort: Effort, seed: int) -> None:
        generator = np.random.default_rng(seed)
        if len(tables.row_of_cell) < _LARGE:
            shares = [(effort.chains, generator)]
        else:
            half = effort.chains // 2
            shares = list(zip((effort.chains - half, half), generator.spawn(2), strict=True))
        self._parts = [GoingChain(tables, *begin(chains, chance), chance) for chains, chance in shares]

    def run(self, effort: Effort, progress: Progress | None = None, *, keep: bool = False) -> Visited:
        """What they visit in the last rounds of an effort; what is not to go on is let go."""
        ours, *theirs = self._parts
        if not keep:
            self._parts = []
        if not theirs:
            return ours.run(effort, progress, keep=keep)
        stopped = Event()

        def stop_if_alone(_: int) -> None:
            if stopped.is_set():
                raise _StoppedError

        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(theirs[0].run, effort, stop_if_alone, keep=keep)
            try:
                first = ours.run(effort, progress, keep=keep)
            except BaseException:
                stopped.set()  # an error, or somebody who does not want to wait any longer
                raise
            return _join(first, other.result())


def _join(one: Visited, two: Visited) -> Visited:
    logs = None if one.logs is None or two.logs is None else np.concatenate([one.logs, two.logs], axis=2)
    return Visited(np.concatenate([one.counts, two.counts], axis=2), logs)
