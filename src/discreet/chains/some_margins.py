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
    matrix: Matrix
    """Combinations x cells, and its transpose."""
    back: Matrix

    @classmethod
    def of(cls, whole: RowMargins, cells: Integers, staying: Floats, kind: type[np.floating[Any]]) -> SomeMargins:
        """Those of these cells, while so much is seen of all that stay: all cells x chains."""
        back = whole.back if len(cells) == whole.back.shape[0] else whole.back[cells]
        held = (whole.matrix @ staying).astype(kind)
        above, below = (
            (np.zeros((len(each), staying.shape[1])) + each[:, None]).astype(kind) for each in (whole.above, whole.below)
        )
        return cls(whole, held, above, below, quick(back.T.tocsr().astype(kind)), quick(back.astype(kind)))

    def log(self, counts: Floats) -> Floats:
        """The sum of the logs of all factors, if so much is seen of the cells that move."""
        return add_up(self.whole.logs_at(self.held + self.matrix @ counts))

    def slope(self, counts: Floats) -> Floats:
        """How that rises with the counts."""
        seen, first = self.held + self.matrix @ counts, len(self.above)
        rises = np.empty_like(seen)
        records = np.maximum(seen[:first], _NONE)
        rises[:first] = rise_of_weights(records + self.above, records + self.below)
        odds = self.whole.odds(seen[first:])
        rises[first:] = -self.whole.rate[:, None] * odds / (1 + odds)
        return np.asarray(self.back @ rises)
