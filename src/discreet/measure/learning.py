"""What was published on the way to a learned graph. It was paid for, so the posterior uses what it can of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce

from discreet.guarantee import ZCDP, PureDP
from discreet.measure.measurement import Measurement
from discreet.measure.pairs import PairMoments
from discreet.model.network import Network

__all__ = ["Budget", "Learning", "Stage", "amount_of", "like", "measurements_within"]

Budget = PureDP | ZCDP
"""Guarantees whose costs add up exactly."""


def amount_of(cost: Budget) -> Fraction:
    """The epsilon, or the rho."""
    return cost.epsilon if isinstance(cost, PureDP) else cost.rho


def like(cost: Budget, amount: Fraction) -> Budget:
    """So much of the same kind of budget."""
    return PureDP(amount) if isinstance(cost, PureDP) else ZCDP(amount)


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Measurements with noise of one law, and what they cost together."""

    measurements: tuple[Measurement, ...] = field(repr=False)
    cost: Budget
    pairs: PairMoments | None = field(default=None, repr=False)
    """All pairs, measured at once, in the place of tables; what they say reaches a posterior as a prior."""


@dataclass(frozen=True, slots=True, eq=False)
class Learning:
    """How a graph came about: what was measured, stage by stage, and what the choices cost besides."""

    form: str
    """A word for what was looked for, such as ``tree``."""
    stages: tuple[Stage, ...]
    choices: Budget | None
    """What all choices cost together; None where nothing was chosen by the records."""

    @property
    def cost(self) -> Budget:
        """Of all stages and choices together, for one record or one person's contribution."""
        costs = [stage.cost for stage in self.stages] + ([] if self.choices is None else [self.choices])
        return reduce(lambda one, two: one.compose(two), costs)  # type: ignore[arg-type,return-value]

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """Those of all stages."""
        return tuple(each for stage in self.stages for each in stage.measurements)


def measurements_within(network: Network, measurements: Sequence[Measurement]) -> tuple[Measurement, ...]:
    """The measurements whose nodes are in one family of the network: what tables of families can be held against."""
    families = [frozenset(family.members) for family in network.maximal_families]
    holders: dict[str, list[frozenset[str]]] = {}
    for members in families:
        for node in members:
            holders.setdefault(node, []).append(members)
    return tuple(each for each in measurements if any(members.issuperset(each.nodes) for members in holders[each.nodes[0]]))
