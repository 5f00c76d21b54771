"""What is believed about the coefficients of a regression, in the user's units: it prints, reads and becomes JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.display import Display, Displayed, counted, printable
from discreet.errors import QueryError, quoted, suggestion
from discreet.model.declaration import COLUMN_HEADINGS, column_rows
from discreet.model.linear import LinearModel

__all__ = ["Coefficient", "Coefficients", "regression_display", "units_map"]

_ASK = "Ask it: summary(), predict(table)."


@dataclass(frozen=True, slots=True, repr=False)
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

    def __repr__(self) -> str:
        name, mean, sd, interval = self.cells()
        spread = "" if math.isnan(self.sd) else f", sd {sd}, {interval}"
        return f"<Coefficient {printable(name)}: {mean}{spread}>"

    def cells(self) -> tuple[str, ...]:
        """The row of the coefficient in a table."""
        if math.isnan(self.sd):
            return self.name, f"{self.mean:,.5g}", "-", "-"
        return self.name, f"{self.mean:,.5g}", f"{self.sd:,.4g}", f"{self.lower:,.5g} to {self.upper:,.5g}"


@dataclass(frozen=True, slots=True, repr=False)
class Coefficients(Displayed):
    """All coefficients, the intercept first; ``lower`` and ``upper`` bound each with credibility ``interval``."""

    entries: tuple[Coefficient, ...]
    interval: float

    def __iter__(self) -> Iterator[Coefficient]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, name: str) -> Coefficient:
        for entry in self.entries:
            if isinstance(name, str) and entry.name == name:
                return entry
        raise QueryError(f"There is no coefficient {quoted(name)}.{suggestion(name, [entry.name for entry in self.entries])}")

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can carry."""
        return {"interval": self.interval, "coefficients": [entry.to_dict() for entry in self.entries]}

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Headings and rows of a table for people."""
        return ("coefficient", "mean", "sd", f"{100 * self.interval:.10g} % interval"), [entry.cells() for entry in self]

    def _display(self) -> Display:
        headings, rows = self.table()
        return Display("Coefficients", (), headings, rows, numbers=3)


def units_map(model: LinearModel) -> Floats:
    """The linear part of turning scaled weights into coefficients in the user's units: weights x coefficients."""
    basis = np.eye(len(model.coordinates))
    return model.to_units(basis) - model.to_units(0 * basis[:1])


def regression_display(model: LinearModel, rows: int, posterior: object, own: int) -> Display:
    """What is shown of the posterior of a regression. No chain has to run for it."""
    facts = [("records", f"{rows:,} released")]
    facts += [("own records", f"{own:,}, exact, protected by nothing")] if own else []
    title = f"{type(posterior).__name__} of {model.target.name!r} by {counted(len(model.features), 'feature')}"
    return Display(title, facts, COLUMN_HEADINGS, column_rows(model), [_ASK])
