"""The nearest tables that agree with one another, sum to the number of records and have no negative cell.

Near is meant as in least squares: squared differences of cells, divided by their variances. Without the demand that cells are
not negative the answer is the fused tables; with it, it is a quadratic programme, solved in its dual, where each cell has a
price for being negative. Prices move the measured cells up, fusion makes the moved tables agree, and cells that stay negative
raise their price. Nothing is random.
"""

from __future__ import annotations

import numpy as np

from discreet.model.prior import Table
from discreet.posterior.residuals import ResidualSpace

__all__ = ["nearest_agreeing"]

_ITERATIONS = 20_000
_WORK = 2**32
"""Most cells that are visited in all iterations together, so that enormous tables end in minutes, less near."""
_TOLERANCE = 1e-7
"""How negative a cell may be when the iteration ends, as a share of a cell of the uniform table."""


def nearest_agreeing(space: ResidualSpace, cells: Table, variances: Table, rows: int) -> Table:
    """Move noisy cells as little as possible so that the tables agree, sum to ``rows`` and have no negative cell."""
    fused = space.cells(space.fuse(cells, variances, rows))
    nearest = _dual_ascent(space, fused, variances, rows) if fused.min() < 0 else fused
    # What the iteration leaves of negative cells is removed exactly, by a last step towards the uniform tables.
    uniform = rows / space.each({family.node: float(family.cells) for family in space.families})
    needed = np.where(nearest < 0, -nearest / (uniform - np.minimum(nearest, 0)), 0.0)
    share = min(1.0, float(needed.max()) * (1 + 1e-12))
    return np.maximum((1 - share) * nearest + share * uniform, 0)


def _dual_ascent(space: ResidualSpace, start: Table, variances: Table, rows: int) -> Table:
    """Accelerated ascent on the prices. Fusion is a projection in the norm of the variances, so a step of one is safe."""
    largest = max(family.cells for family in space.families)
    allowed = max(_TOLERANCE * rows / largest, 1e-13 * float(np.abs(start).max()))
    price = np.zeros(len(start))
    ahead, momentum = price, 1.0
    found = start
    for _ in range(min(_ITERATIONS, max(100, _WORK // len(start)))):
        found = space.cells(space.fuse(start + ahead, variances, rows))
        following = np.maximum(ahead - found, 0)
        if np.abs(following - ahead).max() <= allowed:
            break
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        if float((ahead - following) @ ((following - price) / variances)) > 0:  # overshot: begin to gather speed anew
            faster, momentum = 1.0, 1.0
        ahead = following + (momentum - 1) / faster * (following - price)
        price, momentum = following, faster
    return found
