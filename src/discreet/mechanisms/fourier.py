"""The paper's Algorithm 2: Laplace noise in the Fourier domain, in integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real

import numpy as np

from discreet.arrays import Integers
from discreet.checks import chosen_mode
from discreet.errors import ModelError
from discreet.guarantee import BudgetLike, Neighbours, PureDP, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.laplace import check_scale
from discreet.measure.measurement import Measurement
from discreet.measure.needs import CellNoise
from discreet.measure.observations import expected_cell_noise
from discreet.measure.published import Repair
from discreet.measure.strategies.parity_weights import ParityWeights, Weights, parity_weights
from discreet.measure.strategies.stealth import parity_noise, stealth_increment
from discreet.mechanisms.mechanism import Explained, NoiseMechanism
from discreet.mechanisms.publishing import PreparedNoise, prepare_noise
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior, check_prior
from discreet.planning.parameter_error import parameter_error
from discreet.planning.plan import Bound, Plan
from discreet.releases import MechanismRecord
from discreet.theorems.fourier_utility import fourier_utility

__all__ = ["Fourier"]


_WIDEST = 12
"""Most nodes of a family: its non-negative tables are found with a matrix of all cells by all parities."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Fourier(Explained, NoiseMechanism):
    """Noise on the parities of the downward closure; all family tables that follow agree with one another.

    By default parities that many tables use, or that few flips touch, get less noise than others: ``weights`` says so.

    Claim:      epsilon-differentially private under replace-one, with the number of records public; any two released tables
                agree on their common margins.     [Paper, Algorithm 2, Corollary 2, sharpened; GUARANTEES 2.1, 2.2, 2.4]
    Requires:   variables of two levels (checked before the charge); graph and prior do not depend on the records.
    Checked by: tests/audit/test_fourier_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/audit/test_fourier_worlds.py::test_no_output_is_likelier_than_epsilon_allows_with_weights
                tests/property/test_consistency.py::test_released_tables_agree_on_every_common_margin
    """

    epsilon: Fraction
    stealth: float
    repair: Repair
    weights: Weights

    def __init__(
        self,
        epsilon: BudgetLike,
        stealth: float = 0.9,
        repair: Repair | str = Repair.PROJECT,
        weights: Weights | str = Weights.OPTIMAL,
    ) -> None:
        if isinstance(stealth, bool) or not isinstance(stealth, Real) or not 0 < stealth < 1:
            raise ModelError("stealth is the probability that no cell is negative: a number between 0 and 1, such as 0.9.")
        object.__setattr__(self, "epsilon", exact(epsilon))
        object.__setattr__(self, "stealth", float(stealth))
        object.__setattr__(self, "repair", chosen_mode(Repair, repair, "repair says what is done about negative cells"))
        object.__setattr__(self, "weights", chosen_mode(Weights, weights, "weights says which parities get less noise"))

    @property
    def name(self) -> str:
        """``fourier``."""
        return "fourier"

    @property
    def guarantee(self) -> PureDP:
        """Pure differential privacy with the given epsilon."""
        return PureDP(self.epsilon)

    def parity_weights(self, network: Network) -> ParityWeights:
        """How much each odd count weighs, and how much of it one record can move."""
        _check(network)
        return parity_weights(network, self.weights)

    def scales(self, network: Network) -> dict[frozenset[str], Fraction]:
        """Scale of the noise on every odd count."""
        return self.parity_weights(network).scales(self.epsilon)

    def measurements(self, network: Network) -> tuple[Measurement, ...]:
        """What is measured, with which noise."""
        return self.parity_weights(network).measurements(network, self.epsilon)

    def cell_noise(self, network: Network) -> dict[str, CellNoise]:
        """The variances of the noise in every family's table, before negative cells are repaired."""
        return expected_cell_noise(network, self.measurements(network))

    def plan(self, network: Network, rows: int, interval: float = 0.95) -> Plan:
        """Noise scale, released numbers and errors of family cells before repair, by simulating the noise.

        Claim:      depends on public quantities alone; errors are those of the noise really used, up to simulation.
        Requires:   variables of two levels (checked).
        Checked by: tests/unit/mechanisms/test_fourier.py::test_the_planned_error_is_the_error_that_happens
        """
        scales = self.scales(network)
        noise = parity_noise(network, scales, draws=None)
        furthest = max(fourier_utility(network, scales, 1 - interval).together.values())
        meaning = f"no family table is further off, all cells together, with probability {interval:g}, before repair"
        return Plan(
            mechanism=self.name,
            guarantee=self.guarantee,
            neighbours=Neighbours.REPLACE_ONE,
            rows=rows,
            released_numbers=len(network.downward_closure) - 1,
            noise_scale=max(scales.values()),
            expected_error=noise.mean_absolute,
            largest_error=int(np.ceil(np.quantile(noise.largest, interval))),
            interval=interval,
            parameter_error=parameter_error(network, rows, self.posterior_noise(network)),
            bounds=(Bound("theorem-3", furthest, "records", meaning),),
        )

    def check(self, network: Network, prior: Prior = UNIFORM) -> None:
        """Refuse a network, a prior or an epsilon for which there is no such release."""
        check_prior(network, prior)
        check_scale(max(self.scales(network).values()))

    def _prepare(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> PreparedNoise:
        """How family counts become a release: what is left to do after counting.

        Claim:      the result depends on the records only through the noisy odd counts and the number of records; weights
                    and increment depend on graph and noise alone.                          [Paper, Algorithm 2]
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/audit/test_fourier_worlds.py::test_the_release_is_the_sum_of_odd_counts_and_noise
        """
        parameters = {
            "epsilon": str(self.epsilon),
            "stealth": repr(self.stealth),
            "repair": self.repair.value,
            "weights": self.weights.value,
        }
        record = MechanismRecord(self.name, parameters)
        measurements, increment = self.measurements(network), self._increment(network)
        return prepare_noise(
            record, self.guarantee, measurements, counts, network, prior, ledger, bits, self.repair, increment
        )

    def _increment(self, network: Network) -> int:
        if self.repair is not Repair.INCREMENT:
            return 0
        return stealth_increment(network, self.scales(network), self.stealth)


def _check(network: Network) -> None:
    if any(variable.size != 2 for variable in network.variables):
        raise ModelError("The Fourier mechanism needs variables of two levels. Merge levels, or use the Laplace mechanism.")
    widest = max(len(family.members) for family in network.families)
    if widest > _WIDEST:
        raise ModelError(
            f"A family of {widest} nodes has 2^{widest} parities. The Fourier mechanism is for families of at most {_WIDEST} "
            "nodes: remove parents, or use the Laplace mechanism, which is better for wide families anyway."
        )
