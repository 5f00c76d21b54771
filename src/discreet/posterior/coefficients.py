"""What is believed about the coefficients of a regression, in the user's units: it prints, reads and becomes JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from discreet.errors import QueryError, suggestion

__all__ = ["Coefficient", "Coefficients"]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient in the user's units. ``sd``, ``lower`` and ``upper`` are NaN where the release cannot tell."""

    name: str
    mean: float
    sd: float
    lower: float
    upper: float

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can carry; what cannot be told is null."""
        numbers = {"mean": self.mean, "sd": self.sd, "lower": self.lower, "upper": self.upper}
        return {"name": self.name, **{key: value if math.isfinite(value) else None for key, value in numbers.items()}}


@dataclass(frozen=True, slots=True)
class Coefficients:
    """All coefficients, the intercept first; ``lower`` and ``upper`` bound each with credibility ``interval``."""

    entries: tuple[Coefficient, ...]
    interval: float

    def __iter__(self) -> Iterator[Coefficient]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, name: str) -> Coefficient:
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise QueryError(f"There is no coefficient {name!r}.{suggestion(str(name), [entry.name for entry in self.entries])}")

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can carry."""
        return {"interval": self.interval, "coefficients": [entry.to_dict() for entry in self.entries]}

    def __str__(self) -> str:
        width = max(len("coefficient"), *(len(entry.name) for entry in self.entries)) + 2
        head = f"{'coefficient':<{width}}{'mean':>14}{'sd':>14}{f'{100 * self.interval:.10g} % interval':>30}"
        return "\n".join([head, *(_line(entry, width) for entry in self.entries)])


def _line(entry: Coefficient, width: int) -> str:
    name, mean = f"{entry.name:<{width}}", f"{entry.mean:>14,.5g}"
    if math.isnan(entry.sd):
        return f"{name}{mean}{'-':>14}{'-':>30}"
    return f"{name}{mean}{entry.sd:>14,.4g}{f'{entry.lower:,.5g} to {entry.upper:,.5g}':>30}"
