"""Plan and release for linear models: the same two steps as for networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from discreet.errors import ModelError, of_kind
from discreet.guarantee import BudgetLike
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.measure.strategies.moment_noise import MOST_FEATURES
from discreet.mechanisms.linear_mechanism import RegressionMechanism
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.mechanisms.linear_sampler import RegressionSampler
from discreet.mechanisms.prepared import Prepared
from discreet.model.files.linear_file import read_linear_model
from discreet.model.linear import LinearModel
from discreet.planning.linear import RegressionPlans

__all__ = ["MECHANISMS", "as_linear_model", "plan_regression", "prepare_regression"]

P = TypeVar("P")

MECHANISMS: tuple[type[RegressionMechanism[Any]], ...] = (RegressionMoments, RegressionSampler)
"""All mechanisms for linear models."""


def as_linear_model(given: Any) -> LinearModel | None:
    """A linear model, or one from its TOML file; None for what is not about a regression.

    Claim:      nothing but a LinearModel or a path that ends in .toml is taken for one.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_linear_sampler.py::test_a_model_may_be_given_as_a_file
    """
    if isinstance(given, str | Path) and Path(given).suffix.lower() == ".toml":
        return read_linear_model(given)
    return given if isinstance(given, LinearModel) else None


def plan_regression(model: LinearModel, rows: int, epsilon: BudgetLike, delta: BudgetLike | None = None) -> RegressionPlans:
    """Compare what every mechanism for linear models would release, without touching any data.

    With ``delta`` moments with Gaussian noise are compared, too.

    Claim:      depends on public quantities alone, so it costs no budget.
    Requires:   ``rows`` is the public number of records.
    Checked by: tests/unit/mechanisms/test_linear_sampler.py::test_a_plan_needs_no_data_and_no_ledger
    """
    plans = tuple(mechanism.plan(model, rows) for mechanism in _possible(model, epsilon, delta))
    if not plans:
        raise ModelError("No mechanism fits this model: declare fewer features, or radius and noise for posterior draws.")
    return RegressionPlans(plans)


def prepare_regression(
    data: Any,
    model: LinearModel,
    mechanism: RegressionMechanism[P],
    *,
    ledger: Ledger,
    rows: int | None = None,
    progress: Callable[[int], None] | None = None,
    _bits: Bits | None = None,
) -> Prepared[Any, P]:
    """A release of the posterior of a linear model given private records, only to be paid for and drawn.

    Claim:      what it publishes satisfies ``mechanism.guarantee``, and the ledger is charged before anything is drawn.
    Requires:   model and mechanism are public and were chosen without looking at the records.
    Checked by: tests/unit/mechanisms/test_linear_sampler.py::test_a_release_is_charged_exactly_once
    """
    if not isinstance(mechanism, MECHANISMS):
        names = ", ".join(each.__name__ for each in MECHANISMS)
        raise ModelError(f"{of_kind(mechanism)} is not for linear models. Use one of: {names}.")
    return mechanism.prepare(data, model, ledger=ledger, rows=rows, progress=progress, _bits=_bits)


def _possible(model: LinearModel, epsilon: BudgetLike, delta: BudgetLike | None) -> Iterator[RegressionMechanism[Any]]:
    """The mechanisms that a declaration and a budget allow."""
    if len(model.features) <= MOST_FEATURES:
        yield RegressionMoments(epsilon)
        if delta is not None:
            yield RegressionMoments(epsilon, delta)
    if model.radius is not None and model.noise is not None:
        yield RegressionSampler(epsilon)
