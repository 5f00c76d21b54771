"""Which of several mechanisms to take, and why: the rule by which plans recommend one and ``Auto`` takes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.guarantee import Guarantee
from discreet.planning.parameter_error import ParameterError

if TYPE_CHECKING:
    from discreet.planning.plan import Plan

__all__ = ["Recommendation", "recommend", "recommend_errors"]

_CLOSE = 1.02
"""Errors that differ by less than two per cent are taken as equal: the prediction is not sharper than that."""
_DROWNED = 3.0
"""Noise is most of an error that is so many times the one without noise,"""
_UNREAD = 0.95
"""or that is so near the one that the prior has before any record is read."""

_NEGLIGIBLE = 0.01
"""Noise of so small a part of a record changes nothing that is shown."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A mechanism and the reason to take it."""

    mechanism: str
    reason: str

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry."""
        return {"mechanism": self.mechanism, "reason": self.reason}


def recommend(plans: Sequence[Plan], alike: Sequence[Guarantee] = ()) -> Recommendation | None:
    """The plan with the smallest expected error of the conditional probabilities.

    Claim:      as ``recommend_errors``, among plans with the guarantee of the first or one that is ``alike``. Plans without a
                predicted error are not compared.
    Requires:   the plans are of one model and one number of records.
    Checked by: tests/unit/planning/test_plan.py::test_the_smallest_error_is_recommended
    """
    # Guarantees of different kinds have different prices; only those like the first are compared.
    comparable = (plan for plan in plans if plan.guarantee == plans[0].guarantee or plan.guarantee in alike)
    errors = {plan.mechanism: plan.parameter_error for plan in comparable if plan.parameter_error is not None}
    return recommend_errors(errors) if errors else None


def recommend_errors(errors: Mapping[str, ParameterError]) -> Recommendation:
    """The mechanism with the smallest expected error of the conditional probabilities.

    Claim:      no other has an error that is more than two per cent smaller; of those so close to one another the one with the
                least noise in its cells is taken, and of equals the first.
    Requires:   at least one error; all of one network and one number of records.
    Checked by: tests/unit/planning/test_plan.py::test_of_errors_that_are_close_the_one_with_less_noise_is_recommended
    """
    least = min(error.mean for error in errors.values())
    close = [mechanism for mechanism, error in errors.items() if error.mean <= _CLOSE * least]
    best = min(close, key=lambda mechanism: errors[mechanism].noise)
    return Recommendation(best, _reason(best, errors))


def _reason(best: str, errors: Mapping[str, ParameterError]) -> str:
    error, sampling, unread = errors[best].mean, errors[best].sampling, errors[best].unread
    others = {name: other for name, other in errors.items() if name != best}
    said = [f"Its probabilities are expected to be off by {error:.4f} on average"]
    if others:
        name = min(others, key=lambda name: others[name].mean)
        close = others[name].mean <= _CLOSE * error
        said.append(f", as little as with {name}" if close else f", {1 - error / others[name].mean:.0%} less than with {name}")
    said.append(f"; {sampling:.4f} would remain without any noise.{_decide(errors[best], others)}")
    if error > _UNREAD * unread:
        said.append(f" The prior alone is off by {unread:.4f}: of most probabilities such a release says next to nothing.")
    if error > _DROWNED * sampling or error > _UNREAD * unread:
        said.append(" Noise is most of it: a larger epsilon, more records or fewer edges help more than another mechanism.")
    return "".join(said)


def _decide(best: ParameterError, others: Mapping[str, ParameterError]) -> str:
    """What decided among errors that count as equal: a number that the table of plans does not show."""
    close = {name: other.noise for name, other in others.items() if other.mean <= _CLOSE * best.mean}
    rival = min(close, key=lambda name: close[name], default=None)
    if rival is None or not best.noise < close[rival] < math.inf:
        return ""
    equal = " Errors within two per cent of one another are taken as equal;"
    if close[rival] < _NEGLIGIBLE:
        return f"{equal} the noise of these mechanisms is far below one record and makes no difference."
    return (
        f"{equal} of these mechanisms it has the least noise in the"
        f" cells of its tables: {_shown(best.noise)} records (root mean square), against {_shown(close[rival])} with {rival}."
    )


def _shown(noise: float) -> str:
    """A number of records in digits that mean something."""
    return f"less than {_NEGLIGIBLE:g}" if noise < _NEGLIGIBLE else f"{noise:,.4g}"
