"""The nearest consistent tables without negative cells.

Consistent tables over binary nodes are points phi, one number for each set of the downward closure, with phi of the empty
set fixed at the number of records. Non-negative cells are linear constraints on phi. This finds the point that meets them
and is nearest to a given one, in units of the noise of each number: a quadratic programme, solved in its dual, where each cell
has a price for being negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.model.network import Network

__all__ = ["nearest_non_negative"]

_ITERATIONS = 20_000
_TOLERANCE = 1e-9


def nearest_non_negative(
    network: Network, phi: Mapping[frozenset[str], float], variances: Mapping[frozenset[str], float], rows: int
) -> dict[frozenset[str], float]:
    """Move phi as little as possible so that no cell of any family is negative; the total stays ``rows``.

    As little as possible: in the sum of squares, each divided by its variance. Only ratios of variances matter.
    """
    sets, cells, floor = _system(network)
    spread = np.sqrt([variances[gamma] for gamma in sets])
    # Without any noise worth the name nothing has to move; and no number is so sharp that it stops the search.
    spread = np.maximum(spread / (spread.max() or 1.0), 1e-3) if spread.max() > 0 else np.ones(len(sets))
    start = np.array([phi[gamma] for gamma in sets], dtype=np.float64)
    nearest = spread * _dual_ascent(cells * spread, floor * rows, start / spread)
    # What the iteration leaves of negative cells is removed exactly, by a last step towards the uniform table, phi = 0.
    values = cells @ nearest
    needed = np.where(values + floor * rows < 0, 1 + floor * rows / np.where(values < 0, values, -1), 0.0)
    share = min(1.0, float(needed.max(initial=0.0)) * (1 + 1e-12))
    return dict(zip(sets, ((1 - share) * nearest).tolist(), strict=True))


def _dual_ascent(cells: Any, floor: Floats, start: Floats) -> Floats:
    """Accelerated ascent on the prices of the cells; cells.T @ cells is diagonal, so its largest entry sets the step."""
    step = 1 / float((cells.power(2)).sum(axis=0).max())
    price = np.zeros(cells.shape[0])
    ahead, momentum = price, 1.0
    transposed = cells.T.tocsr()
    scale = max(1.0, float(np.abs(start).max()))
    for _ in range(_ITERATIONS):
        slack = cells @ (start + transposed @ ahead) + floor
        following = np.maximum(ahead - step * slack, 0)
        if np.abs(following - price).max(initial=0) <= _TOLERANCE * scale * step:
            price = following
            break
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        if float((ahead - following) @ (following - price)) > 0:  # overshot: begin to gather speed anew
            faster, momentum = 1.0, 1.0
        ahead = following + (momentum - 1) / faster * (following - price)
        price, momentum = following, faster
    return np.asarray(start + transposed @ price)


@lru_cache(maxsize=16)
def _system(network: Network) -> tuple[tuple[frozenset[str], ...], Any, Floats]:
    """The sets, the matrix that turns their phi into cells, and what the empty set gives to each cell per record."""
    from scipy.sparse import csr_array

    sets = tuple(sorted((gamma for gamma in network.downward_closure if gamma), key=lambda gamma: (len(gamma), sorted(gamma))))
    place = {gamma: index for index, gamma in enumerate(sets)}
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    floor: list[float] = []
    for family in network.maximal_families:
        size = len(family.members)
        for cell in range(2**size):
            for chosen in range(1, 2**size):
                rows.append(len(floor))
                columns.append(place[frozenset(node for bit, node in enumerate(family.members) if chosen >> bit & 1)])
                values.append((-1) ** (cell & chosen).bit_count() / 2**size)
            floor.append(1 / 2**size)
    matrix = csr_array((values, (rows, columns)), shape=(len(floor), len(sets)))
    return sets, matrix, np.array(floor)
