"""The paper's third mechanism: what is released is draws from the posterior, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from discreet.arrays import Integers
from discreet.conversion import rho_of_epsilon
from discreet.errors import BudgetError, ModelError
from discreet.guarantee import ZCDP, ApproxDP, BudgetLike, Caveat, Guarantee, Neighbours, PureDP, Receipt, exact
from discreet.kernel import publish
from discreet.kernel.bits import Bits
from discreet.kernel.draws.truncated_beta import draw_splits
from discreet.kernel.ledger import Ledger
from discreet.measure.strategies.draw_law import LEAST_TEMPER, DrawLaw, keeps
from discreet.measure.strategies.lipschitz import GRID_BITS, floor_for, floor_on_grid, temper_for
from discreet.measure.strategies.renyi import renyi_temper
from discreet.mechanisms.mechanism import CountMechanism, Explained
from discreet.mechanisms.prepared import Prepared
from discreet.mechanisms.split_shapes import TIMING, blank_splits, check_size, prior_base, split_shapes
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior, check_fixed_prior
from discreet.planning.draw_error import draw_error, draw_parameter_error
from discreet.planning.plan import Plan
from discreet.posterior.draws import PosteriorDraws
from discreet.releases import MechanismRecord

__all__ = ["Sampler"]

_FLOORS = tuple(Fraction(1, 2**places) for places in range(2, 13))
"""Floors that are tried, with the likelihood tempered as each needs, when neither floor nor temper is given."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Sampler(Explained, CountMechanism[PosteriorDraws]):
    """Joint draws of all parameters from the posterior, kept away from 0 and 1 by a floor, or tempered, or both.

    The posterior is prior x likelihood^temper with every split probability (for two levels: every probability) in [floor,
    1 - floor]. Of ``floor`` and ``temper`` give one and the other follows from epsilon; give none and the law with the smaller
    predicted error is chosen, from the graph and the number of records alone. ``epsilon`` pays for all draws together; with
    ``delta`` they are composed as zero-concentrated draws where that is better. ``truncated=False`` needs a delta and leaves
    the floor out: the prior's own concentration limits what one record can do.

    Claim:      satisfies ``guarantee`` under replace-one, with the number of records public. Proof: one draw costs at most the
                oscillation of the log-likelihood ratio of neighbours (``measure/strategies/lipschitz.py``), or its Renyi
                divergence (``measure/strategies/renyi.py``); draws compose; rounding is post-processing of ideal draws, which
                are sampled exactly.
                                                           [Paper, Theorem 4.1, corrected; GUARANTEES 3.3, 3.5, 5.2, 11]
    Requires:   graph, prior, floor and temper do not depend on the records; n is public.
    Checked by: tests/audit/test_sampler_worlds.py::test_no_draw_is_likelier_than_epsilon_allows
                tests/audit/test_sampler_worlds.py::test_the_bound_is_approached_by_many_records
    """

    epsilon: Fraction
    draws: int
    floor: Fraction | None
    temper: Fraction | None
    delta: Fraction | None
    truncated: bool

    def __init__(
        self,
        epsilon: BudgetLike,
        *,
        draws: int = 1,
        floor: BudgetLike | None = None,
        temper: BudgetLike | None = None,
        delta: BudgetLike | None = None,
        truncated: bool = True,
    ) -> None:
        if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
            raise ModelError("draws is how many draws to release: a whole number of at least 1.")
        object.__setattr__(self, "epsilon", exact(epsilon))
        object.__setattr__(self, "draws", draws)
        object.__setattr__(self, "floor", None if floor is None else floor_on_grid(exact(floor, "floor")))
        object.__setattr__(self, "temper", None if temper is None else exact(temper, "temper"))
        object.__setattr__(self, "delta", None if delta is None else exact(delta, "delta"))
        object.__setattr__(self, "truncated", truncated)
        self._check()

    def _check(self) -> None:
        if self.temper is not None and not LEAST_TEMPER <= self.temper <= 1:
            raise ModelError("temper is the exponent of the likelihood, from 2^-64 to 1. To go towards the mode use MapPoint.")
        if self.delta is not None and self.delta >= 1:
            raise BudgetError("delta is a small probability, such as 1e-6.")
        if type(self.truncated) is not bool:
            raise ModelError("truncated is True or False.")
        if not self.truncated and (self.floor is not None or self.delta is None):
            raise ModelError("Draws that are not truncated have no floor, and need a delta such as 1e-6.")

    @property
    def name(self) -> str:
        """``sampler``, ``sampler-zcdp`` or ``sampler-renyi``, by the kind of guarantee."""
        return {PureDP: "sampler", ZCDP: "sampler-zcdp", ApproxDP: "sampler-renyi"}[type(self.guarantee)]

    @property
    def guarantee(self) -> Guarantee:
        """Pure for few draws; zero-concentrated for many, where a delta is given; approximate without truncation."""
        if self.delta is None:
            return PureDP(self.epsilon)
        if not self.truncated:
            return ApproxDP(self.epsilon, self.delta)
        rho = rho_of_epsilon(self.epsilon, self.delta)
        # One draw may oscillate by epsilon / draws, or by sqrt(8 rho / draws): whichever is more.
        return PureDP(self.epsilon) if self.epsilon**2 >= 8 * rho * self.draws else ZCDP(rho)

    def law(self, network: Network, rows: int, prior: Prior = UNIFORM) -> DrawLaw:
        """Floor and temper of the draws, from public quantities alone."""
        if not self.truncated and self.delta is not None:
            found = self.temper or renyi_temper(network, prior, self.epsilon, self.delta, self.draws)
            return DrawLaw(Fraction(0), found)
        allowed = self._oscillation()
        if self.floor is not None:
            return DrawLaw(self.floor, self.temper or temper_for(network, allowed, self.floor))
        if self.temper is not None:
            return DrawLaw(floor_for(network, allowed / self.temper), self.temper)
        return min(_laws(network, allowed), key=lambda law: draw_error(network, rows, law, self.draws))

    def _oscillation(self) -> Fraction:
        """How far the log-likelihood ratio of neighbours may oscillate in one draw."""
        guarantee = self.guarantee
        if isinstance(guarantee, ZCDP):
            share = 8 * guarantee.rho / self.draws
            return Fraction(math.isqrt(math.floor(share * 4**64)), 2**64)
        return self.epsilon / self.draws

    def plan(self, network: Network, rows: int, interval: float = 0.95) -> Plan:
        """What would be released and how wrong it would be, from public quantities alone.

        Claim:      ``parameter_error`` is predicted by simulation under the uniform prior.
        Requires:   rows >= 1.
        Checked by: tests/unit/planning/test_draw_error.py::test_the_prediction_is_what_happens
        """
        self.check(network)
        return Plan(
            mechanism=self.name,
            guarantee=self.guarantee,
            neighbours=Neighbours.REPLACE_ONE,
            rows=rows,
            released_numbers=self.draws * network.parameters,
            interval=interval,
            parameter_error=draw_parameter_error(network, rows, self.law(network, rows), self.draws),
        )

    def check(self, network: Network, prior: Prior = UNIFORM) -> None:
        """Refuse a network or a prior for which there are no such draws."""
        check_fixed_prior(network, prior)
        check_size(network, prior, self.draws)

    def _prepare(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> Prepared[dict[str, Integers], PosteriorDraws]:
        """How the draws are charged for, made, and wrapped with all that must be said about them.

        Claim:      the result depends on the records only through the draws and the number of records; the law is checked
                    against the guarantee before the charge.
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/audit/test_sampler_worlds.py::test_the_release_is_made_of_the_draws_alone
        """
        record = MechanismRecord(self.name, self._parameters())
        rows = int(counts[network.nodes[0]].sum())
        law = self.law(network, rows, prior)
        if not keeps(law, network, prior, self.guarantee, self.draws):
            raise BudgetError("Floor and temper together cost more than epsilon. Leave one out, or choose a larger epsilon.")
        shapes = split_shapes(counts, prior_base(network, prior), law.temper)
        floor = int(law.floor * 2**GRID_BITS)

        def charge_and_draw() -> tuple[dict[str, Integers], Receipt]:
            draw = partial(draw_splits, shapes, floor, self.draws)
            return publish.charge_and_draw(draw, self.guarantee, ledger, self.name, _bits=bits)

        def make(drawn: dict[str, Integers]) -> PosteriorDraws:
            return PosteriorDraws(network, prior, law, drawn, rows)

        blank = blank_splits(network, self.draws, floor)
        caveats = (TIMING, _released(self.draws))
        return Prepared(record, self.guarantee, ledger, charge_and_draw, make, blank, bits, caveats)

    def _parameters(self) -> dict[str, str]:
        match self.guarantee:
            case ZCDP(rho):
                budget = {"rho": str(rho)}
            case ApproxDP(epsilon, delta):
                budget = {"epsilon": str(epsilon), "delta": str(delta)}
            case PureDP(epsilon):
                budget = {"epsilon": str(epsilon)}
        return {**budget, "draws": str(self.draws)}


def _released(draws: int) -> Caveat:
    if draws == 1:
        said = "One draw was released, and no more can be had from it. It has no spread, so there are no intervals."
    else:
        said = (
            f"{draws:,} draws were released, and no more can be had from them. Intervals show their spread, not all of the "
            "uncertainty."
        )
    return Caveat("released-draws", said)


def _laws(network: Network, oscillation: Fraction) -> list[DrawLaw]:
    """The floor alone, and some floors each with the likelihood tempered as it needs."""
    found = []
    for floor in _FLOORS:
        try:
            found.append(DrawLaw(floor, temper_for(network, oscillation, floor)))
        except BudgetError:
            continue
    try:
        found.append(DrawLaw(floor_for(network, oscillation), Fraction(1)))
    except BudgetError:
        if not found:
            raise
    return found
