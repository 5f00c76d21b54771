"""How far apart two posteriors are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.errors import QueryError

if TYPE_CHECKING:
    from discreet.model.prior import Table
    from discreet.posterior.dirichlet import DirichletPosterior

__all__ = ["dirichlet_divergence"]


def dirichlet_divergence(p: DirichletPosterior, q: DirichletPosterior) -> float:
    """Kullback-Leibler divergence KL(p || q) of two Dirichlet posteriors of one network, in closed form.

    The Dirichlet distributions of a network are independent, so their divergences add over nodes and configurations.
    """
    if p.network != q.network:
        raise QueryError("The two posteriors are about different networks; compare posteriors of the same one.")
    total = 0.0
    for node in p.network.nodes:
        left, right = p.concentration(node), q.concentration(node)
        sums = _bregman(left.sum(axis=1), right.sum(axis=1))
        total += float((_bregman(left, right).sum(axis=1) - sums).sum())
    return max(total, 0.0)  # rounding may leave equal posteriors a little below zero


def _bregman(left: Table, right: Table) -> Table:
    """Gap between log gamma at ``right`` and its tangent at ``left``; the divergence is a difference of such gaps."""
    from scipy.special import digamma, gammaln

    gap: Table = gammaln(right) - gammaln(left) - (right - left) * digamma(left)
    return gap
