"""Maximal families, measured with unequal shares of epsilon and fused by least squares: what that costs and gives.

A table t of independent cells of variance v_t says of the residual of a set A of its nodes (what its margin on A tells beyond
smaller margins) as much as a measurement of variance v_t prod_{j in t, not in A} m_j. Tables that contain A are averaged with
inverse variances as weights, which is the best linear unbiased estimate because residuals of different sets are uncorrelated.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from discreet.measure.cell_noise import CellNoise
from discreet.measure.needs import Measured, needs
from discreet.measure.strategies.laplace import noise_variance
from discreet.model.network import Network

__all__ = ["fused_cell_noise", "fused_variances", "margin_cell_noise", "optimal_shares", "share_scales", "split_variances"]

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


def share_scales(shares: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The scale of the noise on each cell of each maximal family.

    Claim:      one record moves a table by at most 2, so 2 / epsilon_t is enough for a share of epsilon_t.
                                                                                              [GUARANTEES 1.1]
    Requires:   shares > 0.
    Checked by: tests/audit/test_consistent_worlds.py::test_no_output_is_likelier_than_epsilon_allows
    """
    return {node: 2 / share for node, share in shares.items()}


def split_variances(scales: Mapping[str, Fraction]) -> dict[str, float]:
    """The variance of a measured cell of each table; never quite zero, so that it can be a weight.

    Claim:      the variance of the discrete Laplace law, a little less than 2 scale^2; at least 1e-200.
    Requires:   scales > 0.
    Checked by: tests/unit/measure/strategies/test_fusion.py::test_a_simulated_fusion_has_the_predicted_variances
    """
    return {node: max(noise_variance(scale), 1e-200) for node, scale in scales.items()}


def fused_variances(network: Network, variances: Mapping[str, float]) -> dict[str, float]:
    """The variance of a cell of every family after fusion and before any repair, by the node of the family.

    Claim:      sum over non-empty A in the family of var_A prod_{i in A} (1 - 1 / m_i) prod_{j not in A} m_j^-2, with
                1 / var_A = sum over measured tables t that contain A of 1 / (v_t prod_{j in t, not in A} m_j).
                                                                                        [GUARANTEES 1.1, 2.8]
    Requires:   ``variances`` of a cell of each maximal family, by node; independent noise; the total is known.
    Checked by: tests/unit/measure/strategies/test_fusion.py::test_a_simulated_fusion_has_the_predicted_variances
                tests/unit/measure/strategies/test_fusion.py::test_the_published_mean_variances_come_out
    """
    return {node: noise.cell for node, noise in fused_cell_noise(network, variances).items()}


def fused_cell_noise(network: Network, variances: Mapping[str, float]) -> dict[str, CellNoise]:
    """The variances of cells and of totals of parent configurations after fusion, by the node of the family.

    Claim:      the formula of ``fused_variances``, for the family and for its parents alone.       [GUARANTEES 1.1, 2.8]
    Requires:   as ``fused_variances``; but other families than the maximal ones may have been measured, too.
    Checked by: tests/unit/measure/strategies/test_fusion.py::test_a_simulated_fusion_has_the_predicted_variances
    """
    needed = needs(network)
    weights = 1 / np.array(list(variances.values()))
    information = needed.information([Measured(network.family(node).members) for node in variances]) @ weights
    return needed.cell_noise(network, 1 / information)


def margin_cell_noise(network: Network, variances: Mapping[str, float]) -> dict[str, CellNoise]:
    """The variances where each family is taken from one measured table alone, the sharpest that contains it.

    Claim:      a cell of a margin is a sum of independent cells, and so is the total of a parent configuration.
    Requires:   ``variances`` of a cell of each maximal family, by node; independent noise.
    Checked by: tests/unit/measure/strategies/test_fusion.py::test_a_margin_of_independent_cells_has_the_sum_of_their_variances
    """
    whole = {family.node: variances[family.node] * family.cells for family in network.maximal_families}
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
