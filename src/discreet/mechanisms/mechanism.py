"""What every mechanism offers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from discreet.arrays import Integers
from discreet.errors import ModelError
from discreet.guarantee import Guarantee
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.measure.cell_noise import CellNoise
from discreet.mechanisms.prepared import Prepared
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, BDeu, Prior, Symmetric, TablePrior
from discreet.planning.plan import Plan
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.releases import Release

__all__ = ["CountMechanism", "Mechanism", "NoiseMechanism", "check_prior"]

P = TypeVar("P")
_MOST_RECORDS = 2**61
"""Counts of so many leave room for the noise in 64-bit integers."""


def check_prior(network: Network, prior: Prior) -> None:
    """Refuse a prior that does not fit the network, or that a release file cannot hold.

    Claim:      afterwards the prior is of a kind that can be saved, and has a table of finite numbers greater than zero for
                every family, configurations x levels, so that a posterior can be made of it.
    Requires:   nothing; called before the charge, so that no budget is spent on a release that nobody can use.
    Checked by: tests/unit/mechanisms/test_pipeline.py::test_a_mechanism_refuses_a_prior_that_does_not_fit_before_the_charge
                tests/unit/mechanisms/test_publish.py::test_a_prior_of_ones_own_making_costs_nothing
    """
    if not isinstance(prior, Symmetric | BDeu | TablePrior):
        raise ModelError(f"A prior of type {type(prior).__name__} cannot be saved; turn it into a TablePrior.")
    TablePrior(network, {family.node: prior.concentration(family) for family in network.families})


def _check_counts(counts: Mapping[str, Integers], network: Network) -> None:
    """Refuse what cannot be the family counts of a data set.

    Claim:      afterwards there is a table for every family and no other, of 64-bit integers, configurations x levels, none
                negative, and all tables sum to the same number of records, of which there is at least one.
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


class Mechanism(Protocol[P]):
    """A way to release a posterior P of a network. Its fields are the inputs of the algorithm, all of them public."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The word by which the command and the release file know the mechanism."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What one release costs."""
        ...

    def plan(self, network: Network, rows: int) -> Plan:
        """What would be released and how wrong it would be; touches no data."""
        ...

    def prepare(
        self,
        data: Any,
        network: Network,
        *,
        ledger: Ledger,
        prior: Prior,
        missing: str | None = None,
        rows: int | None = None,
        progress: Callable[[int], None] | None = None,
        _bits: Bits | None = None,
    ) -> Prepared[Any, P]:
        """Count, and try all that can fail; nothing is charged yet."""
        ...

    def release(
        self,
        data: Any,
        network: Network,
        *,
        ledger: Ledger,
        prior: Prior = UNIFORM,
        missing: str | None = None,
        rows: int | None = None,
        progress: Callable[[int], None] | None = None,
        _bits: Bits | None = None,
    ) -> Release[P]:
        """Count the families, then publish.

        Claim:      network and prior are checked and the ledger is asked before anything is counted; all else that can fail is
                    found before the charge; nothing is drawn before the charge.
        Requires:   ``data`` is the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_publish.py::test_everything_happens_in_its_order
        """
        return self.prepare(
            data, network, ledger=ledger, prior=prior, missing=missing, rows=rows, progress=progress, _bits=_bits
        ).publish()


class CountMechanism(Mechanism[P], Protocol[P]):
    """A mechanism that needs the records only through the counts of their families."""

    __slots__ = ()

    @abstractmethod
    def check(self, network: Network, prior: Prior = UNIFORM) -> None:
        """Refuse a network, prior or budget for which there is no such release, as far as is known without the records."""
        ...

    @abstractmethod
    def _prepare(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> Prepared[Any, P]:
        """How to charge, draw and wrap; network, prior and counts have been checked."""
        ...

    def costs(self, network: Network) -> Sequence[Guarantee]:  # noqa: ARG002 - of a choice among mechanisms they depend on it
        """What a release may be charged: one of these."""
        return (self.guarantee,)

    def prepare(
        self,
        data: Any,
        network: Network,
        *,
        ledger: Ledger,
        prior: Prior = UNIFORM,
        missing: str | None = None,
        rows: int | None = None,
        progress: Callable[[int], None] | None = None,
        _bits: Bits | None = None,
    ) -> Prepared[Any, P]:
        """Count the families; the release is then only to be paid for and drawn.

        Claim:      network and prior are checked and the ledger is asked before anything is counted; nothing is charged.
        Requires:   ``data`` is the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_publish.py::test_everything_happens_in_its_order
        """
        from discreet.counts.families import family_counts

        self.check(network, prior)
        for cost in self.costs(network):
            ledger.check(cost)  # before the long work; the binding check is the charge
        counts = family_counts(data, network, missing=missing, rows=rows, progress=progress)
        return self.prepare_counts(counts, network, ledger=ledger, prior=prior, _bits=_bits)

    def publish(
        self, counts: Mapping[str, Integers], network: Network, *, ledger: Ledger, prior: Prior, _bits: Bits | None = None
    ) -> Release[P]:
        """What is left to do after counting: charge, draw and wrap.

        Claim:      what is wrong with network, prior or counts is found before the charge.
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_publish.py::test_what_cannot_be_counts_costs_nothing
        """
        return self.prepare_counts(counts, network, ledger=ledger, prior=prior, _bits=_bits).publish()

    def prepare_counts(
        self, counts: Mapping[str, Integers], network: Network, *, ledger: Ledger, prior: Prior, _bits: Bits | None = None
    ) -> Prepared[Any, P]:
        """A release of these counts that is only to be paid for and drawn.

        Claim:      what is wrong with network, prior or counts is found here; nothing is charged.
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_publish.py::test_what_cannot_be_counts_costs_nothing
        """
        self.check(network, prior)
        _check_counts(counts, network)
        return self._prepare(counts, network, ledger, prior, _bits)


class NoiseMechanism(CountMechanism[DirichletPosterior], Protocol):
    """A mechanism that releases statistics of the counts with noise on them."""

    __slots__ = ()

    @abstractmethod
    def cell_noise(self, network: Network) -> dict[str, CellNoise]:
        """The variances of the noise in every family's table, before negative cells are repaired."""
        ...

    def posterior_noise(self, network: Network) -> dict[str, CellNoise]:
        """The same for a posterior that knows about the noise: what tables say about one another is put together."""
        return self.cell_noise(network)
