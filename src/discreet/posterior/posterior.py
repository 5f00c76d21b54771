"""What every posterior can do, whatever mechanism it came from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from discreet.display import Display, counted
from discreet.model.declaration import NODE_HEADINGS, node_rows
from discreet.model.network import Network
from discreet.model.prior import Table
from discreet.posterior.generators import GeneratorLike

if TYPE_CHECKING:
    import polars as pl

    from discreet.queries.query import Answer

__all__ = ["Posterior", "display_of"]

_ASK = "Ask it: query(node, given={...}), predict_proba(table, target=node), sample(rows), mean(node)."


@runtime_checkable
class Posterior(Protocol):
    """Beliefs about the probabilities of a network: a mean, draws, and all the questions that follow from the two.

    The questions are post-processing: they need neither the private data nor the ledger. They are answered in
    ``discreet.queries``, which is imported when the first question is asked.
    """

    network: Network

    @abstractmethod
    def mean(self, node: str) -> Table:
        """Expected conditional probabilities, configurations x levels, first parent slowest."""
        ...

    @abstractmethod
    def draws(self, count: int, generator: GeneratorLike = None) -> dict[str, Table]:
        """Independent draws of all parameters: node -> array (count, configurations, levels)."""
        ...

    @property
    def without_spread(self) -> str | None:
        """Why no interval can be given, where the same value is all there is of every parameter; None where one can."""
        return None

    def repeated_draws(
        self,
        count: int,  # noqa: ARG002 - the interface
        times: int,  # noqa: ARG002
        generator: GeneratorLike = None,  # noqa: ARG002
    ) -> list[dict[str, Table]] | None:
        """Draws that share the unknown true tables and differ by sampling alone; None where no noise hides the tables."""
        return None

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
        from discreet.queries.query import query

        return query(self, target, given, interval=interval, draws=draws, generator=generator)

    def predict_proba(self, data: Any, target: str) -> npt.NDArray[np.float64]:
        """Probability of every level of the target (columns, in declared order) for every record (rows)."""
        from discreet.queries.predict import predict_proba

        return predict_proba(self, data, target)

    def predict(self, data: Any, target: str) -> list[str]:
        """The most probable level of the target for every record."""
        from discreet.queries.predict import predict

        return predict(self, data, target)

    def log_likelihood(self, data: Any) -> float:
        """Log probability of the records at the mean parameters, summed; what a record leaves out is summed over."""
        from discreet.queries.likelihood import log_likelihood

        return log_likelihood(self, data)

    def sample(self, rows: int, generator: GeneratorLike = None) -> pl.DataFrame:
        """Draw synthetic records from the network at its mean parameters."""
        from discreet.queries.sample import sample

        return sample(self, rows, generator)


def display_of(posterior: Posterior, released: object, own: object, *further: tuple[str, str]) -> Display:
    """What is shown of a posterior: what it knows of, and what can be asked. No chain has to run for it."""
    rows, added = getattr(released, "rows", None), getattr(own, "rows", 0)
    facts = [("records", f"{rows:,} released")] if rows is not None else []
    facts += [("own records", f"{added:,}, exact, protected by nothing")] if added else []
    title = f"{type(posterior).__name__} of {counted(len(posterior.network.nodes), 'node')}"
    return Display(title, [*facts, *further], NODE_HEADINGS, node_rows(posterior.network), [_ASK])
