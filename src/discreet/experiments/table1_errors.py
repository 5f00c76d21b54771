"""Errors of released probabilities, as planned and as they happen on records of random parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.chains.dirichlet import dirichlet_draws
from discreet.errors import BudgetError, ModelError
from discreet.experiments.seeded_bits import SeededBits
from discreet.kernel.ledger import Ledger
from discreet.mechanisms import Fourier, Laplace, MapPoint, Sampler
from discreet.mechanisms.knorm import KNorm
from discreet.mechanisms.mechanism import Mechanism
from discreet.model.network import Network
from discreet.model.prior import UNIFORM
from discreet.planning.parameter_error import ParameterError
from discreet.posterior.point import PointPosterior

__all__ = ["MECHANISMS", "released_errors"]

_REPEATS = 12


def released_errors(
    network: Network, rows: int, epsilon: Fraction, generator: np.random.Generator
) -> Iterator[tuple[str, float, float] | None]:
    """Each mechanism's name, planned mean absolute error, and the one found; None if network or budget do not allow it."""
    worlds = [_world(network, rows, generator) for _ in range(_REPEATS)]
    for name, make in MECHANISMS.items():
        mechanism = make(epsilon)
        planned = _plan(mechanism, network, rows)
        if planned is None:
            yield None
            continue
        found = [_error(mechanism, network, truth, records, generator) for truth, records in worlds]
        yield name, planned.mean, float(np.mean(found))


MECHANISMS: Mapping[str, Callable[[Fraction], Mechanism[Network, Any]]] = {
    "Laplace": Laplace,
    "Fourier": Fourier,
    "sampler": Sampler,
    "MAP": MapPoint,
    "K-norm": KNorm,
}


def _plan(mechanism: Mechanism[Network, Any], network: Network, rows: int) -> ParameterError | None:
    try:
        return mechanism.plan(network, rows).parameter_error
    except (BudgetError, ModelError):
        return None


def _world(network: Network, rows: int, generator: np.random.Generator) -> tuple[PointPosterior, Any]:
    """Uniform parameters, as the prior believes, and records of theirs."""
    tables = {
        family.node: dirichlet_draws(np.ones((1, family.configurations, family.levels)), generator)[0]
        for family in network.families
    }
    truth = PointPosterior(network, tables)
    return truth, truth.sample(rows, generator)


def _error(
    mechanism: Mechanism[Network, Any], network: Network, truth: PointPosterior, records: Any, generator: np.random.Generator
) -> float:
    made = mechanism.release(records, network, ledger=Ledger.unlimited(), prior=UNIFORM, _bits=SeededBits(generator))
    gaps = [np.abs(made.posterior.mean(node) - truth.mean(node)).ravel() for node in network.nodes]
    return float(np.concatenate(gaps).mean())
