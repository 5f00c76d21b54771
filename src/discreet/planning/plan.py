"""Plans: what a mechanism would release and how wrong it would be, said before any record is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet.display import Display, Displayed, counted
from discreet.errors import QueryError, quoted, suggestion
from discreet.guarantee import Guarantee, Neighbours, PureDP, decimal, short
from discreet.planning.edge_costs import EdgeCost
from discreet.planning.parameter_error import DIGITS, ParameterError
from discreet.planning.recommendation import Recommendation, recommend

__all__ = ["SHARED_COLUMNS", "Bound", "LeftOut", "Plan", "PlanColumn", "Plans"]

_SHOWN_EDGES = 10


@dataclass(frozen=True, slots=True)
class PlanColumn:
    """A column of the table in which plans are compared: its heading, what of a plan it shows, and in which format."""

    heading: str
    shows: str
    """Names of attributes, such as ``parameter_error.mean``."""
    form: str = ""

    def cell(self, plan: Plan) -> str:
        """What it shows of a plan; nothing where the plan does not say."""
        value: Any = plan
        for name in self.shows.split("."):
            value = None if value is None else getattr(value, name)
        if value is None:
            return ""
        return format(float(value) if isinstance(value, Fraction) else value, self.form)


SHARED_COLUMNS = (PlanColumn("mechanism", "mechanism"), PlanColumn("epsilon", "budget"))
"""The columns that every table of plans begins with; the first names mechanisms, all others hold numbers."""
_TABLE_COLUMNS = (
    *SHARED_COLUMNS,
    PlanColumn("numbers", "released_numbers", ","),
    PlanColumn("scale", "noise_scale", ",.4g"),
    PlanColumn("count error", "expected_error", ",.4g"),
    PlanColumn("at most", "largest_error", ","),
    PlanColumn("prob. error", "parameter_error.mean", f".{DIGITS}f"),
    PlanColumn("worst node", "parameter_error.worst", f".{DIGITS}f"),
)


@dataclass(frozen=True, slots=True)
class Bound:
    """A theorem, evaluated for a plan."""

    name: str
    value: float
    unit: str
    meaning: str

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry."""
        return {"name": self.name, "value": self.value, "unit": self.unit, "meaning": self.meaning}


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Displayed):
    """The cost and the predicted error of one mechanism for one model. What a mechanism cannot say is None."""

    mechanism: str
    guarantee: Guarantee
    neighbours: Neighbours
    rows: int
    released_numbers: int | None = None
    noise_scale: Fraction | None = None
    """The largest, where counts have different ones."""
    expected_error: float | None = None
    """Mean absolute noise of one count."""
    largest_error: int | None = None
    """All counts together stay within this distance of the truth with probability ``interval``."""
    interval: float = 0.95
    parameter_error: ParameterError | None = None
    """How far off the released conditional probabilities are expected to be."""
    bounds: tuple[Bound, ...] = ()
    records_error: float | None = None
    """Root mean square error of a prediction that the records leave, without privacy, in the target's units."""
    privacy_error: float | None = None
    """What privacy adds to it, as a root mean square, in the target's units."""
    columns: tuple[PlanColumn, ...] = field(default=_TABLE_COLUMNS, repr=False)
    """Of the table in which plans for such a model are compared."""

    @property
    def budget(self) -> str:
        """What a release would cost, in as few words as a table has room for."""
        return short(self.guarantee)

    @property
    def relative_error(self) -> float | None:
        """Mean absolute noise of one count, as a share of the number of records."""
        return None if self.expected_error is None else self.expected_error / self.rows

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry; budgets stay exact, as text."""
        return {
            "mechanism": self.mechanism,
            "epsilon" if isinstance(self.guarantee, PureDP) else "guarantee": self.budget,
            "neighbours": self.neighbours.value,
            "rows": self.rows,
            "released_numbers": self.released_numbers,
            "noise_scale": None if self.noise_scale is None else decimal(self.noise_scale),
            "expected_error": self.expected_error,
            "relative_error": self.relative_error,
            "largest_error": self.largest_error,
            "interval": self.interval,
            "parameter_error": None if self.parameter_error is None else self.parameter_error.to_dict(),
            "bounds": [bound.to_dict() for bound in self.bounds],
            "records_error": self.records_error,
            "privacy_error": self.privacy_error,
        }

    @property
    def headings(self) -> tuple[str, ...]:
        """Of the table in which plans are compared; the first is over the names of mechanisms, the others over numbers."""
        return tuple(column.heading for column in self.columns)

    def cells(self) -> tuple[str, ...]:
        """The row of the plan in a table with its headings."""
        return tuple(column.cell(self) for column in self.columns)

    def _display(self) -> Display:
        """What the plan can say, and what its guarantee means."""
        facts = [(heading, cell) for heading, cell in zip(self.headings[1:], self.cells()[1:], strict=True) if cell]
        said = (self.guarantee.meaning, self.guarantee.remark)
        return Display(f"Plan of {self.mechanism} for {self.rows:,} records", facts, notes=tuple(filter(None, said)))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A mechanism that the model or the budget does not allow, and why."""

    mechanism: str
    reason: str

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry."""
        return {"mechanism": self.mechanism, "reason": self.reason}


@dataclass(frozen=True, slots=True, repr=False)
class Plans(Displayed):
    """The plans of all mechanisms for one model, and which to take. Of a network also what its edges cost."""

    plans: tuple[Plan, ...]
    left_out: tuple[LeftOut, ...] = ()
    edges: tuple[EdgeCost, ...] = ()
    """The costliest first; in large networks only the edges of the largest tables."""
    edges_of: str = ""
    """The mechanism that ``edges`` are about."""
    alike: tuple[Guarantee, ...] = ()
    """Guarantees of another kind that keep the same budget."""
    legend: str = ""
    """What the columns of the table mean."""

    def __iter__(self) -> Iterator[Plan]:
        return iter(self.plans)

    def __len__(self) -> int:
        return len(self.plans)

    def __getitem__(self, mechanism: str) -> Plan:
        return _find_plan(self.plans, mechanism)

    @property
    def headings(self) -> tuple[str, ...]:
        """Of the table of all plans, whose rows are their cells."""
        return self.plans[0].headings if self.plans else ()

    @property
    def recommendation(self) -> Recommendation | None:
        """The mechanism with the smallest expected error of probabilities; of equals, the one that is listed first."""
        return recommend(self.plans, self.alike)

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry."""
        advice = self.recommendation
        return {
            "plans": [plan.to_dict() for plan in self.plans],
            "recommendation": None if advice is None else advice.to_dict(),
            "edges": {"mechanism": self.edges_of, "costs": [edge.to_dict() for edge in self.edges]},
            "meaning": _meanings(self.plans),
            "left_out": [each.to_dict() for each in self.left_out],
        }

    def remarks(self) -> list[str]:
        """What is to be said below the table, a line each."""
        advice = self.recommendation
        lines = _meanings(self.plans)
        lines += [] if advice is None else [f"Recommended: {advice.mechanism}. {advice.reason}"]
        lines += self._worst_remark()
        lines += self._edge_remarks()
        lines += [f"Left out: {each.mechanism}. {each.reason}" for each in self.left_out]
        return lines

    def _worst_remark(self) -> list[str]:
        """Which nodes the errors of the last column are about."""
        found: dict[str, list[str]] = {}
        for plan in self.plans:
            if plan.parameter_error is not None:
                found.setdefault(plan.parameter_error.worst_node, []).append(plan.mechanism)
        if len(found) == 1:
            return [f"The worst node is {next(iter(found))}."]
        named = [f"{node} with {', '.join(mechanisms)}" for node, mechanisms in found.items()]
        return [f"The worst node is {'; '.join(named)}."] if named else []

    def _edge_remarks(self) -> list[str]:
        """The edges whose absence would be a gain in the digits that are shown, or a line that says that there are none."""
        if not self.edges:
            return []
        advice = self.recommendation
        why = "" if advice is None or advice.mechanism == self.edges_of else ", by which all graphs are compared alike"
        costly = [edge for edge in self.edges if edge.visible]
        if not costly:
            said = "without any one of them no error falls in the digits shown here."
            return [f"What edges cost with {self.edges_of}{why}: {said}"]
        more = len(costly) - _SHOWN_EDGES
        return [
            f"What edges cost with {self.edges_of}{why}, in expected error of a probability:",
            *(f"  {edge}" for edge in costly[:_SHOWN_EDGES]),
            *([f"  ... and {counted(more, 'more edge')}"] if more > 0 else []),
        ]

    def _display(self) -> Display:
        title = f"Plans for {self.plans[0].rows:,} records" if self.plans else "No plan: no mechanism fits"
        rows = [plan.cells() for plan in self.plans]
        return Display(title, (), self.headings, rows, self.remarks(), numbers=max(0, len(self.headings) - 1))


def _find_plan(plans: Sequence[Plan], mechanism: str) -> Plan:
    """The plan of the mechanism with this name.

    Claim:      the one with exactly this name; another name is an error that suggests one.
    Requires:   nothing.
    Checked by: tests/unit/test_misuse.py::test_a_word_that_is_nearly_right_is_suggested
    """
    for plan in plans:
        if isinstance(mechanism, str) and plan.mechanism == mechanism:
            return plan
    known = [plan.mechanism for plan in plans]
    raise QueryError(f"There is no plan of a mechanism {quoted(mechanism)}.{suggestion(mechanism, known)}")


def _meanings(plans: Iterable[Plan]) -> list[str]:
    """What the guarantees of some plans mean, each once, with remarks where they promise little.

    Claim:      a sentence for every guarantee that occurs, as ``meaning`` has it.
    Requires:   nothing.
    Checked by: tests/unit/test_meaning.py::test_a_plan_says_what_its_budget_means
    """
    guarantees = list(dict.fromkeys(plan.guarantee for plan in plans))
    remarks = dict.fromkeys(guarantee.remark for guarantee in guarantees if guarantee.remark is not None)
    if len(guarantees) == 1:
        return [guarantees[0].meaning, *remarks]
    return [*(f"{str(each).partition(' (')[0]}: {each.meaning}" for each in guarantees), *remarks]
