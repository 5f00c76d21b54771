"""Who is compared in the benchmark of utility: naive Bayes from releases of this project, the paper's mechanisms and peers.

A contender turns a task and an epsilon into probabilities of the target's levels for the test records. It gives None where it
cannot: a peer that is not installed, or a mechanism that is not made for the network.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

import discreet as dc
from discreet.conversion import rho_of_epsilon
from discreet.inference.calibration import calibrate
from discreet.inference.confidence import confidence_network, confidence_table

from .diffprivlib_peer import gaussian_naive_bayes
from .private_pgm_peer import private_pgm
from .utility_data import Task

__all__ = ["APPROXIMATE", "COIN", "CONTENDERS", "DELTA", "FREQUENCIES", "NOT_PRIVATE", "PURE", "Contender"]

DELTA = "1e-6"
PURE, APPROXIMATE, NOT_PRIVATE = "epsilon", f"(epsilon, {DELTA})", "none"
COIN, FREQUENCIES = "coin", "class frequencies"
"""Who predicts without any feature: what a classifier should not fall behind."""
_SHARE = Fraction(1, 5)
"""Of the budget, for the confidence table."""

Probabilities = np.ndarray


@dataclass(frozen=True, slots=True)
class Contender:
    """What it promises, whether it is this project's own, and how it predicts."""

    guarantee: str
    ours: bool
    predict: Callable[[Task, str, int], Probabilities | None]


def _released(maker, *, plugin: bool = False) -> Callable[[Task, str, int], Probabilities | None]:
    """Release with a mechanism and predict from the posterior. Releases have no seeds."""

    @lru_cache(maxsize=1)
    def run(task: Task, epsilon: str, _seed: int) -> Probabilities | None:
        try:
            release = dc.release(task.train, task.network, maker(Fraction(epsilon)), ledger=dc.Ledger.unlimited())
        except dc.ModelError:  # such as parities of variables with many levels
            return None
        return (release.plugin if plugin else release.posterior).predict_proba(task.test, task.target)

    return run


def _calibrated(maker, plain) -> Callable[[Task, str, int], Probabilities | None]:
    """A fifth of the budget says how far the probabilities can be trusted, where there are records enough to see it.

    There are if a bin of the table has on average as many records as the standard deviation of Laplace noise in it. Otherwise
    the release is the plain one.
    """

    def run(task: Task, epsilon: str, seed: int) -> Probabilities | None:
        whole, table = Fraction(epsilon), confidence_network()
        bins = table.variable("log_odds").size
        if task.train.height * whole * _SHARE < bins * 2 * math.sqrt(2):
            return plain(task, epsilon, seed)
        ledger = dc.Ledger.unlimited()
        posterior = dc.release(task.train, task.network, maker(whole, 1 - _SHARE), ledger=ledger).posterior
        judged = confidence_table(posterior, task.train, task.target)
        confidence = dc.release(judged, table, maker(whole, _SHARE), ledger=ledger).posterior
        return calibrate(posterior.predict_proba(task.test, task.target), confidence)

    return run


def _auto(epsilon: Fraction, share: Fraction = Fraction(1)) -> dc.Auto:
    return dc.Auto(epsilon * share)


def _gaussian(epsilon: Fraction, share: Fraction = Fraction(1)) -> dc.Gaussian:
    """Parts of a zero-concentrated budget add up to it, so the whole keeps (epsilon, delta)."""
    return dc.Gaussian(rho=rho_of_epsilon(epsilon, Fraction(DELTA)) * share)


def _not_private(task: Task, _epsilon: str, _seed: int) -> Probabilities:
    """The posterior given the records themselves."""
    return dc.DirichletPosterior(task.network).update(task.train).predict_proba(task.test, task.target)


def _coin(task: Task, _epsilon: str, _seed: int) -> Probabilities:
    """Who knows nothing: every level is as probable as any other."""
    levels = task.network.variable(task.target).size
    return np.full((task.test.height, levels), 1 / levels)


def _class_frequencies(task: Task, _epsilon: str, _seed: int) -> Probabilities:
    """Who looks at no feature: how frequent the levels of the target are in the training records."""
    counts = np.bincount(task.codes(task.train, task.target), minlength=task.network.variable(task.target).size)
    return np.tile(counts / counts.sum(), (task.test.height, 1))


_AUTO, _GAUSSIAN = _released(_auto), _released(_gaussian)
CONTENDERS: dict[str, Contender] = {
    COIN: Contender(NOT_PRIVATE, False, _coin),
    FREQUENCIES: Contender(NOT_PRIVATE, False, _class_frequencies),
    "not private": Contender(NOT_PRIVATE, False, _not_private),
    "discreet Auto": Contender(PURE, True, _AUTO),
    "discreet Auto, calibrated": Contender(PURE, True, _calibrated(_auto, _AUTO)),
    "discreet K-norm": Contender(PURE, True, _released(dc.KNorm)),
    "paper, Algorithm 1": Contender(PURE, False, _released(dc.Laplace, plugin=True)),
    "paper, Algorithm 2": Contender(PURE, False, _released(dc.Fourier, plugin=True)),
    "paper, sampler": Contender(PURE, False, _released(dc.Sampler)),
    "paper, MAP": Contender(PURE, False, _released(dc.MapPoint)),
    "private-pgm": Contender(PURE, False, private_pgm(None, prior=0)),
    "private-pgm, uniform prior": Contender(PURE, False, private_pgm(None, prior=1)),
    "diffprivlib": Contender(PURE, False, gaussian_naive_bayes),
    "discreet Gaussian": Contender(APPROXIMATE, True, _GAUSSIAN),
    "discreet Gaussian, calibrated": Contender(APPROXIMATE, True, _calibrated(_gaussian, _GAUSSIAN)),
    "private-pgm, zCDP": Contender(APPROXIMATE, False, private_pgm(DELTA, prior=0)),
    "private-pgm, zCDP, uniform prior": Contender(APPROXIMATE, False, private_pgm(DELTA, prior=1)),
}
