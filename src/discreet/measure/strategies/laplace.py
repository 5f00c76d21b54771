"""The paper's Algorithm 1 on paper: noise scale, error per cell, error of all cells together.

All of it depends on the graph and epsilon alone. The formulas are for the discrete Laplace law that is really used:
P(k) = (1 - q) / (1 + q) q^|k| with q = exp(-1 / scale).
"""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.measure.laws import LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.model.network import Network

__all__ = ["expected_absolute_noise", "family_measurements", "laplace_scale", "largest_noise"]


def laplace_scale(network: Network, epsilon: Fraction) -> Fraction:
    """Scale of the noise on every count of every family.

    Claim:      2 |I| / epsilon makes the release epsilon-differentially private under replace-one.
                                                                            [Paper, Corollary 1; GUARANTEES 1.1]
    Requires:   one record moves the counts by at most 2 |I| in all (``counts.family_sensitivity``).
    Checked by: tests/audit/test_small_worlds.py::test_no_output_is_likelier_than_epsilon_allows
    """
    return 2 * len(network.nodes) / epsilon


def family_measurements(network: Network, epsilon: Fraction) -> tuple[Measurement, ...]:
    """The tables of all families, all with the same noise.

    Claim:      the noise of ``laplace_scale``.                                          [Paper, Algorithm 1]
    Requires:   epsilon > 0.
    Checked by: tests/audit/test_small_worlds.py::test_the_release_is_the_clamped_sum_of_counts_and_noise
    """
    law = LaplaceNoise(laplace_scale(network, epsilon))
    return tuple(Measurement(family.members, Statistic.COUNTS, law) for family in network.families)


def expected_absolute_noise(scale: Fraction) -> float:
    """Mean distance between a noisy count, before clamping, and the true one.

    Claim:      E |k| = 2 q / (1 - q^2) = 1 / sinh(1 / scale).
    Requires:   scale > 0.
    Checked by: tests/unit/measure/strategies/test_laplace_strategy.py::test_moments_equal_sums_over_the_law
    """
    return 1 / math.sinh(1 / scale) if scale > Fraction(1, 700) else 0.0


def largest_noise(scale: Fraction, cells: int, interval: float = 0.95) -> int:
    """The distance within which all noisy counts stay together with the given probability: Proposition 1, made exact.

    Claim:      the smallest integer z with P(every |k| <= z) = (1 - 2 q^(z+1) / (1 + q))^cells >= interval.
                                                                      [Paper, Proposition 1; GUARANTEES 1.3]
    Requires:   independent noise in every cell; 0 < interval < 1.
    Checked by: tests/unit/measure/strategies/test_laplace_strategy.py::test_the_bound_holds_and_one_less_does_not
    """
    q = math.exp(-1 / scale)
    allowed = -math.expm1(math.log(interval) / cells)  # probability of exceeding z that each single cell may have
    reach = -scale * math.log(allowed * (1 + q) / 2)
    return max(0, math.ceil(reach) - 1)
