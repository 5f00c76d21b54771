"""Pairs of columns as they were published, and what they say about the families of a graph that was grown from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from discreet.arrays import Floats
from discreet.measure.learning import Learning
from discreet.measure.pairs import PairMoments
from discreet.measure.picks import PickedPairs
from discreet.model.family import Family

__all__ = ["PublishedPairs"]


@dataclass(frozen=True, slots=True, eq=False)
class PublishedPairs:
    """Noisy pairs, all of them or those that were picked, and what they say about the families of a graph."""

    pairs: PairMoments | PickedPairs
    concentrations: Mapping[str, Floats] = field(repr=False)
    """Of each node, configurations x levels: Dirichlet parameters, worth as many records as noise and sampling leave."""
    learning: Learning | None = field(default=None, repr=False)
    """How pairs were picked, and what that cost; None where all were measured at once."""

    @property
    def rows(self) -> int:
        """The public number of records."""
        return self.pairs.rows

    def update(self, family: Family) -> Floats:
        """What the pairs add to the prior's parameters: configurations x levels, never negative."""
        return self.concentrations[family.node]
