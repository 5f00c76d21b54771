"""How far apart two posteriors are."""

from __future__ import annotations

import numpy as np

from discreet.arrays import Floats
from discreet.errors import QueryError
from discreet.inference.beliefs import DirichletBeliefs

__all__ = ["dirichlet_divergence"]

_LARGE = 500.0
"""Above this the next terms of Stirling's series are below 1e-16."""


def dirichlet_divergence(p: DirichletBeliefs, q: DirichletBeliefs) -> float:
    """Kullback-Leibler divergence KL(p || q) of two Dirichlet posteriors of one network, in closed form.

    The Dirichlet distributions of a network are independent, so their divergences add over nodes and configurations.
    """
    if not isinstance(q, DirichletBeliefs):
        raise QueryError("Only Dirichlet posteriors have a divergence in closed form; of a release, compare the plugin.")
    if p.network != q.network:
        raise QueryError("The two posteriors are about different networks; compare posteriors of the same one.")
    total = 0.0
    for node in p.network.nodes:
        left, right = p.concentration(node), q.concentration(node)
        sums = _bregman(left.sum(axis=1), right.sum(axis=1))
        total += float((_bregman(left, right).sum(axis=1) - sums).sum())
    return max(total, 0.0)  # rounding may leave equal posteriors a little below zero


def _bregman(left: Floats, right: Floats) -> Floats:
    """Gap between log gamma at ``right`` and its tangent at ``left``; the divergence is a difference of such gaps."""
    from scipy.special import digamma, gammaln

    step = right - left
    plain = gammaln(right) - gammaln(left) - step * digamma(left)
    # For large counts the terms above are huge and cancel; in Stirling's series they cancel on paper.
    part = step / left
    tangent = np.log1p(part) - part
    series = left * tangent + step * np.log1p(part) - tangent / 2 + _stirling(right) - _stirling(left)
    series += step * (1 / (12 * left**2) - 1 / (120 * left**4))
    return np.where(np.minimum(left, right) > _LARGE, series, plain)


def _stirling(value: Floats) -> Floats:
    """What log gamma has beyond (x - 1/2) log x - x + log(2 pi) / 2, for large x."""
    return 1 / (12 * value) - 1 / (360 * value**3)
