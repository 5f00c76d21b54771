"""The tables of docs/guide/intervals.md about truths that no prior made, from the results of the study of real tables."""

from __future__ import annotations

import math

from benchmarks.coverage_page import GUIDE, joined
from benchmarks.real_tables_results import NOT_PRIVATE, Found, Measured, Setting

__all__ = ["GUIDE", "with_tables"]

BEGIN, END = "<!-- real tables -->\n", "<!-- end of real tables -->\n"
PRIVATE = ("learned", "uniform", "before")
BOTH = (*PRIVATE, "learned, not private", "uniform, not private")
TABLES = (
    ("Intervals of queries that hold the truth, in percent", "queries", BOTH),
    ("Intervals of conditional probabilities between 0.5 % and 99.5 % that hold them, in percent", "entries", BOTH),
    ("Mean absolute error of the answers to queries, in percentage points", "error", BOTH),
    ("Divergence of the truth from the network as it is believed to be, in nats", "divergence", BOTH),
    ("Mean width of the intervals of queries, in percentage points", "query width", BOTH),
    ("Seconds of one core for the posterior", "seconds", PRIVATE),
    ("R-hat of the query on which the chains agree worst", "R-hat", ("learned", "uniform", "learned, not private")),
)
"""What each table shows, its measure, and whose."""
_DIGITS = {"queries": 1, "entries": 1, "error": 2, "query width": 1, "seconds": 1, "divergence": 3, "R-hat": 2}
_PERCENT = ("queries", "entries", "error", "query width")


def with_tables(text: str, found: Found) -> str:
    """The guide with new tables."""
    before, rest = text.split(BEGIN)
    parts = [f"\n{title}:\n\n{table(found, measure, contenders)}" for title, measure, contenders in TABLES]
    return before + BEGIN + commits(found) + "".join(parts) + "\n" + END + rest.split(END)[1]


def commits(found: Found) -> str:
    """Which code was measured."""
    subjects = dict.fromkeys(("now" if key.contender != "before" else "before", one.commit) for key, one in sorted(found.items()))
    lines = [f"- {when}: `{commit.partition(' ')[0]}`, {commit.partition(' ')[2]}\n" for when, commit in subjects]
    return "\nMeasured with these commits:\n\n" + "".join(sorted(lines))


def table(found: Found, measure: str, contenders: tuple[str, ...]) -> str:
    """A line for each network, number of records and epsilon: means over data sets, with their standard errors."""
    places = dict.fromkeys((key.network, key.rows, key.epsilon) for key in sorted(found) if key.epsilon != NOT_PRIVATE)
    head = ["network", "records", "epsilon", "data sets", *contenders]
    lines = []
    for network, rows, epsilon in places:
        shown = [_measured(found, network, rows, epsilon, contender) for contender in contenders]
        sets = sorted({one.sets for one in shown if one is not None})
        many = f"{sets[0]}" if sets[0] == sets[-1] else f"{sets[0]} to {sets[-1]}"
        lines.append(joined([network, f"{rows:,}", epsilon, many, *(_cell(one, measure) for one in shown)]))
    return "".join([joined(head), joined(["---"] * len(head)), *lines])


def _measured(found: Found, network: str, rows: int, epsilon: str, contender: str) -> Measured | None:
    name, _, without = contender.partition(", ")
    return found.get(Setting(network, rows, NOT_PRIVATE if without else epsilon, name))


def _cell(measured: Measured | None, measure: str) -> str:
    """The mean and its standard error; of one data set there is none."""
    if measured is None:
        return ""
    scale, digits = 100 if measure in _PERCENT else 1, _DIGITS[measure]
    mean, error = (scale * value for value in measured.mean(measure))
    return f"{mean:.{digits}f}" + ("" if math.isnan(error) else f" ± {error:.{digits}f}")
