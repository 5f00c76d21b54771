"""Which of several forms of graph to take, and why: the rule of ``auto``, from public facts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.guarantee import Caveat
from discreet.planning.form_kinds import Form
from discreet.planning.graph_forms import Forecast, GraphFacts, forecast

__all__ = ["FormChoice", "choose_form"]


@dataclass(frozen=True, slots=True)
class FormChoice:
    """A form, what was expected of it and of the others, and why it was taken."""

    form: Form
    forecasts: tuple[Forecast, ...]
    reason: str

    @property
    def taken(self) -> Forecast:
        """What is expected of the form that was taken."""
        return next(each for each in self.forecasts if each.form is self.form)

    @property
    def caveat(self) -> Caveat:
        """The reason, as a release keeps it."""
        return Caveat("automatic-graph", self.reason)


def choose_form(facts: GraphFacts, offered: Sequence[Form]) -> FormChoice:
    """The form that is expected to say most about a record after noise; of equals the first.

    A tree becomes a forest, where that is offered, if noise takes more than half from some edges: these should be left out.
    """
    forecasts = {form: forecast(form, facts) for form in offered}
    best = max(offered, key=lambda form: forecasts[form].worth)
    if best is Form.TREE and Form.FOREST in forecasts and not forecasts[best].all_pay:
        best = Form.FOREST
    return FormChoice(best, tuple(forecasts.values()), _reason(facts, forecasts[best], list(forecasts.values())))


def _reason(facts: GraphFacts, taken: Forecast, forecasts: list[Forecast]) -> str:
    others = ", ".join(f"{each.form.words} {each.shown}" for each in forecasts if each.form is not taken.form)
    said = f"The form that was taken is {taken.form.words}: expected to say {taken.shown} nats about a record"
    said += f" after noise ({others})." if others else " after noise."
    if taken.form.is_fixed and len(forecasts) > 1:
        said += " Learning a graph is not expected to pay: all of the budget goes to the tables."
    return f"{said} Chosen from {facts.rows:,} records, {len(facts.sizes)} columns, their levels and the budget alone."
