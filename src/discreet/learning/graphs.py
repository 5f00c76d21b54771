"""Graphs that are learned from private records, for a part of the budget: ``learn``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from discreet.arrays import Integers
from discreet.checks import check_reading, is_table
from discreet.conversion import rho_of_epsilon
from discreet.counts.families import table_counts
from discreet.counts.persons import person_table_counts
from discreet.errors import ModelError, of_kind
from discreet.guarantee import ZCDP, BudgetLike, PureDP, Receipt, exact
from discreet.kernel.bits import Bits, OperatingSystemBits
from discreet.kernel.ledger import Ledger
from discreet.kernel.publish import after_charge, charge_and_draw, mention_charge, perhaps_charged
from discreet.kernel.stages import Purse
from discreet.learned import FITTED_PAIRS, Learned, arrows, learned_caveats
from discreet.learning.rehearsal import CountingBytes, even_table
from discreet.learning.search import Found, most_numbers, search, tables_of
from discreet.learning.settings import settings_for
from discreet.learning.steps import PrivateTables, Steps
from discreet.learning.wanted import USUAL_PARENTS, Wanted, choose_wanted, read_options
from discreet.measure.learning import Budget, Learning, amount_of, like
from discreet.mechanisms.arguments import as_ledger
from discreet.mechanisms.prepared import check_free, check_not_of, standing_caveats
from discreet.mechanisms.split_shapes import TIMING
from discreet.model.declaration import NETWORKS
from discreet.model.files.schema_file import read_schema
from discreet.model.network import Network
from discreet.model.schema import Schema
from discreet.model.tables import TableSet
from discreet.model.variable import Variable
from discreet.output_file import OutputFile
from discreet.planning.form_choice import FormChoice
from discreet.planning.graph_forms import GraphFacts
from discreet.release_file.learned_graph import learned_text
from discreet.releases import software
from discreet.unit import RECORD, RowsPerPerson, Unit, UnitKind, choose_unit

__all__ = ["PreparedGraph", "declared_variables", "learn", "learning_budget", "prepare_graph"]

_MOST_CELLS = 2**25
_RECEIPT_ROOM = 8192
_NUMBER_ROOM = 30
_ORDER = "Write learn(data, schema, epsilon='0.2', ledger=...)."


def learn(
    data: Any,
    schema: Any,
    *,
    epsilon: BudgetLike,
    ledger: Ledger | str | os.PathLike[str],
    form: str = "auto",
    target: str | None = None,
    parents: int | None = None,
    required: Any = (),
    forbidden: Any = (),
    delta: BudgetLike | None = None,
    missing: str | None = None,
    rows: int | None = None,
    person: str | None = None,
    rows_per_person: RowsPerPerson | str | None = None,
    average_of: int | None = None,
    rows_at_most: int | None = None,
    progress: Callable[[int], None] | None = None,
    save: str | os.PathLike[str] | None = None,
    _bits: Bits | None = None,
) -> Learned:
    """Learn a graph from private records, for epsilon; with ``delta``, by zero-concentrated privacy that keeps both.

    ``schema`` declares the columns: a Schema, the path of its file, or a list of Variables. ``form`` is "tree", "forest"
    (edges that do not pay are left out), "tan" (naive Bayes for ``target``, with edges between the others), "dag" (at most
    ``parents`` parents each; of None 3, and up to 6 while a family has at most 128 cells), or "auto": the one of these, or
    naive Bayes or no edges, that is expected to say most about a record after noise, by rows, levels and budget alone.
    ``required`` are arrows (parent, child) that the graph has in any case, ``forbidden`` pairs without an edge. ``missing``,
    ``rows``, ``person`` and what belongs to it are what they are for ``release``, which goes on from the result and uses what
    was measured: ``release(data, learned)``.
    ``save`` is the file to write, from which ``read_learned`` and the command go on.

    Claim:      the graph and all that is in the result satisfy the guarantee together, and the ledger was charged for it once,
                before anything was drawn.
    Requires:   schema, form, target, required and forbidden edges are public and were chosen without looking at the records.
    Checked by: tests/audit/test_learning_worlds.py::test_no_graph_is_likelier_than_epsilon_allows
                tests/unit/learning/test_graphs.py::test_a_graph_is_charged_once_and_before_anything_is_drawn
    """
    free = None if save is None else check_free(save)
    unit = choose_unit(person, rows_per_person, average_of, rows_at_most)
    prepared = prepare_graph(
        data, schema, epsilon=epsilon, ledger=ledger, form=form, target=target, parents=parents, required=required,
        forbidden=forbidden, delta=delta, missing=missing, rows=rows, unit=unit, progress=progress, _bits=_bits,
    )  # fmt: skip
    return prepared.publish() if free is None else prepared.save(free)


@dataclass(frozen=True, eq=False)
class PreparedGraph:
    """A graph that is only to be paid for and drawn. It holds private counts: never publish it, only what it publishes.

    Claim:      ``publish`` charges only after the same way was gone once with made-up tables of as many records, up to the
                text of its file; what fails after the charge names it.
    Requires:   ``tables`` count the whole data set under the ledger's name.
    Checked by: tests/unit/learning/test_graphs.py::test_a_graph_is_charged_once_and_before_anything_is_drawn
                tests/unit/learning/test_graphs.py::test_a_rehearsal_does_not_look_at_the_records
    """

    wanted: Wanted
    guarantee: Budget
    ledger: Ledger
    counted: TableSet = field(repr=False)
    counts: Mapping[str, Integers] = field(repr=False)
    rows: int
    bits: Bits | None = field(repr=False)
    choice: FormChoice | None = None
    """Why this form, where it was left open."""

    def rehearse(self) -> Learned:
        """The way of learning with made-up tables: what a graph of so many records could look like, and cost nothing."""
        made_up = {each.node: even_table(each.cells, self.rows * self.parts, each.levels) for each in self.counted.families}
        return self._wrap(self._draw(made_up, CountingBytes(), rehearsal=True), self.ledger.check(self.guarantee))

    def publish(self) -> Learned:
        """Charge, draw and wrap. Every call is paid for."""
        learned_text(self.rehearse())  # what fails, fails here
        with perhaps_charged(self.ledger):
            return self._publish()

    def save(self, path: Path, *, overwrite: bool = False) -> Learned:
        """Take room for the file, then ``publish`` and write it.

        Claim:      what would keep the graph from its file is refused before the charge. Where it fails to be written all the
                    same, the error names the charge.
        Requires:   nothing.
        Checked by: tests/unit/learning/test_graphs.py::test_a_graph_that_cannot_be_written_costs_nothing
        """
        check_not_of(path, self.ledger)
        with OutputFile(path, overwrite=overwrite, room=self.room) as file, perhaps_charged(self.ledger):
            made = self._publish()
            try:
                file.write(learned_text(made))
            except BaseException as error:
                mention_charge(error, made.receipts[0], self.ledger, f"The graph is not lost: {arrows(made.network)}.")
                raise
        return made

    @property
    def room(self) -> int:
        """How many bytes a file of the graph needs at the most, whichever graph it is."""
        numbers = most_numbers(self.wanted, self.rows, self.guarantee)
        return 2 * len(learned_text(self.rehearse())) + _NUMBER_ROOM * numbers + _RECEIPT_ROOM

    @property
    def parts(self) -> int:
        """In how many parts a person is counted."""
        return self.ledger.unit.parts

    def _publish(self) -> Learned:
        def sampler(bits: Bits) -> Found:
            return self._draw(self.counts, bits)

        found, receipt = charge_and_draw(sampler, self.guarantee, self.ledger, self._purpose, _bits=self.bits)
        with after_charge(receipt, self.ledger):
            return self._wrap(found, receipt)

    @property
    def _purpose(self) -> str:
        return f"graph ({self.wanted.form.value})"

    def _draw(self, counts: Mapping[str, Integers], bits: Bits, *, rehearsal: bool = False) -> Found:
        tables, purse = PrivateTables(self.counted, counts), Purse(self.guarantee, bits)
        settings = settings_for(self.wanted)
        steps = Steps(tables, self.rows, self.parts, purse, settings.bound, rehearsal=rehearsal)
        return search(self.wanted, steps, self.guarantee, settings)

    def _wrap(self, found: Found, receipt: Receipt) -> Learned:
        network = self.wanted.network(found.parents)
        measured = sum((amount_of(stage.cost) for stage in found.stages), start=0 * amount_of(self.guarantee))
        rest = amount_of(self.guarantee) - measured
        learning = Learning(self.wanted.form.value, found.stages, like(self.guarantee, rest) if rest else None)
        said = (*standing_caveats(receipt, self.ledger.unit, self.bits), *learned_caveats(network, paid=True))
        said += (*NETWORKS.caveats(network), *(() if learning.choices is None else (TIMING,)))
        said += () if found.pairs is None else (FITTED_PAIRS,)
        said += () if self.choice is None else (self.choice.caveat,)
        pairs = found.pairs
        if pairs is not None and pairs.pairs.picked:
            pairs = replace(pairs, learning=learning)
        return Learned(network, learning, self.rows, receipt.guarantee, (receipt,), said, software(), self.ledger.unit, pairs)


def prepare_graph(
    data: Any,
    schema: Any,
    *,
    epsilon: BudgetLike,
    ledger: Ledger | str | os.PathLike[str],
    form: str = "auto",
    target: str | None = None,
    parents: int | None = None,
    required: Any = (),
    forbidden: Any = (),
    delta: BudgetLike | None = None,
    missing: str | None = None,
    rows: int | None = None,
    unit: Unit = RECORD,
    progress: Callable[[int], None] | None = None,
    _bits: Bits | None = None,
) -> PreparedGraph:
    """All of ``learn`` but its end: every table that could be looked at is counted, in one pass.

    Claim:      nothing is charged, and what ``learn`` would refuse is refused. Which tables are counted is public.
    Requires:   as ``learn``.
    Checked by: tests/unit/learning/test_bad_graphs.py::test_what_is_refused_costs_nothing
    """
    check_reading(missing, rows, progress)
    options = read_options(_variables(data, schema), form, target, parents, required, forbidden)
    guarantee, account = learning_budget(epsilon, delta), as_ledger(ledger)
    if unit != RECORD:  # a ledger may have a unit already
        account = account.for_unit(unit)
    account.check(guarantee)  # before the long work; the binding check is the charge
    counted = TableSet.of(options[0].variables, [nodes for wanted in options for nodes in tables_of(wanted)])
    if sum(family.cells for family in counted.families) > _MOST_CELLS:
        raise ModelError("The tables of all pairs have too many cells. Choose fewer columns, or merge levels.")
    source = OperatingSystemBits() if _bits is None else _bits
    counts = _count(data, counted, missing, rows, progress, account.unit, source)
    found = int(counts[counted.families[0].node].sum()) // account.unit.parts
    facts = GraphFacts(options[0].sizes, found, guarantee, target, parents or USUAL_PARENTS)
    wanted, choice = choose_wanted(options, facts)
    return PreparedGraph(wanted, guarantee, account, counted, counts, found, _bits, choice)


def learning_budget(epsilon: BudgetLike, delta: BudgetLike | None) -> Budget:
    """What is charged for a graph: epsilon itself, or with a delta the largest rho that keeps both.

    Claim:      the result keeps epsilon, or (epsilon, delta).
    Requires:   nothing; what is no budget is refused.
    Checked by: tests/unit/learning/test_graphs.py::test_a_delta_makes_the_budget_zero_concentrated
    """
    return PureDP(exact(epsilon)) if delta is None else ZCDP(rho_of_epsilon(exact(epsilon), exact(delta, "delta")))


def _count(
    data: Any,
    tables: TableSet,
    missing: str | None,
    rows: int | None,
    progress: Callable[[int], None] | None,
    unit: Unit,
    bits: Bits,
) -> dict[str, Integers]:
    if unit.kind is UnitKind.PERSON:
        return person_table_counts(data, tables, unit, bits.read, missing=missing, rows=rows, progress=progress)
    return table_counts(data, tables, missing=missing, rows=rows, progress=progress)


def _variables(data: object, schema: object) -> tuple[Variable, ...]:
    """The columns that are declared; a table in the place of the declaration is never parsed as one."""
    frame = hasattr(schema, "__dataframe__") or hasattr(schema, "iloc")
    if frame or is_table(schema) or isinstance(data, Schema | Network):
        raise ModelError(f"Records and schema are in each other's place. {_ORDER}")
    return declared_variables(schema)


def declared_variables(schema: object) -> tuple[Variable, ...]:
    """The columns of a Schema, of its file, or of a list of Variables.

    Claim:      what is none of these is refused.
    Requires:   nothing.
    Checked by: tests/unit/learning/test_bad_graphs.py::test_what_is_refused_costs_nothing
    """
    if isinstance(schema, str | os.PathLike):
        return read_schema(schema).variables
    if isinstance(schema, Schema):
        return schema.variables
    if isinstance(schema, list | tuple) and schema and all(isinstance(each, Variable) for each in schema):
        return Network(schema).variables  # refuses names that occur twice
    if isinstance(schema, Network):
        raise ModelError(
            "A network has a graph already. Give its variables, learn(data, network.variables, ...), for another."
        )
    raise ModelError(f"{of_kind(schema)} is no schema. {_ORDER}")
