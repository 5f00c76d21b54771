"""Which releases can be fused, and why others cannot: what is checked when they are, and when a fused file is read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from discreet.display import listed
from discreet.errors import ModelError
from discreet.measure.published import Published
from discreet.model.differences import difference_of_networks
from discreet.model.prior import Prior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.running import same_inputs
from discreet.releases import Release

__all__ = ["check_networks", "check_part", "check_priors", "check_twice", "check_units", "same_priors"]


def check_part(part: Release[Any], number: int) -> None:
    """Refuse what is not noisy counts of one steward's records and nothing else."""
    value = part.value
    if hasattr(value, "model") and not hasattr(value, "network"):
        raise ModelError(
            f"Release {number} is about a linear model, and only releases of networks can be fused: a posterior of several "
            "noisy moments is not built. Ask the posterior of each."
        )
    if not isinstance(value, DirichletPosterior) or not isinstance(value.released, Published):
        raise ModelError(
            f"Release {number} holds draws or a point, which were made with a prior of their own: fused, it would count once "
            "for each. Ask its steward for noisy counts, such as by Auto."
        )
    if value.own is not None:
        raise ModelError(
            f"Release {number} holds records that its holder added, which could be in another, too. Fuse the releases as they "
            "were before, and update the result."
        )


def check_networks(parts: Sequence[Release[Any]]) -> None:
    """Refuse releases whose tables do not mean the same, with what differs."""
    for number, part in enumerate(parts[1:], 2):
        found = difference_of_networks(parts[0].value.network, part.value.network)
        if found is not None:
            raise ModelError(f"Releases 1 and {number} cannot be fused: they are not of one network. {found}")


def check_priors(parts: Sequence[Release[Any]]) -> Prior:
    """The prior of all of them, which counts once; refuse releases that have different ones."""
    first: Prior = parts[0].value.prior
    for number, part in enumerate(parts[1:], 2):
        other = part.value.prior
        if not same_priors(first, other):
            raise ModelError(
                f"Releases 1 and {number} have different priors: {first!r} and {other!r}. The noisy counts do not depend on "
                "them: say which one is to count, such as prior='hierarchical'."
            )
    return first


def same_priors(one: Prior, other: Prior) -> bool:
    """Whether two priors are the same, also where they are tables."""
    return one == other or same_inputs(one, other)


def check_units(parts: Sequence[Release[Any]]) -> None:
    """Refuse releases that protect different things: there is no guarantee of all of them then."""
    units = {(each.unit.kind, each.unit.most): str(each.unit) for each in parts}
    if len(units) > 1:
        said = listed([f"{unit!r}" for unit in units.values()])
        raise ModelError(
            f"The releases protect different units: {said}. No guarantee is about all of them; ask the stewards for one unit."
        )


def check_twice(parts: Sequence[Release[Any]]) -> None:
    """Refuse a release that is given twice: its records would count twice, and its noise would look halved."""
    for (one, first), (two, second) in combinations(enumerate(parts, 1), 2):
        if first.receipts == second.receipts and same_inputs(first.value.released, second.value.released):
            raise ModelError(f"Releases {one} and {two} are one and the same; its records would count twice. Give it once.")
        if _share_a_graph(first, second):
            raise ModelError(
                f"Releases {one} and {two} share what was learned of their graph, so they are of the same persons, and the "
                "same noise would count as two measurements. Fuse one of them, or ask each by itself."
            )


def _share_a_graph(one: Release[Any], two: Release[Any]) -> bool:
    """Whether two releases hold the same earlier measurements. Receipts do not tell: those of two ledgers can be alike."""
    learning = one.value.released.learning
    return learning is not None and same_inputs(learning, two.value.released.learning)
