"""A network whose probabilities are known exactly: a posterior without any uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.checks import check_whole
from discreet.display import Display, Displayed
from discreet.inference.beliefs import GeneratorLike
from discreet.model.family import leave_out_impossible
from discreet.model.network import Network, check_network
from discreet.model.prior import Prior
from discreet.model.probability import check_tables, check_zeros
from discreet.posterior.posterior import Posterior, display_of

__all__ = ["ChosenPoint", "GridPoint", "PointPosterior"]


@dataclass(frozen=True, slots=True, eq=False)
class GridPoint:
    """How a point came out of an annealed posterior: its split probabilities as grid points, and their law."""

    splits: Mapping[str, Integers] = field(repr=False)
    """Node -> configurations x splits, in units of 2^-32."""
    floor: Fraction
    temper: Fraction
    prior: Prior
    rows: int


@dataclass(frozen=True, slots=True, eq=False)
class ChosenPoint:
    """How a point came out of a list of candidates that was public before."""

    candidates: int
    temper: Fraction
    prior: Prior
    rows: int


@dataclass(frozen=True, eq=False, repr=False, init=False)
class PointPosterior(Displayed, Posterior):
    """Fixed conditional probabilities: those of a file from a network repository, or a released point estimate."""

    network: Network
    tables: Mapping[str, Floats]
    released: GridPoint | ChosenPoint | None

    def __init__(
        self, network: Network, tables: Mapping[str, npt.ArrayLike], released: GridPoint | ChosenPoint | None = None
    ) -> None:
        check_network(network)
        object.__setattr__(self, "network", network)
        checked = check_tables(network, tables)
        if released is None:
            check_zeros(network, checked)
        left = {node: leave_out_impossible(network.family(node), table) for node, table in checked.items()}
        object.__setattr__(self, "tables", left)
        object.__setattr__(self, "released", released)

    def _display(self) -> Display:
        return display_of(self, self.released, None)

    @property
    def without_spread(self) -> str:
        """A point has no spread, whether it is known or was released."""
        if self.released is None:
            return "No interval: these probabilities are written in a file and taken as known."
        return "No interval: a point was released, and a point does not say how far off it may be."

    def mean(self, node: str) -> Floats:
        """The known conditional probabilities, configurations x levels."""
        return self.tables[self.network.variable(node).name].copy()

    def draws(self, count: int, generator: GeneratorLike = None) -> dict[str, Floats]:  # noqa: ARG002 - the interface
        """The same table over and over: nothing is uncertain."""
        count = check_whole(count, "The number of draws")
        return {node: np.broadcast_to(table, (count, *table.shape)) for node, table in self.tables.items()}
