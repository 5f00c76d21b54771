"""Many questions at once: a table with what is given in each row, and the answers as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Floats
from discreet.errors import QueryError
from discreet.inference.beliefs import Beliefs, GeneratorLike, as_generator
from discreet.inference.query import about, ask_mean, draw_answers
from discreet.inference.question import Question, check_interval, check_question

if TYPE_CHECKING:
    import polars as pl

__all__ = ["query_table"]

_TOGETHER = 64
"""Questions that are answered at the same draws: more would keep more answers than are needed."""


def query_table(
    beliefs: Beliefs,
    data: Any,
    target: str,
    *,
    interval: float | None = 0.9,
    draws: int = 1000,
    generator: GeneratorLike = None,
) -> pl.DataFrame:
    """Answer one question for each row: a column for each node that is given, empty where it is not.

    The answer has these columns, and for each level of the target its probability, its lower and its upper end. Equal rows are
    asked once.
    """
    import polars as pl

    asked = check_question(beliefs.network, target)
    check_interval(interval, draws, asked.cells)
    rows = list(_read(beliefs, data, target))
    questions = list(dict.fromkeys(rows))
    spread = interval if beliefs.without_spread is None else None
    found = dict(zip(questions, _answer(beliefs, target, questions, spread, draws, generator), strict=True))
    nodes = dict.fromkeys(node for row in questions for node, _ in row)
    columns: dict[str, list[Any]] = {node: [dict(row).get(node) for row in rows] for node in nodes}
    bounds = () if spread is None else (" lower", " upper")
    for place, level in enumerate(asked.levels[0]):
        for part, word in enumerate(("", *bounds)):
            columns[f"P({target}={level}){word}"] = [float(found[row][part, place]) for row in rows]
    return pl.DataFrame(columns, schema_overrides=dict.fromkeys(nodes, pl.String))


def _read(beliefs: Beliefs, data: Any, target: str) -> Iterator[tuple[tuple[str, str], ...]]:
    """What each row gives: pairs of node and level."""
    from discreet.inference.own_records import encode_without

    network = beliefs.network
    levels = {node: network.variable(node).levels for node in network.nodes if node != target}
    for codes in encode_without(data, network, target):
        known = {node: column.tolist() for node, column in codes.items() if node != target}
        for number in range(len(next(iter(codes.values())))):
            each = ((node, column[number]) for node, column in known.items())
            yield tuple((node, levels[node][place]) for node, place in each if place < len(levels[node]))


def _answer(
    beliefs: Beliefs,
    target: str,
    rows: Sequence[tuple[tuple[str, str], ...]],
    interval: float | None,
    draws: int,
    generator: GeneratorLike,
) -> Iterator[Floats]:
    """For each distinct row the probabilities, and the ends of their intervals where wanted, as rows of an array."""
    generator = as_generator(generator)
    every = [check_question(beliefs.network, target, dict(row)) for row in rows]
    beliefs = about(beliefs, every)
    for start in range(0, len(rows), _TOGETHER):
        questions = every[start : start + _TOGETHER]
        means = [_ask(beliefs, question) for question in questions]
        if interval is None:
            yield from (mean[None] for mean in means)
            continue
        tail = (1 - float(interval)) / 2
        for mean, drawn in zip(means, draw_answers(beliefs, questions, draws, generator), strict=True):
            yield np.vstack([mean, *np.quantile(drawn, [tail, 1 - tail], axis=-1)])


def _ask(beliefs: Beliefs, question: Question) -> Floats:
    try:
        return ask_mean(beliefs, question).probability[..., 0]
    except QueryError as error:
        raise QueryError(f"A row of the table cannot be answered. {error}") from None
