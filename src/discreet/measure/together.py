"""What several stewards published of different persons on one network: what is behind all of it together."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from discreet.arrays import Floats
from discreet.errors import ModelError
from discreet.measure.published import Published
from discreet.model.network import Family, Network

__all__ = ["PublishedTogether"]


@dataclass(frozen=True, eq=False)
class PublishedTogether:
    """The measurements of each release, kept apart: each has noise of its own and a table of its own behind it."""

    network: Network = field(repr=False)
    parts: tuple[Published, ...] = field(repr=False)
    overlap: bool = False
    """Whether persons may have records in several of them: then budgets add up, and such records count more than once."""
    sites_differ: bool = False
    """Whether each release has tables of its own, around common ones; else all have the same."""

    def __post_init__(self) -> None:
        if not self.parts or any(each.network != self.network for each in self.parts):
            raise ModelError("What is put together must have been published of one network.")

    @property
    def rows(self) -> int:
        """The public number of records in all releases."""
        return sum(each.rows for each in self.parts)

    def update(self, family: Family) -> Floats:
        """What the releases add to the prior's parameters, each repaired by itself: configurations x levels."""
        return np.asarray(np.sum([each.update(family) for each in self.parts], axis=0))

    def table(self, family: Family) -> Floats:
        """A family's table of all records by least squares, before any repair; one axis per member."""
        return np.asarray(np.sum([each.table(family) for each in self.parts], axis=0))

    @property
    def scale(self) -> Fraction:
        """The largest scale of the noise on a number."""
        return max(each.scale for each in self.parts)
