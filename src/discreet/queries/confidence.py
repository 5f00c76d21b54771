"""How far the probabilities of a classifier can be trusted: measured under a guarantee of its own, and set right.

Naive Bayes takes features for independent given the class. Where they are not, it counts the same evidence several times, and
its probabilities are too near 0 and 1, and often on the wrong side of one half, however well its parameters are known. So the
steward makes a small table that says for every record what the posterior thought and what is true, and releases it for a small
part of the budget. Who has both releases knows by which power and shift to correct the log-odds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    from scipy.interpolate import CubicSpline

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

_SIZES = 2.0 ** np.append(np.arange(-3, 4, 0.5), 3.625)
_BOUNDS = np.concatenate([-_SIZES[::-1], _SIZES])
_EDGES = _BOUNDS[1:-1]
"""Between the bins of log-odds. A power stretches log-odds, so bins of equal ratios tell all powers apart alike."""
_MIDDLES, _WIDTHS = (_BOUNDS[1:] + _BOUNDS[:-1]) / 2, np.diff(_BOUNDS)
"""Of the bins. The outer ones are as wide as a step of the power, and hold all that lies further out, as if it were there."""
_STEP = 2.0**-40
"""What log probabilities are whole multiples of while records are judged."""
_LEAST_LOG, _MOST_TABLES = -(2.0**10), 2**12
"""Of what is impossible; and how many tables may be added up, so that sums fit into 64 bits."""
_POWERS = 2.0 ** np.arange(-4.5, 1.125, 0.125)
_SHIFTS = np.arange(-64, 65) / 32
_POWER_DEVIATION, _SHIFT_DEVIATION = 2.0, 0.5
"""Of the logarithm of the power, to base 2, and of the shift beforehand."""
_TRUST = 0.2
"""How probable it is beforehand that the network is right: power one, shift zero."""
_AVERAGED = 64
"""Corrections that a probability is averaged over."""
_CORRECTED = np.linspace(-30, 30, 481)
"""Log-odds after any correction of any bin, and where the likelihood is computed."""
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
                a point were published, or those of a prior, cannot be seen. Target and ``missing`` are not chosen by looking
                at the records.
    Checked by: tests/unit/queries/test_confidence.py::test_the_row_of_a_record_does_not_depend_on_the_others
    """
    import polars as pl

    check_judge(posterior, target)
    whole = _whole(make_blanket(posterior, target))
    if len(whole.tables) > _MOST_TABLES:
        raise QueryError(f"{target!r} has too many children to be judged; up to {_MOST_TABLES:,} tables can be added up.")
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

    network = getattr(posterior, "network", None)
    if network != confidence_network():
        raise QueryError("This is not a release of a confidence table, which says how far predictions can be trusted.")
    if not isinstance(posterior, DirichletPosterior | NoiseAwarePosterior):
        raise QueryError("This confidence table was released as draws. Release its counts with noise, such as by Auto.")
    return posterior


def calibrated(probabilities: Table, confidence: DirichletPosterior | NoiseAwarePosterior) -> Table:
    """Probabilities (records x two levels) as the posterior of a confidence table has found them to deserve.

    The mean over corrections, by how probable they are, of what a corrected log-odds says. The order of the records is never
    reversed; the more probable level of a record may change. Log-odds beyond the bins count as those of the outer bins, which
    is all that is known of them.
    """
    from scipy.special import expit

    check_confidence(confidence)
    given = np.asarray(probabilities, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != 2:
        raise QueryError("Confidence is measured for targets of two levels: give probabilities of two levels for each record.")
    first, second = np.log(np.maximum(given, _LEAST)).T
    odds = np.clip(second - first, _MIDDLES[0], _MIDDLES[-1])
    weights = correction_weights(confidence)
    places = np.searchsorted(weights.cumsum(), (np.arange(_AVERAGED) + 0.5) / _AVERAGED)
    found = np.zeros(len(given))
    for place, times in zip(*np.unique(places, return_counts=True), strict=True):
        power, shift = np.unravel_index(place, weights.shape)
        found += times / _AVERAGED * expit(_POWERS[power] * odds + _SHIFTS[shift])
    return np.stack([1 - found, found], axis=1)


def correction_weights(confidence: DirichletPosterior | NoiseAwarePosterior) -> Table:
    """How probable each power (first axis) and shift (second axis) of log-odds is, given the released table.

    Where in its bin the log-odds of records are is not known. That adds to the variance of the log-odds that they show, so the
    likelihood of a bin counts for less the more it knows: its logarithm is divided by the ratio of the variances.
    """
    logs = np.zeros((len(_POWERS), len(_SHIFTS)))
    for likelihood, middle, width in zip(_likelihoods(confidence), _MIDDLES, _WIDTHS, strict=True):
        odds = np.add.outer(_POWERS * middle, _SHIFTS)
        ratio = 1 + np.maximum(-likelihood(odds, 2), 0) * (_POWERS[:, None] * width) ** 2 / 12
        logs += likelihood(odds) / ratio - np.log(ratio) / 2
    prior = np.exp(-np.add.outer((np.log2(_POWERS) / _POWER_DEVIATION) ** 2, (_SHIFTS / _SHIFT_DEVIATION) ** 2) / 2)
    prior *= (1 - _TRUST) / prior.sum()
    prior[_POWERS == 1, _SHIFTS == 0] += _TRUST
    weights = prior * np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _likelihoods(confidence: DirichletPosterior | NoiseAwarePosterior) -> Iterator[CubicSpline]:
    """For each bin the logarithm of the likelihood of its log-odds, at most zero, given the release alone.

    It is the posterior's density, a mixture over tables that could be behind the release, divided by the prior's. Not so a
    single Beta distribution of the same moments: noise can hide few records, which says little about extreme log-odds.
    """
    from scipy.interpolate import CubicSpline
    from scipy.special import betaln, log_expit, logsumexp

    prior = confidence.prior.concentration(confidence.network.family("truth"))
    mixed = (
        confidence.concentration("truth")[None]
        if isinstance(confidence, DirichletPosterior)
        else confidence.concentrations("truth")
    )
    for tables, before in zip(mixed.swapaxes(0, 1), prior, strict=True):
        counts = tables - before
        logs = counts[:, :1] * log_expit(-_CORRECTED) + counts[:, 1:] * log_expit(_CORRECTED)
        known = logsumexp(logs - betaln(*tables.T)[:, None], axis=0)
        yield CubicSpline(_CORRECTED, known - known.max())


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
