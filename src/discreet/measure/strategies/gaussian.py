"""Discrete Gaussian noise on margins, on paper: which margins are measured, how well, and the error of the cells after fusion.

Any margin of a family may be measured. One record moves two of its cells by one, so a margin with noise of variance parameter
v costs rho = 1 / v, and costs add. The error of the fused cells is a convex function of these costs: the best split is found
by a fixed-point iteration, from the graph alone. Variances are proportional to 1 / rho, so one split serves every rho.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.measure.cell_noise import CellNoise
from discreet.measure.needs import Measured, Needs, check_width, needs
from discreet.model.network import Network

__all__ = [
    "MARGIN_COST",
    "Margin",
    "gaussian_variance",
    "gaussian_cell_noise",
    "optimal_margins",
    "standard_deviation",
]

MARGIN_COST = 1
"""Rho of a margin times the variance parameter of its noise: squared Euclidean distance 2, divided by 2."""
_ALL_SUBSETS = 7
"""In families of up to so many nodes every margin is a candidate; in wider ones pairs, single nodes and the family itself."""
_PLACES = 24
_ITERATIONS, _CLOSE, _NEGLIGIBLE = 400, 1.002, 1e-4


@dataclass(frozen=True, slots=True)
class Margin:
    """A margin that is measured: its nodes, in the order of the network, and the variance parameter of its noise."""

    nodes: tuple[str, ...]
    variance: Fraction


def optimal_margins(network: Network, rho: Fraction) -> tuple[Margin, ...]:
    """Which margins are measured and how well.

    Claim:      sum of 1 / variance over the margins is exactly rho; every family's table can be recovered. The split is within
                a few thousandths of the best one over all candidate margins: for the convex error f with slopes g, no split of
                the same rho is better than 2 f - max g, where the iteration stops.                         [GUARANTEES 7.2]
    Requires:   rho > 0; families of at most 16 nodes (checked here).
    Checked by: tests/unit/measure/strategies/test_gaussian_strategy.py::test_costs_sum_to_rho_exactly
                tests/unit/measure/strategies/test_gaussian_strategy.py::test_no_other_split_is_better
    """
    split = _split(network)
    total = sum(share for _, share in split)
    return tuple(Margin(nodes, MARGIN_COST * total / (rho * share)) for nodes, share in split)


@lru_cache(maxsize=16)
def _split(network: Network) -> tuple[tuple[tuple[str, ...], int], ...]:
    """Margins with whole numbers as shares of rho."""
    check_width(network)
    needed, candidates = needs(network), _candidates(network)
    information = needed.information([Measured(nodes) for nodes in candidates])
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


@lru_cache(maxsize=4096)
def gaussian_variance(parameter: Fraction) -> float:
    """The variance of the discrete Gaussian law with this variance parameter.

    Claim:      sum k^2 exp(-k^2 / (2 v)) / sum exp(-k^2 / (2 v)): v itself, to many digits, from v = 4 on, and less below.
    Requires:   parameter > 0.
    Checked by: tests/unit/measure/strategies/test_gaussian_strategy.py::test_the_variance_is_that_of_the_law
    """
    if parameter >= 4:
        return float(parameter)
    squares = np.arange(1, 41, dtype=float) ** 2
    weights = np.exp(-squares / (2 * float(parameter)))
    return max(float(2 * (squares * weights).sum() / (1 + 2 * weights.sum())), 1e-200)


def gaussian_cell_noise(network: Network, margins: Sequence[Margin]) -> dict[str, CellNoise]:
    """The variances of cells and of totals of parent configurations after fusion, by the node of the family.

    Claim:      as in ``needs``, with the information on a residual summed over the margins that contain it.
                                                                                        [GUARANTEES 1.1, 7.2]
    Requires:   margins from which every family can be recovered, as those of ``optimal_margins``.
    Checked by: tests/unit/measure/strategies/test_gaussian_strategy.py::test_a_simulated_release_has_the_predicted_error
    """
    needed = needs(network)
    weights = np.array([1 / gaussian_variance(margin.variance) for margin in margins])
    information = needed.information([Measured(margin.nodes) for margin in margins]) @ weights
    return needed.cell_noise(network, 1 / information)


def standard_deviation(variance: Fraction) -> Fraction:
    """The root of a variance, to three places.

    Claim:      never below the root.
    Requires:   variance > 0.
    Checked by: tests/unit/measure/strategies/test_gaussian_strategy.py::test_the_variance_is_that_of_the_law
    """
    return Fraction(math.isqrt(math.ceil(variance * 10**6)) + 1, 1000)
