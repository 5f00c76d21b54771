"""K-norm noise by parent configuration: many children of the same parents share one radius of noise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.guarantee import BudgetLike, PureDP, exact
from discreet.measure.measurement import Measurement
from discreet.measure.strategies.knorm import knorm_measurements, optimal_bundles
from discreet.mechanisms.mechanism import Explained, NoiseMechanism
from discreet.model.network import Network

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
