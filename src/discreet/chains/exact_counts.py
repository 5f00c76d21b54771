"""The true counts of families of two cells: one number each, so all that it can be are summed, and no chain is needed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.chains.family_state import log_densities
from discreet.chains.family_tables import FamilyTables

__all__ = ["exact_counts"]

_PLACES = 4096
"""Places that are looked at, evenly spaced; where there are more counts, each place stands for those around it."""
_NEAR_ENDS = 512
"""Places that are looked at besides, at either end, ever denser towards it: there a prior may rise steeply."""
_NATS = 45.0
"""Counts so much less probable than the most probable one are left out: all of them together weigh less than 1e-9."""


def exact_counts(tables: FamilyTables, rows: int, draws: int, generator: np.random.Generator) -> Floats:
    """Draws of the two counts of each family, with the exact law: 2 cells of each family one after another, draws."""
    low, high = np.zeros(len(tables.families)), np.full(len(tables.families), float(rows))
    one = np.arange(len(low))
    while True:
        places = _places(low, high)
        log = log_densities(tables, np.stack([places, rows - places], axis=1).reshape(-1, places.shape[1]))
        likely = log > log.max(axis=1, keepdims=True) - _NATS
        end = places.shape[1] - 1
        first = np.maximum(likely.argmax(axis=1) - 1, 0)
        last = np.minimum(end - likely[:, ::-1].argmax(axis=1) + 1, end)
        narrow = places[one, first], places[one, last]
        if ((high - low <= _PLACES) | (2 * (narrow[1] - narrow[0]) > high - low)).all():
            break
        low, high = narrow
    count = _draw(places, log, draws, generator)
    return np.stack([count, rows - count], axis=1).reshape(-1, draws)


def _places(low: Floats, high: Floats) -> Floats:
    """Counts between two ends, ascending, both ends among them; some may be there more than once."""
    low, width = low[:, None], (high - low)[:, None]
    even = width * np.linspace(0, 1, _PLACES + 1)
    dense = np.expm1(np.linspace(0, 1, _NEAR_ENDS) * np.log1p(width / 2))
    return np.sort(low + np.rint(np.concatenate([even, dense, width - dense], axis=1)), axis=1)


def _draw(places: Floats, log: Floats, draws: int, generator: np.random.Generator) -> Floats:
    """Each count as often as its probability says, as nearly as whole numbers can, in random order."""
    bounds = np.ceil((places[:, 1:] + places[:, :-1]) / 2)  # the first count of each place but the first
    begins = np.concatenate([places[:, :1], bounds], axis=1)
    sizes = np.concatenate([bounds, places[:, -1:] + 1], axis=1) - begins  # none for all but one of equal places
    sums = np.cumsum(sizes * np.exp(log - log.max(axis=1, keepdims=True)), axis=1)
    levels = (np.arange(draws) + generator.random((len(places), 1))) / draws
    found: npt.NDArray[np.float64] = np.empty((len(places), draws))
    for family, total in enumerate(sums[:, -1]):
        at = np.searchsorted(sums[family], levels[family] * total, side="right")
        at = np.minimum(at, np.searchsorted(sums[family], total))  # a level may be rounded up to one
        found[family] = begins[family, at] + np.floor(sizes[family, at] * generator.random(draws))
    return generator.permuted(found, axis=1)
