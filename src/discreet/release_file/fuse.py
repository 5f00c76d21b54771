"""Fuse releases of different persons on one network into one: one set of parameters, the prior counted once."""

from __future__ import annotations

from typing import Any

from discreet.errors import ModelError, of_kind
from discreet.guarantee import Caveat
from discreet.measure.together import PublishedTogether
from discreet.model.prior import UNIFORM, Prior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.given_prior import HOLDERS_PRIOR, PriorLike, change_prior, prior_caveats
from discreet.release_file.fused import MECHANISM, guarantee_together
from discreet.release_file.parts import check_networks, check_part, check_priors, check_twice, check_units, same_priors
from discreet.releases import MechanismRecord, Release, software

__all__ = ["DIFFERING", "DISJOINT", "OVERLAPPING", "fuse"]

DISJOINT = Caveat(
    "fused",
    "Fused from several releases by somebody who says that no person has records in two of them. Then each person has the "
    "guarantee of the one release that holds the records, and the guarantee above, the weakest of these, is everybody's. "
    "Whoever is in several is protected only by their guarantees together, and counts more than once.",
)
OVERLAPPING = Caveat(
    "fused-overlap",
    "Fused from several releases in which persons may have records more than once: the budgets add up. Such records count "
    "more than once, so intervals are narrower than they should be, the more of them there are.",
)
DIFFERING = Caveat(
    "fused-sites",
    "The sites may differ. Answers are about the probabilities around which those of the sites lie; what they are at one "
    "site, its own release says. Records that are added to it count as those of a further site.",
)
_SAME_NAME = "fused-data-set"
_OF_ONE = ("automatic-choice", HOLDERS_PRIOR.name)
"""Caveats that are about a part alone, or do not hold for all that was fused."""


def fuse(
    *releases: Release[Any], overlap: bool = False, sites_differ: bool = False, prior: PriorLike | None = None
) -> Release[DirichletPosterior]:
    """Put releases of different persons on one network together: one posterior, to be asked, updated or saved like any other.

    Every release keeps its own table behind its own noise; all of them have the same parameters, and the prior counts once.
    ``prior`` is one in the place of the releases' own, which must be equal otherwise. Each person has the guarantee of the
    release that holds the records. Where persons may be in several, say ``overlap=True``: budgets then add up.
    With ``sites_differ=True`` each release has parameters of its own, around common ones: the posterior is of these, and
    ``posterior.site_spread()`` says how different the sites are.
    """
    if not releases:
        raise ModelError("Give the releases to fuse: dc.fuse(first, second).")
    parts = _list_parts(releases, overlap=overlap, sites_differ=sites_differ)
    if len(parts) == 1:
        return parts[0] if prior is None else parts[0].with_prior(prior)
    check_networks(parts)
    check_units(parts)
    check_twice(parts)
    network = parts[0].value.network
    released = PublishedTogether(network, tuple(each.value.released for each in parts), overlap, sites_differ)
    value = DirichletPosterior(network, check_priors(releases) if prior is None else UNIFORM, released)
    value = value if prior is None else change_prior(value, prior)
    return Release(
        value=value,
        guarantee=guarantee_together([each.guarantee for each in parts], overlap=overlap),
        neighbours=parts[0].neighbours,
        mechanism=MechanismRecord(MECHANISM, {"releases": str(len(parts))}),
        caveats=(
            *_caveats(parts, value.prior, overlap=overlap),
            *((DIFFERING,) if sites_differ else ()),
            *prior_caveats(prior),
        ),
        receipts=tuple(receipt for each in parts for receipt in each.receipts),
        software=software(),
        unit=parts[0].unit,
        running=releases[0].running,
        parts=parts,
    )


def _list_parts(releases: tuple[object, ...], *, overlap: bool, sites_differ: bool) -> tuple[Release[Any], ...]:
    """All releases, each checked by itself; of one that was fused before, those that it was fused from."""
    parts: list[Release[Any]] = []
    for number, release in enumerate(releases, 1):
        if not isinstance(release, Release):
            said = f"{of_kind(release)} is not a release."
            raise ModelError(f"{said} Load its file first: dc.fuse(dc.load('first.json'), dc.load('second.json')).")
        if not release.parts:
            check_part(release, number)
            parts.append(release)
            continue
        if release.value.own is not None:
            raise ModelError(f"Release {number} holds records that its holder added. Fuse first, and update the result.")
        if release.value.released.overlap and not overlap:
            raise ModelError(f"Release {number} was fused of persons who may be in several. Say so here, too: overlap=True.")
        if release.value.released.sites_differ and not sites_differ:
            raise ModelError(f"Release {number} was fused of sites that differ. Say so here, too: sites_differ=True.")
        parts += release.parts
    return tuple(parts)


def _caveats(parts: tuple[Release[Any], ...], prior: Prior, *, overlap: bool) -> tuple[Caveat, ...]:
    """What to beware of: all that is said of the parts, each once, and what follows from fusing them."""
    said = dict.fromkeys(caveat for each in parts for caveat in each.caveats if caveat.name not in _OF_ONE)
    if not all(same_priors(each.value.prior, prior) for each in parts):
        said[HOLDERS_PRIOR] = None
    names = [name for each in parts for name in {receipt.dataset for receipt in each.receipts if not receipt.unlimited}]
    twice = sorted({name for name in names if names.count(name) > 1})
    if overlap or not twice:
        return (*said, OVERLAPPING if overlap else DISJOINT)
    shown = ", ".join(repr(name[:40]) for name in twice[:3])
    text = (
        f"Several of the releases were charged to a data set of the same name ({shown}). If that is one data set of one "
        "ledger, persons are in several of them: fuse with overlap=True."
    )
    return (*said, DISJOINT, Caveat(_SAME_NAME, text))
