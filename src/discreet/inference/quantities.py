"""Single numbers that follow from a network: how probable evidence is, what two nodes tell of each other, expected values.

Each is a function of the parameters, so its interval is that of the function over draws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.checks import check_whole
from discreet.display import Display, Displayed
from discreet.errors import QueryError, quoted, suggestion
from discreet.inference.answer import interval_heading
from discreet.inference.beliefs import Beliefs, GeneratorLike, as_generator
from discreet.inference.query import about, ask, ask_mean
from discreet.inference.question import Levels, Question, check_interval, check_question
from discreet.model.network import Network

__all__ = ["Quantity", "expected_value", "mutual_information", "probability"]

_BIN = re.compile(r"[\[(]\s*(-?[\d.]+(?:[eE][+-]?\d+)?)\s*,\s*(-?[\d.]+(?:[eE][+-]?\d+)?)\s*[\])]")
"""How bins between two cuts are named: [25, 35)."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Quantity(Displayed):
    """A number with its credible interval, where there is one."""

    title: str
    value: float
    lower: float | None = None
    upper: float | None = None
    interval: float | None = None
    remark: str | None = None
    """Why there is no interval, though one was asked for; or how the number is meant."""
    caution: str | None = None
    """Why the interval cannot be relied on."""

    def __float__(self) -> float:
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        said = {"remark": self.remark, "caution": self.caution}
        found = {"title": self.title, "value": self.value, "interval": self.interval, "lower": self.lower, "upper": self.upper}
        return {**found, **{name: text for name, text in said.items() if text is not None}}

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Headings and the one row of a table for people."""
        bounds = () if self.interval is None else (interval_heading(self.interval),)
        ends = () if self.interval is None else (f"{self.lower:.4g} to {self.upper:.4g}",)
        return ("value", *bounds), [(f"{self.value:.4g}", *ends)]

    def _display(self) -> Display:
        headings, rows = self.table()
        notes = [note for note in (self.remark, self.caution) if note is not None]
        return Display(self.title, (), headings, rows, notes, numbers=len(headings))


def probability(
    beliefs: Beliefs,
    of: Levels,
    given: Levels | None = None,
    do: Levels | None = None,
    *,
    arrows_are_causes: bool = False,
    interval: float | None = 0.9,
    draws: int = 1000,
    generator: GeneratorLike = None,
) -> Quantity:
    """How probable it is that nodes have these levels together, given others, after further ones are set.

    By the chain rule, node after node: each factor is a question about one node, so many nodes need no joint table.
    """
    if not isinstance(of, Mapping) or not of:
        raise QueryError("Write whose probability is asked as a mapping from nodes to levels, such as {'smoke': 'yes'}.")
    known: dict[str, object] = dict(given or {})
    questions, places = [], []
    for node, level in of.items():
        questions.append(check_question(beliefs.network, node, known, do, arrows_are_causes=arrows_are_causes))
        places.append(beliefs.network.level_index(node, level))
        known[node] = level

    def chain(answers: Sequence[Floats]) -> Floats:
        return np.asarray(np.prod([answer[place] for answer, place in zip(answers, places, strict=True)], axis=0))

    first = questions[0]
    title = f"P({', '.join(f'{node}={level}' for node, level in of.items())}{_condition(first)})"
    beliefs = about(beliefs, questions)
    possible = _possible_prefix(beliefs, questions, places)
    function = chain if possible == len(questions) else _never
    return _measure(beliefs, title, questions[:possible], function, interval, draws, generator)


def mutual_information(
    beliefs: Beliefs,
    one: str,
    other: str,
    given: Levels | None = None,
    *,
    interval: float | None = 0.9,
    draws: int = 1000,
    generator: GeneratorLike = None,
) -> Quantity:
    """How many bits one node tells of another, on average, given levels of further ones; zero where they are independent.

    It is never negative, so where nodes seem independent every draw of the parameters gives more than their means do. The
    value is the mean over draws, so that it lies where its interval does; of a single point it is that of the point.
    """
    question = check_question(beliefs.network, [one, other], given)
    title = f"mutual information of {one} and {other}{_condition(question)}, in bits"
    how = (interval, draws, generator)
    return _measure(beliefs, title, [question], lambda answers: _information(answers[0]), *how, average=True)


def expected_value(
    beliefs: Beliefs,
    node: str,
    given: Levels | None = None,
    do: Levels | None = None,
    *,
    values: Mapping[str, float] | None = None,
    arrows_are_causes: bool = False,
    interval: float | None = 0.9,
    draws: int = 1000,
    generator: GeneratorLike = None,
) -> Quantity:
    """The expected value of a node whose levels are numbers, bins, or have ``values`` given for them."""
    question = check_question(beliefs.network, node, given, do, arrows_are_causes=arrows_are_causes)
    numbers, remark = _level_values(beliefs.network, node, values)
    title = f"E({node}{_condition(question)})"

    def expect(answers: Sequence[Floats]) -> Floats:
        return np.asarray(np.tensordot(numbers, answers[0], axes=1))

    found = _measure(beliefs, title, [question], expect, interval, draws, generator)
    said = " ".join(filter(None, (found.remark, remark))) or None
    return Quantity(title, found.value, found.lower, found.upper, found.interval, said, found.caution)


def _level_values(network: Network, node: str, values: Mapping[str, float] | None = None) -> tuple[Floats, str | None]:
    """A number for each level, and what is to be said about them: bins count as their middles."""
    levels = network.variable(node).levels
    for level, value in (values or {}).items():
        if str(level) not in levels:
            raise QueryError(f"{node!r} has no level {quoted(level)}.{suggestion(str(level), levels)}")
        if not _is_number(value):
            raise QueryError(f"The value of {quoted(level)} is {quoted(value)}, which is no finite number.")
    given = {str(level): value for level, value in (values or {}).items()}
    numbers = [given.get(level, _number(level)) for level in levels]
    unknown = [level for level, number in zip(levels, numbers, strict=True) if number is None]
    if unknown:
        example = f"values={{{unknown[0]!r}: 1.0}}, or --value {quoted(f'{unknown[0]}=1')} of the command"
        raise QueryError(
            f"The level {unknown[0]!r} of {node!r} is neither a number nor a bin with two ends. Give it a value: {example}."
        )
    binned = any(_BIN.fullmatch(level) and level not in given for level in levels)
    remark = "Bins count as their middles; give values={level: number} for better ones." if binned else None
    return np.array(numbers, dtype=np.float64), remark


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and bool(np.isfinite(float(value)))


def _number(level: str) -> float | None:
    """The number that a level is, or the middle of the bin that it names."""
    found = _BIN.fullmatch(level.strip())
    try:
        number = (float(found[1]) + float(found[2])) / 2 if found else float(level)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _measure(
    beliefs: Beliefs,
    title: str,
    questions: Sequence[Question],
    function: Callable[[Sequence[Floats]], Floats],
    interval: float | None,
    draws: int,
    generator: GeneratorLike,
    *,
    average: bool = False,
) -> Quantity:
    """A function of answers: its value at the mean parameters, or its ``average`` over draws, and its interval over draws."""
    check_interval(interval, check_whole(draws, "The number of draws"), sum(question.cells for question in questions))
    remark = beliefs.without_spread
    only_value = remark is not None or (interval is None and not average)
    beliefs, means, answers = ask(beliefs, questions, None if only_value else draws, as_generator(generator))
    value = float(function([mean.probability for mean in means])[0])
    if only_value:
        return Quantity(title, value, remark=None if interval is None else remark)
    drawn = function(answers)
    value = float(drawn.mean()) if average else value
    if interval is None:
        return Quantity(title, value)
    tail = (1 - float(interval)) / 2
    lower, upper = np.quantile(drawn, [tail, 1 - tail])
    caution = beliefs.doubt(drawn[None]) if len(drawn) == draws else None
    return Quantity(title, value, float(lower), float(upper), interval, caution=caution)


def _possible_prefix(beliefs: Beliefs, questions: Sequence[Question], places: Sequence[int]) -> int:
    """How many of the questions can be asked: once a level is certain not to be, nothing follows from it."""
    for number, (question, place) in enumerate(zip(questions, places, strict=True), start=1):
        if number < len(questions) and ask_mean(beliefs, question).probability[place, 0] == 0:
            return number
    return len(questions)


def _never(answers: Sequence[Floats]) -> Floats:
    return np.zeros(answers[0].shape[-1])


def _information(joint: Floats) -> Floats:
    """Sum of p log2(p / (row sum x column sum)) over the first two axes."""
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    ratio = np.divide(joint, apart, out=np.ones_like(joint), where=joint > 0)
    return np.asarray(np.maximum((joint * np.log2(ratio)).sum(axis=(0, 1)), 0))


def _condition(question: Question) -> str:
    known = [f"{node}={level}" for node, level in question.named(question.given).items()]
    known += [f"do({node}={level})" for node, level in question.named(question.do).items()]
    return f" | {', '.join(known)}" if known else ""
