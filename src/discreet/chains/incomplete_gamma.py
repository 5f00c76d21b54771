"""Log of the upper incomplete gamma function for a few shapes at very many places, from tables."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats

__all__ = ["LogTails"]

_PLACES = 4096


class LogTails:
    """log Q(shape, x), Q the regularised upper incomplete gamma function; zero for rows without a shape.

    Between the places of a table it is interpolated; beyond the table its slope is that of exp(-x).
    """

    def __init__(self, shapes: Floats) -> None:
        from scipy.special import gammaincc

        known, self._number = np.unique(shapes, return_inverse=True)
        self.known = bool((known > 0).any())
        """Whether any row has a shape."""
        self._tables = np.zeros((len(known), _PLACES))
        self._ends = np.ones(len(known))
        self._falls = (known > 0).astype(np.float64)
        for number, shape in enumerate(known):
            if shape > 0:
                self._ends[number] = shape + 20 * np.sqrt(shape) + 60
                values = gammaincc(shape, np.linspace(0, self._ends[number], _PLACES))
                self._tables[number] = np.log(np.maximum(values, 1e-300))

    def __call__(self, rows: npt.NDArray[np.int64], x: Floats) -> Floats:
        """At the shape of each row."""
        number = self._number[rows]
        return self._at(number, self._ends[number], x)[0]

    def slopes(self, x: Floats) -> tuple[Floats, Floats]:
        """At the shapes of all rows: values and slopes."""
        number = self._number[:, None]
        return self._at(number, self._ends[number], x)

    def _at(self, number: npt.NDArray[np.int64], end: Floats, x: Floats) -> tuple[Floats, Floats]:
        place = np.minimum(x / end, 1) * (_PLACES - 1)
        below = np.minimum(place.astype(np.int64), _PLACES - 2)
        low, high = self._tables[number, below], self._tables[number, below + 1]
        falls, further = self._falls[number], np.maximum(x - end, 0)
        value = low + (high - low) * (place - below) - further * falls
        return np.asarray(value), np.where(further > 0, -falls, (high - low) * ((_PLACES - 1) / end))
