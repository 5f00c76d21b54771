"""Visits of chains, kept in the user's cache: read family by family, when a question needs one.

The chains are repeatable. Where a part of what was kept turns out to be damaged, they run again and find the same, so parts
that were read before still fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import final

import numpy as np

from discreet.arrays import Floats
from discreet.chains.diagnostics import Diagnostics
from discreet.chains.effort import Effort
from discreet.chains.visits import Visits
from discreet.model.network import Network
from discreet.posterior.running import DamagedError, Entry, Slot

__all__ = ["diagnostics_array", "find_diagnostics", "find_visits", "read_diagnostics"]

_LEAST_PARAMETER = float(np.finfo(np.float64).tiny)


def find_visits(slot: Slot | None, network: Network, effort: Effort, sites_differ: bool, run: Callable[[], Visits]) -> Visits:
    """What was kept, or what the chains find now. The effort is the one that the chains make for this network."""
    if slot is None:
        return run()
    entry = slot.read()
    if entry is None:
        return _run_and_keep(slot, network, run)
    kept = _Kept(entry, network, effort.chains * effort.rounds, partial(_run_and_keep, slot, network, run))
    spreads = _Tables(network, kept.spreads) if sites_differ else None
    tables = (_Tables(network, kept.counts), _Tables(network, kept.parameters))
    return Visits(effort.chains, effort.rounds, *tables, {}, spreads)


def _run_and_keep(slot: Slot, network: Network, run: Callable[[], Visits]) -> Visits:
    found = run()
    places = {node: place for place, node in enumerate(network.nodes)}
    parts = _parts_of(found).items()
    slot.write({_name(part, places[node]): table for part, tables in parts for node, table in tables.items()})
    return found


def _name(part: str, place: int) -> str:
    return f"{part} {place}"


@final
class _Kept:
    """The parts of an entry, and the chains for the case that a part is not what it was."""

    __slots__ = ("_anew", "_entry", "_found", "_network", "_places", "_visits")

    def __init__(self, entry: Entry, network: Network, visits: int, anew: Callable[[], Visits]) -> None:
        self._entry, self._network, self._visits, self._anew = entry, network, visits, anew
        self._places = {node: place for place, node in enumerate(network.nodes)}
        self._found: Visits | None = None

    def counts(self, node: str) -> Floats:
        family = self._network.family(node)
        shape = (self._visits, family.configurations, family.levels)
        return self._read("counts", node, 0.0, shape) if self._found is None else self._found.counts[node]

    def parameters(self, node: str) -> Floats:
        family = self._network.family(node)
        shapes = [(visits, rows, family.levels) for visits in (self._visits, 1) for rows in (family.configurations, 1)]
        if self._found is None:
            return self._read("parameters", node, _LEAST_PARAMETER, *shapes)
        return self._found.parameters[node]

    def spreads(self, node: str) -> Floats:
        found = self._found
        return self._read("spreads", node, 0.0, (self._visits,)) if found is None else _parts_of(found)["spreads"][node]

    def _read(self, part: str, node: str, least: float, *shapes: tuple[int, ...]) -> Floats:
        try:
            return self._entry.read(_name(part, self._places[node]), *shapes, least=least)
        except DamagedError:
            self._found = self._anew()
            return _parts_of(self._found)[part][node]


def _parts_of(found: Visits) -> dict[str, Mapping[str, Floats]]:
    """What is kept of visits; how different sites are only where they differ."""
    return {"counts": found.counts, "parameters": found.parameters, "spreads": found.spreads or {}}


@final
class _Tables(Mapping[str, Floats]):
    """Tables that are read when they are first asked for."""

    __slots__ = ("_found", "_network", "_read")

    def __init__(self, network: Network, read: Callable[[str], Floats]) -> None:
        self._network, self._read = network, read
        self._found: dict[str, Floats] = {}

    def __getitem__(self, node: str) -> Floats:
        if node not in self._found:
            self._found[node] = self._read(node)
        return self._found[node]

    def __iter__(self) -> Iterator[str]:
        return iter(self._network.nodes)

    def __len__(self) -> int:
        return len(self._network.nodes)


def find_diagnostics(slot: Slot | None, run: Callable[[], Diagnostics]) -> Diagnostics:
    """What was found out about the chains before, or now."""
    entry = None if slot is None else slot.read()
    if entry is not None:
        try:
            return read_diagnostics(entry)
        except DamagedError:
            pass
    found = run()
    if slot is not None:
        slot.write({"diagnostics": diagnostics_array(found)})
    return found


def diagnostics_array(found: Diagnostics) -> Floats:
    """Diagnostics as numbers in a row."""
    sizes = (found.effective_size, found.typical_effective_size, float(found.draws))
    return np.array([found.r_hat, found.typical_r_hat, *sizes])


def read_diagnostics(entry: Entry) -> Diagnostics:
    """The same back from an entry."""
    r_hat, typical_r_hat, size, typical_size, draws = entry.read("diagnostics", (5,)).tolist()
    return Diagnostics(r_hat, typical_r_hat, size, typical_size, int(draws))
