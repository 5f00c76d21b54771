"""What every posterior can do, whatever mechanism it came from; and how one takes records of its holder's own.

Adding them is post-processing, with a word about who protects them (nobody).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, runtime_checkable

from discreet.arrays import Floats
from discreet.display import Display, counted
from discreet.errors import QueryError
from discreet.guarantee import Caveat
from discreet.inference.answer import Answer
from discreet.inference.beliefs import Beliefs, GeneratorLike
from discreet.inference.predict import log_likelihood, predict, predict_proba
from discreet.inference.query import query
from discreet.inference.sample import sample
from discreet.model.declaration import NODE_HEADINGS, node_rows
from discreet.model.network import Network

if TYPE_CHECKING:
    import polars as pl

__all__ = ["OWN_RECORDS", "Posterior", "TakesRecords", "add_records", "display_of", "own_caveat"]

P = TypeVar("P")

OWN_RECORDS = "own-records"
"""The name of the caveat."""

_ASK = "Ask it: query(node, given={...}), predict_proba(table, target=node), sample(rows), mean(node)."


@runtime_checkable
class Posterior(Beliefs, Protocol):
    """Beliefs about the probabilities of a network: a mean, draws, and all the questions that follow from the two.

    The questions are post-processing: they need neither the private data nor the ledger, and are answered in
    ``discreet.inference`` from what ``Beliefs`` declares.
    """

    @property
    def model(self) -> Network:
        """What was declared, by the name that it has in the posteriors of all kinds of model."""
        return self.network

    def query(
        self,
        target: str | list[str] | tuple[str, ...],
        given: Mapping[str, object] | None = None,
        *,
        interval: float | None = 0.9,
        draws: int = 1000,
        generator: GeneratorLike = None,
    ) -> Answer:
        """Distribution of one node, or of several jointly, given the levels of others; with a credible interval."""
        return query(self, target, given, interval=interval, draws=draws, generator=generator)

    def predict_proba(self, data: Any, target: str) -> Floats:
        """Probability of every level of the target (columns, in declared order) for every record (rows)."""
        return predict_proba(self, data, target)

    def predict(self, data: Any, target: str) -> list[str]:
        """The most probable level of the target for every record."""
        return predict(self, data, target)

    def log_likelihood(self, data: Any) -> float:
        """Log probability of the records at the mean parameters, summed; what a record leaves out is summed over."""
        return log_likelihood(self, data)

    def sample(self, rows: int, generator: GeneratorLike = None) -> pl.DataFrame:
        """Draw synthetic records from the network at its mean parameters."""
        return sample(self, rows, generator)


def display_of(posterior: Posterior, released: object, own: object, *further: tuple[str, str]) -> Display:
    """What is shown of a posterior: what it knows of, and what can be asked. No chain has to run for it."""
    rows, added = getattr(released, "rows", None), getattr(own, "rows", 0)
    facts = [("records", f"{rows:,} released")] if rows is not None else []
    facts += [("own records", f"{added:,}, exact, protected by nothing")] if added else []
    title = f"{type(posterior).__name__} of {counted(len(posterior.network.nodes), 'node')}"
    return Display(title, [*facts, *further], NODE_HEADINGS, node_rows(posterior.network), [_ASK])


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
