"""K-norm noise by parent configuration on paper: which numbers are measured, and which of them share a radius.

All of it depends on the graph and epsilon alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import groupby

import numpy as np

from discreet.measure.blocks import Bundle, Group
from discreet.measure.laws import KNormNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.needs import check_width
from discreet.measure.strategies.block_search import BlockSearch
from discreet.model.network import Network

__all__ = ["bundles_of", "knorm_measurements", "optimal_bundles"]

_PLACES = 24
"""Binary places of a share: the split is near the best one, and exact as a split."""


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
    measured: dict[int, list[str | None]] = {}
    for (group, child), on in zip(search.parts, found.active.tolist(), strict=True):
        if on:
            measured.setdefault(group, []).append(child)
    bundles = []
    for bundle in np.flatnonzero(found.share):
        places = [place for place in np.flatnonzero(found.home == bundle).tolist() if place in measured]
        groups = tuple(_group(network, search.groups[place], measured[place]) for place in places)
        bundles.append((groups, max(1, round(found.share[bundle] * 2**_PLACES))))
    return tuple(bundles)


def _group(network: Network, parents: tuple[str, ...], parts: Sequence[str | None]) -> Group:
    children = tuple(child for child in parts if child is not None)
    sizes = [tuple(network.variable(node).size for node in nodes) for nodes in (parents, children)]
    return Group(parents, sizes[0], None in parts, children, sizes[1])


def knorm_measurements(bundles: Sequence[Bundle]) -> tuple[Measurement, ...]:
    """Every measured part, bundle by bundle and group by group in the order of ``Group.parts``.

    Claim:      a count of each configuration of the parents, if it is measured; then for each child a contrast, if it has two
                levels, or else the counts of its levels.
    Requires:   nothing.
    Checked by: tests/property/test_blocks.py::test_blocks_equal_a_sum_over_records
    """
    found = []
    for bundle in bundles:
        for place, group in enumerate(bundle.groups):
            asked = [(group.parents, Statistic.COUNTS)] * group.counted + [
                ((*group.parents, child), Statistic.CONTRAST if levels == 2 else Statistic.COUNTS)
                for child, levels in zip(group.children, group.child_levels, strict=True)
            ]
            for part, (nodes, statistic) in enumerate(asked):
                found.append(Measurement(nodes, statistic, KNormNoise(bundle, place, part)))
    return tuple(found)


def bundles_of(measurements: Sequence[Measurement]) -> tuple[Bundle, ...]:
    """The bundles of measurements with K-norm noise, each once.

    Claim:      the inverse of ``knorm_measurements``.
    Requires:   nothing.
    Checked by: tests/unit/measure/strategies/test_knorm_strategy.py::test_bundles_come_back_from_their_measurements
    """
    bundles = (each.law.bundle for each in measurements if isinstance(each.law, KNormNoise))
    # The parts of a bundle come one after the other: to look at all of its groups for each of them would take long.
    return tuple(dict.fromkeys(next(same) for _, same in groupby(bundles, key=id)))
