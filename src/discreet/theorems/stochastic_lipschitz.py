"""The paper's second route to privacy of posterior draws: priors that rarely leave smooth regions. A diagnostic, no guarantee.

The bound on the total variation between posteriors of neighbours, sqrt(M / 2), exceeds 1 for every network with two or more
nodes, whatever the prior: it says nothing. These functions compute its constants so that anyone can see that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.model.network import Network
from discreet.model.prior import Prior

__all__ = ["StochasticLipschitz", "lipschitz_failure", "stochastic_lipschitz"]

_OMEGA = 1.2564312086261697  # solves exp(x) - 1 = 2 x
_KAPPA = 4.910814964568255  # 2 omega / (1 - exp(-omega))^2


@dataclass(frozen=True, slots=True)
class StochasticLipschitz:
    """The constants of Assumption 2, Lemma 3 and Theorem 4.2 for a network and its prior. Never a guarantee."""

    c: float
    """Rate at which the prior leaves L-Lipschitz parameters, c' of Lemma 3, from ``least_constant`` on."""
    least_constant: float
    """L0: the bound on the prior holds for Lipschitz constants from here on."""
    likelihood_ratio: float
    """C: largest ratio of maximum likelihood and marginal likelihood of one record."""
    applies: bool
    """Whether the theorem's condition, distance <= (1 - delta) c for all records, can be met at all."""
    m: float
    """M of the theorem, the least over L0 and delta; C log C, which M always exceeds, where the theorem does not apply."""
    vacuous: bool
    """Whether sqrt(M / 2), a bound on a probability, is at least one."""

    @property
    def total_variation(self) -> float:
        """What the theorem bounds the change of any probability by: sqrt(M / 2)."""
        return math.sqrt(self.m / 2)

    @property
    def says_nothing(self) -> bool:
        """Vacuous, or not applicable. Where False it still covers a single record only, not a data set."""
        return self.vacuous or not self.applies


def lipschitz_failure(concentration: Floats, constant: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Prior probability that the parameters of one parent configuration are not L-Lipschitz: some ratio exceeds exp(L).

    Claim:      at most the sum over pairs of levels u, v of P(theta_v / theta_u > exp(L)) = I(1 / (1 + exp(L)); a_u, a_v);
                equal to it for two levels.                                              [Paper, Assumption 2; GUARANTEES 3.4]
    Requires:   one row of concentrations; constants L > 0.
    Checked by: tests/unit/theorems/test_stochastic_lipschitz.py::test_the_uniform_prior_leaves_at_a_rate_below_one
    """
    from scipy.special import betainc, expit

    small = expit(-np.asarray(constant, dtype=np.float64))
    row = np.asarray(concentration, dtype=np.float64).ravel()
    pairs = [betainc(row[u], row[v], small) for u in range(len(row)) for v in range(len(row)) if u != v]
    return np.asarray(np.minimum(1.0, np.sum(pairs, axis=0)))


def stochastic_lipschitz(network: Network, prior: Prior) -> StochasticLipschitz:
    """Find the best constants of Theorem 4.2 for a full record, and say that they are of no use.

    Claim:      M >= C log C, and C >= prod of the numbers of levels: a level's marginal likelihoods sum to one, its maximum
                likelihood is one. So M >= 2^k k log 2 and sqrt(M / 2) >= 1.66 for two nodes, 879 for 17. The constants are
                those most favourable to the theorem: each node's rate is that of its best parent configuration, distances
                look at the node alone, and the data are one record.         [Paper, Lemma 3, Theorem 4.2; GUARANTEES 3.2, 3.4]
    Requires:   Dirichlet priors. Floating point, on a grid of L0 and delta.
    Checked by: tests/unit/theorems/test_stochastic_lipschitz.py::test_one_node_has_the_known_constants
                tests/unit/theorems/test_stochastic_lipschitz.py::test_two_nodes_are_vacuous_whatever_the_prior
    """
    tables = [prior.concentration(family) for family in network.families]
    nodes = len(tables)
    log_ratio = float(sum(np.log((table.sum(axis=1, keepdims=True) / table).max(axis=1).min()) for table in tables))
    starts = np.geomspace(1e-3, 60, 3000)
    rates = np.min([_rates(table, starts) for table in tables], axis=0) - math.log(nodes) / starts
    best = (math.inf, float(starts[-1]), float(rates[-1]))
    for start, rate in zip(starts, rates, strict=True):
        if rate > nodes:  # the distance of two records can be the number of nodes, which must be at most (1 - delta) c
            best = min(best, (_least_m(start, rate, nodes, log_ratio), float(start), float(rate)))
    applies = math.isfinite(best[0])
    m = best[0] if applies else _times_exp(log_ratio, log_ratio)
    return StochasticLipschitz(best[2], best[1], _times_exp(1.0, log_ratio), applies, m, math.sqrt(m / 2) >= 1)


def _rates(table: Floats, starts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """For each L0 the largest c with failure <= exp(-c L) for all L >= L0; of the best parent configuration."""
    beyond = np.concatenate([starts, np.geomspace(starts[-1], 700, 200)[1:]])
    found = []
    for row in table:
        with np.errstate(divide="ignore"):
            rate = np.minimum(-np.log(lipschitz_failure(row, beyond)) / beyond, row.min())
        found.append(np.minimum.accumulate(rate[::-1])[::-1][: len(starts)])
    return np.asarray(np.max(found, axis=0))


def _least_m(start: float, rate: float, distance: float, log_ratio: float) -> float:
    """M at this L0 and c, the least over delta."""
    delta = np.linspace(0, 1 - distance / rate, 60)[1:]
    with np.errstate(over="ignore", divide="ignore"):
        tail = np.exp(-start * delta * rate) / (np.exp(-_OMEGA * (1 - delta)) - math.exp(-_OMEGA))
        last = np.log(tail + np.exp(start * (1 - delta) * rate))
    inner = _KAPPA / rate + start * (1 / -math.expm1(-_OMEGA) + 1) + log_ratio + float(last.min())
    return _times_exp(inner, log_ratio)


def _times_exp(factor: float, exponent: float) -> float:
    return factor * math.exp(exponent) if exponent < 700 else math.inf
