"""Adding records of one's own to a release: post-processing, with a word about who protects those records (nobody)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from discreet.errors import QueryError
from discreet.guarantee import Caveat
from discreet.releases import Release

__all__ = ["TakesRecords", "update_release", "with_own_caveat"]

P = TypeVar("P")

_NAME = "own-records"


class OwnPart(Protocol):
    """Statistics of records that the holder of a posterior added: exact, protected by nothing."""

    @property
    def rows(self) -> int:
        """How many records were added."""
        ...


@runtime_checkable
class TakesRecords(Protocol):
    """A posterior that takes records of its holder's own, whatever model it is about."""

    @property
    def own(self) -> OwnPart | None:
        """What was added so far."""
        ...

    def update(self, data: Any, *, missing: str | None = None, progress: Callable[[int], None] | None = None) -> Self:
        """The posterior after more records."""
        ...


def update_release(
    release: Release[P],
    data: Any,
    *,
    missing: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Release[P]:
    """Add records of one's own to a release. Its guarantee holds for the steward's records, not for the added ones."""

    def updated(posterior: P) -> P:
        if not isinstance(posterior, TakesRecords):
            raise QueryError("Only a release of Dirichlet distributions or of moments can take records of your own.")
        return posterior.update(data, missing=missing, progress=progress)

    return with_own_caveat(release.map(updated))


def with_own_caveat(release: Release[P]) -> Release[P]:
    """Say how many records of its own a release holds: one caveat with the total, however often records were added."""
    own = release.value.own if isinstance(release.value, TakesRecords) else None
    if own is None:
        return release
    kept = tuple(caveat for caveat in release.caveats if caveat.name != _NAME)
    return replace(release, caveats=(*kept, _caveat(own.rows)))


def _caveat(rows: int) -> Caveat:
    counted = "1 record was added exactly and is" if rows == 1 else f"{rows:,} records were added exactly and are"
    return Caveat(_NAME, f"{counted} protected by nothing: the guarantee is about the records of the original release only.")
