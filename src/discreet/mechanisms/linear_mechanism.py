"""What mechanisms for linear models have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from discreet.guarantee import Guarantee
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.subject import MOMENTS, RecordStatistic
from discreet.model.linear import LinearModel
from discreet.model.prior import UNIFORM, Prior

if TYPE_CHECKING:
    from discreet.counts.moments import Moments

__all__ = ["RegressionMechanism"]

P = TypeVar("P")


class RegressionMechanism(Mechanism[LinearModel, P], Protocol[P]):
    """A mechanism for linear models, which needs the records only through their moments."""

    __slots__ = ()

    @property
    def statistic(self) -> RecordStatistic[LinearModel, Moments]:
        """Sums and products of all columns."""
        return MOMENTS

    @abstractmethod
    def cost(self, model: LinearModel) -> Guarantee:
        """What is charged. A model for which there is no such release is refused here."""
        ...

    def check(self, model: LinearModel, prior: Prior = UNIFORM, /) -> None:  # noqa: ARG002 - the model declares its own
        """Refuse a model or budget for which there is no such release."""
        self.cost(model)

    def costs(self, model: LinearModel, /) -> Sequence[Guarantee]:
        """What is charged depends on the model."""
        return (self.cost(model),)
