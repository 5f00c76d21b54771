"""Which form of graph to learn, if any: what each is expected to be worth, from public facts alone.

A form is worth what its edges say about a record, in nats, as far as noise leaves it. How strongly columns depend is not
known before the records are looked at. As in all plans it is what a uniform prior expects: a parent and its child are as
dependent as in a network whose probabilities were drawn evenly. Noise of a table makes an edge worth less, and a choice among
many takes the wrong one now and then; both follow from rows, levels and budget.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from discreet.guarantee import PureDP
from discreet.measure.learning import Budget, amount_of, like
from discreet.measure.pairs import pair_deviation
from discreet.planning.even_tables import even_dependence, even_entropy
from discreet.planning.form_kinds import Form, graph_share, margin_share, table_deviation
from discreet.planning.pair_routes import CHOICES, MARGINS, choice_epsilon, pair_route, pick_deviation

__all__ = ["Forecast", "GraphFacts", "forecast"]


_FURTHER = 0.5
"""What a further parent adds to what is known of a node, as a share of what the parent before it added."""


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """All that a form is chosen by. Public."""

    sizes: Mapping[str, int] = field(repr=False)
    """How many levels each column has."""
    rows: int
    budget: Budget
    """For the graph and its tables together."""
    target: str | None = None
    parents: int = 3
    """Most parents of a node of a dag."""

    @property
    def features(self) -> tuple[int, ...]:
        """How many levels the columns have between which edges are looked for."""
        return tuple(size for name, size in self.sizes.items() if name != self.target)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is expected of one form."""

    form: Form
    worth: float
    """What the graph is expected to say about a record, in nats, less what noise in its tables takes away."""
    deviation: float
    """How far noise moves a cell of the table of an edge, in records."""
    cell: float
    """How many records such a cell has on average."""
    most_edges: int
    """How many edges the form can have beyond those that are known."""
    edges: int
    """For how many of them noise is expected to take less than they say."""
    all_pay: bool
    """Whether noise leaves more than half of what any pair says."""

    @property
    def shown(self) -> str:
        """What it is worth, in digits that mean something."""
        return f"{round(self.worth, 2) + 0.0:.2f}"

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry."""
        return {
            "form": self.form.value,
            "worth": self.worth,
            "cell_noise": self.deviation,
            "cell_records": self.cell,
            "most_edges": self.most_edges,
            "affordable_edges": self.edges,
        }


def forecast(form: Form, facts: GraphFacts) -> Forecast:
    """What is expected of a form, from rows, levels and budget."""
    return _Reckoning(form, facts).forecast()


@dataclass(frozen=True)
class _Reckoning:
    form: Form
    facts: GraphFacts

    @cached_property
    def tables(self) -> Budget:
        """What the tables of the graph are measured with."""
        amount = amount_of(self.facts.budget)
        return like(self.facts.budget, amount * (1 - graph_share(self.form)) if self.form is not Form.DAG else amount)

    @cached_property
    def target(self) -> int:
        """Levels of the target; one where there is none."""
        return self.facts.sizes[self.facts.target] if self.form.has_target and self.facts.target is not None else 1

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """Levels of the columns that are not the target of this form."""
        return self.facts.features if self.form.has_target else tuple(self.facts.sizes.values())

    @property
    def mean_levels(self) -> float:
        """Of a column."""
        return sum(self.columns) / len(self.columns) if self.columns else 1.0

    @cached_property
    def most_edges(self) -> int:
        count, pairs = len(self.columns), math.comb(len(self.columns), 2)
        if self.form.is_fixed:
            return 0
        if self.picks is not None:
            return self.picks
        most = self.facts.parents if self.form is Form.DAG else 1
        return min(pairs, sum(min(most, place) for place in range(count)))

    @cached_property
    def picks(self) -> int | None:
        """How many pairs of a dag are picked one by one; None where all are measured at once."""
        if self.form is not Form.DAG:
            return None
        levels = [pair for pair, number in self.pairs.items() for _ in range(number)]
        return pair_route(tuple(self.facts.sizes.values()), levels, 0, self.facts.rows, self.facts.budget).picks

    @cached_property
    def deviation(self) -> float:
        """Of the noise of a cell, in records; of a dag, of a contrast of the table of a pair."""
        if self.picks is not None:
            each = like(self.facts.budget, amount_of(self.facts.budget) * (1 - MARGINS - CHOICES) / self.picks)
            return pick_deviation(min(self.columns), min(self.columns), each)
        if self.form is Form.DAG:
            return pair_deviation(tuple(self.facts.sizes.values()), self.facts.budget)
        return table_deviation(self.tables, max(1, len(self.columns) - (0 if self.form.has_target else 1)))

    @cached_property
    def pairs(self) -> dict[tuple[int, int], int]:
        """How many pairs of columns have so many levels."""
        counts = Counter(self.columns)
        found = {}
        for one in sorted(counts):
            for two in (size for size in sorted(counts) if size >= one):
                number = math.comb(counts[one], 2) if one == two else counts[one] * counts[two]
                if number and one > 1:
                    found[one, two] = number
        return found

    def forecast(self) -> Forecast:
        """Edges one round after the other; what a dag takes beyond them says nothing more, and has its noise."""
        worth = sum(_left(even_dependence(self.target, size), self.loss(size, self.target)) for size in self.columns)
        pairs, rest, edges = sum(self.pairs.values()), self.most_edges, 0
        for strength in (*self.strengths, *[0.0] * (self.form is Form.DAG and self.picks is None)):
            each = min(rest, len(self.columns) - 1) if strength else rest
            found = {pair: self.edge(pair, strength) for pair in self.pairs}
            worth += each * sum(self.pairs[pair] * net for pair, net in found.items()) / pairs if pairs else 0.0
            edges += min(each, sum(self.pairs[pair] for pair, net in found.items() if net > 0)) if strength else 0
            rest -= each
        wide = sum(one * two * number for (one, two), number in self.pairs.items()) / pairs if pairs else 1
        cells = self.target * (self.mean_levels if self.form.is_fixed else wide)
        pays = all(self.loss(*pair) < min(even_dependence(*pair), even_dependence(*reversed(pair))) for pair in self.pairs)
        cell = self.facts.rows / cells
        return Forecast(self.form, worth - self.margins(), self.deviation, cell, self.most_edges, edges, pays)

    @cached_property
    def strengths(self) -> tuple[float, ...]:
        """How strong the edges of each round are: the first parent of a node, and what features have beyond a target."""
        if self.form.is_fixed:
            return ()
        if self.form is Form.TAN:
            return (_FURTHER,)
        return (1.0, _FURTHER) if self.form is Form.DAG else (1.0,)

    def edge(self, pair: tuple[int, int], strength: float) -> float:
        """What an edge is expected to say, less what noise takes from it."""
        usual = min(even_dependence(*pair), even_dependence(*reversed(pair)))
        if self.form is not Form.DAG:
            return _left(max(0.0, strength * usual - self.choice), self.loss(*pair))
        # Parents of a dag are the furthest of several noisy tables, so what is taken has more noise than the others have; of
        # pairs that were picked each has been chosen before it got its noise.
        lost, freedom = self.loss(*pair), (pair[0] - 1) * (pair[1] - 1)
        among = 1 if self.picks is not None else len(self.columns) / 2 / self.facts.parents
        taken = 1 + 2 * math.log(max(1.0, among)) / freedom
        trust = usual / (usual + lost)
        return trust * (max(0.0, strength * usual - self.choice) - taken * lost)

    @cached_property
    def choice(self) -> float:
        """How much less than the best edge the one that is chosen says, in nats for each record."""
        share = graph_share(self.form) * (1 - margin_share(self.form)) if self.picks is None else CHOICES
        if (self.form is Form.DAG and self.picks is None) or self.most_edges == 0:
            return 0.0
        each = like(self.facts.budget, amount_of(self.facts.budget) * share / self.most_edges)
        pure = isinstance(self.facts.budget, PureDP)  # permute-and-flip needs half of what the exponential mechanism does
        scale = (1 if pure else 2) / choice_epsilon(each)
        return scale * math.log1p(sum(self.pairs.values())) / self.facts.rows

    def loss(self, one: int, two: int) -> float:
        """What noise and sampling take from an edge of so many levels, in nats, if all cells of its table are even."""
        given = self.target if self.form is Form.TAN else 1
        even, moved = 1 / (one * two * given), self.deviation / self.facts.rows
        if self.form is Form.DAG:  # it does not believe in cells that are smaller than their noise
            even += moved
        return (one - 1) * (two - 1) * given * (moved**2 / even + 1 / self.facts.rows) / 2

    def margins(self) -> float:
        """What noise takes from what is known of the columns one by one."""
        rows, lost = self.facts.rows, 0.0
        for size in self.columns:
            even = size * (size - 1) * (self.margin_deviation / rows) ** 2 / 2
            lost += _least(even, math.log(size) - even_entropy(size))
        return lost

    @cached_property
    def margin_deviation(self) -> float:
        """How far noise moves the count of a level: measured alone, or summed over the cells of a table."""
        if self.picks is not None:
            return table_deviation(like(self.facts.budget, amount_of(self.facts.budget) * MARGINS), len(self.columns))
        if self.form is Form.DAG:
            return self.deviation
        if self.form is Form.EMPTY:
            return table_deviation(self.facts.budget, len(self.columns))
        other = self.target if self.form is Form.NAIVE_BAYES else max(2, round(self.mean_levels))
        summed = self.deviation * math.sqrt(other * (self.target if self.form is Form.TAN else 1))
        first = amount_of(self.facts.budget) * graph_share(self.form) * margin_share(self.form)
        if first == 0:
            return summed
        alone = table_deviation(like(self.facts.budget, first), len(self.columns)) * math.sqrt(self.target)
        return 1 / math.hypot(1 / summed, 1 / alone)


def _left(says: float, lost: float) -> float:
    """What is left of something after noise, by an estimate that trusts it as far as it can."""
    return says * says / (says + lost) if says > 0 else 0.0


def _least(one: float, two: float) -> float:
    """A loss by noise that a prior keeps from growing beyond what is lost without any record."""
    return one * two / (one + two) if one > 0 and two > 0 else 0.0
