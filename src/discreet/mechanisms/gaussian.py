"""Discrete Gaussian noise on margins, under zero-concentrated privacy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.conversion import rho_of_epsilon
from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, BudgetLike, exact
from discreet.measure.measurement import Measurement
from discreet.measure.strategies.gaussian import gaussian_measurements
from discreet.mechanisms.mechanism import Explained, NoiseMechanism
from discreet.model.network import Network

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
