"""The plan of a graph that is to be learned: its form, what it costs, and what is expected of it, before a record is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from discreet.display import Display, Displayed
from discreet.guarantee import Guarantee, short
from discreet.measure.learning import Budget, amount_of, like
from discreet.planning.form_choice import FormChoice, choose_form
from discreet.planning.form_kinds import Form, graph_share
from discreet.planning.graph_forms import GraphFacts, forecast

__all__ = ["LearningPlan", "plan_graph"]

_HEADINGS = ("form", "graph", "tables", "edges", "affordable", "cell", "noise", "error", "worth")
_LEGEND = (
    "graph, tables: what each gets of the budget. edges: the most that the form can have beyond what is known. affordable: "
    "those that are expected to say more than noise takes. cell: records in a cell of a table, on average. noise: how far "
    "noise moves it, in records. error: the same as a share of all records. worth: what the graph is expected to say about a "
    "record, in nats, less what noise takes away. Predicted from rows, levels and budget, if columns depend as in networks of "
    "a uniform prior: a guess that other records may not follow."
)


@dataclass(frozen=True, slots=True, repr=False)
class LearningPlan(Displayed):
    """What learning a graph and releasing it from one budget would do, by every form that was asked for."""

    rows: int
    guarantee: Guarantee
    """Of graph and release together."""
    choice: FormChoice
    budget: Budget = field(repr=False)
    automatic: bool
    """Whether the form was left open."""
    legend: str = _LEGEND

    @property
    def form(self) -> str:
        """The form that would be learned."""
        return self.choice.form.value

    @property
    def share(self) -> Fraction:
        """Which part of the budget goes to the graph; the rest goes to the tables of its release."""
        return graph_share(self.choice.form)

    @property
    def pays(self) -> bool:
        """Whether the form is expected to say more than naive Bayes, or no edges, with the same budget."""
        known = [each.worth for each in self.choice.forecasts if each.form.is_fixed]
        return not self.choice.form.is_fixed and self.choice.taken.worth > max(known)

    @property
    def headings(self) -> tuple[str, ...]:
        """Of the table of forms."""
        return _HEADINGS

    def cells(self) -> list[tuple[str, ...]]:
        """The rows of the table of forms."""
        return [
            (
                each.form.value,
                *self._costs(each.form),
                f"{each.most_edges:,}",
                f"{each.edges:,}",
                f"{each.cell:,.4g}",
                f"{each.deviation:,.4g}",
                f"{each.deviation / self.rows:.4f}",
                each.shown,
            )
            for each in self.choice.forecasts
        ]

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry; budgets stay exact, as text."""
        return {
            "rows": self.rows,
            "form": self.form,
            "automatic": self.automatic,
            "pays": self.pays,
            "reason": self.choice.reason if self.automatic else None,
            "share": str(self.share),
            "forms": [
                {**each.to_dict(), **dict(zip(("graph", "tables"), self._costs(each.form), strict=True))}
                for each in self.choice.forecasts
            ],
            "meaning": self.guarantee.meaning,
        }

    def remarks(self) -> list[str]:
        """What is to be said below the table, a line each."""
        lines = [self.guarantee.meaning, self.guarantee.remark, self.choice.reason if self.automatic else None, self._split()]
        if not self.automatic and not self.pays and not self.choice.form.is_fixed:
            known = next(each for each in self.choice.forecasts if each.form.is_fixed)
            lines.append(
                f"Learning {self.choice.form.words} is not expected to pay: {known.form.words} {known.shown}, "
                f"{self.choice.form.words} {self.choice.taken.shown} nats. More records or a larger epsilon would help."
            )
        return [line for line in lines if line is not None]

    def _split(self) -> str:
        if self.choice.form is Form.DAG:
            return "All of the budget measures pairs of columns: graph and probabilities both follow from them."
        graph, tables = self._costs(self.choice.form)
        if self.choice.form.is_fixed:
            return "Nothing is paid for the graph: all of the budget goes to the tables."
        return f"Of the budget {float(self.share):.0%} goes to the graph ({graph}), the rest to its tables ({tables})."

    def _costs(self, form: Form) -> tuple[str, str]:
        """What graph and tables get, in short; of a dag they are one."""
        amount, share = amount_of(self.budget), graph_share(form)
        return tuple(short(like(self.budget, amount * part)) if part else "0" for part in (share, 1 - share))  # type: ignore[return-value]

    def _display(self) -> Display:
        title = f"Plan of learning a graph from {self.rows:,} records: {self.choice.form.words}"
        return Display(title, (), self.headings, self.cells(), [*self.remarks(), self.legend], numbers=len(self.headings) - 1)


def plan_graph(facts: GraphFacts, offered: Sequence[Form], *, automatic: bool) -> LearningPlan:
    """The plan of the form that would be taken; one that was asked for stands beside a graph that needs no learning."""
    if automatic:
        choice = choose_form(facts, offered)
    else:
        known = Form.EMPTY if facts.target is None else Form.NAIVE_BAYES
        beside = list(dict.fromkeys((*offered, known)))
        choice = FormChoice(offered[0], tuple(forecast(form, facts) for form in beside), "")
    return LearningPlan(facts.rows, facts.budget, choice, facts.budget, automatic)
