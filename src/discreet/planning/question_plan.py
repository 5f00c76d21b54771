"""The plan of one question: how wide its interval will be, and which epsilon or how many records make it narrow enough."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.display import Display, Displayed

__all__ = ["QuestionPlan"]


@dataclass(frozen=True, slots=True, repr=False)
class QuestionPlan(Displayed):
    """What it takes to answer a question by an interval of some width. Widths are medians over the prior's networks."""

    title: str
    interval: float
    rows: int
    width: float
    """What is wanted."""
    sampling: float
    """The width that the records leave without any noise."""
    smallest_epsilon: str | None
    """Exact text; None where no epsilon is large enough."""
    mechanism: str | None
    """What Auto takes at the smallest epsilon."""
    epsilon: str | None
    """The epsilon that was asked about, if any."""
    width_at_epsilon: float | None
    rows_at_epsilon: int | None
    """Records that make the interval that narrow at that epsilon; None where no number was found."""
    curve: tuple[tuple[str, float], ...]
    """Epsilons and the widths that they give."""

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        wanted = f"A {100 * self.interval:.10g} % interval of {self.title} that is {self.width:.4g} wide"
        if self.smallest_epsilon is None:
            near = self.sampling > self.width
            why = (
                f"{self.rows:,} records leave it {self.sampling:.4g} wide without any noise"
                if near
                else "noise hides too much"
            )
            return f"{wanted} is not to be had at any epsilon: {why}."
        return f"{wanted} takes about epsilon {self.smallest_epsilon} with {self.rows:,} records (mechanism {self.mechanism})."

    def remarks(self) -> list[str]:
        """What is to be said below the curve, a line each."""
        lines = [self.verdict]
        if self.width_at_epsilon is not None:
            lines.append(f"At epsilon {self.epsilon} it will be about {self.width_at_epsilon:.4g} wide.")
            more = (
                "no number of records up to 10^12 is"
                if self.rows_at_epsilon is None
                else f"about {self.rows_at_epsilon:,} records are"
            )
            lines.append(f"At epsilon {self.epsilon} {more} enough.")
        lines.append(
            "Half of all networks that the prior draws have wider intervals, most of all where what is given is rare."
        )
        return lines

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Headings and rows of the curve."""
        return ("epsilon", "width"), [(epsilon, f"{width:.4f}") for epsilon, width in self.curve]

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry; budgets stay exact, as text."""
        return {
            "question": self.title,
            "interval": self.interval,
            "rows": self.rows,
            "width": self.width,
            "sampling": self.sampling,
            "smallest_epsilon": self.smallest_epsilon,
            "mechanism": self.mechanism,
            "epsilon": self.epsilon,
            "width_at_epsilon": self.width_at_epsilon,
            "rows_at_epsilon": self.rows_at_epsilon,
            "curve": [{"epsilon": epsilon, "width": width} for epsilon, width in self.curve],
            "meaning": self.verdict,
        }

    def _display(self) -> Display:
        headings, rows = self.table()
        return Display(f"Plan of {self.title}", (), headings, rows, self.remarks(), numbers=2)
