"""K-norm noise by parent configuration: many children of the same parents share one radius of noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.arrays import Integers
from discreet.guarantee import BudgetLike, Neighbours, PureDP, Receipt, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.body import Body, Product, Sum, l1_ball
from discreet.kernel.noise.knorm import KNorm as KNormNoise
from discreet.kernel.noise.knorm import check_knorm
from discreet.kernel.publish import Statistic, publish
from discreet.measure.cell_noise import CellNoise
from discreet.measure.noisy_blocks import NoisyBlocks
from discreet.measure.strategies.blocks import Bundle
from discreet.measure.strategies.knorm import knorm_cell_noise, optimal_bundles
from discreet.mechanisms.explained import Explained
from discreet.mechanisms.mechanism import NoiseMechanism, check_prior
from discreet.mechanisms.prepared import Prepared, furthest
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior
from discreet.planning.fused_noise import fused_block_noise
from discreet.planning.parameter_error import parameter_error
from discreet.planning.plan import Plan
from discreet.posterior.dirichlet import DirichletPosterior
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

    def cell_noise(self, network: Network) -> dict[str, CellNoise]:
        """The variances of the noise in every family's table, before negative cells are repaired."""
        return knorm_cell_noise(network, optimal_bundles(network, self.epsilon))

    def plan(self, network: Network, rows: int, interval: float = 0.95) -> Plan:
        """Noise scale, released numbers and errors of the fused tables before negative cells are repaired.

        Claim:      depends on public quantities alone; errors are those of the noise really used, up to simulation.
        Requires:   families of at most 16 nodes (checked).
        Checked by: tests/unit/mechanisms/test_knorm_mechanism.py::test_the_planned_error_is_the_error_that_happens
        """
        bundles = optimal_bundles(network, self.epsilon)
        noise = fused_block_noise(network, bundles)
        return Plan(
            mechanism=self.name,
            guarantee=self.guarantee,
            neighbours=Neighbours.REPLACE_ONE,
            rows=rows,
            released_numbers=sum(bundle.dimension for bundle in bundles),
            noise_scale=max(bundle.scale for bundle in bundles),
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
    ) -> Prepared[dict[str, Integers], DirichletPosterior]:
        """How family counts become a release: what is left to do after counting.

        Claim:      the result depends on the records only through the noisy blocks and the number of records; fusion and the
                    repair of negative cells are post-processing.                               [GUARANTEES 10]
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/audit/test_knorm_worlds.py::test_the_release_is_the_sum_of_blocks_and_noise
        """
        bundles = optimal_bundles(network, self.epsilon)
        rows = int(counts[network.nodes[0]].sum())
        statistics = _statistics(counts, network, bundles)

        def charge() -> tuple[dict[str, Integers], Receipt]:
            return publish(statistics, self.guarantee, ledger, self.name, _bits=bits)

        def make(noisy: dict[str, Integers]) -> DirichletPosterior:
            published = tuple(_divided(noisy[str(place)], bundle) for place, bundle in enumerate(bundles))
            return DirichletPosterior(network, prior, NoisyBlocks(network, bundles, published, rows))

        blank = {
            place: np.full_like(each.numbers, furthest(rows, bundle.scale, bundle.dimension))
            for (place, each), bundle in zip(statistics.items(), bundles, strict=True)
        }
        record = MechanismRecord(self.name, {"epsilon": str(self.epsilon)})
        return Prepared(record, self.guarantee, ledger, charge, make, blank, bits)


def _statistics(counts: Mapping[str, Integers], network: Network, bundles: tuple[Bundle, ...]) -> dict[str, Statistic]:
    """One statistic for each bundle."""
    from discreet.counts.blocks import block_counts, block_sensitivity

    moved = Fraction(block_sensitivity())
    blocks = block_counts(counts, network, bundles)
    return {
        str(place): Statistic(
            np.concatenate([block.ravel() for block in own]), KNormNoise(bundle_body(bundle), moved, bundle.epsilon)
        )
        for place, (bundle, own) in enumerate(zip(bundles, blocks, strict=True))
    }


def bundle_body(bundle: Bundle) -> Body:
    """The unit ball of a bundle's norm: the largest over groups of the sum over blocks of the largest L1 norm of a part."""
    return Product(
        tuple(Sum((Product(tuple(l1_ball(part) for part in group.parts)),) * group.configurations) for group in bundle.groups)
    )


def _divided(numbers: Integers, bundle: Bundle) -> tuple[Integers, ...]:
    """One long array into a table of configurations x width for each group."""
    ends = np.cumsum([group.dimension for group in bundle.groups])[:-1]
    return tuple(
        part.reshape(group.configurations, group.width)
        for part, group in zip(np.split(numbers, ends), bundle.groups, strict=True)
    )
