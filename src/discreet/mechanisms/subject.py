"""A kind of model as a steward meets it: what is counted for it, which mechanisms there are, and how they are compared.

A mechanism names its statistic of the records, and the statistic names the kind of model that it is of. So nobody has to ask
which kind of model is at hand, and a further kind brings a statistic and a subject of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from discreet.arrays import Integers
from discreet.counts.families import check_possible, family_counts
from discreet.counts.moments import Moments, check_moments, moments
from discreet.counts.persons import person_family_counts, person_moments
from discreet.errors import BudgetError
from discreet.guarantee import BudgetLike
from discreet.kernel.bits import OperatingSystemBits
from discreet.model.declaration import LINEAR_MODELS, NETWORKS, ModelKind
from discreet.model.linear import LinearModel
from discreet.model.network import Network
from discreet.unit import RECORD, Unit, UnitKind

if TYPE_CHECKING:
    from discreet.mechanisms.mechanism import Mechanism
    from discreet.planning.plan import Plans

__all__ = ["FAMILY_COUNTS", "FamilyCounts", "MOMENTS", "Maker", "RecordStatistic", "STATISTICS", "Subject", "WithDelta"]

M = TypeVar("M")
S = TypeVar("S")
L = TypeVar("L", bound="Mechanism[Any, Any]")
_Model = TypeVar("_Model", contravariant=True)
_Found = TypeVar("_Found", covariant=True)

FamilyCounts: TypeAlias = Mapping[str, Integers]
"""A table for every family, by its node: configurations x levels."""
_MOST_RECORDS = 2**61
"""Counts of so many leave room for the noise in 64-bit integers."""
Maker: TypeAlias = "Callable[[BudgetLike, Fraction | None], Mechanism[Any, Any]]"
"""How an epsilon and the delta of a ledger make a mechanism."""


_FRESH = OperatingSystemBits().read


class Count(Protocol[_Model, _Found]):
    """Going through the records. ``rows``, where it is known, is the number of records, or of persons, that there must be."""

    def __call__(
        self,
        data: Any,
        model: _Model,
        /,
        *,
        missing: str | None,
        rows: int | None,
        progress: Callable[[int], None] | None,
        unit: Unit = RECORD,
        random_bytes: Callable[[int], bytes] = _FRESH,
    ) -> _Found:
        """The statistic of the records; of persons, in parts of them."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class RecordStatistic(Generic[M, S]):
    """A statistic S of records that a model M is about, in integers."""

    kind: ModelKind[M]
    """The kind of model that it is of."""
    count: Count[M, S]
    check: Callable[[S, M], None]
    """Refuses what cannot be the statistic of records by this model. Called before the charge."""
    example: str
    """A mechanism that needs it, as one would write it: advice for who gave another."""


def _check_counts(counts: FamilyCounts, network: Network) -> None:
    """Refuse what cannot be the family counts of a data set.

    Claim:      afterwards there is a table for every family and no other, of 64-bit integers, configurations x levels, none
                negative, and all tables sum to the same number of records, of which there is at least one; none counts what
                is declared impossible.
    Requires:   nothing; called before the charge.
    Checked by: tests/unit/mechanisms/test_publish.py::test_what_cannot_be_counts_costs_nothing
    """
    if counts.keys() != set(network.nodes):
        raise ValueError("A release needs a table for every family, and no other: the noise is made for these.")
    for family in network.families:
        table = counts[family.node]
        if table.dtype != np.int64 or table.shape != (family.configurations, family.levels):
            raise ValueError("A release needs for every family a table of 64-bit integers, configurations x levels.")
    # Sums of floats do not wrap around: where they are not too large, those of integers are exact.
    fits = all(table.min() >= 0 and table.sum(dtype=np.float64) <= _MOST_RECORDS for table in counts.values())
    totals = {int(table.sum()) for table in counts.values()}
    if not fits or len(totals) != 1 or totals == {0}:
        raise ValueError("A release needs tables of counts that all sum to the same number of records, at least one.")
    check_possible(counts, network)


def _count_families(
    data: Any,
    network: Network,
    /,
    *,
    missing: str | None,
    rows: int | None,
    progress: Callable[[int], None] | None,
    unit: Unit = RECORD,
    random_bytes: Callable[[int], bytes] = _FRESH,
) -> FamilyCounts:
    if unit.kind is UnitKind.PERSON:
        return person_family_counts(data, network, unit, random_bytes, missing=missing, rows=rows, progress=progress)
    return family_counts(data, network, missing=missing, rows=rows, progress=progress)


def _add_up_moments(
    data: Any,
    model: LinearModel,
    /,
    *,
    missing: str | None,  # noqa: ARG001 - a linear model takes no gaps, which the frame of all mechanisms has said by now
    rows: int | None,
    progress: Callable[[int], None] | None,
    unit: Unit = RECORD,
    random_bytes: Callable[[int], bytes] = _FRESH,
) -> Moments:
    if unit.kind is UnitKind.PERSON:
        return person_moments(data, model, unit, random_bytes, rows=rows, progress=progress)
    return moments(data, model, rows=rows, progress=progress)


FAMILY_COUNTS: RecordStatistic[Network, FamilyCounts] = RecordStatistic(
    NETWORKS, _count_families, _check_counts, 'Laplace("0.5")'
)
MOMENTS: RecordStatistic[LinearModel, Moments] = RecordStatistic(
    LINEAR_MODELS, _add_up_moments, check_moments, 'RegressionMoments("0.5")'
)
STATISTICS: tuple[RecordStatistic[Any, Any], ...] = (FAMILY_COUNTS, MOMENTS)
"""One for each kind of model."""


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
