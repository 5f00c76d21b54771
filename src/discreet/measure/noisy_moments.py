"""What a regression published: noisy moments as integers, with the law of their noise."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats
from discreet.errors import ModelError
from discreet.measure.strategies.moment_noise import MomentNoise, moment_places
from discreet.model.linear import LinearModel

__all__ = ["NoisyMoments"]


@dataclass(frozen=True, slots=True)
class NoisyMoments:
    """Sums of products over ``rows`` records plus noise, in steps of 4^-resolution, in the order of ``moment_places``."""

    model: LinearModel
    values: tuple[int, ...] = field(repr=False)
    noise: MomentNoise
    rows: int

    def __post_init__(self) -> None:
        if len(self.values) != len(moment_places(self.model)):
            raise ModelError("The moments do not fit the model: one is needed for every pair of columns.")
        if self.rows < 1:
            raise ModelError("Moments need at least one record.")

    @property
    def matrix(self) -> Floats:
        """The sum of u u', u = (1, features, target) in [-1, 1], as noise left it; the number of records is exact."""
        places = moment_places(self.model)
        size = 1 + max(column for _, column in places)
        matrix: Floats = np.zeros((size, size))
        matrix[0, 0] = self.rows  # stays if there is an intercept
        unit = 4**self.model.resolution
        for (row, column), value in zip(places, self.values, strict=True):
            matrix[row, column] = matrix[column, row] = value / unit
        return matrix
