"""Errors of released probabilities, as planned and as they happen on records of random parameters."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.errors import BudgetError, ModelError
from discreet.experiments.seeded_bits import SeededBits
from discreet.kernel.ledger import Ledger
from discreet.mechanisms import Fourier, Laplace, MapPoint, Sampler
from discreet.mechanisms.knorm import KNorm
from discreet.mechanisms.mechanism import Mechanism
from discreet.model.network import Network
from discreet.model.prior import UNIFORM
from discreet.posterior.dirichlet import dirichlet_draws
from discreet.posterior.point import PointPosterior

__all__ = ["released_errors"]

_REPEATS = 12


def released_errors(
    network: Network, rows: int, epsilon: Fraction, generator: np.random.Generator
) -> Iterator[tuple[str, float, float]]:
    """Each mechanism that the network and the budget allow: its name, the planned mean absolute error, and the one found."""
    worlds = [_world(network, rows, generator) for _ in range(_REPEATS)]
    for name, mechanism in _mechanisms(epsilon).items():
        try:
            planned = mechanism.plan(network, rows).parameter_error
        except (BudgetError, ModelError):
            continue
        if planned is None:
            continue
        found = [_error(mechanism, network, truth, records, generator) for truth, records in worlds]
        yield name, planned.mean, float(np.mean(found))


def _mechanisms(epsilon: Fraction) -> dict[str, Mechanism[Any]]:
    return {
        "Laplace": Laplace(epsilon),
        "Fourier": Fourier(epsilon),
        "sampler": Sampler(epsilon),
        "MAP": MapPoint(epsilon),
        "K-norm": KNorm(epsilon),
    }


def _world(network: Network, rows: int, generator: np.random.Generator) -> tuple[PointPosterior, Any]:
    """Uniform parameters, as the prior believes, and records of theirs."""
    tables = {
        family.node: dirichlet_draws(np.ones((1, family.configurations, family.levels)), generator)[0]
        for family in network.families
    }
    truth = PointPosterior(network, tables)
    return truth, truth.sample(rows, generator)


def _error(
    mechanism: Mechanism[Any], network: Network, truth: PointPosterior, records: Any, generator: np.random.Generator
) -> float:
    made = mechanism.release(records, network, ledger=Ledger.unlimited(), prior=UNIFORM, _bits=SeededBits(generator))
    gaps = [np.abs(made.posterior.mean(node) - truth.mean(node)).ravel() for node in network.nodes]
    return float(np.concatenate(gaps).mean())
