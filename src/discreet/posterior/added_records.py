"""How a posterior takes records of its holder's own: post-processing, with a word about who protects them (nobody)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from discreet.errors import QueryError
from discreet.guarantee import Caveat

__all__ = ["OWN_RECORDS", "TakesRecords", "add_records", "own_caveat"]

P = TypeVar("P")

OWN_RECORDS = "own-records"
"""The name of the caveat."""


class OwnPart(Protocol):
    """What is kept of records that the holder of a posterior added: exact, protected by nothing."""

    @property
    def rows(self) -> int:
        """How many records were added."""
        ...


@runtime_checkable
class TakesRecords(Protocol):
    """A posterior that takes records of its holder's own, whatever kind of model it is about."""

    @property
    def own(self) -> OwnPart | None:
        """What was added so far."""
        ...

    def update(self, data: Any, *, missing: str | None = None, progress: Callable[[int], None] | None = None) -> Self:
        """The posterior after more records."""
        ...


def add_records(posterior: P, data: Any, *, missing: str | None = None, progress: Callable[[int], None] | None = None) -> P:
    """The same posterior after records of one's own; what cannot take any is refused."""
    if not isinstance(posterior, TakesRecords):
        raise QueryError("Only a release of Dirichlet distributions or of moments can take records of your own.")
    return posterior.update(data, missing=missing, progress=progress)


def own_caveat(value: object) -> Caveat | None:
    """How many records of its holder a posterior has: one caveat with the total, however often records were added."""
    own = value.own if isinstance(value, TakesRecords) else None
    if own is None:
        return None
    counted = "1 record was added exactly and is" if own.rows == 1 else f"{own.rows:,} records were added exactly and are"
    text = f"{counted} protected by nothing: the guarantee is about the records of the original release only."
    return Caveat(OWN_RECORDS, text)
