"""A network whose probabilities are known exactly: a posterior without any uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.model.network import Network
from discreet.model.prior import Table
from discreet.model.probability import checked_tables
from discreet.posterior.posterior import Posterior

__all__ = ["PointPosterior"]


@dataclass(frozen=True, eq=False, repr=False, init=False)
class PointPosterior(Posterior):
    """Fixed conditional probabilities, such as those of a file from a network repository."""

    network: Network
    tables: Mapping[str, Table]

    def __init__(self, network: Network, tables: Mapping[str, npt.ArrayLike]) -> None:
        object.__setattr__(self, "network", network)
        object.__setattr__(self, "tables", checked_tables(network, tables))

    def __repr__(self) -> str:
        return f"PointPosterior({len(self.network.nodes)} nodes)"

    def mean(self, node: str) -> Table:
        """The known conditional probabilities, configurations x levels."""
        return self.tables[self.network.variable(node).name].copy()

    def draws(self, count: int, generator: np.random.Generator | None = None) -> dict[str, Table]:  # noqa: ARG002 - the interface
        """The same table over and over: nothing is uncertain."""
        return {node: np.broadcast_to(table, (count, *table.shape)) for node, table in self.tables.items()}
