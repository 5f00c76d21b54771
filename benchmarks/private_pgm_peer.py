"""private-pgm (mbi): the margins (target, feature), measured with the same budget as ours, fitted and read as naive Bayes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np

import discreet as dc
from discreet.conversion import rho_of_epsilon

from .utility_data import Task

__all__ = ["private_pgm"]

_STEPS = 1000
"""Of mirror descent. Five times as many move accuracy and log-loss by at most 0.0001."""
_LEAST = 1e-9


def private_pgm(delta: str | None, *, prior: int) -> Callable[[Task, str, int], np.ndarray | None]:
    """With Laplace noise, or with Gaussian noise and a delta. Fitted counts are taken as they are, or update a uniform prior.

    The number of records is known to it, as to all contenders.
    """

    def run(task: Task, epsilon: str, seed: int) -> np.ndarray | None:
        fitted = _fitted(task, epsilon, delta, seed)
        if fitted is None:
            return None
        label = np.maximum(next(iter(fitted.values())).sum(axis=1), _LEAST) + prior
        tables = {feature: np.maximum(table, _LEAST) + prior for feature, table in fitted.items()}
        known = {feature: table / table.sum(axis=1, keepdims=True) for feature, table in tables.items()}
        point = dc.PointPosterior(task.network, {task.target: [label / label.sum()], **known})
        return point.predict_proba(task.test, task.target)

    return run


@lru_cache(maxsize=4)
def _fitted(task: Task, epsilon: str, delta: str | None, seed: int) -> dict[str, np.ndarray] | None:
    """Counts (target, feature) that agree with one another and are not negative; None without the library."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the precision of JAX, which is set before anything is computed
            import jax
            from mbi import Domain, LinearMeasurement
            from mbi.estimation import MirrorDescent
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)  # as mbi advises for more than 100,000 records
    exact = task.margins()
    scale = _scale(epsilon, delta, len(exact))
    generator = np.random.default_rng([seed, int(1000 * float(epsilon)), delta is None])
    draw = generator.laplace if delta is None else generator.normal
    measured = [
        LinearMeasurement((counts + draw(0, scale, counts.shape)).ravel(), (task.target, feature), scale)
        for feature, counts in exact.items()
    ]
    domain = Domain(task.network.nodes, [variable.size for variable in task.network.variables])
    model = MirrorDescent().estimate(domain, measured, known_total=float(task.train.height), iters=_STEPS)
    return {feature: np.asarray(model.project((task.target, feature)).datavector(flatten=False)) for feature in exact}


def _scale(epsilon: str, delta: str | None, tables: int) -> float:
    """Replacing a record moves one table by 2 in L1 norm and by the root of 2 in L2 norm."""
    if delta is None:
        return 2 * tables / float(epsilon)
    return math.sqrt(tables / float(rho_of_epsilon(Fraction(epsilon), Fraction(delta))))
