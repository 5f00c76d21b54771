"""The two things a steward does: plan, then release."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from discreet.bounds.edge_costs import edge_costs
from discreet.bounds.plan import LeftOut, Plan, Plans
from discreet.bounds.recommendation import recommend
from discreet.bounds.regression import RegressionPlans
from discreet.checks import check_reading, check_whole
from discreet.errors import BudgetError, ModelError, of_kind
from discreet.guarantee import BudgetLike, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.mechanisms.arguments import (
    NETWORK_MECHANISMS,
    REGRESSION_MECHANISMS,
    as_ledger,
    as_mechanism,
    check_order,
)
from discreet.mechanisms.auto import noise_mechanisms
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.map_point import MapPoint
from discreet.mechanisms.mechanism import Mechanism, check_prior
from discreet.mechanisms.prepared import Prepared
from discreet.mechanisms.regression import MECHANISMS, as_linear_model, plan_regression, prepare_regression
from discreet.mechanisms.regression_mechanism import RegressionMechanism
from discreet.mechanisms.sampler import Sampler
from discreet.mechanisms.saving import check_free, publish_and_save
from discreet.mechanisms.wrapping import PRIOR_RELEASE
from discreet.model.convert import as_network
from discreet.model.linear import LinearModel
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior, as_prior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.release import Release

if TYPE_CHECKING:
    from discreet.posterior.released import ReleasedPosterior

__all__ = ["plan", "prepare", "release"]

P = TypeVar("P")


@overload
def plan(network: LinearModel, rows: int, epsilon: BudgetLike, delta: BudgetLike | None = None) -> RegressionPlans: ...


@overload
def plan(network: Any, rows: int, epsilon: BudgetLike, delta: BudgetLike | None = None) -> Plans: ...


def plan(network: Any, rows: int, epsilon: BudgetLike, delta: BudgetLike | None = None) -> Plans | RegressionPlans:
    """Compare what every mechanism would release at this epsilon, without touching any data.

    With ``delta`` Gaussian noise is compared, too, at the largest rho that keeps (epsilon, delta).

    Claim:      depends on public quantities alone, so it costs no budget.
    Requires:   ``rows`` is the public number of records.
    Checked by: tests/unit/mechanisms/test_pipeline.py::test_a_plan_needs_no_data_and_no_ledger
    """
    check_whole(rows, "rows", error=ModelError)
    model = as_linear_model(network)
    if model is not None:
        return plan_regression(model, rows, epsilon, delta)
    public = as_network(network)
    counting = noise_mechanisms(exact(epsilon), None if delta is None else exact(delta, "delta"))
    candidates: tuple[Mechanism[Any], ...] = (*counting, Sampler(epsilon), MapPoint(epsilon))
    plans: list[Plan] = []
    left_out: list[LeftOut] = []
    for mechanism in candidates:
        try:
            plans.append(mechanism.plan(public, rows))
        except (BudgetError, ModelError) as reason:  # the network or the budget does not allow this mechanism
            left_out.append(LeftOut(mechanism.name, str(reason)))
    simple = {each.name: each for each in candidates if isinstance(each, Laplace)}
    better = recommend([each for each in plans if each.mechanism in simple])
    chosen = simple[better.mechanism] if better is not None else next(iter(simple.values()))
    costs = edge_costs(public, rows, chosen.posterior_noise)
    alike = tuple(each.guarantee for each in candidates if delta is not None)
    return Plans(tuple(plans), tuple(left_out), costs, chosen.name, alike)


@overload
def release(
    data: Any,
    network: Any,
    mechanism: Mechanism[P] | RegressionMechanism[P],
    *,
    ledger: Ledger | str | os.PathLike[str],
    prior: Prior | DirichletPosterior | NoiseAwarePosterior | str = UNIFORM,
    missing: str | None = None,
    rows: int | None = None,
    progress: Callable[[int], None] | None = None,
    save: str | os.PathLike[str] | None = None,
    _bits: Bits | None = None,
) -> Release[P]: ...


@overload
def release(
    data: Any,
    network: Any,
    mechanism: str = "auto",
    *,
    epsilon: BudgetLike,
    ledger: Ledger | str | os.PathLike[str],
    prior: Prior | DirichletPosterior | NoiseAwarePosterior | str = UNIFORM,
    missing: str | None = None,
    rows: int | None = None,
    progress: Callable[[int], None] | None = None,
    save: str | os.PathLike[str] | None = None,
    _bits: Bits | None = None,
) -> Release[ReleasedPosterior]: ...


def release(
    data: Any,
    network: Any,
    mechanism: Any = "auto",
    *,
    ledger: Ledger | str | os.PathLike[str],
    epsilon: BudgetLike | None = None,
    prior: Prior | DirichletPosterior | NoiseAwarePosterior | str = UNIFORM,
    missing: str | None = None,
    rows: int | None = None,
    progress: Callable[[int], None] | None = None,
    save: str | os.PathLike[str] | None = None,
    _bits: Bits | None = None,
) -> Release[Any]:
    """Release the posterior of a network, or of a linear model, given private records.

    ``network`` is a Network, a path to its file, or a pgmpy model; or a LinearModel or a path to its TOML file, which declare
    their own prior. ``mechanism`` is one such as ``Laplace("0.5")``, or its name, with ``epsilon``. ``ledger`` may be the path
    of one that exists. ``prior`` is a prior, its name, or the posterior of an earlier release.
    ``rows`` is the number of records that you expect, where you know it: a table with another number is refused, uncharged.
    ``save`` is the release file to write. A file that exists, or cannot be written, is refused before the charge.

    Claim:      the result satisfies ``mechanism.guarantee``, and the ledger was charged for it before any noise was drawn.
    Requires:   network, prior and mechanism are public and were chosen without looking at the records.
    Checked by: tests/unit/mechanisms/test_pipeline.py::test_a_release_is_charged_exactly_once
    """
    free = None if save is None else check_free(save)
    prepared = prepare(
        data,
        network,
        mechanism,
        epsilon=epsilon,
        ledger=ledger,
        prior=prior,
        missing=missing,
        rows=rows,
        progress=progress,
        _bits=_bits,
    )
    return prepared.publish() if free is None else publish_and_save(prepared, free)


def prepare(
    data: Any,
    network: Any,
    mechanism: Any = "auto",
    *,
    ledger: Ledger | str | os.PathLike[str],
    epsilon: BudgetLike | None = None,
    prior: Prior | DirichletPosterior | NoiseAwarePosterior | str = UNIFORM,
    missing: str | None = None,
    rows: int | None = None,
    progress: Callable[[int], None] | None = None,
    _bits: Bits | None = None,
) -> Prepared[Any, Any]:
    """All of ``release`` but its end: the records are counted, and the release is only to be paid for and drawn.

    Claim:      nothing is charged, and what ``release`` would refuse is refused.
    Requires:   as ``release``.
    Checked by: tests/unit/mechanisms/test_prepared.py::test_what_is_prepared_is_not_charged
    """
    check_order(data, network)
    check_reading(missing, rows, progress)
    model = as_linear_model(network)
    account = as_ledger(ledger)
    if model is not None:
        if prior is not UNIFORM or missing is not None:
            raise ModelError("prior and missing are for networks. A linear model declares its own prior and takes no gaps.")
        regression = as_mechanism(mechanism, epsilon, account.delta, REGRESSION_MECHANISMS)
        return prepare_regression(data, model, regression, ledger=account, rows=rows, progress=progress, _bits=_bits)
    public = as_network(network)
    counting = as_mechanism(mechanism, epsilon, account.delta, NETWORK_MECHANISMS)
    if isinstance(counting, MECHANISMS):
        raise ModelError(f"{of_kind(counting)} is for linear models, not for networks. Use Laplace, for example.")
    taken_over = isinstance(prior, DirichletPosterior | NoiseAwarePosterior)
    belief = _belief(prior, public)
    check_prior(public, belief)  # before anything is counted
    prepared: Prepared[Any, Any] = counting.prepare(
        data, public, ledger=account, prior=belief, missing=missing, rows=rows, progress=progress, _bits=_bits
    )
    return prepared.beware(PRIOR_RELEASE) if taken_over else prepared


def _belief(prior: object, network: Network) -> Prior:
    """The prior that is meant by a prior, its name, or a posterior."""
    if isinstance(prior, Release):
        raise ModelError("A release is not a prior, but its posterior can be: write prior=release.posterior.")
    if isinstance(prior, DirichletPosterior | NoiseAwarePosterior):
        return _taken_over(prior, network)
    return as_prior(prior)


def _taken_over(posterior: DirichletPosterior | NoiseAwarePosterior, network: Network) -> Prior:
    """Use a posterior as prior. Tables of another network may have the right shapes and mean something else."""
    if posterior.own is not None:
        raise ModelError(
            "This posterior holds exact counts of added records, which the new release would publish. Use the posterior as it "
            "was before the update; release the added records by a mechanism of their own."
        )
    for family in network.families:
        node = family.node
        same = posterior.network.parents.get(node) == family.parents and all(
            posterior.network.variable(member).levels == network.variable(member).levels for member in family.members
        )
        if not same:
            raise ModelError(f"The prior was made for another network: parents or levels differ at {node!r}.")
    return posterior.as_prior()
