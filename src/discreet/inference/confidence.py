"""How far the probabilities of a classifier can be trusted: a table for the steward to release under a guarantee of its own.

Naive Bayes takes features for independent given the class. Where they are not, it counts the same evidence several times, and
its probabilities are too near 0 and 1, and often on the wrong side of one half, however well its parameters are known. So the
steward makes a small table that says for every record what the posterior thought and what is true, and releases it for a small
part of the budget. Who has both releases can set the probabilities right: ``calibration``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.errors import QueryError
from discreet.inference.beliefs import Beliefs
from discreet.inference.blanket import Blanket, make_blanket
from discreet.inference.elimination import Codes
from discreet.inference.own_records import encode_complete
from discreet.model.network import Network
from discreet.model.templates import naive_bayes

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MIDDLES", "WIDTHS", "check_judge", "check_target", "confidence_network", "confidence_table"]

Booleans = npt.NDArray[np.bool_]

_SIZES = 2.0 ** np.append(np.arange(-3, 4, 0.5), 3.625)
_BOUNDS = np.concatenate([-_SIZES[::-1], _SIZES])
_EDGES = _BOUNDS[1:-1]
"""Between the bins of log-odds. A power stretches log-odds, so bins of equal ratios tell all powers apart alike."""
MIDDLES, WIDTHS = (_BOUNDS[1:] + _BOUNDS[:-1]) / 2, np.diff(_BOUNDS)
"""Of the bins. The outer ones hold all that lies further out, as if it were there."""
_STEP = 2.0**-40
"""What log probabilities are whole multiples of while records are judged."""
_LEAST_LOG, _MOST_TABLES = -(2.0**10), 2**12
"""Of what is impossible; and how many tables may be added up, so that sums fit into 64 bits."""


def confidence_network() -> Network:
    """What is public about a confidence table: bins of the log-odds of a target's second level, and which level is true."""
    return naive_bayes("log_odds", {"truth": ("first", "second")}, [str(number) for number in range(len(_EDGES) + 1)])


def confidence_table(posterior: Beliefs, data: Any, target: str, *, missing: str | None = None) -> pl.DataFrame:
    """For every record of the data in which bin the log-odds of the target's second level are, and which level is true.

    Release it like the records, as records of ``confidence_network`` and from the same ledger: the budgets of the releases add
    up. ``missing`` is what it is for a release.

    Claim:      row i depends on record i and on the posterior alone, and there are as many rows as records; so replacing one
                record replaces one row.
    Requires:   the posterior follows from what is published already. One with added records is refused; whether the tables of
                a point were published, or those of a prior, cannot be seen. Target and ``missing`` are not chosen by looking
                at the records.
    Checked by: tests/unit/inference/test_confidence.py::test_the_row_of_a_record_does_not_depend_on_the_others
    """
    import polars as pl

    check_judge(posterior, target)
    whole = _whole(make_blanket(posterior, target))
    if len(whole.tables) > _MOST_TABLES:
        raise QueryError(f"{target!r} has too many children to be judged; up to {_MOST_TABLES:,} tables can be added up.")
    judged = [_judge(whole, codes, target) for codes in encode_complete(data, posterior.network, missing)]
    return pl.concat(
        pl.DataFrame({"log_odds": bins.astype(str), "truth": np.where(second, "second", "first")}) for bins, second in judged
    )


def check_judge(posterior: Beliefs, target: str) -> None:
    """Refuse a posterior or a target for which there is no confidence table."""
    if not isinstance(getattr(posterior, "network", None), Network):
        raise QueryError("Write confidence_table(posterior, data, target): the posterior of a network comes first.")
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


def _judge(whole: Blanket, codes: Mapping[str, Codes], target: str) -> tuple[Integers, Booleans]:
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


def _steps(values: Floats) -> Integers:
    return np.asarray(np.rint(values / _STEP), dtype=np.int64)
