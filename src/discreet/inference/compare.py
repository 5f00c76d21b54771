"""Two questions side by side: their difference and their ratio, with intervals.

Both are answered at the same draws of the parameters. What both answers share then cancels, so the interval of a difference is
that of the difference, and not what two separate intervals would leave open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from discreet.arrays import Floats
from discreet.display import Display, Displayed
from discreet.errors import QueryError
from discreet.inference.answer import Answer, interval_heading
from discreet.inference.beliefs import Beliefs, GeneratorLike, as_generator
from discreet.inference.query import ask
from discreet.inference.question import Levels, Nodes, Question, check_interval, check_question
from discreet.model.network import Network

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Comparison", "Contrast", "Pair", "central_bounds", "check_pair", "compare"]

_WRITTEN_OUT = 10_000
Pair: TypeAlias = Levels | tuple[Levels | None, Levels | None] | None
"""Levels of both questions, or those of the first and those of the second."""


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """A number for each level of the targets, with its interval where there is one."""

    value: Floats
    lower: Floats | None = None
    upper: Floats | None = None

    def at(self, index: tuple[int, ...]) -> dict[str, float | None]:
        """Plain values for JSON; null where there is no number, such as a ratio to zero."""
        found = {"value": self.value, "lower": self.lower, "upper": self.upper}
        return {name: _finite(table[index]) for name, table in found.items() if table is not None}

    def words(self, index: tuple[int, ...]) -> Iterator[str]:
        """The number and its interval for a table."""
        yield _shown(self.value[index])
        if self.lower is not None and self.upper is not None:
            yield f"{_shown(self.lower[index])} to {_shown(self.upper[index])}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Displayed):
    """Two answers about the same nodes: ``difference`` is the first minus the second, ``ratio`` the first by the second."""

    first: Answer
    second: Answer
    difference: Contrast
    ratio: Contrast
    interval: float | None = None
    remark: str | None = None
    """Why there are no intervals, though they were asked for."""
    caution: str | None = None
    """Why the intervals cannot be relied on."""

    @property
    def title(self) -> str:
        """What was asked: ``P(lung | do(smoke=yes)) against P(lung | do(smoke=no))``."""
        return f"{self.first.title} against {self.second.title}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        target = self.first.target
        sides = {name: _known(side) for name, side in (("first", self.first), ("second", self.second))}
        return {
            "target": list(target),
            **sides,
            "interval": self.interval,
            **({} if self.remark is None else {"remark": self.remark}),
            **({} if self.caution is None else {"caution": self.caution}),
            "levels": [
                {
                    "levels": dict(zip(target, levels, strict=True)),
                    "first": float(self.first.probability[index]),
                    "second": float(self.second.probability[index]),
                    "difference": self.difference.at(index),
                    "ratio": self.ratio.at(index),
                }
                for index, levels in self._cells()
            ],
        }

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Headings and rows of a table for people: a row for each level, or for each combination of levels."""
        bounds = () if self.interval is None else (interval_heading(self.interval),)
        rows = []
        for index, levels in zip(np.ndindex(self.first.probability.shape), product(*self.first.for_people), strict=True):
            sides = (f"{side.probability[index]:.4f}" for side in (self.first, self.second))
            rows.append((*levels, *sides, *self.difference.words(index), *self.ratio.words(index)))
        return (*self.first.target, "first", "second", "difference", *bounds, "ratio", *bounds), rows

    def to_polars(self) -> pl.DataFrame:
        """A row for each level, or combination of levels: the targets, both probabilities, then difference and ratio."""
        import polars as pl

        rows = []
        for index, levels in self._cells():
            row: dict[str, Any] = dict(zip(self.first.target, levels, strict=True))
            row |= {"first": float(self.first.probability[index]), "second": float(self.second.probability[index])}
            for name, contrast in (("difference", self.difference), ("ratio", self.ratio)):
                row |= {name if part == "value" else f"{name}_{part}": end for part, end in contrast.at(index).items()}
            rows.append(row)
        return pl.DataFrame(rows)

    def plot(self, path: str | Path) -> None:
        """Draw the difference of each level with its interval, and save the picture; the name says of which kind."""
        from discreet.plots.bars import Bar, plot_intervals

        bars = [
            Bar(", ".join(levels), self.difference.value[index], each.get("lower"), each.get("upper"))
            for index, levels in self._cells()
            for each in [self.difference.at(index)]
        ]
        plot_intervals(bars, path, self.title, "difference of probabilities")

    def _cells(self) -> Iterator[tuple[tuple[int, ...], tuple[str, ...]]]:
        return zip(np.ndindex(self.first.probability.shape), product(*self.first.levels), strict=True)

    def _display(self) -> Display:
        headings, rows = self.table()
        notes = [note for note in (self.remark, self.caution) if note is not None]
        return Display(self.title, (), headings, rows, notes, numbers=len(headings) - len(self.first.target))


def compare(
    beliefs: Beliefs,
    target: Nodes,
    given: Pair = None,
    do: Pair = None,
    *,
    arrows_are_causes: bool = False,
    interval: float | None = 0.9,
    draws: int = 1000,
    generator: GeneratorLike = None,
) -> Comparison:
    """Ask twice for the same nodes, at the same draws: ``given`` and ``do`` are for both, or a pair, one for each question.

    The values are the difference and the ratio of the two answers as ``query`` gives them, at the mean parameters; the
    intervals are central ones of the difference and of the ratio over draws.
    """
    pair = check_pair(beliefs.network, target, given, do, arrows_are_causes=arrows_are_causes)
    check_interval(interval, draws, 2 * pair[0].cells)
    remark = None if interval is None else beliefs.without_spread
    interval = interval if remark is None else None
    beliefs, found, drawn = ask(beliefs, pair, None if interval is None else draws, as_generator(generator))
    means = [each.probability[..., 0] for each in found]
    difference, ratio, caution = Contrast(means[0] - means[1]), Contrast(_ratio(*means)), None
    if interval is not None:
        one, two = drawn
        apart = one - two
        # Where draws had to be left out, the others are no longer in the order of the chains.
        caution = beliefs.doubt(apart) if apart.shape[-1] == draws else None
        difference = Contrast(difference.value, *central_bounds(apart, interval))
        ratio = Contrast(ratio.value, *central_bounds(_ratio(one, two), interval))
    first, second = (_side(question, mean) for question, mean in zip(pair, means, strict=True))
    return Comparison(first, second, difference, ratio, interval, remark, caution)


def check_pair(
    network: Network, target: Nodes, given: Pair = None, do: Pair = None, *, arrows_are_causes: bool = False
) -> tuple[Question, Question]:
    """Both questions, or an error."""
    seen, made = _split(given, "given"), _split(do, "do")
    causes = arrows_are_causes
    first, second = (check_question(network, target, seen[side], made[side], arrows_are_causes=causes) for side in (0, 1))
    if (first.given, first.do) == (second.given, second.do):
        raise QueryError(
            "The two questions are the same. Let given or do be a pair, such as do=({'smoke': 'yes'}, {'smoke': 'no'})."
        )
    return first, second


def _split(levels: Pair, name: str) -> tuple[Levels | None, Levels | None]:
    if levels is None or isinstance(levels, Mapping):
        return levels, levels
    if not isinstance(levels, tuple | list) or len(levels) != 2:
        raise QueryError(f"{name} is a mapping from nodes to levels for both questions, or a pair of two such mappings.")
    return levels[0], levels[1]


def _side(question: Question, mean: Floats) -> Answer:
    seen, made = question.named(question.given), question.named(question.do)
    return Answer(question.targets, question.levels, seen, mean, do=made, shown_levels=question.shown_levels)


def _ratio(one: Floats, two: Floats) -> Floats:
    """First by second: infinite where only the second is zero, no number where both are."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(one / two)


def central_bounds(drawn: Floats, interval: float) -> tuple[Floats, Floats]:
    """A central interval; ends are values that were drawn, since no number is between a finite ratio and an infinite one."""
    tail = (1 - float(interval)) / 2
    lower, upper = np.quantile(drawn, [tail, 1 - tail], axis=-1, method="inverted_cdf")
    return np.asarray(lower), np.asarray(upper)


def _known(side: Answer) -> dict[str, dict[str, str]]:
    return {"given": dict(side.given), "do": dict(side.do)}


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _shown(value: float) -> str:
    """Four decimals; of a ratio to next to nothing, which may be of any size, its size."""
    return f"{value:.4f}" if abs(value) < _WRITTEN_OUT else f"{value:.2g}"
