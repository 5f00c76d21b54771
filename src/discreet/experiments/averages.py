"""Means with standard errors over the repeats of a study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Average", "averages"]


@dataclass(frozen=True, slots=True)
class Average:
    """A mean over ``count`` repeats, with its standard error."""

    mean: float
    error: float
    count: int

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.error:.3f}"


def averages(rows: Iterable[Sequence[object]], keys: Sequence[int], value: int) -> dict[tuple[object, ...], Average]:
    """Average the column ``value`` over rows with equal entries in the columns ``keys``, in order of appearance."""
    grouped: dict[tuple[object, ...], list[float]] = {}
    for row in rows:
        if row[value] is not None:
            grouped.setdefault(tuple(row[key] for key in keys), []).append(float(str(row[value])))
    return {key: _average(np.array(values)) for key, values in grouped.items()}


def _average(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Average:
    count = len(values)
    return Average(float(values.mean()), float(values.std(ddof=1) / np.sqrt(count)) if count > 1 else 0.0, count)
