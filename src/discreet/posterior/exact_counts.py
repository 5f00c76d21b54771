"""The true counts of families of two cells: one number each, so all that it can be are summed, and no chain is needed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.model.prior import Table
from discreet.posterior.family_state import log_densities
from discreet.posterior.family_tables import FamilyTables

__all__ = ["exact_counts"]

_PLACES = 4096
"""Counts that are looked at; where more are probable, each stands for those around it."""
_NATS = 45.0
"""Counts so much less probable than the most probable one are left out: all of them together weigh less than 1e-9."""


def exact_counts(tables: FamilyTables, rows: int, draws: int, generator: np.random.Generator) -> Table:
    """Draws of the two counts of each family, with the exact law: 2 cells of each family one after another, draws."""
    low, high = np.zeros(len(tables.families)), np.full(len(tables.families), float(rows))
    while True:
        places, log = _looked_at(tables, low, high, rows)
        likely = log > log.max(axis=1, keepdims=True) - _NATS
        first = np.maximum(likely.argmax(axis=1) - 1, 0)
        last = np.minimum(_PLACES - likely[:, ::-1].argmax(axis=1) + 1, _PLACES)
        one = np.arange(len(places))
        narrow = places[one, first], places[one, last]
        if ((high - low <= _PLACES) | (2 * (narrow[1] - narrow[0]) > high - low)).all():
            break
        low, high = narrow
    count = _drawn(places, log, (high - low) / _PLACES, draws, generator)
    return np.stack([count, rows - count], axis=1).reshape(-1, draws)


def _looked_at(tables: FamilyTables, low: Table, high: Table, rows: int) -> tuple[Table, Table]:
    """Counts between two ends, and the log densities of each; a count that is met twice counts once."""
    steps = np.linspace(0, 1, _PLACES + 1)
    places = np.rint(low[:, None] + (high - low)[:, None] * steps)
    log = log_densities(tables, np.stack([places, rows - places], axis=1).reshape(-1, len(steps)))
    again = np.diff(places, axis=1, prepend=-1) == 0
    return places, np.where(again, -np.inf, log)


def _drawn(places: Table, log: Table, spacing: Table, draws: int, generator: np.random.Generator) -> Table:
    """Each count as often as its probability says, as nearly as whole numbers can, in random order."""
    weights = np.exp(log - log.max(axis=1, keepdims=True))
    sums = np.cumsum(weights, axis=1)
    levels = (np.arange(draws) + generator.random((len(places), 1))) / draws
    found: npt.NDArray[np.float64] = np.empty((len(places), draws))
    for family, place in enumerate(places):
        at = np.searchsorted(sums[family], levels[family] * sums[family, -1], side="right")
        found[family] = place[np.minimum(at, _PLACES)]
    around = np.maximum(spacing[:, None] - 1, 0) * (generator.random(found.shape) - 0.5)
    return generator.permuted(np.clip(np.rint(found + around), places[:, :1], places[:, -1:]), axis=1)
