"""Probabilities set right by what a released confidence table says of them.

Log-odds are corrected by a power and a shift. Which ones, the noisy table says, but not exactly: probabilities are averaged
over all corrections, by how well they explain it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Floats
from discreet.errors import QueryError
from discreet.inference.beliefs import MixedBeliefs
from discreet.inference.confidence import MIDDLES, WIDTHS, confidence_network
from discreet.model.prior import UNIFORM, Hierarchical

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

__all__ = ["calibrate", "check_confidence", "correction_weights"]

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


def check_confidence(posterior: Any) -> MixedBeliefs:
    """Refuse what is not the posterior of a confidence table."""
    network = getattr(posterior, "network", None)
    if network != confidence_network():
        raise QueryError("This is not a release of a confidence table, which says how far predictions can be trusted.")
    if not isinstance(posterior, MixedBeliefs):
        raise QueryError("This confidence table was released as draws. Release its counts with noise, such as by Auto.")
    return _with_fixed_prior(posterior)


def _with_fixed_prior(confidence: MixedBeliefs) -> MixedBeliefs:
    """What the release says is the posterior's density by the prior's, so the bins must not learn from one another."""
    return confidence.with_prior(UNIFORM) if isinstance(confidence.prior, Hierarchical) else confidence


def calibrate(probabilities: Floats, confidence: MixedBeliefs) -> Floats:
    """Probabilities (records x two levels) as the posterior of a confidence table has found them to deserve.

    The mean over corrections, by how probable they are, of what a corrected log-odds says. The order of the records is never
    reversed; the more probable level of a record may change. Log-odds beyond the bins count as those of the outer bins, which
    is all that is known of them.
    """
    from scipy.special import expit

    confidence = check_confidence(confidence)
    try:
        given = np.asarray(probabilities, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim != 2 or given.shape[1] != 2:
        raise QueryError("Confidence is measured for targets of two levels: give probabilities of two levels for each record.")
    first, second = np.log(np.maximum(given, _LEAST)).T
    odds = np.clip(second - first, MIDDLES[0], MIDDLES[-1])
    weights = correction_weights(confidence)
    places = np.searchsorted(weights.cumsum(), (np.arange(_AVERAGED) + 0.5) / _AVERAGED)
    found = np.zeros(len(given))
    for place, times in zip(*np.unique(places, return_counts=True), strict=True):
        power, shift = np.unravel_index(place, weights.shape)
        found += times / _AVERAGED * expit(_POWERS[power] * odds + _SHIFTS[shift])
    return np.stack([1 - found, found], axis=1)


def correction_weights(confidence: MixedBeliefs) -> Floats:
    """How probable each power (first axis) and shift (second axis) of log-odds is, given the released table.

    Where in its bin the log-odds of records are is not known. That adds to the variance of the log-odds that they show, so the
    likelihood of a bin counts for less the more it knows: its logarithm is divided by the ratio of the variances.
    """
    logs = np.zeros((len(_POWERS), len(_SHIFTS)))
    confidence = _with_fixed_prior(confidence)
    for likelihood, middle, width in zip(_likelihoods(confidence), MIDDLES, WIDTHS, strict=True):
        odds = np.add.outer(_POWERS * middle, _SHIFTS)
        ratio = 1 + np.maximum(-likelihood(odds, 2), 0) * (_POWERS[:, None] * width) ** 2 / 12
        logs += likelihood(odds) / ratio - np.log(ratio) / 2
    prior = np.exp(-np.add.outer((np.log2(_POWERS) / _POWER_DEVIATION) ** 2, (_SHIFTS / _SHIFT_DEVIATION) ** 2) / 2)
    prior *= (1 - _TRUST) / prior.sum()
    prior[_POWERS == 1, _SHIFTS == 0] += _TRUST
    weights = prior * np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _likelihoods(confidence: MixedBeliefs) -> Iterator[CubicSpline]:
    """For each bin the logarithm of the likelihood of its log-odds, at most zero, given the release alone.

    It is the posterior's density, a mixture over tables that could be behind the release, divided by the prior's. Not so a
    single Beta distribution of the same moments: noise can hide few records, which says little about extreme log-odds.
    """
    from scipy.interpolate import CubicSpline
    from scipy.special import betaln, log_expit, logsumexp

    prior = confidence.prior.concentration(confidence.network.family("truth"))
    for tables, before in zip(confidence.concentrations("truth").swapaxes(0, 1), prior, strict=True):
        counts = tables - before
        logs = counts[:, :1] * log_expit(-_CORRECTED) + counts[:, 1:] * log_expit(_CORRECTED)
        known = logsumexp(logs - betaln(*tables.T)[:, None], axis=0)
        yield CubicSpline(_CORRECTED, known - known.max())
