"""How far the probabilities of a classifier can be trusted: measured under a guarantee of its own, and set right.

Naive Bayes takes features for independent given the class. Where they are not, it counts the same evidence several times, and
its probabilities are too near 0 and 1 however well its parameters are known. So the steward makes a small table that says for
every record how sure the posterior was and whether it was right, and releases it for a small part of the budget. Who has both
releases knows by which power to temper the probabilities.
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
    "check_confidence",
    "check_judge",
    "check_target",
    "confidence_network",
    "confidence_table",
    "power_weights",
    "tempered",
]

Booleans = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

_EDGES = 2.0 ** np.arange(-3, 4, 0.25)
"""Bounds of the bins of log-odds. A power stretches log-odds, so bins of equal ratios tell all powers apart alike."""
_STEP = 2.0**-40
"""What log probabilities are whole multiples of while records are judged."""
_LEAST_LOG = -(2.0**12)
"""Of what is impossible. Sums over a thousand tables still fit into 64 bits."""
_POWERS = 2.0 ** np.arange(-3.5, 1.25, 0.25)
_TRUST = 0.5
"""How probable it is beforehand that the network is right and the power is one; other powers share the rest."""
_LEAST = 1e-300


def confidence_network() -> Network:
    """What is public about a confidence table: bins of confidence, and whether the more probable level was the true one."""
    return naive_bayes("confidence", {"right": ("no", "yes")}, [str(number) for number in range(len(_EDGES) + 1)])


def confidence_table(posterior: Posterior, data: Any, target: str, *, missing: str | None = None) -> pl.DataFrame:
    """For every record of the data in which bin the log-odds of the more probable level are, and whether it is the true one.

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
        pl.DataFrame({"confidence": bins.astype(str), "right": np.where(right, "yes", "no")}) for bins, right in judged
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
    """Refuse a target of more than two levels."""
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


def tempered(probabilities: Table, confidence: DirichletPosterior | NoiseAwarePosterior) -> Table:
    """Probabilities (records x levels) as near to 0 and 1 as the posterior of a confidence table has found them to deserve.

    The mean over all powers, by how probable they are, of probabilities to a power. The order of the levels never changes.
    """
    check_confidence(confidence)
    logs = np.log(np.maximum(probabilities, _LEAST))
    logs -= logs.max(axis=1, keepdims=True)
    result = np.zeros_like(logs)
    for power, weight in zip(_POWERS, power_weights(confidence), strict=True):
        if weight > 1e-9:
            raised = np.exp(power * logs)
            result += weight * raised / raised.sum(axis=1, keepdims=True)
    return np.asarray(result / result.sum(axis=1, keepdims=True))


def power_weights(confidence: DirichletPosterior | NoiseAwarePosterior) -> Table:
    """How probable each power is, given how often the more probable level was right in each bin.

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


def _judged(whole: Blanket, codes: Mapping[str, Codes], target: str) -> tuple[Integers, Booleans]:
    """The bins of a batch of records, and where the more probable level is the true one.

    Whole numbers are added up and compared: no rounding can make the row of one record depend on what others are beside it.
    """
    truth = codes[target]
    first, second = (sum(table.at(codes, slice(None))[level] for table in whole.tables) for level in (0, 1))
    bins = np.digitize(np.broadcast_to(np.abs(first - second), truth.shape), _steps(_EDGES))
    return bins, np.asarray((second > first) == (truth == 1))


def _whole(blanket: Blanket) -> Blanket:
    """The same log probabilities in whole numbers."""
    tables = (replace(table, logs=_steps(np.maximum(table.logs, _LEAST_LOG))) for table in blanket.tables)
    return replace(blanket, tables=tuple(tables))


def _steps(values: Table) -> Integers:
    return np.asarray(np.rint(values / _STEP), dtype=np.int64)
