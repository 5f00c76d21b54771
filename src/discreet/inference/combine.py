"""One result from analyses of several synthetic data sets.

Set i was drawn at its own draw t_i of the parameters from their posterior. An estimate from it is q_i = Q(t_i) + error,
where the error is that of sampling, of variance u_i, which the analyst knows. So the variance of q_i between sets is that
of Q under the posterior plus the mean u of u_i, and what is wanted is the first alone: B - u, with (1 + 1/m) B because
there are m sets only. That is Rubin's rule for fully synthetic data (Raghunathan, Reiter and Rubin 2003), T = (1 + 1/m) B
- u. The rule for imputed data, which adds u, would count the sampling of the synthetic records as if it were that of the
true ones.

Where sets are so large that u_i hardly matters, the posterior of Q can also be taken as the mixture of the normal laws
N(q_i, u_i). That needs no normal posterior, but many sets; it is too wide by u, so sets should be much larger than the
original.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.checks import check_probability, chosen_mode
from discreet.display import Display, Displayed
from discreet.errors import QueryError
from discreet.inference.answer import interval_heading

__all__ = ["Combined", "Rule", "combine"]

_LEAST_FREEDOM = 1.0
_MIXTURE_SETS = 10
"""With fewer sets the tails of a mixture are those of one set."""


class Rule(Enum):
    """How analyses are combined."""

    RUBIN = "rubin"
    """Rubin's rule for fully synthetic data, with Student intervals."""
    MIXTURE = "mixture"
    """The mixture of what each set says, for many sets that are much larger than the original."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Combined(Displayed):
    """Estimates with their variances and intervals; arrays of the shape of one estimate."""

    estimate: Floats
    variance: Floats
    lower: Floats
    upper: Floats
    interval: float
    remark: str | None = None
    """Where the rule could not be used as it stands."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        numbers = {name: getattr(self, name).tolist() for name in ("estimate", "variance", "lower", "upper")}
        return {**numbers, "interval": self.interval, **({} if self.remark is None else {"remark": self.remark})}

    def _display(self) -> Display:
        parts = zip(*(np.ravel(each) for each in (self.estimate, self.variance, self.lower, self.upper)), strict=True)
        rows = [(f"{value:.4g}", f"{spread**0.5:.4g}", f"{low:.4g} to {high:.4g}") for value, spread, low, high in parts]
        headings = ("estimate", "standard error", interval_heading(self.interval))
        return Display("Combined estimates", (), headings, rows, () if self.remark is None else (self.remark,), numbers=3)


def combine(
    estimates: npt.ArrayLike, variances: npt.ArrayLike, *, interval: float = 0.9, rule: Rule | str = Rule.RUBIN
) -> Combined:
    """Combine what was estimated from each synthetic set, with its variance as if that set were all the data.

    ``estimates`` and ``variances`` have one entry, or one row, for each set; rows are combined column by column.
    """
    values, spreads = _check(estimates, variances)
    check_probability(interval)
    if chosen_mode(Rule, rule, "rule is 'rubin' or 'mixture'") is Rule.MIXTURE:
        return _mix(values, spreads, interval)
    from scipy.stats import t as student

    sets = len(values)
    between, within = (1 + 1 / sets) * values.var(axis=0, ddof=1), spreads.mean(axis=0)
    total = between - within
    # Chance can make the difference negative. The sampling variance of a whole set then takes its place.
    failed = total <= 0
    variance = np.where(failed, within, total)
    share = within / np.where(between > 0, between, 1)
    freedom = np.where(failed, sets - 1, np.maximum((sets - 1) * (1 - share) ** 2, _LEAST_FREEDOM))
    half = student.ppf((1 + interval) / 2, freedom) * np.sqrt(variance)
    mean = values.mean(axis=0)
    remark = None
    if failed.any():
        remark = (
            f"{int(failed.sum())} variance(s) came out negative, and the sampling variance of one set stands in their place. "
            "Draw more sets, or larger ones."
        )
    return Combined(mean, variance, mean - half, mean + half, float(interval), remark)


def _mix(values: Floats, spreads: Floats, interval: float) -> Combined:
    """Quantiles of the mixture of N(q_i, u_i), found by halving."""
    if len(values) < _MIXTURE_SETS:
        raise QueryError(f"A mixture needs at least {_MIXTURE_SETS} sets; draw more, or use rule='rubin'.")
    from scipy.special import ndtr

    deviation = np.sqrt(np.maximum(spreads, np.finfo(np.float64).tiny))
    ends = []
    for share in ((1 - interval) / 2, (1 + interval) / 2):
        low, high = (values - 40 * deviation).min(axis=0), (values + 40 * deviation).max(axis=0)
        for _ in range(200):
            middle = (low + high) / 2
            below = ndtr((middle - values) / deviation).mean(axis=0) < share
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        ends.append((low + high) / 2)
    variance = values.var(axis=0, ddof=1) + spreads.mean(axis=0)
    return Combined(values.mean(axis=0), np.asarray(variance), ends[0], ends[1], float(interval))


def _check(estimates: npt.ArrayLike, variances: npt.ArrayLike) -> tuple[Floats, Floats]:
    try:
        values, spreads = (np.asarray(each, dtype=np.float64) for each in (estimates, variances))
    except (TypeError, ValueError):
        raise QueryError("Estimates and variances are numbers: one, or one row of them, for each synthetic set.") from None
    if values.shape != spreads.shape or values.ndim == 0:
        raise QueryError(f"There is one variance for each estimate; the shapes are {values.shape} and {spreads.shape}.")
    if len(values) < 2:
        raise QueryError("Combine the results of at least two sets: one says nothing of how far sets differ.")
    if not (np.isfinite(values).all() and np.isfinite(spreads).all() and (spreads >= 0).all()):
        raise QueryError("Estimates must be finite numbers, and variances (squares of standard errors) not negative.")
    return values, spreads
