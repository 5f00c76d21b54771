"""Family tables from noisy sums of their cells: fused by least squares, then the nearest that agree and are not negative."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.measure.agreement import nearest_to, safe_steps
from discreet.measure.margins import margin
from discreet.measure.observations import Observations
from discreet.model.network import Family, Network

__all__ = ["Fused"]


class Fused(Protocol):
    """What was published about ``rows`` records of a network, as noisy sums of cells of their family tables."""

    network: Network
    rows: int

    @property
    @abstractmethod
    def _observations(self) -> Observations:
        """Which sums were measured, and the variances of their noise."""
        ...

    @property
    @abstractmethod
    def _measured(self) -> Sequence[npt.NDArray[np.number]]:
        """The noisy numbers, in the order of the observations."""
        ...

    @cached_property
    def coordinates(self) -> Floats:
        """What least squares makes of the numbers: unbiased coordinates of the tables (``measure/residuals.py``)."""
        return self._observations.fuse(self._measured, self.rows)

    @cached_property
    def fused(self) -> dict[str, Floats]:
        """The maximal families' tables after fusion, one axis per member: unbiased, agreeing, perhaps negative."""
        space = self._observations.space
        return space.tables(space.cells(self.coordinates))

    @cached_property
    def _repaired(self) -> dict[str, Floats]:
        space, precision = self._observations.space, self._observations.precision
        return space.tables(nearest_to(space, self.coordinates, precision, safe_steps(space, precision), self.rows))

    def update(self, family: Family) -> Floats:
        """What the release adds to the prior's parameters: configurations x levels, never negative."""
        return margin(self.network, self._repaired, family).clip(0, self.rows).reshape(-1, family.levels)
