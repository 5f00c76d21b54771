"""How far the probabilities of a classifier can be trusted: measured under a guarantee of its own, and set right.

Naive Bayes takes features for independent given the class. Where they are not, it counts the same evidence several times, and
its probabilities are too near 0 and 1 however well its parameters are known. So the steward makes a small table that says for
every record how sure the posterior was and whether it was right, and releases it for a small part of the budget. Who has both
releases knows by which power to temper the probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.errors import QueryError
from discreet.model.network import Network
from discreet.model.prior import Table
from discreet.model.templates import naive_bayes
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.queries.blanket import Blanket, make_blanket
from discreet.queries.elimination import Codes
from discreet.queries.own_records import encode
from discreet.queries.predict import predict_codes

if TYPE_CHECKING:
    import polars as pl

    from discreet.posterior.noise_aware import NoiseAwarePosterior
    from discreet.posterior.posterior import Posterior

__all__ = ["confidence_network", "confidence_table", "power_weights", "tempered"]

Booleans = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

_EDGES = 2.0 ** np.arange(-3, 4, 0.5)
"""Bounds of the bins of log-odds. A power stretches log-odds, so bins of equal ratios tell all powers apart alike."""
_POWERS = 2.0 ** np.arange(-3.5, 1.25, 0.25)
_TRUST = 0.5
"""How probable it is beforehand that the network is right and the power is one; other powers share the rest."""
_LEAST = 1e-300


def confidence_network() -> Network:
    """What is public about a confidence table: bins of confidence, and whether the most probable level was the true one."""
    return naive_bayes("confidence", {"right": ("no", "yes")}, [str(number) for number in range(len(_EDGES) + 1)])


def confidence_table(posterior: Posterior, data: Any, target: str) -> pl.DataFrame:
    """For every record of the data in which bin the log-odds of the most probable level are, and whether it is the true one.

    Each row depends on one record and on what was released before, so a table of private records is as private as they are.
    Release it like them, as records of ``confidence_network``, and from the same ledger: the budgets of the releases add up.
    """
    import polars as pl

    blanket = make_blanket(posterior, target)
    judged = [_judged(posterior, codes, target, blanket) for codes in encode(data, posterior.network)]
    schema = {"confidence": pl.String, "right": pl.String}
    parts = [pl.DataFrame({"confidence": bins.astype(str), "right": np.where(right, "yes", "no")}) for bins, right in judged]
    return pl.concat([pl.DataFrame(schema=schema), *parts])


def tempered(probabilities: Table, confidence: DirichletPosterior | NoiseAwarePosterior) -> Table:
    """Probabilities (records x levels) as near to 0 and 1 as the posterior of a confidence table has found them to deserve.

    The mean over all powers, by how probable they are, of probabilities to a power. The order of the levels never changes.
    """
    logs = np.log(np.maximum(probabilities, _LEAST))
    logs -= logs.max(axis=1, keepdims=True)
    result = np.zeros_like(logs)
    for power, weight in zip(_POWERS, power_weights(confidence), strict=True):
        if weight > 1e-9:
            raised = np.exp(power * logs)
            result += weight * raised / raised.sum(axis=1, keepdims=True)
    return np.asarray(result / result.sum(axis=1, keepdims=True))


def power_weights(confidence: DirichletPosterior | NoiseAwarePosterior) -> Table:
    """How probable each power is, given how often the most probable level was right in each bin.

    A normal approximation. Where in its bin the log-odds of a record are is not known, which adds to the variance.
    """
    share, precision = _evidence(confidence)
    ratio = _EDGES[1] / _EDGES[0]
    middle = np.append(_EDGES, ratio * _EDGES[-1]) / np.sqrt(ratio)
    expected, lower, upper = (1 / (1 + np.exp(-_POWERS[:, None] * middle * side)) for side in (1, ratio**-0.5, ratio**0.5))
    inside = (upper - lower) ** 2 / 12
    logs = -(precision * (share - expected) ** 2 / (1 + precision * inside) + np.log1p(precision * inside)).sum(axis=1) / 2
    logs += np.log(np.where(_POWERS == 1, _TRUST, (1 - _TRUST) / (len(_POWERS) - 1)))
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _evidence(confidence: DirichletPosterior | NoiseAwarePosterior) -> tuple[Table, Table]:
    """What the release alone says of the share of right answers in each bin: estimates and precisions, the prior taken off."""
    before = DirichletPosterior(confidence.network, confidence.prior)
    known = [(belief.mean("right")[:, 1], 1 / belief.variance("right")[:, 1]) for belief in (before, confidence)]
    (prior_mean, prior_precision), (mean, precision) = known
    gained = np.maximum(precision - prior_precision, 0)
    weighted = mean * precision - prior_mean * prior_precision
    return np.where(gained > 0, weighted / np.where(gained > 0, gained, 1), 0), gained


def _judged(posterior: Posterior, codes: Mapping[str, Codes], target: str, blanket: Blanket) -> tuple[Integers, Booleans]:
    """The bins of a batch of records, and where the most probable level is the true one."""
    truth = codes.get(target)
    if truth is None or (truth == posterior.network.variable(target).size).any():
        raise QueryError(f"Whether a prediction is right can only be said where {target!r} is known. Leave out other records.")
    probabilities = predict_codes(posterior, codes, target, blanket)
    top = probabilities.max(axis=1)
    odds = np.log(top) - np.log(np.maximum(1 - top, _LEAST))
    return np.digitize(odds, _EDGES), probabilities.argmax(axis=1) == truth
