"""What every mechanism offers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from discreet.bounds.cell_noise import CellNoise
from discreet.bounds.plan import Plan
from discreet.guarantee import ZCDP, ApproxDP, Caveat, Guarantee, Receipt
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.noisy_counts import Counts
from discreet.posterior.release import Release

__all__ = ["PRIOR_RELEASE", "CountMechanism", "Mechanism", "caveats", "check_prior"]

P = TypeVar("P")

_PUBLIC_ROWS = Caveat("public-rows", "The number of records is published exactly; the guarantee does not hide it.")
_ONE_RECORD = "The guarantee protects one record. Someone with several records is protected less: "
_UNLIMITED = Caveat(
    "unlimited-ledger",
    "Made without a cap on the privacy budget, as for experiments on public data. Do not rely on it for private data.",
)
_SCRIPTED = Caveat("scripted-bits", "Made with scripted random bits, as in tests. It protects nobody.")
PRIOR_RELEASE = Caveat(
    "prior-release",
    "The prior is the posterior of an earlier release, whose noisy counts this one contains. Whoever has a record in both "
    "data sets is protected only by both guarantees together, whose budgets add up; records that are in both count twice.",
)


def caveats(receipt: Receipt, scripted: Bits | None) -> tuple[Caveat, ...]:
    """What must be said about every release: always, without a cap, and with scripted bits.

    Claim:      a release without a cap, or with noise that is not from the operating system, says so.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_pipeline.py::test_an_unlimited_ledger_is_mentioned_in_the_release
                tests/unit/mechanisms/test_pipeline.py::test_scripted_bits_are_mentioned_in_the_release
    """
    said = [_PUBLIC_ROWS, Caveat("one-record", _ONE_RECORD + _less(receipt.guarantee))]
    if receipt.unlimited:
        said.append(_UNLIMITED)
    if scripted is not None:
        said.append(_SCRIPTED)
    return tuple(said)


def check_prior(network: Network, prior: Prior) -> None:
    """Refuse a prior that does not fit the network.

    Claim:      afterwards the prior has a table of the right shape for every family, so that a posterior can be made of it.
    Requires:   nothing; called before the charge, so that no budget is spent on a release that nobody can use.
    Checked by: tests/unit/mechanisms/test_pipeline.py::test_a_mechanism_refuses_a_prior_that_does_not_fit_before_the_charge
    """
    for family in network.families:
        prior.concentration(family)


def _less(guarantee: Guarantee) -> str:
    """What protects someone with several records."""
    match guarantee:
        case ZCDP():
            return "rho times the square of their number."
        case ApproxDP():  # k records: delta (1 + exp(epsilon) + ... + exp((k - 1) epsilon))
            return "epsilon times as many, and delta grows faster still: k exp((k - 1) epsilon) times for k records."
    return "epsilon times as many."


class Mechanism(Protocol[P]):
    """A way to release a posterior P of a network. Its fields are the inputs of the algorithm, all of them public."""

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

    def release(
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
    ) -> Release[P]:
        """Count, charge, add noise and wrap the result."""
        ...


class CountMechanism(Mechanism[DirichletPosterior], Protocol):
    """A mechanism that needs the records only through the counts of their families."""

    @abstractmethod
    def check(self, network: Network) -> None:
        """Refuse a network or a budget for which there is no such release, before anything is counted or charged."""
        ...

    @abstractmethod
    def cell_noise(self, network: Network) -> dict[str, CellNoise]:
        """The variances of the noise in every family's table, before negative cells are repaired."""
        ...

    @abstractmethod
    def publish(
        self, counts: Mapping[str, Counts], network: Network, *, ledger: Ledger, prior: Prior, _bits: Bits | None = None
    ) -> Release[DirichletPosterior]:
        """Charge, add noise and wrap: what is left to do after counting."""
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
    ) -> Release[DirichletPosterior]:
        """Count the families of the whole data set under the ledger's name, then publish."""
        from discreet.counts.families import family_counts

        self.check(network)
        ledger.check(self.guarantee)  # before the long work; the binding check is the charge
        counts = family_counts(data, network, missing=missing, rows=rows, progress=progress)
        return self.publish(counts, network, ledger=ledger, prior=prior, _bits=_bits)
