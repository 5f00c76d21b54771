"""The central value: a linear statistic of some nodes' table, the law of its noise and, once published, its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Protocol, get_args

import numpy as np

from discreet.arrays import Floats, WholeNumbers
from discreet.errors import ModelError
from discreet.measure.laws import Law, MomentNoise
from discreet.model.network import Network

__all__ = ["Asked", "Margin", "Measurement", "Statistic", "contrasts", "fill", "number_shape"]


class Statistic(Enum):
    """Which linear statistic of the table of some nodes is measured."""

    COUNTS = "counts"
    """How many records have each combination of their levels."""
    CONTRAST = "contrast"
    """For each configuration of all nodes but the last, which has two levels: records with the first minus the second."""
    PARITY = "parity"
    """In how many records an odd number of the nodes, which have two levels each, shows its second level."""
    MOMENTS = "moments"
    """Of columns of numbers: the sums of the products of any two of them, and of the columns where there is an intercept."""


class Asked(Protocol):
    """What is asked of the records, whatever else is known."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """Of one family; the axes of the table are in this order."""
        ...

    @property
    def statistic(self) -> Statistic:
        """Which statistic of their table."""
        ...


@dataclass(frozen=True, slots=True)
class Margin:
    """What could be measured, before any noise is decided on."""

    nodes: tuple[str, ...]
    statistic: Statistic = Statistic.COUNTS


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """A statistic with noise on it. Everything about it is public but the records behind the numbers."""

    nodes: tuple[str, ...]
    statistic: Statistic
    law: Law
    numbers: WholeNumbers | None = field(default=None, repr=False)
    """As they were published, one axis for each node that is not contrasted, moments in one row; None before that."""

    def __post_init__(self) -> None:
        if not isinstance(self.statistic, Statistic) or type(self.law) not in get_args(Law):
            raise ModelError(
                "A measurement has a statistic or a law of noise that this version does not know. Update discreet."
            )
        size = self.law.triangle.size if isinstance(self.law, MomentNoise) else None
        if size != (len(self.nodes) if self.statistic is Statistic.MOMENTS else None):
            raise ModelError("Moments have noise that was made for moments of so many columns, and nothing else has it.")

    @property
    def unit(self) -> int:
        """By how much noise of one moves a signed number: the published odd count is half of what a parity says."""
        return 2 if self.statistic is Statistic.PARITY else 1

    @property
    def variance(self) -> float:
        """Of the noise on each signed number."""
        return self.unit**2 * self.law.variance

    @property
    def published(self) -> WholeNumbers:
        """The numbers of a measurement that has some."""
        if self.numbers is None:
            raise ModelError("This measurement has no numbers yet: it was planned, not published.")
        return self.numbers

    def signed(self, rows: int) -> Floats:
        """The numbers as sums of cells with signs: rows - 2 odd for a parity, so that even counts plus and odd ones minus."""
        numbers = self.published.astype(np.float64)
        return np.asarray(rows - 2 * numbers if self.statistic is Statistic.PARITY else numbers)


def contrasts(asked: Asked) -> int:
    """How many of the last nodes have no axis: of their two levels only the difference is known."""
    if asked.statistic is Statistic.MOMENTS:
        raise ModelError("Moments are measured of linear models, and are no table of a network.")
    return {Statistic.COUNTS: 0, Statistic.CONTRAST: 1, Statistic.PARITY: len(asked.nodes)}[asked.statistic]


def number_shape(network: Network, asked: Asked) -> tuple[int, ...]:
    """The shape of the numbers: the levels of each node that is not contrasted."""
    kept = asked.nodes[: len(asked.nodes) - contrasts(asked)]
    return tuple(network.variable(node).size for node in kept)


def fill(measurements: Sequence[Measurement], numbers: Sequence[WholeNumbers]) -> tuple[Measurement, ...]:
    """The measurements with these numbers."""
    return tuple(replace(each, numbers=own) for each, own in zip(measurements, numbers, strict=True))
