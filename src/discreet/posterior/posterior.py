"""What every posterior of a network can do, whatever mechanism it came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, Unpack, runtime_checkable

from discreet.arrays import Floats
from discreet.display import Display, counted
from discreet.inference.answer import Answer
from discreet.inference.answer_table import query_table
from discreet.inference.beliefs import Beliefs, GeneratorLike
from discreet.inference.compare import Comparison, Pair, compare
from discreet.inference.explain import Explanation, explain
from discreet.inference.predict import log_likelihood, predict, predict_proba
from discreet.inference.quantities import Quantity, expected_value, mutual_information, probability
from discreet.inference.query import query
from discreet.inference.question import Asking, Levels, Nodes
from discreet.inference.sample import sample, synthetic
from discreet.model.declaration import NODE_HEADINGS, node_rows
from discreet.model.impossible import show_combinations
from discreet.model.network import Network
from discreet.posterior.data_tree import network_tree

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Posterior", "display_of"]

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
        target: Nodes,
        given: Levels | None = None,
        *,
        do: Levels | None = None,
        arrows_are_causes: bool = False,
        interval: float | None = 0.9,
        draws: int = 1000,
        generator: GeneratorLike = None,
    ) -> Answer:
        """Distribution of one node, or of several jointly, given the levels of others; with a credible interval.

        ``do`` sets nodes instead of seeing them: what would happen, where arrows are causes. A learned graph needs
        ``arrows_are_causes=True`` for that.
        """
        causes = arrows_are_causes
        return query(self, target, given, do=do, arrows_are_causes=causes, interval=interval, draws=draws, generator=generator)

    def compare(
        self,
        target: Nodes,
        given: Pair = None,
        do: Pair = None,
        *,
        arrows_are_causes: bool = False,
        interval: float | None = 0.9,
        draws: int = 1000,
        generator: GeneratorLike = None,
    ) -> Comparison:
        """Difference and ratio of two answers, with intervals, from the same draws.

        ``given`` and ``do`` are for both questions, or a pair: ``compare("lung", do=({"smoke": "yes"}, {"smoke": "no"}))``.
        """
        causes = arrows_are_causes
        return compare(self, target, given, do, arrows_are_causes=causes, interval=interval, draws=draws, generator=generator)

    def query_table(self, data: Any, target: str, **how: Unpack[Asking]) -> pl.DataFrame:
        """Answer one question for each row of a table, whose columns say what is given; empty where nothing is."""
        return query_table(self, data, target, **how)

    def probability(
        self,
        of: Levels,
        given: Levels | None = None,
        do: Levels | None = None,
        *,
        arrows_are_causes: bool = False,
        **how: Unpack[Asking],
    ) -> Quantity:
        """How probable it is that nodes have these levels together: the probability of evidence, with an interval."""
        return probability(self, of, given, do, arrows_are_causes=arrows_are_causes, **how)

    def explain(self, given: Levels | None = None) -> Explanation:
        """The levels of all nodes that are most probable together, given the levels of some."""
        return explain(self, given)

    def mutual_information(self, one: str, other: str, given: Levels | None = None, **how: Unpack[Asking]) -> Quantity:
        """How many bits one node tells of another, on average, with an interval."""
        return mutual_information(self, one, other, given, **how)

    def expected_value(
        self,
        node: str,
        given: Levels | None = None,
        do: Levels | None = None,
        *,
        values: Mapping[str, float] | None = None,
        arrows_are_causes: bool = False,
        **how: Unpack[Asking],
    ) -> Quantity:
        """Expected value of a node whose levels are numbers or bins, or for whose levels ``values`` are given."""
        return expected_value(self, node, given, do, values=values, arrows_are_causes=arrows_are_causes, **how)

    def predict_proba(self, data: Any, target: str) -> Floats:
        """Probability of every level of the target (columns, in declared order) for every record (rows)."""
        return predict_proba(self, data, target)

    def predict(self, data: Any, target: str) -> list[str]:
        """The most probable level of the target for every record."""
        return predict(self, data, target)

    def log_likelihood(self, data: Any) -> float:
        """Log probability of the records at the mean parameters, summed; what a record leaves out is summed over."""
        return log_likelihood(self, data)

    def to_datatree(self, draws: int = 1000, chains: int | None = None, generator: GeneratorLike = None) -> Any:
        """Draws of all probabilities as an ``xarray.DataTree``, as ArviZ reads it: one variable for each node.

        ``draws`` is the number in each chain. Where the posterior has Markov chains, these are kept apart and ``chains`` is
        their number, or fewer; independent draws are dealt out to 4, or to as many as are wanted. ``release.to_datatree``
        does the same and says where it comes from.
        """
        return network_tree(self, draws, chains, generator)

    def sample(self, rows: int, generator: GeneratorLike = None) -> pl.DataFrame:
        """Draw synthetic records from the network at its mean parameters: to look at, not to compute intervals from."""
        return sample(self, rows, generator)

    def synthetic(self, datasets: int = 20, *, rows: int, generator: GeneratorLike = None) -> list[pl.DataFrame]:
        """Draw several synthetic sets, each at its own draw of the parameters: analyse each, and ``combine`` the results."""
        return synthetic(self, datasets, rows, generator)


def display_of(posterior: Posterior, released: object, own: object, *further: tuple[str, str]) -> Display:
    """What is shown of a posterior: what it knows of, and what can be asked. No chain has to run for it."""
    rows, added = getattr(released, "rows", None), getattr(own, "rows", 0)
    facts = [("records", f"{rows:,} released")] if rows is not None else []
    facts += [("own records", f"{added:,}, exact, protected by nothing")] if added else []
    impossible = posterior.network.impossible
    facts += [("impossible", show_combinations(impossible))] if impossible else []
    facts += [("prior", repr(prior))] if (prior := getattr(posterior, "prior", None)) is not None else []
    title = f"{type(posterior).__name__} of {counted(len(posterior.network.nodes), 'node')}"
    return Display(title, [*facts, *further], NODE_HEADINGS, node_rows(posterior.network), [_ASK])
