"""A graph and its release from one budget: learned, then released, from records that are read once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.guarantee import PureDP
from discreet.kernel.ledger import Ledger
from discreet.kernel.publish import mention_charge, perhaps_charged
from discreet.learned import Learned, arrows
from discreet.learning.graphs import PreparedGraph, prepare_graph
from discreet.learning.steps import PrivateTables
from discreet.learning.wanted import Form
from discreet.measure.learning import Budget, amount_of, like
from discreet.mechanisms.auto import Auto
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.graph_terms import assumed_caveats
from discreet.mechanisms.prepared import Prepared, check_not_of, write_paid
from discreet.model.network import Network
from discreet.output_file import OutputFile
from discreet.planning.form_kinds import graph_share
from discreet.releases import Release

__all__ = ["PreparedWhole", "prepare_whole"]

_ROOM = 2**16


@dataclass(frozen=True, eq=False)
class PreparedWhole:
    """A graph and its release that are only to be paid for and drawn. It holds private counts: never publish it.

    Claim:      both together cost what was asked for; the ledger is asked for all of it before any of it is charged.
    Requires:   as ``PreparedGraph``.
    Checked by: tests/unit/learning/test_together.py::test_one_budget_pays_for_graph_and_release
    """

    graph: PreparedGraph = field(repr=False)
    rest: Budget | None
    """What the release costs; None where the graph's own measurements are released."""

    @property
    def ledger(self) -> Ledger:
        """Whose budget it is."""
        return self.graph.ledger

    def publish(self) -> Release[Any]:
        """Charge, learn, charge, release.

        Claim:      what fails after the first charge names it, and the graph that was paid for.
        Requires:   nothing.
        Checked by: tests/unit/learning/test_together.py::test_a_release_that_fails_after_its_graph_names_both
        """
        learned = self.graph.publish()
        with self._after_graph(learned):
            return self._release(learned)

    def save(self, path: Path, *, overwrite: bool = False) -> Release[Any]:
        """The same into a file, for which room is taken before the first charge.

        Claim:      a path that cannot be written costs nothing; what fails after the first charge names it.
        Requires:   nothing.
        Checked by: tests/unit/learning/test_together.py::test_a_path_that_cannot_be_written_costs_nothing
        """
        check_not_of(path, self.ledger)
        room = self.graph.room + _ROOM
        with OutputFile(path, overwrite=overwrite, room=room) as file, perhaps_charged(self.ledger):
            learned = self.graph.publish()
            with self._after_graph(learned):
                made = self._release(learned)
                write_paid(made, self.ledger, file)
        return made

    @contextmanager
    def _after_graph(self, learned: Learned) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            mention_charge(error, learned.receipts[0], self.ledger, f"The graph is not lost: {arrows(learned.network)}.")
            raise

    def _release(self, learned: Learned) -> Release[Any]:
        return learned.release if self.rest is None else self._prepare(learned).publish()

    def _prepare(self, learned: Learned) -> Prepared[Any, Any]:
        """The release of the learned graph, from tables that were counted before the first charge."""
        rest, graph = self.rest, self.graph
        mechanism = _mechanism(rest)
        counts = PrivateTables(graph.counted, graph.counts).families(learned.network)
        prepared = mechanism.prepare_found(counts, learned.network, ledger=graph.ledger, _bits=graph.bits)
        followed: Prepared[Any, Any] = prepared.follow(learned)
        return followed


def prepare_whole(
    data: Any, schema: Any, *, epsilon: Any, form: str = "auto", **given: Any
) -> PreparedWhole | Prepared[Any, Any]:
    """Count all that learning and releasing need, in one pass; ``given`` is what it is for ``prepare_graph``.

    Claim:      nothing is charged. Of a dag all of the budget measures pairs; of other forms a share that was fixed beforehand
                goes to the graph, the rest to its tables; nothing to a graph that is known, such as naive Bayes.
    Requires:   as ``learn``.
    Checked by: tests/unit/learning/test_together.py::test_one_budget_pays_for_graph_and_release
    """
    whole = prepare_graph(data, schema, epsilon=epsilon, form=form, **given)
    if whole.wanted.form is Form.DAG:
        return PreparedWhole(whole, None)
    if whole.wanted.form.is_fixed:
        return _prepare_known(whole)
    share = graph_share(whole.wanted.form)
    amount = amount_of(whole.guarantee)
    graph = PreparedGraph(
        whole.wanted, like(whole.guarantee, amount * share), whole.ledger, whole.counted, whole.counts, whole.rows, whole.bits,
        whole.choice,
    )  # fmt: skip
    return PreparedWhole(graph, like(whole.guarantee, amount * (1 - share)))


def _prepare_known(whole: PreparedGraph) -> Prepared[Any, Any]:
    """A release of a graph that nothing was learned for: nobody has declared it, either."""
    wanted = whole.wanted
    network = Network(wanted.variables, wanted.given)
    counts = PrivateTables(whole.counted, whole.counts).families(network)
    prepared: Prepared[Any, Any] = _mechanism(whole.guarantee).prepare_found(
        counts, network, ledger=whole.ledger, _bits=whole.bits
    )
    said = () if whole.choice is None else (whole.choice.caveat,)
    return prepared.beware(*assumed_caveats(wanted.target), *said)


def _mechanism(budget: Budget | None) -> Any:
    """What measures tables with a budget."""
    return Auto(budget.epsilon) if isinstance(budget, PureDP) else Gaussian(rho=budget.rho if budget else None)
