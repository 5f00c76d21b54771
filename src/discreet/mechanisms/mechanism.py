"""What every mechanism offers, whatever kind of model it is for: one frame from records to a release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from discreet.errors import ModelError, of_kind
from discreet.guarantee import Guarantee, Neighbours
from discreet.kernel.bits import Bits, OperatingSystemBits
from discreet.kernel.ledger import Ledger
from discreet.measure.measurement import Measurement
from discreet.measure.needs import CellNoise
from discreet.measure.observations import expected_cell_noise
from discreet.mechanisms.explained import Explained, check_unit
from discreet.mechanisms.prepared import Prepared
from discreet.mechanisms.publishing import PreparedNoise, check_noise, prepare_noise
from discreet.mechanisms.subject import FAMILY_COUNTS, MOMENTS, STATISTICS, FamilyCounts, RecordStatistic
from discreet.model.declaration import kind_of_model
from discreet.model.linear import LinearModel
from discreet.model.network import Network
from discreet.model.prior import LEARNED, UNIFORM, Prior, check_prior
from discreet.planning.fused_noise import fused_noise
from discreet.planning.parameter_error import parameter_error
from discreet.planning.plan import Plan
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.release_file.payment import guarantee_to_json
from discreet.releases import MechanismRecord, Release

if TYPE_CHECKING:
    from discreet.counts.moments import Moments

__all__ = ["CountMechanism", "Explained", "Mechanism", "NoiseMechanism", "RegressionMechanism", "check_given"]

M = TypeVar("M")
P = TypeVar("P")


def check_given(mechanism: Mechanism[Any, Any], model: object, prior: object, missing: str | None = None) -> None:
    """Refuse a model of a kind that the mechanism is not for, and what such a model declares by itself.

    Claim:      afterwards the statistic of the mechanism is one of such models, and neither a prior nor a level for gaps is
                given beside a model that leaves no room for them.
    Requires:   nothing; called before anything is read.
    Checked by: tests/unit/mechanisms/test_publish.py::test_a_wrong_pair_is_told_before_anything_is_read
                tests/unit/mechanisms/test_publish.py::test_what_a_line_declares_itself_is_not_given_again
    """
    kind, own = kind_of_model(model), mechanism.statistic.kind
    if kind is None:
        raise ModelError(f"{of_kind(model)} is no model. discreet.release takes files and the models of other libraries, too.")
    if kind is not own:
        advice = "".join(f" Use {each.example}, for example." for each in STATISTICS if each.kind is kind)
        raise ModelError(f"{of_kind(mechanism)} is for {own.plural}, not for {kind.plural}.{advice}")
    if kind.declares_prior and (prior is not None or missing is not None):
        raise ModelError(f"prior and missing are not for {kind.plural}: these declare their own prior and take no gaps.")


class Mechanism(Protocol[M, P]):
    """A way to release a posterior P of a model M. Its fields are the inputs of the algorithm, all of them public."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The word by which the command and the release file know the mechanism."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What one release costs at the most."""
        ...

    @property
    @abstractmethod
    def statistic(self) -> RecordStatistic[M, Any]:
        """What it needs to know about the records."""
        ...

    @property
    def default_prior(self) -> Prior:
        """The prior where none is declared."""
        return UNIFORM

    @property
    def takes_averages(self) -> bool:
        """Whether the statistic may be in parts of persons. Only where that is proved and the parts are reckoned with."""
        return False

    @abstractmethod
    def plan(self, model: M, rows: int, /) -> Plan:
        """What would be released and how wrong it would be; touches no data."""
        ...

    @abstractmethod
    def check(self, model: M, prior: Prior = UNIFORM, /) -> None:
        """Refuse a model, prior or budget for which there is no such release, as far as is known without the records."""
        ...

    @abstractmethod
    def _prepare(self, found: Any, model: M, ledger: Ledger, prior: Prior, bits: Bits | None, /) -> Prepared[Any, P]:
        """How to charge, draw and wrap; model, prior and statistic have been checked."""
        ...

    def costs(self, model: M, /) -> Sequence[Guarantee]:  # noqa: ARG002 - some depend on it
        """What a release may be charged: one of these."""
        return (self.guarantee,)

    def release(
        self,
        data: Any,
        model: M,
        *,
        ledger: Ledger,
        prior: Prior | None = None,
        missing: str | None = None,
        rows: int | None = None,
        progress: Callable[[int], None] | None = None,
        _bits: Bits | None = None,
    ) -> Release[P]:
        """Go through the records, then publish.

        Claim:      model and prior are checked and the ledger is asked before anything is counted; all else that can fail is
                    found before the charge; nothing is drawn before the charge.
        Requires:   ``data`` is the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_publish.py::test_everything_happens_in_its_order
        """
        return self.prepare(
            data, model, ledger=ledger, prior=prior, missing=missing, rows=rows, progress=progress, _bits=_bits
        ).publish()

    def prepare(
        self,
        data: Any,
        model: M,
        *,
        ledger: Ledger,
        prior: Prior | None = None,
        missing: str | None = None,
        rows: int | None = None,
        progress: Callable[[int], None] | None = None,
        _bits: Bits | None = None,
    ) -> Prepared[Any, P]:
        """Go through the records; the release is then only to be paid for and drawn.

        Claim:      model and prior are checked and the ledger is asked before anything is counted; nothing is charged.
        Requires:   ``data`` is the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_publish.py::test_everything_happens_in_its_order
        """
        check_given(self, model, prior, missing)
        self.check(model, self.default_prior if prior is None else prior)
        for cost in self.costs(model):
            ledger.check(cost)  # before the long work; the binding check is the charge
        check_unit(self, ledger.unit)
        source = OperatingSystemBits() if _bits is None else _bits
        found = self.statistic.count(
            data, model, missing=missing, rows=rows, progress=progress, unit=ledger.unit, random_bytes=source.read
        )
        return self.prepare_found(found, model, ledger=ledger, prior=prior, _bits=_bits)

    def prepare_found(
        self, found: Any, model: M, *, ledger: Ledger, prior: Prior | None = None, _bits: Bits | None = None
    ) -> Prepared[Any, P]:
        """A release of this statistic that is only to be paid for and drawn.

        Claim:      what is wrong with model, prior or statistic is found here; nothing is charged.
        Requires:   ``found`` is the statistic, by this model, of the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_publish.py::test_what_cannot_be_counts_costs_nothing
                    tests/unit/mechanisms/test_publish.py::test_moments_of_another_model_cost_nothing
        """
        check_given(self, model, prior)
        belief = self.default_prior if prior is None else prior
        self.check(model, belief)
        check_unit(self, ledger.unit)
        self.statistic.check(found, model)
        return self._prepare(found, model, ledger, belief, _bits).beware(*self.statistic.kind.caveats(model))


class CountMechanism(Mechanism[Network, P], Protocol[P]):
    """A mechanism for networks, which needs the records only through the counts of their families."""

    __slots__ = ()

    @property
    def statistic(self) -> RecordStatistic[Network, FamilyCounts]:
        """The tables of all families."""
        return FAMILY_COUNTS


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


class NoiseMechanism(CountMechanism[DirichletPosterior], Protocol):
    """A mechanism that releases statistics of the counts with noise on them.

    It needs to say its name, its guarantee and what it measures. All else follows, for who does not know better: the noisy
    numbers are fused by least squares into the nearest tables that agree and are not negative, and these update the prior.
    """

    __slots__ = ()

    @property
    def takes_averages(self) -> bool:
        """Noise is made for norms of linear statistics, which an average over records moves no further than one record."""
        return True

    @property
    def default_prior(self) -> Prior:
        """A prior that learns: noise does not depend on it, and the posterior that knows of the noise can learn."""
        return LEARNED

    @abstractmethod
    def measurements(self, network: Network) -> tuple[Measurement, ...]:
        """What is measured, with which noise: a strategy's choice, from the network and the budget alone."""
        ...

    def check(self, network: Network, prior: Prior = UNIFORM) -> None:
        """Refuse a network, a prior or a budget for which there is no such release."""
        check_prior(network, prior)
        check_noise(self.measurements(network))

    def cell_noise(self, network: Network) -> dict[str, CellNoise]:
        """The variances of the noise in every family's table, before negative cells are repaired."""
        return expected_cell_noise(network, self.measurements(network))

    def plan(self, network: Network, rows: int, interval: float = 0.95) -> Plan:
        """Noise, released numbers and errors of the fused tables before negative cells are repaired.

        Claim:      depends on public quantities alone; errors are those of the noise really used, up to simulation. Gaussian
                    noise is simulated by the continuous law with the variances of the discrete one.
        Requires:   measurements from which every family can be recovered.
        Checked by: tests/unit/mechanisms/test_knorm_mechanism.py::test_the_planned_error_is_the_error_that_happens
                    tests/unit/mechanisms/test_gaussian.py::test_the_planned_error_is_the_error_that_happens
        """
        measurements = self.measurements(network)
        noise = fused_noise(network, measurements)
        return Plan(
            mechanism=self.name,
            guarantee=self.guarantee,
            neighbours=Neighbours.REPLACE_ONE,
            rows=rows,
            released_numbers=noise.measured,
            noise_scale=max(each.law.scale for each in measurements),
            expected_error=noise.mean_absolute,
            largest_error=noise.quantile(interval),
            interval=interval,
            parameter_error=parameter_error(network, rows, self.posterior_noise(network)),
        )

    def _prepare(
        self, counts: FamilyCounts, network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> PreparedNoise:
        """How family counts become a release: what is left to do after counting.

        Claim:      the result depends on the records only through the noisy numbers and the number of records; fusion and the
                    repair of negative cells are post-processing.                           [GUARANTEES 7.2, 10]
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/audit/test_knorm_worlds.py::test_the_release_is_the_sum_of_blocks_and_noise
                    tests/audit/test_gaussian_worlds.py::test_the_release_is_the_sum_of_margins_and_noise
        """
        budget = {name: value for name, value in guarantee_to_json(self.guarantee).items() if name != "kind"}
        record = MechanismRecord(self.name, budget)
        return prepare_noise(record, self.guarantee, self.measurements(network), counts, network, prior, ledger, bits)

    def posterior_noise(self, network: Network) -> dict[str, CellNoise]:
        """The same for a posterior that knows about the noise: what tables say about one another is put together."""
        return self.cell_noise(network)
