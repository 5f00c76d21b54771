"""Log of the upper incomplete gamma function for a few shapes at very many places, from tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats

__all__ = ["LogTails", "TailRows"]

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
        tables = np.zeros((len(known), _PLACES))
        self._ends = np.ones(len(known))
        self._falls = (known > 0).astype(np.float64)
        for number, shape in enumerate(known):
            if shape > 0:
                self._ends[number] = shape + 20 * np.sqrt(shape) + 60
                values = gammaincc(shape, np.linspace(0, self._ends[number], _PLACES))
                tables[number] = np.log(np.maximum(values, 1e-300))
        self._flat = tables.ravel()
        rises = np.diff(tables, axis=1) * ((_PLACES - 1) / self._ends)[:, None]
        self._slopes = np.column_stack([rises, -self._falls]).ravel().astype(np.float32)
        """Between each place of a table and the next one, and beyond the last."""

    def __call__(self, rows: npt.NDArray[np.int64], x: Floats) -> Floats:
        """At the shape of each row."""
        return _look_up(self._flat, TailRows.of(self._number[rows], self._ends, self._falls), x)

    def rows(self, rows: npt.NDArray[np.int64], chains: int) -> TailRows:
        """Some rows, for each of so many chains: what is asked about again and again."""
        return TailRows.of(np.repeat(self._number[rows][:, None], chains, axis=1), self._ends, self._falls)

    def at(self, x: Floats, rows: TailRows) -> Floats:
        """At the shapes of these rows."""
        return _look_up(self._flat, rows, x)

    def slope(self, x: Floats, rows: TailRows) -> Floats:
        """Of what is at the shapes of these rows."""
        place = (np.fmin(x, rows.end) * rows.density).astype(np.int64)
        place += rows.begin
        return np.asarray(self._slopes.take(place))


@dataclass(frozen=True, slots=True, eq=False)
class TailRows:
    """For each row where its table begins, how many places there are to a unit, where it ends, and how it falls beyond."""

    begin: npt.NDArray[np.int64]
    density: Floats
    end: Floats
    falls: Floats

    @classmethod
    def of(cls, number: npt.NDArray[np.int64], ends: Floats, falls: Floats) -> TailRows:
        """Rows by the numbers of their tables."""
        return cls(number * _PLACES, (_PLACES - 1) / ends[number], ends[number], falls[number])


def _look_up(tables: Floats, rows: TailRows, x: Floats) -> Floats:
    inside = np.fmin(x, rows.end)  # a step that ran away is refused later, and no number is no place
    place = inside * rows.density
    below = np.minimum(place.astype(np.int64), _PLACES - 2)
    place -= below
    below += rows.begin
    low = tables.take(below)
    below += 1
    rise = tables.take(below) - low
    return np.asarray(low + rise * place - (x - inside) * rows.falls)
