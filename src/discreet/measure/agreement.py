"""The nearest tables that agree with one another, sum to the number of records and have no negative cell.

Near is meant as in least squares: squared differences of coordinates, times the information that was gathered on them. Without
the demand that cells are not negative the answer is the fused tables; with it, it is a quadratic programme, solved in its
dual, where each cell has a price for being negative. Prices move the coordinates, and cells that stay negative raise their
price. Cells that are declared impossible are zero all the while; or, where they are too many for equations, have a price for
being positive as well. Nothing is random.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Floats
from discreet.measure.known_zeros import empty_of_all
from discreet.measure.observations import Observations

__all__ = ["nearest_agreeing"]

_ITERATIONS = 20_000
_WORK = 2**32
"""Most cells that are visited in all iterations together, so that enormous tables end in minutes, less near."""
_TOLERANCE = 1e-7
"""How negative a cell may be when the iteration ends, as a share of a cell of the uniform table."""


def nearest_agreeing(together: Observations, signed: Sequence[Floats], rows: int) -> dict[str, Floats]:
    """The maximal families' tables nearest to what was measured that agree, sum to ``rows`` and are not negative.

    Where something is declared impossible there is no uniform table to step to: there tables agree up to the tolerance.
    """
    space, fused = together.space, together.fuse(signed, rows)
    cells, empty = space.cells(fused), empty_of_all(space)
    priced = empty.any() and together.zeros is None  # zeros that are not held by equations
    nearest = _dual_ascent(together, fused, rows) if priced or cells[~empty].min() < 0 else cells
    if empty.any():
        return space.tables(np.where(empty, 0, np.maximum(nearest, 0)))
    # What the iteration leaves of negative cells is removed exactly, by a last step towards the uniform tables.
    uniform = rows / space.each({family.node: float(family.cells) for family in space.families})
    needed = np.where(nearest < 0, -nearest / (uniform - np.minimum(nearest, 0)), 0.0)
    share = min(1.0, float(needed.max()) * (1 + 1e-12))
    return space.tables(np.maximum((1 - share) * nearest + share * uniform, 0))


def _steps(together: Observations) -> Floats:
    """One number for each cell, equal within a table: at every coordinate step / root^2 sum to at most its precision.

    Where every table was measured itself, the information of its own cells will do. Else each takes an equal part of what the
    coordinates allow, which is safe for any precisions and slower.
    """
    space = together.space
    own = {frozenset(each.nodes): each.precision * each.root**2 for each in together.observed}
    tables = [own.get(frozenset(family.members)) for family in space.families]
    if all(table is not None and table.size == family.cells for table, family in zip(tables, space.families, strict=True)):
        return space.each({f.node: float(t[0]) for f, t in zip(space.families, tables, strict=True) if t is not None})
    allowed = together.precision[space.place] * space.root**2
    allowed /= np.bincount(space.place, minlength=space.dimension)[space.place]
    allowed[space.place == 0] = np.inf  # the number of records never moves
    return space.each({node: float(part.min()) for node, part in space.tables(allowed).items()})


def _dual_ascent(together: Observations, fused: Floats, rows: int) -> Floats:
    """Accelerated ascent on the prices.

    With the steps as a scaling of the prices the matrix of the dual has norm at most one: a table's reflection keeps norms,
    and at a coordinate the parts of the tables that share it sum to step / (root^2 precision) <= 1. So a step of one is safe.
    Equations only make the covariance, and with it this matrix, smaller. The price of a zero that they do not hold may fall
    below nothing, as the one of an equation.
    """
    space, precision, steps = together.space, together.precision, _steps(together)
    largest = max(family.cells for family in space.families)
    start = space.cells(fused)
    allowed = max(_TOLERANCE * rows / largest, 1e-13 * float(np.abs(start).max()))
    softness = np.zeros(space.dimension)
    softness[1:] = 1 / precision[1:]
    least = np.where(empty_of_all(space), -np.inf, 0.0) if together.zeros is None else 0.0
    price = np.zeros(len(start))
    ahead, momentum = price, 1.0
    found = start
    for _ in range(min(_ITERATIONS, max(100, _WORK // len(start)))):
        forces = space.spread(steps * ahead)
        moved = softness * forces
        found = start + space.cells(moved if together.zeros is None else together.zeros.take_back(moved, forces))
        following = np.maximum(ahead - found, least)
        if np.abs(following - ahead).max() <= allowed:
            break
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        if float((ahead - following) @ ((following - price) * steps)) > 0:  # overshot: begin to gather speed anew
            faster, momentum = 1.0, 1.0
        ahead = following + (momentum - 1) / faster * (following - price)
        price, momentum = following, faster
    return found
