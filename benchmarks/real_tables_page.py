"""The tables of docs/guide/intervals.md about truths that no prior made, from the results of the study of real tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.coverage_page import GUIDE, joined
from benchmarks.real_tables_results import NOT_PRIVATE, Found, Measured, Setting

__all__ = ["GUIDE", "with_tables"]

BEGIN, END = "<!-- real tables -->\n", "<!-- end of real tables -->\n"
WITHOUT = ", not private"
OURS = ("learned", "uniform", "before")
EVERYBODY = (*OURS, "learned" + WITHOUT, "uniform" + WITHOUT)
Column = tuple[str, str]
"""What is measured, and whose."""
TABLES: dict[str, list[Column]] = {
    "Queries whose interval holds the truth, in percent": [("queries", name) for name in EVERYBODY],
    "The same for true answers between 0.5 % and 99.5 %": [("queries between", name) for name in EVERYBODY],
    "Conditional probabilities between 0.5 % and 99.5 % whose interval holds the truth, in percent": [
        ("entries", name) for name in EVERYBODY
    ],
    "Mean absolute error of answers, and mean width of their intervals, in percentage points": [
        *(("error", name) for name in EVERYBODY[:4]),
        *(("query width", name) for name in EVERYBODY[:4]),
    ],
    "Divergence of the whole network, in nats; seconds of one core for the posterior; R-hat of the worst query": [
        *(("divergence", name) for name in EVERYBODY[:4]),
        *(("seconds", name) for name in OURS),
        *(("R-hat", name) for name in OURS[:2]),
    ],
}
_PERCENT = ("queries", "queries between", "entries", "error", "query width")
_DIGITS = {"error": 2, "divergence": 3, "R-hat": 2}


def with_tables(text: str, found: Found) -> str:
    """The guide with new tables."""
    before, rest = text.split(BEGIN)
    parts = [f"\n{title}:\n\n{table(found, columns)}" for title, columns in TABLES.items()]
    return before + BEGIN + commits(found) + "".join(parts) + "\n" + END + rest.split(END)[1]


def commits(found: Found) -> str:
    """Which code was measured."""
    subjects = sorted({(key.contender == "before", *measured.commit.split(" ", 1)) for key, measured in found.items()})
    lines = [f"- {'before' if before else 'now'}: `{number}`, {subject}\n" for before, number, subject in subjects]
    return "\nMeasured with these commits:\n\n" + "".join(lines)


def table(found: Found, columns: Sequence[Column]) -> str:
    """A line for each network, number of records and epsilon: means over data sets, with their standard errors."""
    places = dict.fromkeys((key.network, key.rows, key.epsilon) for key in sorted(found) if key.epsilon != NOT_PRIVATE)
    several = len({measure for measure, _ in columns}) > 1
    head = ["network", "records", "epsilon", "data sets", *(f"{one}: {name}" if several else name for one, name in columns)]
    lines = []
    for network, rows, epsilon in places:
        shown = [(measure, _find(found, network, rows, epsilon, name)) for measure, name in columns]
        sets = sorted({measured.sets for _, measured in shown if measured is not None})
        many = f"{sets[0]}" if sets[0] == sets[-1] else f"{sets[0]} to {sets[-1]}"
        lines.append(joined([network, f"{rows:,}", epsilon, many, *(_cell(measure, one) for measure, one in shown)]))
    return "".join([joined(head), joined(["---"] * len(head)), *lines])


def _find(found: Found, network: str, rows: int, epsilon: str, name: str) -> Measured | None:
    private = not name.endswith(WITHOUT)
    return found.get(Setting(network, rows, epsilon if private else NOT_PRIVATE, name.removesuffix(WITHOUT)))


def _cell(measure: str, measured: Measured | None) -> str:
    """The mean and its standard error; of one data set there is none."""
    mean, error = (math.nan, math.nan) if measured is None else measured.mean(measure)
    if math.isnan(mean):
        return "not measured"
    scale, digits = 100 if measure in _PERCENT else 1, _DIGITS.get(measure, 1)
    return f"{scale * mean:.{digits}f}" + ("" if math.isnan(error) else f" ± {scale * error:.{digits}f}")
