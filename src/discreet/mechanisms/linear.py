"""Linear models, as a steward meets them: their mechanisms, and what a comparison of plans says about predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.errors import ModelError
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.mechanisms.linear_sampler import RegressionSampler
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.subject import Maker, Subject, WithDelta
from discreet.model.declaration import LINEAR_MODELS
from discreet.model.linear import LinearModel
from discreet.planning.plan import Plans

__all__ = ["LINEAR_SUBJECT"]

_WORDS: Mapping[str, Maker] = {
    "regression-moments": lambda epsilon, _: RegressionMoments(epsilon),
    "regression-moments-gaussian": WithDelta(RegressionMoments),
    "regression-sampler": lambda epsilon, _: RegressionSampler(epsilon),
}


def _candidates(epsilon: Fraction, delta: Fraction | None) -> tuple[Mechanism[LinearModel, Any], ...]:
    gaussian = () if delta is None else (RegressionMoments(epsilon, delta),)
    return (RegressionMoments(epsilon), *gaussian, RegressionSampler(epsilon))


def _remark(
    plans: Plans,
    model: LinearModel,
    rows: int,  # noqa: ARG001 - all errors of a prediction are in the plans themselves
    candidates: Sequence[Mechanism[Any, Any]],  # noqa: ARG001
) -> Plans:
    """Whose errors these are, and in which units."""
    if not plans.plans:
        raise ModelError("No mechanism fits this model: declare fewer features, or radius and noise for posterior draws.")
    target = model.target.name
    return replace(
        plans, legend=f"Both are root mean square errors of the expected {target}, in its own units, and approximations."
    )


LINEAR_SUBJECT: Subject[LinearModel] = Subject(LINEAR_MODELS, _WORDS, _candidates, _remark)
