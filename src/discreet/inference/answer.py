"""The answer to a query: a distribution that prints as a table, reads like a mapping and becomes JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from discreet.arrays import Floats
from discreet.display import Display, Displayed
from discreet.errors import QueryError, quoted, suggestion

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Answer", "Key", "interval_heading"]

Key: TypeAlias = str | tuple[str, ...]
"""A level of the only target, or a tuple with a level of each."""

_SHOWN = 12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answer(Displayed):
    """Probabilities of the levels of the targets; ``lower`` and ``upper`` bound each with credibility ``interval``.

    ``answer["yes"]`` is a probability; for several targets write ``answer["yes", "no"]``. ``noise`` is the share of each
    interval that privacy noise causes; sampling causes the rest.
    """

    target: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    given: Mapping[str, str]
    probability: Floats
    lower: Floats | None = None
    upper: Floats | None = None
    interval: float | None = None
    noise: Floats | None = None
    remark: str | None = None
    """Why there is no interval, though one was asked for."""
    caution: str | None = None
    """Why the interval cannot be relied on."""
    do: Mapping[str, str] = field(default_factory=dict)
    """What is set, instead of seen."""
    shown_levels: tuple[tuple[str, ...], ...] = ()
    """The levels for people, with their labels; the levels themselves where it is left out."""

    def __post_init__(self) -> None:
        for table in (self.probability, self.lower, self.upper, self.noise):
            if table is not None:
                table.flags.writeable = False

    def __getitem__(self, key: object) -> float:
        return float(self.probability[self._index(key)])

    def __iter__(self) -> Iterator[Key]:
        if len(self.target) == 1:
            return iter(self.levels[0])
        return product(*self.levels)

    def __len__(self) -> int:
        return int(self.probability.size)

    def keys(self) -> tuple[Key, ...]:
        """Levels of the target, or tuples of levels for several targets."""
        return tuple(self)

    def items(self) -> Iterator[tuple[Key, float]]:
        """Pairs of level and probability."""
        return zip(self, (float(value) for value in self.probability.flat), strict=True)

    @property
    def most_probable(self) -> Key:
        """The level, or tuple of levels, with the highest probability; of equal ones the first declared."""
        return self.keys()[int(np.argmax(self.probability))]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON. An interval that was asked for and cannot be given is null."""
        unknown = {} if self.remark is None else {"lower": None, "upper": None}
        return {
            "target": list(self.target),
            "given": dict(self.given),
            **({"do": dict(self.do)} if self.do else {}),
            "interval": self.interval,
            **({} if self.remark is None else {"remark": self.remark}),
            **({} if self.caution is None else {"caution": self.caution}),
            "distribution": [
                {"levels": dict(zip(self.target, levels, strict=True)), **unknown, **self._numbers(index)}
                for index, levels in zip(np.ndindex(self.probability.shape), product(*self.levels), strict=True)
            ],
        }

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Headings and rows of a table for people: a row for each level, or for each combination of levels."""
        bounds = [] if self.lower is None else [interval_heading(self.interval or 0)]
        bounds += [] if self.noise is None else ["of it noise"]
        cells = zip(np.ndindex(self.probability.shape), product(*self.for_people), strict=True)
        rows = [(*levels, *_words(self._numbers(index))) for index, levels in cells]
        return (*self.target, "probability", *bounds), rows

    @property
    def for_people(self) -> tuple[tuple[str, ...], ...]:
        """The levels of each target, with their labels where they have some."""
        return self.shown_levels or self.levels

    def to_polars(self) -> pl.DataFrame:
        """A row for each level, or combination of levels: the targets, then the numbers."""
        import polars as pl

        cells = zip(np.ndindex(self.probability.shape), product(*self.levels), strict=True)
        rows = [{**dict(zip(self.target, levels, strict=True)), **self._numbers(index)} for index, levels in cells]
        return pl.DataFrame(rows)

    def to_pandas(self) -> Any:
        """The same as a data frame of pandas, which must be installed."""
        try:
            import pandas as pd  # type: ignore[import-untyped]
        except ModuleNotFoundError:
            raise QueryError("pandas is not installed. Install it, or take to_polars().") from None
        return pd.DataFrame(self.to_polars().to_dict(as_series=False))

    def plot(self, path: str | Path) -> None:
        """Draw a bar for each level with its interval, and save the picture; the name says of which kind."""
        from discreet.plots.bars import Bar, plot_bars

        numbers = (self._numbers(index) for index in np.ndindex(self.probability.shape))
        labels = (", ".join(levels) for levels in product(*self.levels))
        bars = [
            Bar(label, each["probability"], each.get("lower"), each.get("upper"))
            for label, each in zip(labels, numbers, strict=True)
        ]
        plot_bars(bars, path, self.title, "probability")

    @property
    def title(self) -> str:
        """What was asked: ``P(lung | smoke=yes)``, or ``P(lung | do(smoke=yes))``."""
        known = [f"{node}={level}" for node, level in self.given.items()]
        known += [f"do({node}={level})" for node, level in self.do.items()]
        shown, more = known[:_SHOWN], [f"{len(known) - _SHOWN} more"] if len(known) > _SHOWN else []
        return f"P({', '.join(self.target)}{' | ' if shown else ''}{', '.join(shown + more)})"

    def _display(self) -> Display:
        headings, rows = self.table()
        notes = [note for note in (self.remark, self.caution) if note is not None]
        return Display(self.title, (), headings, rows, notes, numbers=len(headings) - len(self.target))

    def _numbers(self, index: tuple[int, ...]) -> dict[str, float]:
        tables = {"probability": self.probability, "lower": self.lower, "upper": self.upper, "noise": self.noise}
        return {name: float(table[index]) for name, table in tables.items() if table is not None}

    def _index(self, key: object) -> tuple[int, ...]:
        wanted = key if isinstance(key, tuple) else (key,)
        if len(wanted) != len(self.target):
            raise QueryError(f"Name one level for each of {', '.join(self.target)}.")
        index: list[int] = []
        for level, node, levels in zip(wanted, self.target, self.levels, strict=True):
            if str(level) not in levels:
                raise QueryError(f"{node!r} has no level {quoted(level)}.{suggestion(str(level), levels)}")
            index.append(levels.index(str(level)))
        return tuple(index)


def interval_heading(interval: float) -> str:
    """``90 % interval``."""
    return f"{100 * interval:.10g} % interval"


def _words(numbers: Mapping[str, float]) -> Iterator[str]:
    yield f"{numbers['probability']:.4f}"
    if "lower" in numbers:
        yield f"{numbers['lower']:.4f} to {numbers['upper']:.4f}"
    if "noise" in numbers:
        yield f"{numbers['noise']:.0%}"
