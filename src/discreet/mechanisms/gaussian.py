"""Discrete Gaussian noise on margins, under zero-concentrated privacy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from discreet.arrays import Integers
from discreet.conversion import rho_of_epsilon
from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, BudgetLike, Neighbours, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.discrete_gaussian import check_variance
from discreet.measure.laws import GaussianNoise
from discreet.measure.measurement import Measurement
from discreet.measure.needs import CellNoise, fused_cell_noise
from discreet.measure.strategies.gaussian import gaussian_measurements
from discreet.mechanisms.explained import Explained
from discreet.mechanisms.mechanism import NoiseMechanism, check_prior
from discreet.mechanisms.publishing import PreparedNoise, prepare_noise
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior
from discreet.planning.fused_noise import fused_noise
from discreet.planning.parameter_error import parameter_error
from discreet.planning.plan import Plan
from discreet.releases import MechanismRecord

__all__ = ["Gaussian"]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Gaussian(Explained, NoiseMechanism):
    """Discrete Gaussian noise on margins of the families; the noisy margins are fused into tables that update the prior.

    Give ``epsilon`` and ``delta``: then rho is the largest that certainly keeps (epsilon, delta)-privacy. Or give ``rho`` by
    name. Which margins are measured, and how well, is chosen from the graph alone. The ledger needs a delta.

    Claim:      rho-zero-concentrated differentially private under replace-one, with the number of records public.
                                                            [Canonne, Kamath & Steinke 2020; GUARANTEES 7.2]
    Requires:   graph, levels and prior do not depend on the records; n is public; families of at most 16 nodes (checked before
                the charge).
    Checked by: tests/audit/test_gaussian_worlds.py::test_no_divergence_is_larger_than_rho_allows
                tests/property/test_blocks.py::test_replacing_one_record_moves_a_margin_by_at_most_the_root_of_two
                tests/statistical/test_discrete_gaussian.py::test_draws_follow_the_exact_law
    """

    rho: Fraction

    def __init__(
        self, epsilon: BudgetLike | None = None, delta: BudgetLike | None = None, *, rho: BudgetLike | None = None
    ) -> None:
        match rho, epsilon, delta:
            case None, epsilon, delta if epsilon is not None and delta is not None:
                value = rho_of_epsilon(exact(epsilon), exact(delta, "delta"))
            case rho, None, None if rho is not None:
                value = exact(rho, "rho")
            case _:
                raise BudgetError(
                    'Gaussian noise needs epsilon and delta, such as Gaussian("0.5", delta="1e-6"), or rho alone, by name: '
                    'Gaussian(rho="0.01"). A rho is no epsilon: rho 0.5 is about epsilon 5 at a delta of 1e-6.'
                )
        object.__setattr__(self, "rho", value)

    @property
    def name(self) -> str:
        """``gaussian``."""
        return "gaussian"

    @property
    def guarantee(self) -> ZCDP:
        """Zero-concentrated differential privacy."""
        return ZCDP(self.rho)

    def measurements(self, network: Network) -> tuple[Measurement, ...]:
        """What is measured, with which noise."""
        return gaussian_measurements(network, self.rho)

    def cell_noise(self, network: Network) -> dict[str, CellNoise]:
        """The variances of the noise in every family's table, before negative cells are repaired."""
        return fused_cell_noise(network, self.measurements(network))

    def plan(self, network: Network, rows: int, interval: float = 0.95) -> Plan:
        """Noise, released numbers and errors of the fused tables before negative cells are repaired.

        Claim:      depends on public quantities alone; errors are those of Gaussian noise with the variances of the discrete
                    law, up to simulation.
        Requires:   families of at most 16 nodes (checked).
        Checked by: tests/unit/mechanisms/test_gaussian.py::test_the_planned_error_is_the_error_that_happens
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

    def check(self, network: Network, prior: Prior = UNIFORM) -> None:
        """Refuse a network, a prior or a rho for which there is no such release."""
        check_prior(network, prior)
        for each in self.measurements(network):  # a family that is too wide fails here
            if isinstance(each.law, GaussianNoise):
                check_variance(each.law.parameter)

    def _prepare(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> PreparedNoise:
        """How family counts become a release: what is left to do after counting.

        Claim:      the result depends on the records only through the noisy margins and the number of records; fusion and the
                    repair of negative cells are post-processing.                               [GUARANTEES 7.2]
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/audit/test_gaussian_worlds.py::test_the_release_is_the_sum_of_margins_and_noise
        """
        record = MechanismRecord(self.name, {"rho": str(self.rho)})
        return prepare_noise(record, self.guarantee, self.measurements(network), counts, network, prior, ledger, bits)
