"""The law of released draws, and whether it keeps a guarantee: checked before the charge, and again by every reader."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from discreet.measure.strategies.lipschitz import draw_privacy
from discreet.measure.strategies.renyi import renyi_epsilon
from discreet.model.network import Network
from discreet.model.prior import Prior

__all__ = ["LEAST", "LEAST_TEMPER", "MOST", "DrawLaw", "keeps"]

LEAST_TEMPER = Fraction(1, 2**64)
"""Below this power nothing of the likelihood is left."""
LEAST, MOST = 1e-6, 1e9
"""Parameters of priors that draws are made for lie between these."""


@dataclass(frozen=True, slots=True)
class DrawLaw:
    """Draws from prior x likelihood^temper, every split probability in [floor, 1 - floor]; floor 0 is no truncation."""

    floor: Fraction
    temper: Fraction


def keeps(law: DrawLaw, network: Network, prior: Prior, guarantee: Guarantee, draws: int) -> bool:
    """Whether so many independent joint draws of this law satisfy the guarantee.

    Claim:      True only if they do. With a floor: the oscillation of one draw is osc = temper sum_i t_i Lam(floor), and the
                draws together are draws osc-private and draws osc^2 / 8-zero-concentrated. Without: by the Renyi divergence
                of Dirichlet posteriors.                                              [GUARANTEES 3.3, 3.5, 5.2, 5.2b]
    Requires:   replace-one neighbours, number of records public; a power of at least 2^-64 and, without a
                floor, a prior of a size that draws are made for (checked).
    Checked by: tests/unit/measure/strategies/test_draw_law.py::test_a_law_that_costs_more_than_the_guarantee_is_found
    """
    if law.temper < LEAST_TEMPER:
        return False
    if law.floor == 0:
        tables = [prior.concentration(family) for family in network.families]
        if not isinstance(guarantee, ApproxDP) or any(table.min() < LEAST or table.max() > MOST for table in tables):
            return False
        return renyi_epsilon(network, prior, guarantee.delta, law.temper, draws) <= guarantee.epsilon
    privacy = draw_privacy(network, law.floor, law.temper)
    match guarantee:
        case PureDP(epsilon) | ApproxDP(epsilon):
            return privacy.epsilon(draws) <= epsilon
        case ZCDP(rho):
            return privacy.rho(draws) <= rho
