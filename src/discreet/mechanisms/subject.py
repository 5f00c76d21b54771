"""A kind of model as a steward meets it: which mechanisms there are for it, and what is said when they are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from discreet.errors import BudgetError
from discreet.guarantee import BudgetLike
from discreet.mechanisms.mechanism import Mechanism
from discreet.model.declaration import ModelKind
from discreet.planning.plan import Plans

__all__ = ["Maker", "Subject", "WithDelta"]

M = TypeVar("M")
L = TypeVar("L", bound=Mechanism[Any, Any])
_Model = TypeVar("_Model", contravariant=True)

Maker: TypeAlias = Callable[[BudgetLike, Fraction | None], Mechanism[Any, Any]]
"""How an epsilon and the delta of a ledger make a mechanism."""


@dataclass(frozen=True, slots=True)
class WithDelta(Generic[L]):
    """How an epsilon and a delta make a mechanism that there is not without a delta."""

    make: Callable[[BudgetLike, Fraction], L]

    def __call__(self, epsilon: BudgetLike, delta: Fraction | None) -> L:
        """The mechanism."""
        if delta is None:
            raise BudgetError('Gaussian noise needs a ledger with a delta, such as Ledger(path, cap="1", delta="1e-6").')
        return self.make(epsilon, delta)


class Remark(Protocol[_Model]):
    """What is to be added to a comparison; refuses one that would say nothing."""

    def __call__(self, plans: Plans, model: _Model, rows: int, candidates: Sequence[Mechanism[Any, Any]], /) -> Plans:
        """The same plans, with all that must be said about them."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Subject(Generic[M]):
    """What the steps of a steward need to know about one kind of model. A further kind of model brings one of these."""

    kind: ModelKind[M]
    words: Mapping[str, Maker]
    """Words for mechanisms, and how each is made; the first is the default."""
    candidates: Callable[[Fraction, Fraction | None], Sequence[Mechanism[M, Any]]]
    """The mechanisms that a plan compares at this budget, whether or not the model allows them."""
    remark: Remark[M]
