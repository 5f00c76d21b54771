"""Discrete Gaussian noise on margins, under zero-concentrated privacy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.arrays import Integers
from discreet.conversion import rho_of_epsilon
from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, BudgetLike, Neighbours, Receipt, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.discrete_gaussian import DiscreteGaussian, check_variance
from discreet.kernel.publish import Statistic, publish
from discreet.measure.cell_noise import CellNoise
from discreet.measure.needs import Measured
from discreet.measure.noisy_margins import NoisyMargins
from discreet.measure.strategies.gaussian import gaussian_cell_noise, gaussian_variance, optimal_margins, standard_deviation
from discreet.mechanisms.explained import Explained
from discreet.mechanisms.mechanism import NoiseMechanism, check_prior
from discreet.mechanisms.prepared import Prepared, furthest
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior
from discreet.planning.fused_noise import fused_table_noise
from discreet.planning.parameter_error import parameter_error
from discreet.planning.plan import Plan
from discreet.posterior.dirichlet import DirichletPosterior
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

    def cell_noise(self, network: Network) -> dict[str, CellNoise]:
        """The variances of the noise in every family's table, before negative cells are repaired."""
        return gaussian_cell_noise(network, optimal_margins(network, self.rho))

    def plan(self, network: Network, rows: int, interval: float = 0.95) -> Plan:
        """Noise, released numbers and errors of the fused tables before negative cells are repaired.

        Claim:      depends on public quantities alone; errors are those of Gaussian noise with the variances of the discrete
                    law, up to simulation.
        Requires:   families of at most 16 nodes (checked).
        Checked by: tests/unit/mechanisms/test_gaussian.py::test_the_planned_error_is_the_error_that_happens
        """
        margins = optimal_margins(network, self.rho)
        tables = [Measured(margin.nodes) for margin in margins]
        noise = fused_table_noise(network, tables, [gaussian_variance(margin.variance) for margin in margins])
        return Plan(
            mechanism=self.name,
            guarantee=self.guarantee,
            neighbours=Neighbours.REPLACE_ONE,
            rows=rows,
            released_numbers=noise.measured,
            noise_scale=standard_deviation(max(margin.variance for margin in margins)),
            expected_error=noise.mean_absolute,
            largest_error=noise.quantile(interval),
            interval=interval,
            parameter_error=parameter_error(network, rows, self.posterior_noise(network)),
        )

    def check(self, network: Network, prior: Prior = UNIFORM) -> None:
        """Refuse a network, a prior or a rho for which there is no such release."""
        check_prior(network, prior)
        for margin in optimal_margins(network, self.rho):  # a family that is too wide fails here
            check_variance(margin.variance)

    def _prepare(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> Prepared[dict[str, Integers], DirichletPosterior]:
        """How family counts become a release: what is left to do after counting.

        Claim:      the result depends on the records only through the noisy margins and the number of records; fusion and the
                    repair of negative cells are post-processing.                               [GUARANTEES 7.2]
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/audit/test_gaussian_worlds.py::test_the_release_is_the_sum_of_margins_and_noise
        """
        from discreet.counts.margins import margin_counts, squared_margin_sensitivity

        record = MechanismRecord(self.name, {"rho": str(self.rho)})
        margins = optimal_margins(network, self.rho)
        tables = margin_counts(counts, network, [margin.nodes for margin in margins])
        statistics = {
            str(place): Statistic(table, DiscreteGaussian(margin.variance, squared_margin_sensitivity()))
            for place, (table, margin) in enumerate(zip(tables, margins, strict=True))
        }
        rows = int(counts[network.nodes[0]].sum())

        def charge() -> tuple[dict[str, Integers], Receipt]:
            return publish(statistics, self.guarantee, ledger, self.name, _bits=bits)

        def make(noisy: dict[str, Integers]) -> DirichletPosterior:
            return DirichletPosterior(network, prior, NoisyMargins(network, margins, tuple(noisy.values()), rows))

        far = furthest(rows, standard_deviation(max(margin.variance for margin in margins)))
        blank = {place: np.full_like(each.numbers, far) for place, each in statistics.items()}
        return Prepared(record, self.guarantee, ledger, charge, make, blank, bits)
