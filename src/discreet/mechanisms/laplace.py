"""The paper's Algorithm 1: Laplace noise on posterior updates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from discreet.arrays import Integers
from discreet.checks import chosen_mode
from discreet.errors import ModelError
from discreet.guarantee import BudgetLike, Neighbours, PureDP, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.laplace import check_scale
from discreet.measure.measurement import Measurement
from discreet.measure.needs import CellNoise, check_width, too_wide
from discreet.measure.observations import expected_cell_noise
from discreet.measure.published import Repair
from discreet.measure.strategies.laplace import (
    expected_absolute_noise,
    family_measurements,
    laplace_scale,
    largest_noise,
    margin_cell_noise,
    maximal_measurements,
)
from discreet.mechanisms.mechanism import Explained, NoiseMechanism
from discreet.mechanisms.publishing import PreparedNoise, prepare_noise
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior, check_prior
from discreet.planning.fused_noise import fused_noise
from discreet.planning.parameter_error import parameter_error
from discreet.planning.plan import Bound, Plan
from discreet.planning.worlds import divergence_at_even_counts
from discreet.releases import MechanismRecord

__all__ = ["Laplace", "Tables"]


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

    def measurements(self, network: Network) -> tuple[Measurement, ...]:
        """What is measured, with which noise."""
        return (family_measurements if self.tables is Tables.ALL else maximal_measurements)(network, self.epsilon)

    def cell_noise(self, network: Network) -> dict[str, CellNoise]:
        """The variances of the noise in every family's table, before negative cells are repaired."""
        return (expected_cell_noise if self.consistent else margin_cell_noise)(network, self.measurements(network))

    def posterior_noise(self, network: Network) -> dict[str, CellNoise]:
        """The same after fusion, which a posterior that knows about the noise does by itself; not for families too wide."""
        return self.cell_noise(network) if too_wide(network) else expected_cell_noise(network, self.measurements(network))

    def node_noise(self, network: Network, node: str) -> CellNoise:
        """The same for one family."""
        if too_wide(network):
            return self.cell_noise(network)[node]
        return expected_cell_noise(network, self.measurements(network), node)[node]

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
        cells = sum(family.possible_cells for family in network.families)
        error = expected_absolute_noise(scale)
        largest = largest_noise(scale, cells, interval)
        if self.tables is Tables.MAXIMAL:
            measurements = self.measurements(network)
            noise = fused_noise(network, measurements, fused=self.consistent)
            scale, error, cells = max(each.law.scale for each in measurements), noise.mean_absolute, noise.measured
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
            check_width(network)
        check_scale(max(each.law.scale for each in self.measurements(network)))

    def _prepare(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> PreparedNoise:
        """How family counts become a release: what is left to do after counting.

        Claim:      the result depends on the records only through the noisy counts and their number; all else is
                    post-processing.                                                        [Paper, Algorithm 1]
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/audit/test_small_worlds.py::test_the_release_is_the_clamped_sum_of_counts_and_noise
                    tests/audit/test_consistent_worlds.py::test_the_release_is_the_sum_of_maximal_counts_and_noise
        """
        record = MechanismRecord(self.name, {"epsilon": str(self.epsilon)})
        repair = Repair.PROJECT if self.consistent else Repair.CLAMP
        return prepare_noise(record, self.guarantee, self.measurements(network), counts, network, prior, ledger, bits, repair)
