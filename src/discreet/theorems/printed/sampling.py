"""The paper's statements about posterior draws, also in linear regression, and point estimates, each marked as holding or not.

As they are printed, for comparison and reproduction only: a formula that does not hold carries no guarantee of any kind. For
linear regression ``draw_epsilon`` is what is used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.guarantee import exact
from discreet.measure.strategies.lipschitz import draw_privacy, floor_on_grid
from discreet.model.network import Network
from discreet.theorems.printed.noise import Printed

__all__ = [
    "printed_corollary_4",
    "printed_lemma_2",
    "printed_lemma_3",
    "printed_lemma_4",
    "printed_naive_bayes_epsilon",
    "printed_naive_bayes_floor",
    "printed_regression_epsilon",
    "printed_regression_lipschitz",
    "printed_theorem_4_privacy",
    "printed_theorem_4_total_variation",
]


def printed_lemma_2(constants: Sequence[float], distance: float) -> Printed:
    """Lemma 2: the log-likelihoods of two records differ by at most max L_i times the sum of the nodes' distances.

    Claim:      none for a network with an edge: two records that agree at a node and differ at its parents have distance zero
                there, and different probabilities.                                       [Paper, Lemma 2; GUARANTEES 3.1]
    Requires:   one constant for each node.
    Checked by: tests/paper/test_printed_sampling.py::test_lemma_2_has_no_constant_for_a_node_with_parents
    """
    value = max(constants) * distance
    return Printed(value, False, "distances must look at families; network_constant adds up the nodes' constants")


def printed_lemma_3(rates: Sequence[float], least_constant: float) -> Printed:
    """Lemma 3: the rate c' = min c_i - ln |I| / L0 at which a prior leaves Lipschitz parameters, for the main text.

    Claim:      the union bound is right for L >= L0, given sets of parameters that Lemma 2's distances leave empty for a node
                with parents. The appendix has ln |I| min c_i, which is far too large.   [Paper, Lemma 3; GUARANTEES 3.2]
    Requires:   positive rates, L0 > 0.
    Checked by: tests/paper/test_printed_sampling.py::test_lemma_3_holds_in_the_main_text_and_not_in_the_appendix
    """
    value = min(rates) - math.log(len(rates)) / least_constant
    return Printed(value, True, "the union bound holds; its sets have measure zero unless distances look at families")


def printed_theorem_4_privacy(constant: float, distance: float) -> Printed:
    """Theorem 4.1: the log ratio of posterior probabilities, 2 L rho(x, y).

    Claim:      holds: it is the oscillation where that is symmetric.                   [Paper, Theorem 4; GUARANTEES 3.3]
    Requires:   a Lipschitz constant that exists, see ``printed_lemma_2``.
    Checked by: tests/paper/test_printed_sampling.py::test_theorem_4_holds_and_its_total_variation_is_loose
    """
    return Printed(2 * constant * distance, True, "draw_privacy is never larger; per draw, and for all families that differ")


def printed_theorem_4_total_variation(constant: float, distance: float) -> Printed:
    """Theorem 4.1's consequence that Algorithm 3 uses as Delta: total variation at most sqrt(L rho).

    Claim:      holds, by Pinsker's inequality; can exceed one.                 [Paper, Algorithm 3; GUARANTEES 3.3]
    Requires:   as for ``printed_theorem_4_privacy``.
    Checked by: tests/paper/test_printed_sampling.py::test_theorem_4_holds_and_its_total_variation_is_loose
    """
    return Printed(math.sqrt(constant * distance), True, "loose: tanh(L rho / 2), which is attained and below one")


def printed_corollary_4(epsilon: float) -> Printed:
    """Corollary 4: the epsilon of Algorithm 3, which scores parameters by their posterior density.

    Claim:      none: Delta bounds differences of probabilities of sets, and densities differ by any amount.
                                                                                    [Paper, Corollary 4; GUARANTEES 4.1]
    Requires:   nothing.
    Checked by: tests/audit/test_map_worlds.py::test_the_density_as_a_score_is_not_private
    """
    return Printed(epsilon, False, "not private for continuous parameters; MapPoint scores by the log posterior")


def printed_lemma_4(epsilon: float, distance: float, mass: float) -> Printed:
    """Lemma 4: the probability that the released point scores worse than the best by more than 2 t, exp(-epsilon t) / mass.

    Claim:      none: Algorithm 3 has the exponent epsilon / (2 Delta).                 [Paper, Lemma 4; GUARANTEES 4.3]
    Requires:   mass > 0.
    Checked by: tests/paper/test_lemma_4.py::test_the_corrected_bound_holds_where_the_printed_one_fails
    """
    value = math.exp(-epsilon * distance) / mass
    return Printed(value, False, "the constant is that of another mechanism; use map_failure")


def printed_naive_bayes_floor(epsilon: float) -> Printed:
    """The floor omega = exp(-epsilon / 2) of every probability of the naive Bayes experiment.

    Claim:      none: above 1/2, which is impossible, for epsilon < 1.386, and far too small otherwise.
                                                                                     [Paper, appendix; GUARANTEES 5.2]
    Requires:   epsilon > 0.
    Checked by: tests/audit/test_sampler_worlds.py::test_planted_faults_exceed_epsilon
    """
    return Printed(math.exp(-epsilon / 2), False, "too small by far, and for one draw; use floor_for")


def printed_naive_bayes_epsilon(network: Network, floor: float) -> Printed:
    """The epsilon 2 log(1 / omega) that is claimed for every draw with this floor together; ``why`` has the true one.

    Claim:      none: one draw alone costs 2 sum_i log((1 - omega) / omega).          [Paper, appendix; GUARANTEES 5.2]
    Requires:   0 < floor < 1/2 (checked).
    Checked by: tests/audit/test_sampler_worlds.py::test_the_printed_floor_reveals_ten_times_what_it_claims
    """
    true = draw_privacy(network, floor_on_grid(exact(floor, "floor"))).oscillation
    return Printed(2 * math.log(1 / floor), False, f"one draw costs {float(true):.4g}, and each further draw as much")


def printed_regression_lipschitz(weights: npt.ArrayLike, rows: int, noise: float) -> Printed:
    """The L(w) = n (1 + 2 |w|_1 + d |w|_2) / (2 sigma^2) of the appendix.

    Claim:      none. For one record it is less than the log-likelihood can change per unit of distance: the gradient in its
                proof is wrong. For many it is larger by a factor of n than any change of one record.
                                                        [Paper, appendix on linear regression; GUARANTEES 6]
    Requires:   nothing.
    Checked by: tests/paper/test_linear_regression.py::test_the_printed_constant_is_exceeded_by_one_record
    """
    given = np.asarray(weights, dtype=np.float64)
    norms = 1 + 2 * np.abs(given).sum() + len(given) * np.linalg.norm(given)
    return Printed(float(rows * norms / (2 * noise**2)), False, "the gradient has a wrong factor and form; use draw_epsilon")


def printed_regression_epsilon(weights: npt.ArrayLike, rows: int, noise: float) -> Printed:
    """The 2 L(w) that the appendix calls the privacy of one draw, at one w.

    Claim:      none: the privacy of a draw cannot depend on what was drawn, and the largest L over the truncated prior is
                useless where it is a bound at all.        [Paper, appendix on linear regression; GUARANTEES 6]
    Requires:   nothing.
    Checked by: tests/paper/test_linear_regression.py::test_the_printed_epsilon_is_useless_where_it_is_not_wrong
    """
    value = 2 * printed_regression_lipschitz(weights, rows, noise).value
    return Printed(value, False, "it depends on the draw, and on the number of records; use draw_epsilon")
