"""K-norm noise by parent configuration on paper: layout, variance of the noise, error of the cells after least squares.

All of it depends on the graph and epsilon alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.measure.cell_noise import CellNoise
from discreet.measure.needs import Measured, check_width, needs
from discreet.measure.strategies.block_search import BlockSearch
from discreet.measure.strategies.blocks import Bundle, Group
from discreet.model.network import Network

__all__ = ["coordinate_variance", "knorm_cell_noise", "measured_parts", "optimal_bundles"]

_PLACES = 24
"""Binary places of a share: the split is near the best one, and exact as a split."""
_SMOOTH = 4.0
"""From this variance on, rounding to integers adds 1/12 to it, to many digits."""
_GRID = (240, 120)


def optimal_bundles(network: Network, epsilon: Fraction) -> tuple[Bundle, ...]:
    """What is measured, which groups share a radius, and what each bundle gets of epsilon.

    Claim:      the shares are exact fractions that sum to epsilon exactly; every family's table can be recovered from what is
                measured; depends on the graph and the numbers of levels alone, so the choice is free.      [GUARANTEES 10]
    Requires:   epsilon > 0; families of at most 16 nodes (checked here).
    Checked by: tests/unit/measure/strategies/test_knorm_strategy.py::test_shares_sum_to_epsilon_exactly
                tests/unit/measure/strategies/test_knorm_strategy.py::test_the_predicted_errors_are_below_the_published_ones
                tests/unit/measure/strategies/test_knorm_strategy.py::test_the_layout_is_not_worse_than_simple_ones
    """
    shares = [(groups, share) for groups, share in _layout(network)]
    total = sum(share for _, share in shares)
    return tuple(Bundle(groups, epsilon * share / total) for groups, share in shares)


@lru_cache(maxsize=16)
def _layout(network: Network) -> tuple[tuple[tuple[Group, ...], int], ...]:
    """The bundles that the search finds, with whole numbers as shares."""
    check_width(network)
    search = BlockSearch(network)
    found = search.best()
    bundles = []
    for bundle in np.flatnonzero(found.share):
        groups = []
        for place in np.flatnonzero(found.home == bundle):
            parts = [child for (group, child), on in zip(search.parts, found.active, strict=True) if on and group == place]
            if parts:
                groups.append(_group(network, search.groups[place], parts))
        bundles.append((tuple(groups), max(1, round(found.share[bundle] * 2**_PLACES))))
    return tuple(bundles)


def _group(network: Network, parents: tuple[str, ...], parts: Sequence[str | None]) -> Group:
    children = tuple(child for child in parts if child is not None)
    sizes = [tuple(network.variable(node).size for node in nodes) for nodes in (parents, children)]
    return Group(parents, sizes[0], None in parts, children, sizes[1])


@lru_cache(maxsize=4096)
def coordinate_variance(scale: Fraction, bundle: int, group: int, width: int, part: int) -> float:
    """Variance of one rounded coordinate of a part, given the dimensions of its bundle, its group, its block and itself.

    Claim:      before rounding it is scale^2 (D + 1)(D + 2) (m + 1)(m + 2) / ((G + 1)(G + 2)) 2 / ((p + 1)(p + 2)) for
                dimensions D, G, m, p. Proof: the noise is r u, r of the Gamma law of shape D + 1 and u uniform in the product
                of the groups' bodies. A block of a uniform point of its group's body is t w with w uniform in the block's body
                and t of the law Beta(m + 1, G - m), by the laws of the norms; a coordinate of a uniform point of an L1 ball of
                p dimensions has the law Beta(1, p) with a sign. The second moments of these laws multiply to the claim.
                Rounding adds 1/12 where the law is smooth; where it is not, the sum over the rounded law is computed.
                Coordinates are uncorrelated, because the law stays the same when one changes its sign.    [GUARANTEES 10]
    Requires:   scale > 0; D >= G >= m >= p >= 1.
    Checked by: tests/unit/measure/strategies/test_knorm_strategy.py::test_simulated_noise_has_the_predicted_variance
    """
    spread = (bundle + 1) * (bundle + 2) * (width + 1) * (width + 2) / ((group + 1) * (group + 2))
    ideal = float(scale) ** 2 * spread * 2 / ((part + 1) * (part + 2))
    return ideal + (1 / 12 if ideal >= _SMOOTH else _rounding(float(scale), bundle, group, width, part))


def _rounding(scale: float, bundle: int, group: int, width: int, part: int) -> float:
    """How much rounding changes the variance of small noise: E round(z)^2 - E z^2 on a grid of quantiles of r t."""
    from scipy.stats import beta, gamma

    radii = gamma.ppf((np.arange(_GRID[0]) + 0.5) / _GRID[0], bundle + 1)
    if group > width:
        inner = beta.ppf((np.arange(_GRID[1]) + 0.5) / _GRID[1], width + 1, group - width)
        radii = np.multiply.outer(radii, inner).ravel()
    radii = scale * radii
    rounded, place = 0.0, 1
    while (beyond := np.maximum(1 - (place - 0.5) / radii, 0) ** part).any():
        rounded += (2 * place - 1) * float(beyond.mean())
        place += 1
    return rounded - float((radii**2).mean()) * 2 / ((part + 1) * (part + 2))


def measured_parts(bundles: Sequence[Bundle]) -> list[tuple[Measured, float]]:
    """Every measured part, bundle by bundle and group by group in the order of ``Group.parts``, and its variance.

    Claim:      the variances are those of ``coordinate_variance``; never quite zero, so that they can be weights.
    Requires:   nothing.
    Checked by: tests/unit/measure/strategies/test_knorm_strategy.py::test_a_simulated_release_has_the_predicted_error
    """
    found = []
    for bundle in bundles:
        for group in bundle.groups:
            tables = [Measured(group.parents)] * group.counted + [
                Measured((*group.parents, child), child if levels == 2 else None)
                for child, levels in zip(group.children, group.child_levels, strict=True)
            ]
            for table, part in zip(tables, group.parts, strict=True):
                variance = coordinate_variance(bundle.scale, bundle.dimension, group.dimension, group.width, part)
                found.append((table, max(variance, 1e-200)))
    return found


def knorm_cell_noise(network: Network, bundles: Sequence[Bundle]) -> dict[str, CellNoise]:
    """The variances of cells and of totals of parent configurations after fusion, by the node of the family.

    Claim:      as in ``needs``, with the information on a residual summed over the parts that measure it. A signed difference
                u of a binary child measures the sets that contain the child like a table with cells of variance Var(u) / 2.
                                                                                                   [GUARANTEES 1.1, 10]
    Requires:   bundles from which every family can be recovered, as those of ``optimal_bundles``.
    Checked by: tests/unit/measure/strategies/test_knorm_strategy.py::test_a_simulated_release_has_the_predicted_error
    """
    needed, parts = needs(network), measured_parts(bundles)
    information = needed.information([table for table, _ in parts]) @ np.array([1 / variance for _, variance in parts])
    return needed.cell_noise(network, 1 / information)
