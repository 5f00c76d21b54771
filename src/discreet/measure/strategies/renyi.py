"""Draws from Dirichlet posteriors that are not truncated: their Renyi divergence, and the (epsilon, delta) that follows.

A prior with concentration a keeps the posterior from being moved far by one record: the less far, the larger a and the smaller
the exponent ``temper`` of the likelihood. Orders are searched in floating point; what is returned is evaluated in ball
arithmetic.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from discreet.balls import ball, rounded_up, working_precision
from discreet.errors import BudgetError
from discreet.model.network import Network
from discreet.model.prior import Prior

__all__ = ["network_renyi", "renyi_divergence", "renyi_epsilon", "renyi_temper", "single_node_delta"]

_PRECISION = 256
_PLACES = 96
_GRID = 10**9
"""Epsilons are multiples of 10^-9, rounded up."""
_TEMPERS = 2**20
"""Exponents of the likelihood are multiples of 2^-20, rounded down."""

Concentrations = tuple[tuple[Fraction, int], ...]
"""The smallest prior concentration of a node's table, and how many nodes have it."""


def renyi_divergence(order: Fraction, concentration: Fraction, temper: Fraction = Fraction(1)) -> Fraction:
    """F_alpha(a): how far one record moves a node's Dirichlet posterior, as a Renyi divergence of this order; rounded up.

    Claim:      with step t = temper, h(x) = lnG(x + alpha t) - alpha lnG(x + t) + (alpha - 1) lnG(x) and k(x) =
                lnG(x + t - alpha t) - alpha lnG(x) + (alpha - 1) lnG(x + t), the Renyi divergence of order alpha between the
                posteriors of a node, given neighbours, is at most [h(a) + k(a)] / (alpha - 1), a the smallest prior
                concentration; equal to it where both records are in one parent configuration with empty cells. Proof: the
                divergence of Dirichlets is a combination of log partition functions. For levels u, v of one configuration the
                total does not change and it is [h(a_u + s) + k(a_v + s')] / (alpha - 1). Concavity of psi at x + t =
                (x + alpha t) / alpha + (1 - 1 / alpha) x makes h decrease, and likewise k, so empty cells are worst. Across
                configurations the totals subtract h(total) and k(total), which are not negative: h and k decrease to 0.
                                                                                                      [GUARANTEES 3.5]
    Requires:   1 < alpha < 1 + a / t (checked); counts are not negative.
    Checked by: tests/unit/measure/strategies/test_renyi.py::test_brute_force_over_all_counts_equals_the_formula
    """
    if not (order > 1 and concentration + temper * (1 - order) > 0):
        raise BudgetError("The order of a Renyi divergence must lie between 1 and 1 + concentration / temper.")
    with working_precision(_PRECISION):
        # h(a) + k(a): of the middle terms -alpha + (alpha - 1) = -1 is left for each of the two.
        far = ball(concentration + order * temper).lgamma() + ball(concentration + temper - order * temper).lgamma()
        near = ball(concentration + temper).lgamma() + ball(concentration).lgamma()
        return rounded_up((far - near) / ball(order - 1), _PLACES)


def network_renyi(network: Network, prior: Prior, order: Fraction, temper: Fraction = Fraction(1)) -> Fraction:
    """The Renyi divergence of this order between draws of all parameters, given neighbours; rounded up.

    Claim:      one joint draw of all parameters from the Dirichlet posterior is (alpha, sum_i F_alpha(a_i))-Renyi private
                under replace-one, a_i the smallest prior concentration of node i: given the data the nodes are independent,
                and divergences of products add.                                                          [GUARANTEES 3.5]
    Requires:   1 < alpha < 1 + min a_i / temper (checked).
    Checked by: tests/unit/measure/strategies/test_renyi.py::test_a_network_of_random_tables_never_exceeds_the_sum
    """
    return _sum(_smallest(network, prior), order, temper)


def renyi_epsilon(network: Network, prior: Prior, delta: Fraction, temper: Fraction = Fraction(1), draws: int = 1) -> Fraction:
    """An epsilon such that so many joint draws from the Dirichlet posterior are (epsilon, delta)-private.

    Claim:      for every order alpha, epsilon = draws sum_i F_alpha(a_i) + log(1 - 1/alpha) + (log(1/delta) - log alpha) /
                (alpha - 1) will do; the one returned is at least that for a well-chosen alpha.
                                                     [GUARANTEES 3.5; Canonne, Kamath & Steinke 2020, Proposition 12]
    Requires:   0 < delta < 1 (checked), draws independent given the data.
    Checked by: tests/unit/measure/strategies/test_renyi.py::test_the_epsilons_of_a_naive_bayes_network_are_the_known_ones
    """
    if not 0 < delta < 1:
        raise BudgetError("A draw from an untruncated posterior needs a delta between 0 and 1, such as 1e-6.")
    return _epsilon(_smallest(network, prior), delta, temper, draws)


def renyi_temper(network: Network, prior: Prior, epsilon: Fraction, delta: Fraction, draws: int = 1) -> Fraction:
    """The largest exponent of the likelihood, at most 1, at which so many draws are (epsilon, delta)-private.

    Claim:      renyi_epsilon(network, prior, delta, result, draws) <= epsilon; a multiple of 2^-20.    [GUARANTEES 3.5, 7.3]
    Requires:   an epsilon that leaves something of the likelihood (checked).
    Checked by: tests/unit/measure/strategies/test_renyi.py::test_the_exponent_fits_and_twice_as_much_does_not
    """
    smallest = _smallest(network, prior)
    low, high = 0, _TEMPERS + 1
    while high - low > 1:
        middle = (low + high) // 2
        fits = _epsilon(smallest, delta, Fraction(middle, _TEMPERS), draws) <= epsilon
        low, high = (middle, high) if fits else (low, middle)
    if not low:
        raise BudgetError("This epsilon and delta leave nothing of the likelihood. Choose larger ones, or a stronger prior.")
    return Fraction(low, _TEMPERS)


def single_node_delta(first: float, second: float, rows: int, epsilon: float) -> float:
    """The exact delta of a draw of one parameter without parents, Beta(first, second) prior: the worst over all data sets.

    Claim:      the likelihood ratio of neighbours increases in the parameter, so delta(epsilon) = P(theta > t) - exp(epsilon)
                Q(theta > t) at the t where it equals exp(epsilon); largest over counts and directions. Up to rounding.
                                                                                                      [GUARANTEES 3.5]
    Requires:   rows >= 1.
    Checked by: tests/unit/measure/strategies/test_renyi.py::test_the_exact_profile_of_one_node_has_the_known_values
    """
    import numpy as np
    from scipy.special import betaincc

    count = np.arange(rows, dtype=float)  # of the neighbour with fewer; the other has one more
    worst = 0.0
    for a, b in ((first, second), (second, first)):  # the second is the first one's neighbours the other way round
        # P = Beta(a + s + 1, b + n - s - 1), Q = Beta(a + s, b + n - s): dP/dQ = theta / (1 - theta) (b + n - s - 1) / (a + s)
        odds = math.exp(epsilon) * (a + count) / (b + rows - count - 1)
        threshold = odds / (1 + odds)
        more = betaincc(a + count + 1, b + rows - count - 1, threshold)
        less = betaincc(a + count, b + rows - count, threshold)
        worst = max(worst, float((more - math.exp(epsilon) * less).max()))
    return worst


def _smallest(network: Network, prior: Prior) -> Concentrations:
    found = Counter(Fraction(float(prior.concentration(family).min())) for family in network.families)
    return tuple(sorted(found.items()))


def _sum(smallest: Concentrations, order: Fraction, temper: Fraction) -> Fraction:
    return sum((nodes * renyi_divergence(order, a, temper) for a, nodes in smallest), Fraction(0))


@lru_cache(maxsize=1024)
def _epsilon(smallest: Concentrations, delta: Fraction, temper: Fraction, draws: int) -> Fraction:
    order = _sharpest_order(smallest, delta, temper, draws)
    with working_precision(_PRECISION):
        rest = (1 - 1 / ball(order)).log() + (-ball(delta).log() - ball(order).log()) / ball(order - 1)
        bound = draws * _sum(smallest, order, temper) + rounded_up(rest, _PLACES)
    return Fraction(max(math.ceil(bound * _GRID), 1), _GRID)


def _sharpest_order(smallest: Concentrations, delta: Fraction, temper: Fraction, draws: int) -> Fraction:
    """The best order of a grid that is refined around the best so far, on the scale of log(order - 1)."""
    largest = math.log(float(smallest[0][0] / temper))
    centre, width = largest - 12.0, 12.0
    for _ in range(6):
        places = [centre + width * step / 20 for step in range(-20, 21)]
        inside = [place for place in places if place < largest - 1e-9]
        centre = min(inside, key=lambda place: _rough(place, smallest, delta, float(temper), draws))
        width /= 8
    return 1 + Fraction(f"{math.exp(centre):.6g}")


def _rough(place: float, smallest: Concentrations, delta: Fraction, step: float, draws: int) -> float:
    """The formula in floating point, at the order 1 + exp(place)."""
    above = math.exp(place)  # may be too small to be seen in the order
    order = 1 + above

    def parts() -> Iterator[float]:
        for a, nodes in smallest:
            x = float(a)
            more = math.lgamma(x + order * step) + math.lgamma(x + step - order * step)
            yield nodes * (more - math.lgamma(x + step) - math.lgamma(x))

    log_delta = math.log(delta.numerator) - math.log(delta.denominator)
    divergence = draws * sum(parts()) / above
    return divergence - math.log1p(math.exp(-place)) + (-log_delta - math.log1p(above)) / above
