"""Stealth: how much must be added so that no released cell is negative, with a promised probability, for any data.

True counts are never negative, so a cell is negative only if its noise is below minus its count. The increment that covers
the noise alone therefore works for every data set; it is a quantile of a law that is public, costs nothing and leaks
nothing. The quantile comes from simulating that very law, with an order statistic that is too small with probability at
most ``_DOUBT``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.errors import ModelError
from discreet.measure.residuals import walsh_hadamard
from discreet.model.network import Network

__all__ = ["ParityNoise", "parity_noise", "stealth_increment"]

_DRAWS = 40_000
_PLANNED_DRAWS, _FEWEST_DRAWS = 4000, 64
_WORK = 2**22
_DOUBT = 1e-9
_SEED = 2016  # plans must be reproducible; this noise is never released


@dataclass(frozen=True, slots=True, eq=False)
class ParityNoise:
    """The noise of family cells when odd counts get discrete Laplace noise: simulated once, from public quantities."""

    deepest: npt.NDArray[np.float64]
    """For each simulated release, what would have to be added to phi of the empty set, sorted."""
    largest: npt.NDArray[np.float64]
    """For each simulated release, the largest absolute noise of a cell, sorted."""
    mean_absolute: float
    """Mean absolute noise of a cell."""


def parity_noise(
    network: Network, scale: Fraction | Mapping[frozenset[str], Fraction], draws: int | None = _DRAWS
) -> ParityNoise:
    """Simulate the noise of all cells of the maximal families; without ``draws``, as often as a plan can wait for.

    Claim:      independent draws of the law of the released cells' noise, which does not depend on the records.
    Requires:   variables of two levels; one scale for all odd counts, or one for each.
    Checked by: tests/unit/measure/strategies/test_stealth.py::test_the_increment_is_the_published_one
                tests/unit/measure/strategies/test_stealth.py::test_the_increment_with_weights_is_the_exact_one
    """
    sets = sorted((gamma for gamma in network.downward_closure if gamma), key=sorted)
    if draws is None:
        cells = sum(family.cells for family in network.maximal_families)
        draws = max(_FEWEST_DRAWS, min(_PLANNED_DRAWS, _WORK // (cells + len(sets))))
    scales = tuple((gamma, scale[gamma] if isinstance(scale, Mapping) else scale) for gamma in sets)
    return _parity_noise(network, scales, draws)


@lru_cache(maxsize=32)
def _parity_noise(network: Network, scales: tuple[tuple[frozenset[str], Fraction], ...], draws: int) -> ParityNoise:
    deepest, largest, total, count = [], [], 0.0, 0
    for noise in _simulated(network, scales, draws):
        size = noise[0].shape[0]
        deepest.append(np.max([(-cells * cells[0].size).reshape(size, -1).max(axis=1) for cells in noise], axis=0))
        largest.append(np.max([np.abs(cells).reshape(size, -1).max(axis=1) for cells in noise], axis=0))
        total += sum(float(np.abs(cells).sum()) for cells in noise)
        count += sum(cells.size for cells in noise)
    return ParityNoise(np.sort(np.concatenate(deepest)), np.sort(np.concatenate(largest)), total / count)


def stealth_increment(network: Network, scale: Fraction | Mapping[frozenset[str], Fraction], stealth: float) -> int:
    """What to add to the number of records so that all released cells are non-negative with probability ``stealth``.

    Claim:      for any data, P(every cell >= 0) >= stealth; with confidence 1 - 1e-9 in the simulation.
                                                                    [Paper, Corollary 3, corrected; GUARANTEES 2.5]
    Requires:   0 < stealth < 1, not so near to one that the simulation has no order statistic for it (checked).
    Checked by: tests/paper/test_stealth.py::test_the_promise_is_kept_on_the_worst_data
    """
    from scipy.stats import binom

    if not 0 < stealth < 1:
        raise ModelError("stealth is the probability that no cell is negative: a number between 0 and 1, such as 0.9.")
    rank = int(binom.ppf(1 - _DOUBT, _DRAWS, stealth)) + 1
    if rank > _DRAWS:
        raise ModelError("stealth is too near to one to be promised. Choose a smaller one, or project, which always succeeds.")
    return max(0, math.ceil(float(parity_noise(network, scale).deepest[rank - 1])))


def _simulated(
    network: Network, scales: tuple[tuple[frozenset[str], Fraction], ...], draws: int
) -> Iterator[list[npt.NDArray[np.float64]]]:
    """Batches of the noise of every maximal family's cells: draws first, then one axis per member."""
    generator = np.random.default_rng(_SEED)
    sets = {gamma: place for place, (gamma, _) in enumerate(scales)}
    chance = np.array([-math.expm1(-1 / scale) for _, scale in scales])
    cells = sum(family.cells for family in network.maximal_families)
    batch = max(1, min(draws, 2**23 // (cells + len(sets))))
    for start in range(0, draws, batch):
        size = min(batch, draws - start)
        # A difference of two geometric variables is discrete Laplace; phi = rows - 2 odd turns k into -2 k.
        odd = generator.geometric(chance, (2, size, len(sets)))
        phi = -2.0 * (odd[0] - odd[1])
        yield [_cells(phi, sets, family.members) for family in network.maximal_families]


def _cells(phi: npt.NDArray[np.float64], sets: dict[frozenset[str], int], members: tuple[str, ...]) -> npt.NDArray[np.float64]:
    shape = (2,) * len(members)
    table = np.zeros((len(phi), *shape))
    for place in np.ndindex(shape):
        gamma = frozenset(node for node, chosen in zip(members, place, strict=True) if chosen)
        if gamma:
            table[(slice(None), *place)] = phi[:, sets[gamma]]
    return np.asarray(walsh_hadamard(table, first_axis=1) / 2 ** len(members))
