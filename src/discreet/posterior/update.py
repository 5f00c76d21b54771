"""Adding records of one's own to a release: post-processing, with a word about who protects those records (nobody)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from discreet.errors import QueryError
from discreet.guarantee import Caveat
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.linear import RegressionPosterior
from discreet.releases import Release

__all__ = ["update_release", "with_own_caveat"]

P = TypeVar("P")
U = TypeVar("U", DirichletPosterior, RegressionPosterior)

_NAME = "own-records"


def update_release(
    release: Release[U],
    data: Any,
    *,
    missing: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Release[U]:
    """Add records of one's own to a release. Its guarantee holds for the steward's records, not for the added ones."""

    def updated(posterior: U) -> U:
        if isinstance(posterior, DirichletPosterior):
            return posterior.update(data, missing=missing, progress=progress)
        if not isinstance(posterior, RegressionPosterior):
            raise QueryError("Only a release of Dirichlet distributions or of moments can take records of your own.")
        if missing is not None:
            raise QueryError("A regression needs a number in every column of every record; fill in missing ones first.")
        return posterior.update(data, progress=progress)

    return with_own_caveat(release.map(updated))


def with_own_caveat(release: Release[P]) -> Release[P]:
    """Say how many records of its own a release holds: one caveat with the total, however often records were added."""
    own = release.value.own if isinstance(release.value, DirichletPosterior | RegressionPosterior) else None
    if own is None:
        return release
    kept = tuple(caveat for caveat in release.caveats if caveat.name != _NAME)
    return replace(release, caveats=(*kept, _caveat(own.rows)))


def _caveat(rows: int) -> Caveat:
    counted = "1 record was added exactly and is" if rows == 1 else f"{rows:,} records were added exactly and are"
    return Caveat(_NAME, f"{counted} protected by nothing: the guarantee is about the records of the original release only.")
