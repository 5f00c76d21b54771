"""The two things a steward does: plan, then release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from discreet.bounds.plan import Plans
from discreet.errors import ModelError
from discreet.guarantee import BudgetLike
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.mechanisms.fourier import Fourier
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.mechanism import PRIOR_RELEASE, Mechanism
from discreet.model.convert import as_network
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.release import Release
from discreet.posterior.residuals import WIDEST

__all__ = ["plan", "release"]

P = TypeVar("P")


def plan(network: Any, rows: int, epsilon: BudgetLike) -> Plans:
    """Compare what every mechanism would release at this epsilon, without touching any data.

    Claim:      depends on public quantities alone, so it costs no budget.
    Requires:   ``rows`` is the public number of records.
    Checked by: tests/unit/mechanisms/test_pipeline.py::test_a_plan_needs_no_data_and_no_ledger
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise ModelError("rows must be the public number of records: a whole number of at least one.")
    public = as_network(network)
    return Plans(tuple(mechanism.plan(public, rows) for mechanism in _possible(public, epsilon)))


def _possible(network: Network, epsilon: BudgetLike) -> Iterator[Mechanism[Any]]:
    """The mechanisms that a network allows."""
    yield Laplace(epsilon)
    if max(len(family.members) for family in network.families) <= WIDEST:
        yield Laplace(epsilon, tables="maximal", consistent=True)
    if all(variable.size == 2 for variable in network.variables):
        yield Fourier(epsilon)


def release(
    data: Any,
    network: Any,
    mechanism: Mechanism[P],
    *,
    ledger: Ledger,
    prior: Prior | DirichletPosterior = UNIFORM,
    missing: str | None = None,
    rows: int | None = None,
    progress: Callable[[int], None] | None = None,
    _bits: Bits | None = None,
) -> Release[P]:
    """Release the posterior of a network given private records.

    ``network`` is a Network, a path to its file, or a pgmpy model; ``prior`` may be the posterior of an earlier release.
    ``rows`` is the number of records that you expect, where you know it: a table with another number is refused, uncharged.

    Claim:      the result satisfies ``mechanism.guarantee``, and the ledger was charged for it before any noise was drawn.
    Requires:   network, prior and mechanism are public and were chosen without looking at the records.
    Checked by: tests/unit/mechanisms/test_pipeline.py::test_a_release_is_charged_exactly_once
    """
    public = as_network(network)
    taken_over = isinstance(prior, DirichletPosterior)
    belief = _taken_over(prior, public) if isinstance(prior, DirichletPosterior) else prior
    for family in public.families:
        belief.concentration(family)  # a prior that does not fit must fail before the charge
    made = mechanism.release(
        data, public, ledger=ledger, prior=belief, missing=missing, rows=rows, progress=progress, _bits=_bits
    )
    return replace(made, caveats=(*made.caveats, PRIOR_RELEASE)) if taken_over else made


def _taken_over(posterior: DirichletPosterior, network: Network) -> Prior:
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
