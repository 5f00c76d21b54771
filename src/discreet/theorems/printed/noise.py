"""The paper's bounds for its Algorithms 1 and 2 as they are printed, each marked as holding or not.

For comparison and reproduction only. A formula that does not hold carries no guarantee of any kind, and one that holds is
looser than the function that ``why`` names. Arrays of ``prior`` and ``counts`` are as in ``of_true_counts``; what depends
on counts must never be published. Variables have two levels throughout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.model.network import Network

__all__ = [
    "Printed",
    "printed_corollary_2",
    "printed_corollary_3",
    "printed_deviation",
    "printed_divergence",
    "printed_expected_count",
    "printed_expected_divergence",
    "printed_lemma_a3",
    "printed_lemma_a4",
    "printed_proposition_1",
    "printed_refined_divergence",
    "printed_remark_1",
    "printed_table_1",
    "printed_theorem_3",
]


@dataclass(frozen=True, slots=True)
class Printed:
    """A number from a printed formula, and whether the statement it belongs to is true."""

    value: float
    holds: bool
    """Proved to hold. False if there is a counterexample, or no valid proof."""
    why: str


def printed_proposition_1(network: Network, epsilon: Fraction, delta: float) -> Printed:
    """Largest noise of all counts, in records: (2 |I| / epsilon) ln(2 m / delta), 2 m the number of counts.

    Claim:      holds with probability at least 1 - delta for continuous Laplace noise.   [Paper, Proposition 1]
    Requires:   0 < delta < 1.
    Checked by: tests/paper/test_printed_formulas.py::test_proposition_1_holds_for_continuous_noise
    """
    value = float(2 * len(network.nodes) / epsilon) * math.log(network.cells / delta)
    return Printed(value, True, "for continuous noise; largest_noise is exact for the discrete noise really used")


def printed_divergence(prior: npt.ArrayLike, counts: npt.ArrayLike, noisy: npt.ArrayLike) -> Printed:
    """The f_ij of the proof of Theorem 1, which is meant to be a divergence, summed; in nats.

    Claim:      none: it can be negative.                          [Paper, proof of Lemma A.3; GUARANTEES 1.4]
    Requires:   positive prior.
    Checked by: tests/paper/test_printed_formulas.py::test_the_printed_divergence_is_negative
    """
    from scipy.special import gammaln, psi

    true = _sum(prior, counts)
    released = _sum(prior, noisy)
    value = gammaln(true) - gammaln(released) + (true - released) * psi(true)
    return Printed(float(value.sum()), False, "a sign is wrong and all terms in p + q are missing; use beta_divergence")


def printed_lemma_a3(prior: npt.ArrayLike, counts: npt.ArrayLike, noisy: npt.ArrayLike) -> Printed:
    """Lemma A.3's bound on the divergence, summed; in nats.

    Claim:      none: it can be negative, a divergence cannot.                    [Paper, Lemma A.3; GUARANTEES 1.4]
    Requires:   prior plus counts above 1.
    Checked by: tests/paper/test_printed_formulas.py::test_lemma_a3_is_below_the_divergence
    """
    exact, true = np.asarray(counts, dtype=np.float64), _sum(prior, counts)
    value = (exact * np.log(true) - np.asarray(noisy, dtype=np.float64) * np.log(true - 1)).sum()
    return Printed(float(value), False, "its last step drops a positive term; use largest_divergence")


def printed_lemma_a4(prior: npt.ArrayLike, rows: int) -> Printed:
    """Lemma A.4's sum of the c_ij, in nats, read as (2 n + 1) ln[(alpha + n + 1)(beta + n + 1)]: print and proof differ.

    Claim:      none with a valid proof; false for small priors.                  [Paper, Lemma A.4; GUARANTEES 1.4]
    Requires:   one row of prior per node and parent configuration.
    Checked by: tests/paper/test_printed_formulas.py::test_lemma_a4_fails_for_a_small_prior
    """
    value = (2 * rows + 1) * np.log(np.asarray(prior, dtype=np.float64) + rows + 1).sum()
    return Printed(
        float(value), False, "its proof uses a wrong divergence, and small priors refute it; use largest_divergence"
    )


def printed_expected_count(count: int, scale: Fraction, rows: int) -> Printed:
    """The proof's mean of a clamped noisy count, in records.

    Claim:      none: it can exceed rows, which no clamped count does.     [Paper, proof of Theorem 1; GUARANTEES 1.4]
    Requires:   a count between 0 and rows.
    Checked by: tests/paper/test_printed_formulas.py::test_the_printed_mean_count_exceeds_the_records
    """
    b = float(scale)
    value = count + b / 2 * math.exp(-count / b) + (rows - b) / 2 * math.exp((count - rows) / b)
    return Printed(value, False, "counts the probability of reaching rows twice; use expected_clamped_count")


def printed_expected_divergence(prior: npt.ArrayLike, counts: npt.ArrayLike, rows: int) -> Printed:
    """Theorem 1's bound U on the mean divergence, summed; in nats.

    Claim:      none with a valid proof; false for a uniform prior.                [Paper, Theorem 1; GUARANTEES 1.4]
    Requires:   positive prior.
    Checked by: tests/paper/test_printed_formulas.py::test_the_printed_mean_divergence_is_zero_for_empty_counts
    """
    value = rows * np.log(_sum(prior, counts)).sum()
    return Printed(float(value), False, "follows from Lemma A.3, which is false; use expected_divergence")


def printed_refined_divergence(prior: npt.ArrayLike, scale: Fraction, rows: int) -> Printed:
    """Theorem 1's refined bound on the mean divergence for rows >= scale, summed; in nats.

    Claim:      none: exponentially too small.                                     [Paper, Theorem 1; GUARANTEES 1.4]
    Requires:   one row of prior per node and parent configuration.
    Checked by: tests/paper/test_printed_formulas.py::test_the_refined_bound_is_exponentially_too_small
    """
    value = np.log(np.asarray(prior, dtype=np.float64) + rows + 1).sum() * rows / 2 * math.exp(-rows / float(scale))
    return Printed(float(value), False, "the mean decays as 1 / rows, not exponentially; use expected_divergence")


def printed_deviation(prior: npt.ArrayLike, rows: int, delta: float) -> Printed:
    """Theorem 1's deviation from the mean, sqrt(-1/2 sum of c_ij ln delta), which is not even in nats but in their root.

    Claim:      none: McDiarmid needs the squares of the c_ij.                     [Paper, Theorem 1; GUARANTEES 1.4]
    Requires:   0 < delta < 1.
    Checked by: tests/paper/test_printed_formulas.py::test_theorem_1_without_squares_is_exceeded_half_the_time
    """
    value = math.sqrt(-printed_lemma_a4(prior, rows).value / 2 * math.log(delta))
    return Printed(value, False, "adds up c_ij where McDiarmid's inequality has their squares; use divergence_bound")


def printed_table_1(network: Network, epsilon: Fraction, rows: int, delta: float, constant: float = 1.0) -> Printed:
    """Table 1's bound on the divergence for Algorithm 1, in nats, with one constant for both of its unnamed ones.

    Claim:      none: for every constant there are rows and an epsilon that refute it.    [Paper, Table 1; GUARANTEES 1.4]
    Requires:   rows of at least 2; 0 < delta < 1.
    Checked by: tests/paper/test_printed_formulas.py::test_table_1_is_exceeded_half_the_time_whatever_its_constant
    """
    order = constant * (network.cells / 2) * rows * math.log(rows)
    value = -order * math.expm1(-rows * float(epsilon) / (2 * len(network.nodes))) + math.sqrt(-order * math.log(delta))
    return Printed(value, False, "gets better with less privacy budget; use divergence_quantile")


def printed_corollary_2(network: Network, epsilon: Fraction) -> Printed:
    """Noise scale of Algorithm 2 on phi, in records: 2 |N| / epsilon, 2^(|I|/2) times that of a normalised coefficient.

    Claim:      makes the release epsilon-differentially private.                 [Paper, Corollary 2; GUARANTEES 2.2]
    Requires:   independent continuous Laplace noise, exact arithmetic.
    Checked by: tests/paper/test_printed_formulas.py::test_corollary_2_is_safe_and_loose
    """
    value = float(2 * len(network.downward_closure) / epsilon)
    return Printed(value, True, "loose; parity_sensitivity is exact, and the number of records needs no noise")


def printed_remark_1(network: Network, epsilon: Fraction) -> Printed:
    """Remark 1's noise scale of Algorithm 2, |I| 2^(2 + in-degree - |I|/2) / epsilon, in units of a normalised coefficient.

    Claim:      none: it is compared with a scale in records.                        [Paper, Remark 1; GUARANTEES 2.3]
    Requires:   nothing.
    Checked by: tests/paper/test_printed_formulas.py::test_remark_1_compares_different_units
    """
    size, widest = len(network.nodes), max(network.in_degree(node) for node in network.nodes)
    value = float(size / epsilon) * 2 ** (2 + widest - size / 2)
    return Printed(value, False, "not in records: going back to cells multiplies by 2^(|I|/2 - s); use cell_variance_ratio")


def printed_corollary_3(t: float) -> Printed:
    """Probability that adding 4 t |N|^2 / epsilon to phi of the empty set makes the whole table non-negative.

    Claim:      none: 1 - exp(-t) is too large for small t.                       [Paper, Corollary 3; GUARANTEES 2.5]
    Requires:   t > 0.
    Checked by: tests/paper/test_printed_formulas.py::test_corollary_3_promises_too_much_for_small_t
    """
    return Printed(
        -math.expm1(-t),
        False,
        "too large for small t; for t above 1 the increment is far more than needed; use stealth_increment",
    )


def printed_theorem_3(network: Network, node: str, epsilon: Fraction, delta: float, t: float = 0.0) -> Printed:
    """L1 distance of a family table, in records: (4 |N| / epsilon) (2^|parents| log(|N| / delta) + t |N|).

    Claim:      holds for all nodes together with probability at least 1 - delta, for continuous noise. [Paper, Theorem 3]
    Requires:   0 < delta < 1; the noise of ``printed_corollary_2``.
    Checked by: tests/paper/test_printed_formulas.py::test_theorem_3_holds_and_is_loose
    """
    closure = len(network.downward_closure)
    value = float(4 * closure / epsilon) * (2 ** network.in_degree(node) * math.log(closure / delta) + t * closure)
    return Printed(value, True, "loose; fourier_utility has 2^(s/2) where this has 2^s")


def _sum(prior: npt.ArrayLike, counts: npt.ArrayLike) -> Floats:
    return np.asarray(prior, dtype=np.float64) + np.asarray(counts, dtype=np.float64)
