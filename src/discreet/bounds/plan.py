"""Plans: what a mechanism would release and how wrong it would be, said before any record is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from discreet.guarantee import Guarantee, Neighbours, PureDP, decimal, short

__all__ = ["Plan", "Plans"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The cost and the predicted error of one mechanism on one network."""

    mechanism: str
    guarantee: Guarantee
    neighbours: Neighbours
    rows: int
    released_numbers: int
    noise_scale: Fraction
    """The largest, where counts have different ones."""
    expected_error: float
    """Mean absolute noise of one count."""
    largest_error: int
    """All counts together stay within this distance of the truth with probability ``confidence``."""
    confidence: float

    @property
    def relative_error(self) -> float:
        """Mean absolute noise of one count, as a share of the number of records."""
        return self.expected_error / self.rows

    def to_dict(self) -> dict[str, object]:
        """A form that JSON can carry; budgets stay exact, as text."""
        return {
            "mechanism": self.mechanism,
            "epsilon" if isinstance(self.guarantee, PureDP) else "guarantee": short(self.guarantee),
            "neighbours": self.neighbours.value,
            "rows": self.rows,
            "released_numbers": self.released_numbers,
            "noise_scale": decimal(self.noise_scale),
            "expected_error": self.expected_error,
            "relative_error": self.relative_error,
            "largest_error": self.largest_error,
            "confidence": self.confidence,
        }


@dataclass(frozen=True, slots=True)
class Plans:
    """The plans of all mechanisms for one network, to be compared."""

    plans: tuple[Plan, ...]

    def __iter__(self) -> Iterator[Plan]:
        return iter(self.plans)

    def __len__(self) -> int:
        return len(self.plans)

    def __getitem__(self, mechanism: str) -> Plan:
        return next(plan for plan in self.plans if plan.mechanism == mechanism)

    def __str__(self) -> str:
        titles = ("released", "noise scale", "error/count", "of rows", "95 % of all")
        head = f"{'mechanism':<20}{'epsilon':>10}" + "".join(f"{title:>13}" for title in titles)
        lines = [
            f"{plan.mechanism:<20}{short(plan.guarantee):>10}{plan.released_numbers:>13}"
            f"{float(plan.noise_scale):>13.4g}{plan.expected_error:>13.4g}{plan.relative_error:>13.2%}{plan.largest_error:>13}"
            for plan in self.plans
        ]
        return "\n".join([head, *lines])
