"""What Table 1 measures: errors of released probabilities, and how far some replaced record moves the statistics of a network.

Errors are those planned, and those that happen on records of random parameters. Moves are found by looking: they are lower
bounds on sensitivities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.chains.dirichlet import dirichlet_draws
from discreet.counts.families import family_counts
from discreet.errors import BudgetError, ModelError
from discreet.experiments.study import SeededBits
from discreet.kernel.ledger import Ledger
from discreet.mechanisms import Fourier, Laplace, MapPoint, Sampler
from discreet.mechanisms.knorm import KNorm
from discreet.mechanisms.mechanism import Mechanism
from discreet.model.network import Network
from discreet.model.prior import UNIFORM
from discreet.planning.parameter_error import ParameterError
from discreet.posterior.point import PointPosterior

__all__ = ["MECHANISMS", "largest_move", "most_odd", "released_errors"]

_REPEATS = 12
MECHANISMS: Mapping[str, Callable[[Fraction], Mechanism[Network, Any]]] = {
    "Laplace": Laplace,
    "Fourier": Fourier,
    "sampler": Sampler,
    "MAP": MapPoint,
    "K-norm": KNorm,
}
_STARTS = 20


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


def largest_move(network: Network, generator: np.random.Generator) -> int:
    """The largest L1 distance of all family counts of two records, among random pairs that differ in every node."""
    import polars as pl

    records = []
    for _ in range(_STARTS):
        first = {variable.name: int(generator.integers(variable.size)) for variable in network.variables}
        records += [first, {variable.name: (first[variable.name] + 1) % variable.size for variable in network.variables}]
    levels = {variable.name: variable.levels for variable in network.variables}
    tables = [
        family_counts(pl.DataFrame([{name: levels[name][code] for name, code in record.items()}]), network)
        for record in records
    ]
    lines = [np.concatenate([table[node].ravel() for node in network.nodes]) for table in tables]
    return max(int(np.abs(old - new).sum()) for old, new in zip(lines[::2], lines[1::2], strict=True))


def most_odd(network: Network, generator: np.random.Generator) -> int:
    """The most parities that a replacement flips: changed nodes are chosen at random, then one by one as long as it helps."""
    nodes = list(network.nodes)
    sets = np.array([[node in members for node in nodes] for members in network.downward_closure if members], dtype=np.int64)
    best = 0
    for _ in range(_STARTS):
        changed = generator.integers(0, 2, len(nodes))
        while True:
            neighbours = (changed + np.vstack([np.zeros_like(changed), np.eye(len(nodes), dtype=np.int64)])) % 2
            flipped = (neighbours @ sets.T % 2).sum(axis=1)
            best = max(best, int(flipped.max()))
            if flipped.argmax() == 0:
                break
            changed = neighbours[flipped.argmax()]
    return best
