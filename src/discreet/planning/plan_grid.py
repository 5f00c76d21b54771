"""What each of many epsilons would do, side by side: for choosing one before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.arrays import Floats
from discreet.checks import check_path
from discreet.display import Display, Displayed
from discreet.guarantee import Guarantee
from discreet.measure.needs import CellNoise
from discreet.planning.edge_costs import EdgeCost
from discreet.planning.question_plan import QuestionPlan

__all__ = ["EPSILONS", "GridPoint", "NetworkExample", "PlanGrid"]

_STEPS = ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8")
EPSILONS = (
    *(f"0.0{step.replace('.', '')}" for step in _STEPS),
    *(f"0.{step.replace('.', '')}" for step in _STEPS),
    *_STEPS,
    "10",
)
"""What a steward can choose from, in equal steps of the logarithm, and short to write."""


@dataclass(frozen=True, slots=True)
class GridPoint:
    """One epsilon: what it promises, how wrong each mechanism is expected to be, and what it leaves of a budget."""

    epsilon: str
    guarantee: Guarantee
    errors: Mapping[str, float]
    """Mechanism -> expected error of a conditional probability, or root mean square error of a prediction, all of it."""
    mechanism: str | None
    """The one to take."""
    remaining: str | None = None
    """What a release would leave in the ledger; None without a ledger, and where it would be refused."""
    refused: str | None = None
    """Why the ledger would not pay."""
    width: float | None = None
    """How wide the interval of the question's answer will be."""


@dataclass(frozen=True, slots=True, eq=False)
class NetworkExample:
    """What pictures of a network need: records as they might be, noise at each epsilon, and what edges cost."""

    counts: Mapping[str, Floats] = field(repr=False)
    noise: tuple[Mapping[str, CellNoise], ...] = field(repr=False)
    """Of the mechanism to take, at each epsilon."""
    edges: Mapping[str, tuple[EdgeCost, ...]] = field(repr=False)
    """At some of the epsilons."""
    edges_of: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlanGrid(Displayed):
    """Plans at many epsilons. ``to_html()`` makes a page of them, with a slider."""

    model: Any
    rows: int
    points: tuple[GridPoint, ...]
    error_without_noise: float
    """What remains of the errors without any noise."""
    error_unread: float | None
    """The error before any record is read: that of the prior."""
    dataset: str | None = None
    """The data set of the ledger."""
    budget: str | None = None
    """What is left in the ledger now; None without a ledger, or without a cap."""
    question: QuestionPlan | None = None
    example: NetworkExample | None = None
    assumed: str | None = None
    """The target of naive Bayes, where nobody has declared a graph."""

    def to_html(self, *, file: str = "network.bif") -> str:
        """One HTML page that opens offline; ``file`` is how its examples call the file of the declaration."""
        # A plan turns to its page when somebody wants to see it.
        from discreet.page.plan_page import make_plan_page

        return make_plan_page(self, check_path(file))

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry; budgets stay exact, as text."""
        return {
            "rows": self.rows,
            "error_without_noise": self.error_without_noise,
            "error_unread": self.error_unread,
            "dataset": self.dataset,
            "budget": self.budget,
            "question": None if self.question is None else self.question.to_dict(),
            "points": [
                {
                    "epsilon": each.epsilon,
                    "meaning": each.guarantee.meaning,
                    "mechanism": each.mechanism,
                    "errors": dict(each.errors),
                    "remaining": each.remaining,
                    "refused": each.refused,
                    "width": each.width,
                }
                for each in self.points
            ],
        }

    def _display(self) -> Display:
        names = list(dict.fromkeys(name for point in self.points for name in point.errors))
        left = ("left",) if self.budget is not None else ()
        width = ("width",) if self.question is not None else ()
        rows = []
        for point in self.points:
            cells = [f"{point.errors[name]:.4g}" if name in point.errors else "" for name in names]
            kept = [point.remaining or "refused"] if left else []
            wide = [f"{point.width:.4f}"] if width and point.width is not None else [""] * len(width)
            rows.append((point.epsilon, point.mechanism or "", *cells, *kept, *wide))
        notes = [] if self.question is None else [self.question.verdict]
        headings = ("epsilon", "to take", *names, *left, *width)
        return Display(f"Plans for {self.rows:,} records", (), headings, rows, notes, numbers=len(headings) - 2)
