"""Maximal families, measured with unequal shares of epsilon and fused by least squares: what that costs and gives.

A table t of independent cells of variance v_t says of the residual of a set A of its nodes (what its margin on A tells beyond
smaller margins) as much as a measurement of variance v_t prod_{j in t, not in A} m_j. Tables that contain A are averaged with
inverse variances as weights, which is the best linear unbiased estimate because residuals of different sets are uncorrelated.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from discreet.measure.laws import LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.needs import CellNoise
from discreet.model.network import Network

__all__ = ["margin_cell_noise", "maximal_measurements", "optimal_shares"]

_PLACES = 20
"""Binary places to which cube roots are taken: the split is a millionth from the best one, and exact as a split."""


def optimal_shares(network: Network, epsilon: Fraction) -> dict[str, Fraction]:
    """What each maximal family gets of epsilon, by the node of the family.

    Claim:      the shares are exact fractions that sum to epsilon exactly; up to rounding of cube roots to 20 binary places
                they minimise sum_t cells_t 8 / epsilon_t^2, the total variance of all measured cells.
                                                                              [GUARANTEES 1.1: epsilon_t ~ cells_t^(1/3)]
    Requires:   epsilon > 0.
    Checked by: tests/unit/measure/strategies/test_fusion.py::test_shares_sum_to_epsilon_exactly
                tests/unit/measure/strategies/test_fusion.py::test_no_other_split_has_a_smaller_total_variance
    """
    roots = {family.node: _cube_root(family.cells << 3 * _PLACES) for family in network.maximal_families}
    total = sum(roots.values())
    return {node: epsilon * root / total for node, root in roots.items()}


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

    Claim:      a cell of a margin is a sum of independent cells, and so is the total of a parent configuration.
    Requires:   tables of all maximal families, or of all families, with independent noise.
    Checked by: tests/unit/measure/strategies/test_fusion.py::test_a_margin_of_independent_cells_has_the_sum_of_their_variances
    """
    whole = {each.nodes[-1]: each.variance * network.family(each.nodes[-1]).cells for each in measurements}
    found = {}
    for family in network.families:
        # A table that contains this one contains its node, so it belongs to the node or to a child of it.
        wider = (network.family(node) for node in (family.node, *network.children[family.node]) if node in whole)
        sources = (whole[wide.node] for wide in wider if set(family.members) <= set(wide.members))
        total = min(sources) / family.configurations
        found[family.node] = CellNoise(total / family.levels, total)
    return found


def _cube_root(number: int) -> int:
    """The floor of the cube root, in integers: the same on every machine."""
    root = 1 << -(-number.bit_length() // 3)
    while root**3 > number:
        root = (2 * root + number // root**2) // 3
    return root
