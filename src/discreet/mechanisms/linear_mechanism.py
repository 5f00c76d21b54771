"""What every mechanism for linear models offers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from discreet.guarantee import Guarantee
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.mechanisms.prepared import Prepared
from discreet.model.linear import LinearModel
from discreet.planning.linear import RegressionPlan
from discreet.releases import Release

if TYPE_CHECKING:
    from discreet.counts.moments import Moments

__all__ = ["RegressionMechanism"]

P = TypeVar("P")


class RegressionMechanism(Protocol[P]):
    """A way to release the posterior P of a linear model. Its fields are the inputs of the algorithm, all of them public."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The word by which the command and the release file know the mechanism."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What one release costs at the most."""
        ...

    @abstractmethod
    def plan(self, model: LinearModel, rows: int) -> RegressionPlan:
        """What would be released and how wrong it would be; touches no data."""
        ...

    @abstractmethod
    def cost(self, model: LinearModel) -> Guarantee:
        """What is charged. A model for which there is no such release is refused here, before anything is added up."""
        ...

    @abstractmethod
    def prepare_moments(
        self, found: Moments, model: LinearModel, *, ledger: Ledger, _bits: Bits | None = None
    ) -> Prepared[Any, P]:
        """How to charge, draw and wrap: what is left to do after adding up."""
        ...

    def publish(self, found: Moments, model: LinearModel, *, ledger: Ledger, _bits: Bits | None = None) -> Release[P]:
        """Charge, draw and wrap: what is left to do after adding up.

        Claim:      what is wrong with model or moments is found before the charge.
        Requires:   ``found`` are the moments, by this model, of the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_publish.py::test_moments_of_another_model_cost_nothing
        """
        return self.prepare_moments(found, model, ledger=ledger, _bits=_bits).publish()

    def release(
        self,
        data: Any,
        model: LinearModel,
        *,
        ledger: Ledger,
        rows: int | None = None,
        progress: Callable[[int], None] | None = None,
        _bits: Bits | None = None,
    ) -> Release[P]:
        """Add up the moments, then publish.

        Claim:      model and budget are checked before anything is added up, and nothing is drawn before the charge.
        Requires:   ``data`` is the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_publish.py::test_everything_happens_in_its_order_for_lines
        """
        return self.prepare(data, model, ledger=ledger, rows=rows, progress=progress, _bits=_bits).publish()

    def prepare(
        self,
        data: Any,
        model: LinearModel,
        *,
        ledger: Ledger,
        rows: int | None = None,
        progress: Callable[[int], None] | None = None,
        _bits: Bits | None = None,
    ) -> Prepared[Any, P]:
        """Add up the moments; the release is then only to be paid for and drawn.

        Claim:      model and budget are checked before anything is added up; nothing is charged.
        Requires:   ``data`` is the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_publish.py::test_everything_happens_in_its_order_for_lines
        """
        from discreet.counts.moments import moments

        ledger.check(self.cost(model))  # before the long work; the binding check is the charge
        return self.prepare_moments(moments(data, model, rows=rows, progress=progress), model, ledger=ledger, _bits=_bits)
