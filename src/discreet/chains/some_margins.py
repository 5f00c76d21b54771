"""The factors of combinations of nodes' levels (``row_margins.py``) as some cells move: how high and how steep they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.arrays import Floats, Integers, add_up
from discreet.chains.quick_matrices import Matrix, quick
from discreet.chains.row_margins import RowMargins
from discreet.chains.smooth_weights import rise_of_weights

__all__ = ["SomeMargins"]

_LARGEST = 60.0
"""The logarithm of odds beyond which nothing is left of a slope."""
_NONE = 0.5
"""Below so many records the slope is that there: it is known of numbers from about one on."""


@dataclass(frozen=True, slots=True, eq=False)
class SomeMargins:
    """The last axis of every array is the chain."""

    whole: RowMargins = field(repr=False)
    held: Floats
    """What is seen of cells that stay, in each combination."""
    above: Floats
    below: Floats
    rate: Floats
    """Of what makes up for ties, and the logarithm of how many tables push."""
    pushing: Floats
    matrix: Matrix
    """Combinations x cells, and its transpose."""
    back: Matrix

    @classmethod
    def of(cls, whole: RowMargins, cells: Integers, staying: Floats, kind: type[np.floating[Any]]) -> SomeMargins:
        """Those of these cells, while so much is seen of all that stay: all cells x chains."""
        back = whole.back if len(cells) == whole.back.shape[0] else whole.back[cells]
        held = (whole.matrix @ staying).astype(kind)
        shared = (whole.above, whole.below, whole.rate, np.log(whole.pushing))
        above, below, rate, pushing = (np.repeat(each[:, None], staying.shape[1], axis=1).astype(kind) for each in shared)
        matrix = quick(back.T.tocsr().astype(kind))
        return cls(whole, held, above, below, rate, pushing, matrix, quick(back.astype(kind)))

    def log(self, counts: Floats) -> Floats:
        """The sum of the logs of all factors, if so much is seen of the cells that move."""
        return add_up(self.whole.logs_at(self.held + self.matrix @ counts))

    def slope(self, counts: Floats) -> Floats:
        """How that rises with the counts."""
        seen, first = self.held + self.matrix @ counts, len(self.above)
        rises = np.empty_like(seen)
        if first:
            records = np.maximum(seen[:first], _NONE)
            rises[:first] = rise_of_weights(records + self.above, records + self.below)
        if first < len(seen):
            odds = np.minimum(self.rate * seen[first:] - self.pushing, _LARGEST)  # the first term against the second
            rises[first:] = -self.rate / (np.exp(odds, out=odds) + 1)
        return np.asarray(self.back @ rises)
