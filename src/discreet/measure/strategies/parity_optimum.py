"""The best weights of parities, up to a proven gap: floating point that proposes and never decides.

To minimise sum_g v_g / a_g^2 over weights a > 0 with sum_{g : <g, z> odd} a_g <= 1 for all flips z, look at a random flip: let
c_g be the probability that it makes g odd. Averaging the constraints gives sum_g c_g a_g <= 1, and under this one constraint
the best weights are proportional to (v_g / c_g)^(1/3), with the value (sum_g v_g^(1/3) c_g^(2/3))^3. So every law of flips
gives a bound from below, the best law gives the optimum, and the law improves where it knows too little of the flip that its
weights break most: which ``largest_odd_weight`` finds. Bound and value close in on each other.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from discreet.measure.strategies.odd_weight import largest_odd_weight
from discreet.model.min_fill import min_fill
from discreet.model.network import Network

__all__ = ["optimum"]

_ROUNDS = 80
_STEPS = 40
_GAP = 1.01
_FINE = 2**30
_WORK = 2**27
"""Cells that may be looked at in all rounds together: a limit on work, so that results do not depend on the clock."""

_Array = npt.NDArray[np.float64]


def optimum(network: Network, importance: Mapping[frozenset[str], float]) -> dict[frozenset[str], float]:
    """Weights that nearly minimise sum_g importance_g (sensitivity / weight_g)^2; they are only a proposal.

    Claim:      none about privacy. The value is within one per cent of the least possible if ``_ROUNDS`` and ``_WORK``
                were enough, as on all networks that were tried.
    Requires:   variables of two levels; importances > 0.
    Checked by: tests/unit/measure/strategies/test_parity_weights.py::test_no_other_weights_are_much_better
    """
    sets = list(importance)
    inside = np.array([[node in gamma for node in network.nodes] for gamma in sets], dtype=np.int64)
    values = np.array([importance[gamma] for gamma in sets])
    roots = np.cbrt(values)
    flips: _Array = np.full((1, len(sets)), 0.5)  # a fair coin for every node makes each set odd half of the time
    law: _Array = np.ones(1)
    best, least = np.cbrt(values), np.inf
    for _ in range(_rounds(network)):
        law = _improved(law, flips, roots)
        chances = law @ flips
        weights = roots / np.cbrt(chances)
        whole = np.maximum(np.rint(weights / weights.max() * _FINE), 1).astype(np.int64)
        found = largest_odd_weight(network, dict(zip(sets, whole.tolist(), strict=True)))
        value = float(values @ (found.bound / whole) ** 2)
        if value < least:
            best, least = weights, value
        if least <= _GAP * float(roots @ chances ** (2 / 3)) ** 3:
            break
        flipped = np.array([node in found.flipped for node in network.nodes], dtype=np.int64)
        kept = law > 1e-6
        kept[0] = True
        flips = np.vstack([flips[kept], inside @ flipped % 2])
        law = np.append(law[kept], 1 / len(flips))
    return dict(zip(sets, best.tolist(), strict=True))


def _rounds(network: Network) -> int:
    scopes = [frozenset(family.members) for family in network.maximal_families]
    cells = min_fill(scopes, (), dict.fromkeys(network.nodes, 2))[2]
    return max(1, min(_ROUNDS, _WORK // (cells + _ROUNDS * len(network.downward_closure))))


def _improved(law: _Array, flips: _Array, roots: _Array) -> _Array:
    """Give more probability to flips that make more weight odd than the average one does, in small steps."""
    law = law / law.sum()
    for _ in range(_STEPS):
        gains = flips @ (roots / np.cbrt(law @ flips))
        law = law * (gains / (law @ gains)) ** 1.5
        law = law / law.sum()
    return law
