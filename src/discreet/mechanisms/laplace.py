"""The paper's Algorithm 1: Laplace noise on posterior updates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from discreet.arrays import Integers
from discreet.checks import chosen_mode
from discreet.errors import ModelError
from discreet.guarantee import BudgetLike, Neighbours, PureDP, Receipt, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.discrete_laplace import DiscreteLaplace, check_scale
from discreet.kernel.publish import Statistic, publish
from discreet.measure.cell_noise import CellNoise
from discreet.measure.fused_counts import FusedCounts
from discreet.measure.needs import too_wide
from discreet.measure.noisy_counts import NoisyCounts
from discreet.measure.residuals import residual_space
from discreet.measure.strategies.fusion import (
    fused_cell_noise,
    margin_cell_noise,
    optimal_shares,
    share_scales,
    split_variances,
)
from discreet.measure.strategies.laplace import expected_absolute_noise, laplace_scale, largest_noise
from discreet.mechanisms.explained import Explained
from discreet.mechanisms.mechanism import NoiseMechanism, check_prior
from discreet.mechanisms.prepared import Prepared, furthest
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior
from discreet.planning.even_counts import divergence_at_even_counts
from discreet.planning.fused_noise import fused_noise
from discreet.planning.parameter_error import parameter_error
from discreet.planning.plan import Bound, Plan
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.releases import MechanismRecord

__all__ = ["Laplace", "Tables"]

_Noisy: TypeAlias = tuple[Mapping[str, Integers], Mapping[str, Fraction]]
"""Noisy tables and the scales of their noise, by the node of the family."""


class Tables(Enum):
    """Which family tables get noise."""

    ALL = "all"
    """Every family's, with the same scale: the paper's."""
    MAXIMAL = "maximal"
    """Those of families that no other contains; the others are their margins. Large tables get a larger share of epsilon."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Laplace(Explained, NoiseMechanism):
    """Noise on every count of every family; the noisy counts, clamped to [0, rows], update the prior.

    With ``tables="maximal"`` only families that no other contains are measured. With ``consistent=True`` in addition their
    tables are fused by least squares into the nearest ones that agree on every common margin, sum to the number of records and
    are not negative; these update the prior.

    Claim:      epsilon-differentially private under replace-one, with the number of records public.
                                                            [Paper, Algorithm 1 and Corollary 1; GUARANTEES 1.1, 2.8]
    Requires:   graph, levels and prior do not depend on the records; n is public. Fusion is for families of at most 16 nodes
                (checked before the charge).
    Checked by: tests/audit/test_small_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/audit/test_consistent_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/property/test_counts.py::test_replacing_one_record_moves_at_most_two_cells_per_family
                tests/property/test_consistency.py::test_released_tables_agree_on_every_common_margin
    """

    epsilon: Fraction
    tables: Tables
    consistent: bool

    def __init__(self, epsilon: BudgetLike, *, tables: Tables | str = Tables.ALL, consistent: bool = False) -> None:
        object.__setattr__(self, "epsilon", exact(epsilon))
        object.__setattr__(self, "tables", chosen_mode(Tables, tables, "tables says which families get noise"))
        if type(consistent) is not bool:
            raise ModelError("consistent is True or False.")
        if consistent and self.tables is not Tables.MAXIMAL:
            raise ModelError('Consistent tables are fused from those of maximal families: add tables="maximal".')
        object.__setattr__(self, "consistent", consistent)

    @property
    def name(self) -> str:
        """``laplace``, ``laplace-maximal`` or ``laplace-consistent``."""
        if self.tables is Tables.ALL:
            return "laplace"
        return "laplace-consistent" if self.consistent else "laplace-maximal"

    @property
    def guarantee(self) -> PureDP:
        """Pure differential privacy with the given epsilon."""
        return PureDP(self.epsilon)

    def cell_noise(self, network: Network) -> dict[str, CellNoise]:
        """The variances of the noise in every family's table, before negative cells are repaired."""
        variances = self._variances(network)
        if self.tables is Tables.ALL:
            # Cells with noise of their own each.
            apart = ((family.node, variances[family.node], family.levels) for family in network.families)
            return {node: CellNoise(variance, variance * levels) for node, variance, levels in apart}
        return fused_cell_noise(network, variances) if self.consistent else margin_cell_noise(network, variances)

    def posterior_noise(self, network: Network) -> dict[str, CellNoise]:
        """The same after fusion, which a posterior that knows about the noise does by itself; not for families too wide."""
        return self.cell_noise(network) if too_wide(network) else fused_cell_noise(network, self._variances(network))

    def _variances(self, network: Network) -> dict[str, float]:
        """Of a cell of each measured table, by the node of the family."""
        return split_variances(self._scales(network))

    def _scales(self, network: Network) -> dict[str, Fraction]:
        """Of the noise in each measured table, by the node of the family."""
        if self.tables is Tables.ALL:
            return dict.fromkeys(network.nodes, laplace_scale(network, self.epsilon))
        return share_scales(optimal_shares(network, self.epsilon))

    def plan(self, network: Network, rows: int, interval: float = 0.95) -> Plan:
        """Noise scale, released numbers and errors, from public quantities alone.

        Claim:      ``expected_error`` and ``largest_error`` are the mean and the quantile of the noise before clamping, not
                    bounds on them; clamping to [0, rows], where the true counts lie, only brings a count closer. For maximal
                    families they are those of the measured tables; where these are fused, of the fused tables before negative
                    cells are repaired, by simulating the noise.    [Paper, Proposition 1; GUARANTEES 1.2, 1.3, 2.8]
        Requires:   rows >= 1.
        Checked by: tests/paper/test_proposition_1.py::test_the_planned_error_is_the_error_that_happens
                    tests/unit/mechanisms/test_consistent_laplace.py::test_the_planned_error_is_the_error_that_happens
        """
        self.check(network)
        scale = laplace_scale(network, self.epsilon)
        cells, error = network.cells, expected_absolute_noise(scale)
        largest = largest_noise(scale, cells, interval)
        if self.tables is Tables.MAXIMAL:
            scales = share_scales(optimal_shares(network, self.epsilon))
            noise = fused_noise(network, scales, fused=self.consistent)
            scale, error = max(scales.values()), noise.mean_absolute
            cells = sum(family.cells for family in network.maximal_families)
            largest = noise.quantile(interval)
        return Plan(
            mechanism=self.name,
            guarantee=self.guarantee,
            neighbours=Neighbours.REPLACE_ONE,
            rows=rows,
            released_numbers=cells,
            noise_scale=scale,
            expected_error=error,
            largest_error=largest,
            interval=interval,
            parameter_error=parameter_error(network, rows, self.posterior_noise(network)),
            bounds=self._bounds(network, rows),
        )

    def _bounds(self, network: Network, rows: int) -> tuple[Bound, ...]:
        """What the paper's theorems say about it without data."""
        if self.tables is not Tables.ALL or any(variable.size != 2 for variable in network.variables):
            return ()
        value = divergence_at_even_counts(network, rows, laplace_scale(network, self.epsilon))
        meaning = "expected divergence of the released posterior from the exact one, if all parent configurations are alike"
        return (Bound("theorem-1", value, "nats", meaning),)

    def check(self, network: Network, prior: Prior = UNIFORM) -> None:
        """Refuse a network, a prior or an epsilon for which there is no such release."""
        check_prior(network, prior)
        if self.tables is Tables.MAXIMAL:
            residual_space(network)  # says what is wrong with a family that is too wide
        check_scale(max(self._scales(network).values()))

    def _prepare(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> Prepared[_Noisy, DirichletPosterior]:
        """How family counts become a release: what is left to do after counting.

        Claim:      the result depends on the records only through the noisy counts and their number; all else is
                    post-processing.                                                        [Paper, Algorithm 1]
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/audit/test_small_worlds.py::test_the_release_is_the_clamped_sum_of_counts_and_noise
                    tests/audit/test_consistent_worlds.py::test_the_release_is_the_sum_of_maximal_counts_and_noise
        """
        rows = int(counts[network.nodes[0]].sum())

        def charge() -> tuple[_Noisy, Receipt]:
            return self._charge(counts, network, ledger, bits)

        def make(noisy: _Noisy) -> DirichletPosterior:
            tables, scales = noisy
            if self.tables is Tables.ALL:
                return DirichletPosterior(network, prior, NoisyCounts(tables, max(scales.values()), rows))
            return DirichletPosterior(network, prior, FusedCounts(network, tables, scales, rows, self.consistent))

        scales = self._scales(network)
        blank = {node: np.full_like(counts[node], furthest(rows, scale)) for node, scale in scales.items()}
        record = MechanismRecord(self.name, {"epsilon": str(self.epsilon)})
        return Prepared(record, self.guarantee, ledger, charge, make, (blank, scales), bits)

    def _charge(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, bits: Bits | None
    ) -> tuple[_Noisy, Receipt]:
        """Charge, and add noise to the tables that get some."""
        from discreet.counts.families import table_sensitivity

        scales, moved = self._scales(network), table_sensitivity()
        statistics = {node: Statistic(counts[node], DiscreteLaplace(scale, moved)) for node, scale in scales.items()}
        noisy, receipt = publish(statistics, self.guarantee, ledger, self.name, _bits=bits)
        return (noisy, scales), receipt
