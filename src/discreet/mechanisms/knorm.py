"""K-norm noise by parent configuration: many children of the same parents share one radius of noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from discreet.arrays import Integers
from discreet.guarantee import BudgetLike, Neighbours, PureDP, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.knorm import check_knorm
from discreet.measure.measurement import Measurement
from discreet.measure.needs import CellNoise, fused_cell_noise
from discreet.measure.strategies.knorm import knorm_measurements, optimal_bundles
from discreet.mechanisms.explained import Explained
from discreet.mechanisms.mechanism import NoiseMechanism, check_prior
from discreet.mechanisms.publishing import PreparedNoise, bundle_body, prepare_noise
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior
from discreet.planning.fused_noise import fused_noise
from discreet.planning.parameter_error import parameter_error
from discreet.planning.plan import Plan
from discreet.releases import MechanismRecord

__all__ = ["KNorm"]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class KNorm(Explained, NoiseMechanism):
    """Noise of a shape that fits what one record can change; the noisy blocks are fused into tables that update the prior.

    Nodes with the same parents are measured together: for each configuration of the parents the number of records, a signed
    difference for each binary child and the counts of the levels of any other. One record moves all of a group's numbers
    together by at most 2 in a norm that does not add up children or configurations, so their noise need not add up either.
    What is measured, which groups share a radius and how epsilon is split is chosen from the graph alone.

    Claim:      epsilon-differentially private under replace-one, with the number of records public.
                                                            [Hardt & Talwar 2010; GUARANTEES 10, 11]
    Requires:   graph, levels and prior do not depend on the records; n is public; families of at most 16 nodes (checked before
                the charge).
    Checked by: tests/audit/test_knorm_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/property/test_blocks.py::test_replacing_one_record_moves_a_group_by_at_most_two_and_two_is_attained
                tests/statistical/test_knorm.py::test_one_coordinate_has_the_exact_law
    """

    epsilon: Fraction

    def __init__(self, epsilon: BudgetLike) -> None:
        object.__setattr__(self, "epsilon", exact(epsilon))

    @property
    def name(self) -> str:
        """``knorm``."""
        return "knorm"

    @property
    def guarantee(self) -> PureDP:
        """Pure differential privacy with the given epsilon."""
        return PureDP(self.epsilon)

    def measurements(self, network: Network) -> tuple[Measurement, ...]:
        """What is measured, with which noise."""
        return knorm_measurements(optimal_bundles(network, self.epsilon))

    def cell_noise(self, network: Network) -> dict[str, CellNoise]:
        """The variances of the noise in every family's table, before negative cells are repaired."""
        return fused_cell_noise(network, self.measurements(network))

    def plan(self, network: Network, rows: int, interval: float = 0.95) -> Plan:
        """Noise scale, released numbers and errors of the fused tables before negative cells are repaired.

        Claim:      depends on public quantities alone; errors are those of the noise really used, up to simulation.
        Requires:   families of at most 16 nodes (checked).
        Checked by: tests/unit/mechanisms/test_knorm_mechanism.py::test_the_planned_error_is_the_error_that_happens
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
        """Refuse a network, a prior or an epsilon for which there is no such release."""
        check_prior(network, prior)
        for bundle in optimal_bundles(network, self.epsilon):  # a family that is too wide fails here
            check_knorm(bundle_body(bundle), bundle.scale)

    def _prepare(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> PreparedNoise:
        """How family counts become a release: what is left to do after counting.

        Claim:      the result depends on the records only through the noisy blocks and the number of records; fusion and the
                    repair of negative cells are post-processing.                               [GUARANTEES 10]
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/audit/test_knorm_worlds.py::test_the_release_is_the_sum_of_blocks_and_noise
        """
        record = MechanismRecord(self.name, {"epsilon": str(self.epsilon)})
        return prepare_noise(record, self.guarantee, self.measurements(network), counts, network, prior, ledger, bits)
