"""What changed between two posteriors of one network: the difference of every conditional probability, with its interval.

The draws of the two are independent, as releases of different records are, so the interval of a difference holds the sampling
and the noise of both. Releases of the same records share their sampling, and intervals are then wider than they need be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.checks import check_probability, check_whole
from discreet.display import Display, Displayed
from discreet.errors import QueryError
from discreet.inference.answer import interval_heading
from discreet.inference.beliefs import Beliefs, GeneratorLike, as_generator
from discreet.model.differences import difference_of_tables
from discreet.model.network import Family, Network

__all__ = ["Change", "Changes", "compare_posteriors"]

_PICTURED = 40


@dataclass(frozen=True, slots=True)
class Change:
    """One conditional probability in both posteriors, and the second minus the first."""

    node: str
    level: str
    given: tuple[tuple[str, str], ...]
    first: float
    second: float
    lower: float | None = None
    upper: float | None = None

    @property
    def difference(self) -> float:
        """The second minus the first."""
        return self.second - self.first

    @property
    def clear(self) -> bool:
        """Whether the interval of the difference leaves zero out."""
        return self.lower is not None and self.upper is not None and (self.lower > 0 or self.upper < 0)

    @property
    def title(self) -> str:
        """``P(lung=yes | smoke=yes)``."""
        known = ", ".join(f"{node}={level}" for node, level in self.given)
        return f"P({self.node}={self.level}{' | ' if known else ''}{known})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        ends = {"lower": self.lower, "upper": self.upper, "clear": self.clear}
        found = {"node": self.node, "level": self.level, "given": dict(self.given)}
        return {**found, "first": self.first, "second": self.second, "difference": self.difference, **ends}


@dataclass(frozen=True, slots=True, repr=False)
class Changes(Displayed):
    """All conditional probabilities of two posteriors, the clearest changes first."""

    changes: tuple[Change, ...]
    interval: float | None
    remark: str | None = None
    """Why there are no intervals."""
    caution: str | None = None
    """Why differences may not be those of the records."""

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    @property
    def clear(self) -> tuple[Change, ...]:
        """The changes whose interval leaves zero out."""
        return tuple(change for change in self.changes if change.clear)

    def remarks(self) -> list[str]:
        """What is to be said below the table, a line each."""
        beware = [self.caution] if self.caution else []
        if self.interval is None:
            return [*([self.remark] if self.remark else []), *beware]
        chance = (1 - self.interval) * len(self.changes)
        said = f"{len(self.clear):,} of {len(self.changes):,} intervals leave zero out"
        return [f"{said}; if nothing had changed, about {chance:.0f} would by chance.", *beware]

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Headings and rows of a table for people."""
        bounds = () if self.interval is None else (interval_heading(self.interval), "clear")
        rows = []
        for each in self.changes:
            numbers = (f"{each.first:.4f}", f"{each.second:.4f}", f"{each.difference:+.4f}")
            ends = () if each.lower is None else (f"{each.lower:+.4f} to {each.upper:+.4f}", "yes" if each.clear else "")
            rows.append((each.title, *numbers, *ends))
        return ("probability", "first", "second", "difference", *bounds), rows

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        said = {"remark": self.remark, "caution": self.caution}
        notes = {name: text for name, text in said.items() if text is not None}
        return {"interval": self.interval, **notes, "changes": [each.to_dict() for each in self.changes]}

    def plot(self, path: str | Path) -> None:
        """Draw the clearest changes with their intervals, and save the picture."""
        from discreet.plots.bars import Bar, plot_intervals

        bars = [Bar(each.title, each.difference, each.lower, each.upper) for each in self.changes[:_PICTURED]]
        plot_intervals(bars, path, "What changed, second minus first", "difference of probabilities")

    def _display(self) -> Display:
        headings, rows = self.table()
        return Display("What changed, second minus first", (), headings, rows, self.remarks(), numbers=len(headings) - 1)


def compare_posteriors(
    first: Beliefs, second: Beliefs, *, interval: float | None = 0.9, draws: int = 1000, generator: GeneratorLike = None
) -> Changes:
    """The difference of every conditional probability of two posteriors of one network, the clearest changes first."""
    _check_alike(first.network, second.network)
    remark = None if interval is None else first.without_spread or second.without_spread
    if interval is not None:
        check_probability(interval)
    wanted = interval if remark is None else None
    generator, draws = as_generator(generator), check_whole(draws, "The number of draws")
    found: list[tuple[float, Change]] = []
    for family in first.network.families:
        apart = None
        if wanted is not None:
            one, two = (each.draws_of([family.node], draws, generator)[family.node] for each in (first, second))
            apart = two - one
        found += _changes(first.network, family, (first.mean(family.node), second.mean(family.node)), apart, wanted)
    found.sort(key=lambda pair: -pair[0])
    return Changes(tuple(change for _, change in found), wanted, remark, _different_priors(first, second))


def _changes(
    network: Network, family: Family, means: tuple[Floats, Floats], apart: Floats | None, interval: float | None
) -> Iterator[tuple[float, Change]]:
    """The changes of one table, each with how large it is beside its spread; of two levels the second says all."""
    levels, spread = network.variable(family.node).levels, np.ones_like(means[0])
    bounds: tuple[Floats, Floats] | None = None
    if apart is not None and interval is not None:
        tail = (1 - float(interval)) / 2
        lower, upper = np.quantile(apart, [tail, 1 - tail], axis=0)
        bounds, spread = (lower, upper), np.maximum(apart.std(axis=0), 1e-12)
    rows = enumerate(product(*(network.variable(parent).levels for parent in family.parents)))
    first_level = 1 if len(levels) == 2 else 0
    for (row, above), place in product(rows, range(first_level, len(levels))):
        ends = () if bounds is None else tuple(float(end[row, place]) for end in bounds)
        given = tuple(zip(family.parents, above, strict=True))
        values = (float(mean[row, place]) for mean in means)
        change = Change(family.node, levels[place], given, *values, *ends)
        yield abs(change.difference) / float(spread[row, place]), change


def _different_priors(first: Beliefs, second: Beliefs) -> str | None:
    """What to say where the two do not have the same prior: some of the differences are then its own."""
    one, two = (getattr(each, "prior", None) for each in (first, second))
    names = [repr(each).partition("\n")[0] for each in (one, two)]
    if one is None or two is None or names[0] == names[1]:
        return None
    return (
        f"The two have different priors, {names[0]} and {names[1]}, which show where records say little. Give both one: "
        "release.with_prior(...), or --prior of the command."
    )


def _check_alike(first: Network, second: Network) -> None:
    """Refuse networks of which not every table means the same, with what differs."""
    found = difference_of_tables(first, second)
    if found is not None:
        raise QueryError(f"{found} Compare releases of one network.")
