"""How far the probabilities of a classifier can be trusted: measured under a guarantee of its own, and set right.

Naive Bayes takes features for independent given the class. Where they are not, it counts the same evidence several times, and
its probabilities are too near 0 and 1, and often on the wrong side of one half, however well its parameters are known. So the
steward makes a small table that says for every record what the posterior thought and what is true, and releases it for a small
part of the budget. Who has both releases knows by which power and shift to correct the log-odds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
from discreet.queries.own_records import encode_complete

if TYPE_CHECKING:
    import polars as pl

    from discreet.posterior.noise_aware import NoiseAwarePosterior
    from discreet.posterior.posterior import Posterior

__all__ = [
    "calibrated",
    "check_confidence",
    "check_judge",
    "check_target",
    "confidence_network",
    "confidence_table",
    "correction_weights",
]

Booleans = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

_RATIO = 2.0**0.5
_SIZES = _RATIO ** np.arange(-6, 8)
_EDGES = np.concatenate([-_SIZES[::-1], _SIZES])
"""Bounds of the bins of log-odds. A power stretches log-odds, so bins of equal ratios tell all powers apart alike."""
_STEP = 2.0**-40
"""What log probabilities are whole multiples of while records are judged."""
_LEAST_LOG = -(2.0**12)
"""Of what is impossible. Sums over a thousand tables still fit into 64 bits."""
_POWERS = 2.0 ** np.arange(-3.5, 1.125, 0.125)
_SHIFTS = np.arange(-64, 65) / 32
_SHIFT_DEVIATION = 0.25
"""Of the shift beforehand."""
_TRUST = 0.5
"""How probable it is beforehand that the network is right: power one, shift zero."""
_AVERAGED = 64
"""Corrections that a probability is averaged over."""
_LEAST = 1e-300


def confidence_network() -> Network:
    """What is public about a confidence table: bins of the log-odds of a target's second level, and which level is true."""
    return naive_bayes("log_odds", {"truth": ("first", "second")}, [str(number) for number in range(len(_EDGES) + 1)])


def confidence_table(posterior: Posterior, data: Any, target: str, *, missing: str | None = None) -> pl.DataFrame:
    """For every record of the data in which bin the log-odds of the target's second level are, and which level is true.

    Release it like the records, as records of ``confidence_network`` and from the same ledger: the budgets of the releases add
    up. ``missing`` is what it is for a release.

    Claim:      row i depends on record i and on the posterior alone, and there are as many rows as records; so replacing one
                record replaces one row.
    Requires:   the posterior follows from what is published already. One with added records is refused; whether the tables of
                a point were published, or those of a prior, cannot be seen.
    Checked by: tests/unit/queries/test_confidence.py::test_the_row_of_a_record_does_not_depend_on_the_others
    """
    import polars as pl

    check_judge(posterior, target)
    whole = _whole(make_blanket(posterior, target))
    judged = [_judged(whole, codes, target) for codes in encode_complete(data, posterior.network, missing)]
    return pl.concat(
        pl.DataFrame({"log_odds": bins.astype(str), "truth": np.where(second, "second", "first")}) for bins, second in judged
    )


def check_judge(posterior: Posterior, target: str) -> None:
    """Refuse a posterior or a target for which there is no confidence table."""
    check_target(posterior.network, target)
    if getattr(posterior, "own", None) is not None:
        raise QueryError(
            "This posterior holds exact counts of added records, on which every row would depend. Use the posterior as it was "
            "before the update."
        )


def check_target(network: Network, target: str) -> None:
    """Refuse a target that does not have two levels."""
    size = network.variable(target).size
    if size != 2:
        raise QueryError(f"Confidence is measured for targets of two levels; {target!r} has {size}.")


def check_confidence(posterior: Any) -> DirichletPosterior | NoiseAwarePosterior:
    """Refuse what is not the posterior of a confidence table."""
    from discreet.posterior.noise_aware import NoiseAwarePosterior

    kinds = DirichletPosterior | NoiseAwarePosterior
    if not isinstance(posterior, kinds) or posterior.network != confidence_network():
        raise QueryError("This is not a release of a confidence table, which says how often predictions are right.")
    return posterior


def calibrated(probabilities: Table, confidence: DirichletPosterior | NoiseAwarePosterior) -> Table:
    """Probabilities (records x two levels) as the posterior of a confidence table has found them to deserve.

    The mean over corrections, by how probable they are, of what a corrected log-odds says. The order of the records never
    changes; the more probable level of a record may.
    """
    from scipy.special import expit

    check_confidence(confidence)
    if probabilities.shape[1:] != (2,):
        raise QueryError("Confidence is measured for targets of two levels: give probabilities of two levels for each record.")
    first, second = np.log(np.maximum(probabilities, _LEAST)).T
    weights = correction_weights(confidence)
    places = np.searchsorted(weights.cumsum(), (np.arange(_AVERAGED) + 0.5) / _AVERAGED)
    found = np.zeros(len(probabilities))
    for place, times in zip(*np.unique(places, return_counts=True), strict=True):
        power, shift = np.unravel_index(place, weights.shape)
        found += times / _AVERAGED * expit(_POWERS[power] * (second - first) + _SHIFTS[shift])
    return np.stack([1 - found, found], axis=1)


def correction_weights(confidence: DirichletPosterior | NoiseAwarePosterior) -> Table:
    """How probable each power (first axis) and shift (second axis) of log-odds is, given the released table.

    The likelihood is that of as many records as the release is worth. Where in its bin their log-odds are is not known, which
    adds to the variance of the log-odds that they show.
    """
    from scipy.special import entr, expit, log_expit

    outer = _RATIO * _SIZES[-1]
    lower, upper = np.append(-outer, _EDGES), np.append(_EDGES, outer)
    first, second = _evidence(confidence).T
    odds = np.multiply.outer(_POWERS, (lower + upper) / 2)[:, None] + _SHIFTS[:, None]
    inside = np.multiply.outer(_POWERS**2, (upper - lower) ** 2 / 12)[:, None]
    variance_ratio = 1 + (first + second) * expit(odds) * expit(-odds) * inside
    best = entr(first + second) - entr(first) - entr(second)  # of all log-odds, the likelihood of those that fit this bin
    misfit = best - first * log_expit(-odds) - second * log_expit(odds)
    logs = -(misfit / variance_ratio + np.log(variance_ratio) / 2).sum(axis=2)
    prior = np.outer(np.ones(len(_POWERS)), np.exp(-((_SHIFTS / _SHIFT_DEVIATION) ** 2) / 2))
    prior *= (1 - _TRUST) / prior.sum()
    prior[_POWERS == 1, _SHIFTS == 0] += _TRUST
    weights = prior * np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _evidence(confidence: DirichletPosterior | NoiseAwarePosterior) -> Table:
    """How many records of each level in each bin (bins x two levels) would have told as much as the release alone does."""
    before = DirichletPosterior(confidence.network, confidence.prior)
    return np.maximum(_beta(confidence) - _beta(before), 0)


def _beta(belief: DirichletPosterior | NoiseAwarePosterior) -> Table:
    """The parameters of Beta distributions with the same means and variances."""
    mean, variance = belief.mean("truth"), belief.variance("truth")
    return np.asarray(mean * (mean[:, :1] * mean[:, 1:] / variance[:, :1] - 1))


def _judged(whole: Blanket, codes: Mapping[str, Codes], target: str) -> tuple[Integers, Booleans]:
    """The bins of a batch of records, and where the second level is the true one.

    Whole numbers are added up and compared: no rounding can make the row of one record depend on what others are beside it.
    """
    truth = codes[target]
    first, second = (sum(table.at(codes, slice(None))[level] for table in whole.tables) for level in (0, 1))
    bins = np.digitize(np.broadcast_to(second - first, truth.shape), _steps(_EDGES))
    return bins, np.asarray(truth == 1)


def _whole(blanket: Blanket) -> Blanket:
    """The same log probabilities in whole numbers."""
    tables = (replace(table, logs=_steps(np.maximum(table.logs, _LEAST_LOG))) for table in blanket.tables)
    return replace(blanket, tables=tuple(tables))


def _steps(values: Table) -> Integers:
    return np.asarray(np.rint(values / _STEP), dtype=np.int64)
