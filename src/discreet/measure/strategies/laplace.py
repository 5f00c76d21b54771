"""Laplace noise on family tables: of all families alike, the paper's Algorithm 1, or of the maximal ones by unequal shares.

Noise scale, error per cell, error of all cells together: all of it depends on the graph and epsilon alone. The formulas are
for the discrete Laplace law that is really used: P(k) = (1 - q) / (1 + q) q^|k| with q = exp(-1 / scale).

Tables of maximal families are fused by least squares. A table t of independent cells of variance v_t says of the residual of a
set A of its nodes (what its margin on A tells beyond smaller margins) as much as a measurement of variance
v_t prod_{j in t, not in A} m_j. Tables that contain A are averaged with inverse variances as weights, which is the best linear
unbiased estimate because residuals of different sets are uncorrelated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from discreet.measure.laws import LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.needs import CellNoise
from discreet.model.network import Network

__all__ = [
    "expected_absolute_noise",
    "family_measurements",
    "laplace_scale",
    "largest_noise",
    "margin_cell_noise",
    "maximal_measurements",
    "optimal_shares",
]

_PLACES = 20
"""Binary places to which cube roots are taken: the split is a millionth from the best one, and exact as a split."""


def laplace_scale(network: Network, epsilon: Fraction) -> Fraction:
    """Scale of the noise on every count of every family.

    Claim:      2 |I| / epsilon makes the release epsilon-differentially private under replace-one.
                                                                            [Paper, Corollary 1; GUARANTEES 1.1]
    Requires:   one record moves the counts by at most 2 |I| in all (``counts.family_sensitivity``).
    Checked by: tests/audit/test_small_worlds.py::test_no_output_is_likelier_than_epsilon_allows
    """
    return 2 * len(network.nodes) / epsilon


@lru_cache(maxsize=8)
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


def optimal_shares(network: Network, epsilon: Fraction) -> dict[str, Fraction]:
    """What each maximal family gets of epsilon, by the node of the family.

    Claim:      the shares are exact fractions that sum to epsilon exactly; up to rounding of cube roots to 20 binary places
                they minimise sum_t cells_t 8 / epsilon_t^2, the total variance of all measured cells; cells that are declared
                impossible are not measured.
                                                                              [GUARANTEES 1.1: epsilon_t ~ cells_t^(1/3)]
    Requires:   epsilon > 0.
    Checked by: tests/unit/measure/strategies/test_laplace_strategy.py::test_shares_sum_to_epsilon_exactly
                tests/unit/measure/strategies/test_laplace_strategy.py::test_no_other_split_has_a_smaller_total_variance
    """
    roots = {family.node: _cube_root(family.possible_cells << 3 * _PLACES) for family in network.maximal_families}
    total = sum(roots.values())
    return {node: epsilon * root / total for node, root in roots.items()}


@lru_cache(maxsize=8)
def maximal_measurements(network: Network, epsilon: Fraction) -> tuple[Measurement, ...]:
    """The tables of the maximal families, each with noise for its share of epsilon.

    Claim:      one record moves a table by at most 2, so a scale of 2 / epsilon_t is enough for a share of epsilon_t.
                                                                                              [GUARANTEES 1.1]
    Requires:   epsilon > 0.
    Checked by: tests/audit/test_consistent_worlds.py::test_no_output_is_likelier_than_epsilon_allows
    """
    shares = optimal_shares(network, epsilon)
    laws = {node: LaplaceNoise(2 / share) for node, share in shares.items()}
    return tuple(Measurement(network.family(node).members, Statistic.COUNTS, law) for node, law in laws.items())


def margin_cell_noise(network: Network, measurements: Sequence[Measurement]) -> dict[str, CellNoise]:
    """The variances where each family is taken from one measured table alone, the sharpest that contains it.

    Claim:      a cell of a margin is a sum of independent cells, and so is the total of a parent configuration; the mean over
                those that are not declared impossible.
    Requires:   tables of all maximal families, or of all families, with independent noise.
    Checked by: tests/unit/measure/strategies/test_laplace_strategy.py::test_a_margin_has_the_sum_of_its_cells_variances
    """
    whole = {each.nodes[-1]: each.variance * network.family(each.nodes[-1]).possible_cells for each in measurements}
    found = {}
    for family in network.families:
        # A table that contains this one contains its node, so it belongs to the node or to a child of it.
        wider = (network.family(node) for node in (family.node, *network.children[family.node]) if node in whole)
        sources = (whole[wide.node] for wide in wider if set(family.members) <= set(wide.members))
        smallest = min(sources)
        found[family.node] = CellNoise(smallest / family.possible_cells, smallest / family.possible_configurations)
    return found


def _cube_root(number: int) -> int:
    """The floor of the cube root, in integers: the same on every machine."""
    root = 1 << -(-number.bit_length() // 3)
    while root**3 > number:
        root = (2 * root + number // root**2) // 3
    return root
