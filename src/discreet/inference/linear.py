"""Prediction with a regression: the expected target of each record, how sure that is, and where the target itself will lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.model.linear import LinearModel

__all__ = ["Line", "Prediction", "predict_target"]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """What is known about the scaled weights: their mean, their covariance where it is known, and the noise about the line.

    ``quantile`` turns a standard deviation into half an interval: that of a standard normal or of a Student distribution.
    """

    model: LinearModel
    mean: Floats
    covariance: Floats | None
    noise: float
    quantile: float
    interval: float
    within: Floats | None = None
    """The covariance that would be left without privacy, where that is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """For each record the expected target and two intervals, in the user's units; None where the release cannot tell.

    ``credible`` bounds the expected target, ``predictive`` the target of one new record, whose standard deviation is
    ``deviation``.
    """

    mean: Floats
    interval: float
    credible: tuple[Floats, Floats] | None
    predictive: tuple[Floats, Floats] | None
    deviation: Floats | None = None

    def __len__(self) -> int:
        return len(self.mean)


def predict_target(line: Line, data: Any) -> Prediction:
    """Predict the target of each record. Features outside their declared bounds are clipped, as they were for the release."""
    from discreet.inference.own_records import vectors  # other questions need no reader of tables

    batches = [_batch(line, rows) for rows in vectors(data, line.model)]
    mean, spread = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    centre = line.model.target_in_units(mean)
    if line.covariance is None:
        return Prediction(centre, line.interval, None, None)
    of_line, of_record = _deviations(line, spread)
    credible, predictive = (_around(line, centre, deviation) for deviation in (of_line, of_record))
    return Prediction(centre, line.interval, credible, predictive, np.asarray(line.model.noise_in_units(of_record)))


def _batch(line: Line, rows: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of w.x for each record."""
    variance = np.zeros(len(rows)) if line.covariance is None else np.einsum("ij,jk,ik->i", rows, line.covariance, rows)
    return rows @ line.mean, np.maximum(variance, 0.0)


def _deviations(line: Line, variance: Floats) -> Iterator[Floats]:
    yield np.sqrt(variance)
    yield np.sqrt(variance + line.noise**2)


def _around(line: Line, centre: Floats, deviation: npt.NDArray[np.float64]) -> tuple[Floats, Floats]:
    half = line.quantile * line.model.noise_in_units(deviation)
    return centre - half, centre + half
