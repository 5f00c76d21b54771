"""Adding records of one's own to what was released: post-processing, with a word about who protects them (nobody)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from discreet.errors import QueryError
from discreet.guarantee import Caveat
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.linear import RegressionPosterior

__all__ = ["OWN_RECORDS", "add_records", "own_caveat"]

P = TypeVar("P")

OWN_RECORDS = "own-records"
"""The name of the caveat."""


def add_records(
    posterior: P, data: Any, *, missing: str | None = None, progress: Callable[[int], None] | None = None
) -> P | DirichletPosterior | RegressionPosterior:
    """The same posterior after records of one's own; what cannot take any is refused."""
    if isinstance(posterior, DirichletPosterior):
        return posterior.update(data, missing=missing, progress=progress)
    if not isinstance(posterior, RegressionPosterior):
        raise QueryError("Only a release of Dirichlet distributions or of moments can take records of your own.")
    if missing is not None:
        raise QueryError("A regression needs a number in every column of every record; fill in missing ones first.")
    return posterior.update(data, progress=progress)


def own_caveat(value: object) -> Caveat | None:
    """How many records of its holder a posterior has: one caveat with the total, however often records were added."""
    own = value.own if isinstance(value, DirichletPosterior | RegressionPosterior) else None
    if own is None:
        return None
    counted = "1 record was added exactly and is" if own.rows == 1 else f"{own.rows:,} records were added exactly and are"
    text = f"{counted} protected by nothing: the guarantee is about the records of the original release only."
    return Caveat(OWN_RECORDS, text)
