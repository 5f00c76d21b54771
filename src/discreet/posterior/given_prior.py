"""What may be given as a prior, to a release before it is made and to one that is there: a prior, its name, or a posterior.

Noisy counts do not depend on the prior, so whoever holds them may believe what he likes beforehand. Draws and points do.
"""

from __future__ import annotations

from itertools import product
from typing import Protocol, Self, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from discreet.errors import ModelError
from discreet.guarantee import Caveat
from discreet.measure.together import PublishedTogether
from discreet.model.declaration import kind_of_model
from discreet.model.family import zero_probabilities
from discreet.model.network import Network
from discreet.model.prior import Prior, as_prior, check_prior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.running import same_inputs

__all__ = ["HOLDERS_PRIOR", "PRIOR_RELEASE", "PriorLike", "change_prior", "find_prior", "prior_caveats"]

P = TypeVar("P")

PriorLike: TypeAlias = Prior | DirichletPosterior | NoiseAwarePosterior | str
"""A prior, a word for one, or a posterior that is public already."""

PRIOR_RELEASE = Caveat(
    "prior-release",
    "The prior is the posterior of an earlier release, whose noisy counts this one contains. Whoever has a record in both "
    "data sets is protected only by both guarantees together, whose budgets add up; records that are in both count twice.",
)
HOLDERS_PRIOR = Caveat(
    "holders-prior",
    "A holder of the release has put a prior in the place of the steward's. The released numbers and their guarantee do not "
    "depend on it.",
)


@runtime_checkable
class TakesPrior(Protocol):
    """A posterior of numbers that do not depend on its prior."""

    network: Network
    prior: Prior

    def with_prior(self, prior: Prior | str) -> Self:
        """The same with another prior."""
        ...


def find_prior(given: object, network: Network) -> Prior:
    """The prior that is meant by a prior, its name, or a posterior."""
    if hasattr(type(given), "posterior"):
        raise ModelError("A release is not a prior, but its posterior can be: write prior=release.posterior.")
    if isinstance(given, DirichletPosterior | NoiseAwarePosterior):
        return _take_over(given, network)
    return as_prior(given)


def prior_caveats(given: object) -> tuple[Caveat, ...]:
    """What to beware of where this is the prior."""
    return (PRIOR_RELEASE,) if isinstance(given, DirichletPosterior | NoiseAwarePosterior) else ()


def change_prior(posterior: P, prior: PriorLike) -> P:
    """The same posterior with another prior; what was made with its prior is refused, and a prior that does not fit."""
    kind = kind_of_model(getattr(posterior, "model", None))
    if kind is not None and kind.declares_prior:
        said = f"This release takes no other prior: {kind.plural} declare their own, or have it learned."
        raise ModelError(f"{said} Leave it out.")
    if not isinstance(posterior, TakesPrior):
        raise ModelError(
            "Only a release of noisy counts takes another prior: draws and points were made with theirs. Ask the steward for "
            "noisy counts, such as by Auto."
        )
    found = find_prior(prior, posterior.network)
    _check_other(posterior, prior)
    check_prior(posterior.network, found)
    return posterior.with_prior(found)


def _check_other(posterior: object, prior: object) -> None:
    """Refuse a release as its own prior: all of its records would count twice, and its noise would look halved."""
    own, other = (_all_published(getattr(each, "released", None)) for each in (posterior, prior))
    if any(same_inputs(*pair) for pair in product(own, other)):
        raise ModelError(
            "The prior is a posterior of this very release, whose records would count twice. Give a release of other records, "
            "or a word such as 'jeffreys'."
        )


def _all_published(released: object) -> tuple[object, ...]:
    """What was published, each release by itself where several were fused."""
    if isinstance(released, PublishedTogether):
        return released.parts
    return () if released is None else (released,)


def _take_over(posterior: DirichletPosterior | NoiseAwarePosterior, network: Network) -> Prior:
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
        if not np.array_equal(zero_probabilities(posterior.network.family(node)), zero_probabilities(family)):
            raise ModelError(f"The prior was made for another network: what is declared impossible differs at {node!r}.")
    return posterior.as_prior()
