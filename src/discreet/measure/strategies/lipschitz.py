"""Lipschitz calculus of networks: what one draw of all parameters costs, from how far a record can move the likelihood.

Parameters are those of the splits of every node (``model/probability.py``; with two levels, the probability of the first),
kept in [floor, 1 - floor]. The oscillation of the log-likelihood ratio of neighbours, over all parameters, is the epsilon of
one draw from the posterior. All results are fractions, rounded against ourselves in ball arithmetic. Of a list of candidate
parameters, the same oscillation is taken over the candidates alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.arrays import Floats
from discreet.balls import ball, rounded_down, rounded_up, working_precision
from discreet.errors import BudgetError, ModelError
from discreet.model.network import Network
from discreet.model.probability import depth, touched

__all__ = [
    "DrawPrivacy",
    "GRID_BITS",
    "candidate_oscillation",
    "draw_privacy",
    "exponent_for",
    "floor_for",
    "floor_on_grid",
    "log_odds",
    "map_failure",
    "network_constant",
    "node_constant",
    "temper_for",
]

GRID_BITS = 32
"""Floors and released probabilities are multiples of 2^-32."""
_PLACES = 64
_PRECISION = 192


@lru_cache(maxsize=256)
def log_odds(floor: Fraction) -> Fraction:
    """Lam(w) = log((1 - w) / w), the most by which the log of a probability in [w, 1 - w] can vary; rounded up.

    Claim:      at least log((1 - w) / w), and at most 2^-63 more.
    Requires:   0 < w < 1/2 (checked).
    Checked by: tests/unit/measure/strategies/test_lipschitz.py::test_log_odds_are_rounded_up_and_hardly
    """
    _check_floor(floor)
    with working_precision(_PRECISION):
        return rounded_up(ball((1 - floor) / floor).log(), _PLACES)


def node_constant(levels: int, floor: Fraction) -> Fraction:
    """L_i: the most by which the log probabilities of two cells of a node's table can differ.

    Claim:      log of (1 - w)^d / w^D, d = floor(log2 m) and D = ceil(log2 m) the numbers of splits on the shortest and on the
                longest path to a level: the numerator is the largest probability of a cell, the denominator the smallest. For
                two levels L_i = Lam(w).                                   [Paper, Assumption 1, on families; GUARANTEES 3.1]
    Requires:   split probabilities in [w, 1 - w].
    Checked by: tests/unit/measure/strategies/test_lipschitz.py::test_no_cell_of_a_grid_exceeds_the_node_constant
    """
    _check_floor(floor)
    shortest = levels.bit_length() - 1
    with working_precision(_PRECISION):
        return rounded_up(shortest * ball(1 - floor).log() - depth(levels) * ball(floor).log(), _PLACES)


def network_constant(network: Network, floor: Fraction) -> Fraction:
    """L of the network: the most by which the log probabilities of two records can differ.

    Claim:      at most the sum over nodes of L_i, with the distance rho_i(x, y) = 1 if the families of x and y at i differ.
                The paper's distances look at the node alone, which no network with an edge satisfies.
                                                                                            [Paper, Lemma 2; GUARANTEES 3.1]
    Requires:   split probabilities in [w, 1 - w].
    Checked by: tests/unit/measure/strategies/test_lipschitz.py::test_no_two_records_differ_by_more_than_the_network_constant
    """
    return sum((node_constant(family.levels, floor) for family in network.families), Fraction(0))


@dataclass(frozen=True, slots=True)
class DrawPrivacy:
    """What draws of all parameters from a posterior cost, by the oscillation of the log-likelihood ratio of neighbours.

    With g = log p(D) - log p(D') as a function of the parameters, the posterior densities have the ratio exp(g) / E'[exp(g)],
    whose logarithm is at most osc(g) = sup g - inf g; and it is bounded by that range.    [Paper, Theorem 4.1; GUARANTEES 3.3]
    """

    oscillation: Fraction

    def epsilon(self, draws: int = 1) -> Fraction:
        """Pure epsilon of independent draws: each costs the oscillation."""
        return draws * self.oscillation

    def rho(self, draws: int = 1) -> Fraction:
        """Zero-concentrated cost of independent draws: oscillation^2 / 8 each."""
        return draws * self.oscillation**2 / 8

    def total_variation(self) -> float:
        """The most by which one record changes the probability of any event, for one draw: tanh(oscillation / 4)."""
        return math.tanh(float(self.oscillation) / 4)

    def group(self, records: int) -> DrawPrivacy:
        """The same for data sets that differ in several records."""
        return DrawPrivacy(records * self.oscillation)


def draw_privacy(network: Network, floor: Fraction, temper: Fraction = Fraction(1)) -> DrawPrivacy:
    """What one draw from the posterior prior x likelihood^temper costs, all split probabilities kept in [floor, 1 - floor].

    Claim:      osc(g) = temper x sum over nodes of t_i Lam(w), t_i as in ``touched``: 2 D_i for a node with parents. Proof:
                let the old and the new record pass different parent configurations of node i. The log-likelihood then changes
                by at most D_i logs of numbers in [w, 1 - w] in each configuration, all of them different parameters, each with
                oscillation Lam. In the same configuration the splits above the point where the paths part cancel; there
                log(s / (1 - s)) oscillates by 2 Lam; below, each of the two paths adds Lam for each of its splits. Parameters
                are free of one another, so oscillations add, and the bound is attained.          [GUARANTEES 5.2, 5.2b]
    Requires:   0 < floor < 1/2 (checked), temper >= 0; the parameters range over a product set.
    Checked by: tests/unit/measure/strategies/test_lipschitz.py::test_the_oscillation_equals_brute_force_over_all_replacements
                tests/audit/test_sampler_worlds.py::test_no_draw_is_likelier_than_epsilon_allows
    """
    return DrawPrivacy(temper * _touched(network) * log_odds(floor))


@lru_cache(maxsize=256)
def floor_for(network: Network, oscillation: Fraction) -> Fraction:
    """The smallest floor on the grid at which one draw has at most this oscillation, with the likelihood as it is.

    Claim:      the result w satisfies draw_privacy(network, w).oscillation <= oscillation, and w - 2^-32 does not (unless
                w = 2^-32). About 1 / (1 + exp(oscillation / t)), t the sum of the t_i.        [GUARANTEES 5.2]
    Requires:   oscillation > 0; floors that leave room between w and 1 - w (checked).
    Checked by: tests/unit/measure/strategies/test_lipschitz.py::test_the_floor_is_the_smallest_that_suffices
    """
    low, high = 0, 2 ** (GRID_BITS - 1)  # the floor low / 2^32 is too small, high / 2^32 = 1/2 would leave one point
    while high - low > 1:
        middle = (low + high) // 2
        enough = _touched(network) * log_odds(Fraction(middle, 2**GRID_BITS)) <= oscillation
        low, high = (low, middle) if enough else (middle, high)
    if high == 2 ** (GRID_BITS - 1):
        raise BudgetError("This epsilon leaves no room between floor and ceiling. Choose a larger epsilon, or temper.")
    return Fraction(high, 2**GRID_BITS)


def temper_for(network: Network, oscillation: Fraction, floor: Fraction) -> Fraction:
    """The largest exponent of the likelihood, at most 1, at which one draw has at most this oscillation.

    Claim:      the result t, a multiple of 2^-64, satisfies draw_privacy(network, floor, t).oscillation <= oscillation.
                                                                                               [GUARANTEES 5.2]
    Requires:   an oscillation that leaves an exponent above zero (checked).
    Checked by: tests/unit/measure/strategies/test_lipschitz.py::test_the_exponent_is_the_largest_that_suffices
    """
    return min(Fraction(1), exponent_for(network, oscillation, floor))


def exponent_for(network: Network, oscillation: Fraction, floor: Fraction) -> Fraction:
    """The largest exponent of the likelihood, which may exceed 1, at which one draw has at most this oscillation.

    Claim:      the result t, a multiple of 2^-64, satisfies draw_privacy(network, floor, t).oscillation <= oscillation. Above
                1 the posterior is annealed towards its mode.                                  [GUARANTEES 4.2]
    Requires:   an oscillation that leaves an exponent above zero (checked).
    Checked by: tests/unit/measure/strategies/test_lipschitz.py::test_the_exponent_is_the_largest_that_suffices
    """
    with working_precision(_PRECISION):
        found = rounded_down(ball(oscillation / draw_privacy(network, floor).oscillation), _PLACES)
    if found <= 0:
        raise BudgetError("This epsilon leaves nothing of the likelihood. Choose a larger epsilon.")
    return found


def floor_on_grid(floor: Fraction) -> Fraction:
    """The floor, rounded up to the public grid of released probabilities: a larger floor costs less.

    Claim:      the smallest multiple of 2^-32 that is at least the given floor.
    Requires:   0 < floor < 1/2, on the grid too (checked).
    Checked by: tests/unit/measure/strategies/test_lipschitz.py::test_a_floor_is_rounded_up_to_the_grid
    """
    _check_floor(floor)
    found = Fraction(math.ceil(floor * 2**GRID_BITS), 2**GRID_BITS)
    _check_floor(found)
    return found


def _touched(network: Network) -> int:
    return sum(touched(family) for family in network.families)


def _check_floor(floor: Fraction) -> None:
    if not 0 < floor < Fraction(1, 2):
        raise ModelError('A floor keeps probabilities away from 0 and 1: a number between 0 and 1/2, such as "0.05".')


def candidate_oscillation(network: Network, candidates: Sequence[Mapping[str, Floats]]) -> Fraction:
    """The most that replacing one record can change differences of log-likelihoods between the candidates; rounded up.

    Claim:      for every pair of records, g = log p(x) - log p(y) oscillates over the candidates by at most the sum over
                families of r_i + r'_i, the two largest ranges max log theta_u - min log theta_u of the cells u of table i: the
                records pass one cell of each table each, and if it is the same cell the two terms cancel.
                                                                                                [GUARANTEES 4.2]
    Requires:   positive tables, read as exact numbers; they need not sum to one exactly.
    Checked by: tests/unit/measure/strategies/test_lipschitz.py::test_the_oscillation_covers_every_replacement
    """
    total = Fraction(0)
    with working_precision(_PRECISION):
        for family in network.families:
            stacked = np.stack([tables[family.node] for tables in candidates])
            low, high = stacked.min(axis=0).ravel().tolist(), stacked.max(axis=0).ravel().tolist()
            ranges = sorted(
                rounded_up(ball(Fraction(most) / Fraction(least)).log(), _PLACES)
                for least, most in zip(low, high, strict=True)
            )
            total += ranges[-1] + ranges[-2]
    return total


def map_failure(exponent: float, distance: float, mass: float) -> float:
    """A bound on the probability that the chosen parameters score worse than the best by more than twice the distance.

    Claim:      if theta is drawn with density proportional to exp(exponent u(theta)) against a base measure, then
                Pr[u < u* - 2 t] <= exp(-exponent t) / mass, mass the base measure of {u > u* - t}. Proof: outside the larger
                set the density is at most exp(exponent (u* - 2 t)), inside the smaller one at least exp(exponent (u* - t)).
                The paper's bound has exponent epsilon where its mechanism has epsilon / (2 Delta). [Paper, Lemma 4; GUARANTEES
                4.3]
    Requires:   distance > 0; 0 < mass <= 1.
    Checked by: tests/paper/test_lemma_4.py::test_the_corrected_bound_holds_where_the_printed_one_fails
    """
    return min(1.0, math.exp(-exponent * distance) / mass)
