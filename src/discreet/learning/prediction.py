"""What is believed about tables from what was published so far: what candidates are held against. Public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from discreet.arrays import Floats
from discreet.measure.learning import Learning, Stage
from discreet.measure.published import Published
from discreet.model.network import Network

__all__ = ["Prediction"]

_PRIOR = 0.5
"""Records that are added to every cell of a table before it is read as probabilities."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """Conditional probabilities of a network from stages in which all of its families were measured."""

    network: Network = field(repr=False)
    stages: Sequence[Stage] = field(repr=False)
    rows: int

    @cached_property
    def tables(self) -> dict[str, Floats]:
        """Of each node, one axis for each parent and the last for the node: probabilities."""
        learning = Learning("", tuple(self.stages), None)
        published = Published(self.network, (), self.rows, learning=learning)
        found = {}
        for family in self.network.families:
            counts = published.update(family).reshape(family.shape) + _PRIOR
            found[family.node] = counts / counts.sum(axis=-1, keepdims=True)
        return found

    def independent(self, nodes: tuple[str, ...]) -> Floats:
        """How many records each cell of a table of nodes without parents is expected to have."""
        expected = np.array(float(self.rows))
        for node in nodes:
            expected = np.multiply.outer(expected, self.tables[node])
        return np.asarray(expected)

    def given(self, target: str, nodes: tuple[str, ...]) -> Floats:
        """The same of a target and of nodes whose only parent it is; the target's axis is the first."""
        expected = self.rows * self.tables[target]
        for node in nodes:
            step = self.tables[node]
            expected = expected[..., None] * step.reshape(len(step), *[1] * (expected.ndim - 1), -1)
        return np.asarray(expected)
