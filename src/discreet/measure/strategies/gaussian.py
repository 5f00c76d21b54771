"""Discrete Gaussian noise on margins, on paper: which margins are measured, how well, and the error of the cells after fusion.

Any margin of a family may be measured. One record moves two of its cells by one, so a margin with noise of variance parameter
v costs rho = 1 / v, and costs add. The error of the fused cells is a convex function of these costs: the best split is found
by a fixed-point iteration, from the graph alone. Variances are proportional to 1 / rho, so one split serves every rho.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.measure.laws import GaussianNoise
from discreet.measure.measurement import Margin, Measurement, Statistic
from discreet.measure.needs import Needs, check_width, needs
from discreet.model.network import Network

__all__ = ["MARGIN_COST", "gaussian_measurements"]

MARGIN_COST = 1
"""Rho of a margin times the variance parameter of its noise: squared Euclidean distance 2, divided by 2."""
_ALL_SUBSETS = 7
"""In families of up to so many nodes every margin is a candidate; in wider ones pairs, single nodes and the family itself."""
_PLACES = 24
_ITERATIONS, _CLOSE, _NEGLIGIBLE = 400, 1.002, 1e-4


def gaussian_measurements(network: Network, rho: Fraction) -> tuple[Measurement, ...]:
    """Which margins are measured and how well; the nodes of each in the order of the network.

    Claim:      sum of 1 / parameter over the margins is exactly rho; every family's table can be recovered. The split is
                within a few thousandths of the best one over all candidate margins: for the convex error f with slopes g, no
                split of the same rho is better than 2 f - max g, where the iteration stops.             [GUARANTEES 7.2]
    Requires:   rho > 0; families of at most 16 nodes (checked here).
    Checked by: tests/unit/measure/strategies/test_gaussian_strategy.py::test_costs_sum_to_rho_exactly
                tests/unit/measure/strategies/test_gaussian_strategy.py::test_no_other_split_is_better
    """
    split = _split(network)
    total = sum(share for _, share in split)
    laws = ((nodes, GaussianNoise(MARGIN_COST * total / (rho * share))) for nodes, share in split)
    return tuple(Measurement(nodes, Statistic.COUNTS, law) for nodes, law in laws)


@lru_cache(maxsize=16)
def _split(network: Network) -> tuple[tuple[tuple[str, ...], int], ...]:
    """Margins with whole numbers as shares of rho."""
    check_width(network)
    needed, candidates = needs(network), _candidates(network)
    information = needed.information([Margin(nodes) for nodes in candidates])
    maximal = np.arange(len(network.maximal_families))
    best, error = _best_shares(needed, information)
    kept = np.flatnonzero(best > _NEGLIGIBLE * best.max())
    for chosen, limit in ((kept, np.inf), (maximal, error * _CLOSE)):  # fewer margins where they are as good
        share, error = _best_shares(needed, information[:, chosen])
        if error <= limit:
            best, kept = share, chosen
    return tuple((candidates[place], max(1, round(part * 2**_PLACES))) for place, part in zip(kept, best, strict=True))


def _candidates(network: Network) -> list[tuple[str, ...]]:
    """The maximal families, then their margins."""
    order = {node: place for place, node in enumerate(network.nodes)}
    maximal = [sorted(family.members, key=order.__getitem__) for family in network.maximal_families]
    found: dict[tuple[str, ...], None] = {tuple(members): None for members in maximal}
    for members in maximal:
        sizes = range(1, len(members)) if len(members) <= _ALL_SUBSETS else (1, 2)
        found.update(dict.fromkeys(subset for size in sizes for subset in combinations(members, size)))
    return list(found)


def _best_shares(needed: Needs, information: Any) -> tuple[Floats, float]:
    """Minimise the sum of cost / (information @ share) over shares that sum to one: share <- share * sqrt(slope)."""
    transposed = information.T.tocsr()
    share = np.full(information.shape[1], 1 / information.shape[1])
    for _ in range(_ITERATIONS):
        precision = information @ share
        errors = needed.cost / precision
        slope = transposed @ (errors / precision)
        if slope.max() <= _CLOSE * errors.sum():
            break
        share = share * np.sqrt(slope)
        share = share / share.sum()
    return np.asarray(share), float((needed.cost / (information @ share)).sum())
