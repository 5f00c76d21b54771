"""A graph that was learned from private records, with everything that must be said about it and all that was paid for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

import numpy as np

from discreet.checks import check_path
from discreet.display import Display, Displayed, counted
from discreet.errors import ModelError
from discreet.guarantee import ZCDP, Caveat, Guarantee, PureDP, Receipt, short
from discreet.meaning import meaning
from discreet.measure.learning import Learning, amount_of
from discreet.measure.published_pairs import PublishedPairs
from discreet.model.declaration import NODE_HEADINGS, node_rows
from discreet.model.network import Network
from discreet.model.prior import Symmetric, TablePrior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.releases import MechanismRecord, Release
from discreet.unit import RECORD, Unit

__all__ = ["FITTED_PAIRS", "Learned", "is_learned", "learned_caveats", "arrows"]

_LEARNED_GRAPH = "learned-graph"
_NEARLY_NOTHING = Symmetric(0.001)
"""The prior beside Dirichlet parameters that are made of pairs, which have a prior of their own."""
_NAMES = {
    (PureDP, False): "pairs",
    (ZCDP, False): "pairs-gaussian",
    (PureDP, True): "picked-pairs",
    (ZCDP, True): "picked-pairs-gaussian",
}
"""By the kind of budget, and whether pairs were picked."""
_AGAIN = 0.1
"""Which share of the records may count again, in a prior for a release of the same records."""
_CONDITIONAL = (
    "The graph was learned from these records, privately. Intervals are conditional on the graph: that another one might have "
    "been learned is not in them. Its arrows say what goes with what, not what causes what."
)
_NOT_HERE = (
    "The graph was learned from records, and what that cost is not in this release. Intervals are conditional on the graph, "
    "and its arrows are not causes."
)


@dataclass(frozen=True, eq=False, repr=False)
class Learned(Displayed):
    """A network whose graph was learned, what was measured on the way, and the proof of payment.

    Release it: ``dc.release(data, learned, epsilon="0.5", ledger=ledger)`` goes on from here, and the posterior uses what was
    measured before.
    """

    network: Network
    learning: Learning
    rows: int
    guarantee: Guarantee
    """What learning the graph has cost."""
    receipts: tuple[Receipt, ...]
    caveats: tuple[Caveat, ...]
    software: str
    unit: Unit = RECORD
    """Whom the guarantee protects."""
    pairs: PublishedPairs | None = None
    """What pairs say about the families, where a graph was grown from them."""

    @property
    def posterior(self) -> DirichletPosterior:
        """Beliefs from pairs, for a dag; other forms measure no tables before they are released."""
        if self.pairs is None:
            raise ModelError(
                f"The tables of a {self.learning.form} are measured by its release: release(data, learned, epsilon=..., "
                "ledger=...). Only a dag has a posterior before."
            )
        return DirichletPosterior(self.network, _NEARLY_NOTHING, self.pairs)

    @property
    def release(self) -> Release[DirichletPosterior]:
        """A dag as a release: all that was paid for is in it, and it costs nothing more."""
        names = {PureDP: "epsilon", ZCDP: "rho"}
        cost = self.learning.cost
        posterior = self.posterior
        name = _NAMES[type(cost), self._picked]
        record = MechanismRecord(name, {names[type(cost)]: str(amount_of(cost))})
        return Release(
            posterior, self.guarantee, self.unit.neighbours, record, self.caveats, self.receipts, self.software, self.unit
        )

    @property
    def _picked(self) -> bool:
        return self.pairs is not None and self.pairs.learning is not None

    @property
    def prior(self) -> TablePrior | None:
        """What pairs say, as a prior for a release of the same records: worth a tenth of them at most, as they count again.

        Where pairs were picked there is none: a release goes on from their own numbers.
        """
        if self.pairs is None or self._picked:
            return None
        tables = {}
        for family in self.network.families:
            table = self.posterior.concentration(family.node)
            worth = table.sum(axis=1, keepdims=True)
            tables[family.node] = table * np.minimum(1, _AGAIN * self.rows / family.configurations / worth)
        return TablePrior(self.network, tables)

    def _display(self) -> Display:
        facts = [
            ("form", self.learning.form),
            ("guarantee", str(self.guarantee)),
            ("it means", meaning(self.guarantee, self.unit)),
            *([("protects", str(self.unit))] if self.unit != RECORD else []),
            (f"{self.unit.noun}s", f"{self.rows:,}"),
            ("spent", self._spent()),
            *(("receipt", str(receipt)) for receipt in self.receipts),
            *((caveat.label, caveat.text) for caveat in self.caveats),
        ]
        title = f"Learned graph of {counted(len(self.network.nodes), 'node')}, {counted(self.network.edges, 'edge')}"
        note = "Go on with release(data, learned, epsilon=..., ledger=...), which uses what was measured; save(path) keeps it."
        if self.pairs is not None:
            note = f"Ask learned.posterior; learned.release.save(path) writes a release file of it. {note}"
        return Display(title, facts, NODE_HEADINGS, node_rows(self.network), [note])

    def _spent(self) -> str:
        choices = self.learning.choices
        measured = f"measured in {counted(len(self.learning.stages), 'stage')}"
        return measured if choices is None else f"{short(choices)} on choices, the rest {measured}"

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the graph and what was measured to a file, from which ``read_learned`` and the command go on."""
        # As a release, it turns to its files when it needs them.
        from discreet.release_file.learned_graph import save_learned

        save_learned(self, Path(check_path(path)), overwrite=overwrite)


def arrows(network: Network) -> str:
    """The edges of a graph in words."""
    edges = [f"{parent} -> {node}" for node, listed in network.parents.items() for parent in listed]
    return ", ".join(edges) if edges else "it has no edges"


def is_learned(thing: object) -> TypeGuard[Learned]:
    """Whether a release can go on from this."""
    return isinstance(thing, Learned)


FITTED_PAIRS = Caveat(
    "fitted-pairs",
    "The probabilities were fitted to noisy pairs of columns, as if parents acted one by one. Their intervals are too narrow: "
    "take them as rough.",
)


def learned_caveats(network: object, paid: bool) -> tuple[Caveat, ...]:
    """What a reader of a release of a learned graph must know; nothing about a graph that was declared."""
    if not (isinstance(network, Network) and network.learned):
        return ()
    return (Caveat(_LEARNED_GRAPH, _CONDITIONAL if paid else _NOT_HERE),)
