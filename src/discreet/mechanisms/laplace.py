"""The paper's Algorithm 1: Laplace noise on posterior updates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.bounds.laplace import expected_absolute_noise, laplace_scale, largest_noise
from discreet.bounds.plan import Plan
from discreet.guarantee import BudgetLike, Neighbours, PureDP, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.release import release_counts
from discreet.mechanisms.mechanism import caveats
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.noisy_counts import NoisyCounts
from discreet.posterior.release import MechanismRecord, Release, software

__all__ = ["Laplace"]


@dataclass(frozen=True, slots=True, init=False)
class Laplace:
    """Noise on every count of every family; the noisy counts, clamped to [0, rows], update the prior.

    Claim:      epsilon-differentially private under replace-one, with the number of records public.
                                                            [Paper, Algorithm 1 and Corollary 1; GUARANTEES 1.1]
    Requires:   graph, levels and prior do not depend on the records; n is public.
    Checked by: tests/audit/test_small_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/property/test_counts.py::test_replacing_one_record_moves_at_most_two_cells_per_family
    """

    epsilon: Fraction
    name: ClassVar[str] = "laplace"

    def __init__(self, epsilon: BudgetLike) -> None:
        object.__setattr__(self, "epsilon", exact(epsilon))

    @property
    def guarantee(self) -> PureDP:
        """Pure differential privacy with the given epsilon."""
        return PureDP(self.epsilon)

    def plan(self, network: Network, rows: int, confidence: float = 0.95) -> Plan:
        """Noise scale, released numbers and errors, from public quantities alone.

        Claim:      ``expected_error`` and ``largest_error`` are the mean and the quantile of the noise before clamping, not
                    bounds on them; clamping to [0, rows], where the true counts lie, only brings a count closer.
                                                                    [Paper, Proposition 1; GUARANTEES 1.2, 1.3]
        Requires:   rows >= 1.
        Checked by: tests/paper/test_proposition_1.py::test_the_planned_error_is_the_error_that_happens
        """
        scale = laplace_scale(network, self.epsilon)
        return Plan(
            mechanism=self.name,
            guarantee=self.guarantee,
            neighbours=Neighbours.REPLACE_ONE,
            rows=rows,
            released_numbers=network.cells,
            noise_scale=scale,
            expected_error=expected_absolute_noise(scale),
            largest_error=largest_noise(scale, network.cells, confidence),
            confidence=confidence,
        )

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
        """Count the families, charge the ledger, add noise, and wrap the posterior with all that must be said about it.

        Claim:      the result depends on the records only through the noisy counts and their number; all else is
                    post-processing.                                                        [Paper, Algorithm 1]
        Requires:   ``data`` is the whole data set under the ledger's name.
        Checked by: tests/audit/test_small_worlds.py::test_the_release_is_the_clamped_sum_of_counts_and_noise
        """
        from discreet.counts.families import family_counts, family_sensitivity

        ledger.check(self.guarantee)  # before the long work; the binding check is the charge
        counts = family_counts(data, network, missing=missing, rows=rows, progress=progress)
        counted = int(counts[network.nodes[0]].sum())
        noisy = release_counts(counts, family_sensitivity(network), self.guarantee, ledger, self.name, _bits=_bits)
        return Release(
            value=DirichletPosterior(network, prior, NoisyCounts(noisy.tables, noisy.scale, counted)),
            guarantee=noisy.guarantee,
            neighbours=Neighbours.REPLACE_ONE,
            mechanism=MechanismRecord(self.name, {"epsilon": str(self.epsilon)}),
            caveats=caveats(noisy.receipt, _bits),
            receipts=(noisy.receipt,),
            software=software(),
        )
