"""The tables of docs/guide/intervals.md, from the results of the study of coverage."""

from __future__ import annotations

from pathlib import Path

from benchmarks.coverage_results import KINDS, Result, Setting

__all__ = ["GUIDE", "joined", "line", "table", "tables", "with_tables"]

GUIDE = Path(__file__).parents[1] / "docs" / "guide" / "intervals.md"
BEGIN, END = "<!-- coverage -->\n", "<!-- end of coverage -->\n"


def with_tables(text: str, results: dict[Setting, Result]) -> str:
    """The guide with new tables."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + tables(results) + END + rest.split(END)[1]


def tables(results: dict[Setting, Result]) -> str:
    """What is chosen unasked at every epsilon and size; then every mechanism."""
    chosen = {setting: result for setting, result in results.items() if setting.mechanism == "auto"}
    others = {setting: result for setting, result in results.items() if setting.mechanism != "auto"}
    text = "\nWith the mechanism that `Auto` takes:\n\n" + table(chosen)
    return text + "\nWith each mechanism (Gaussian: delta 1e-6):\n\n" + table(others) + "\n"


def table(results: dict[Setting, Result]) -> str:
    """A line for each setting."""
    head = ["network", "mechanism", "epsilon", "records", "data sets", *KINDS]
    lines = [line(setting, result) for setting, result in results.items()]
    return "".join([joined(head), joined(["---"] * len(head)), *lines])


def line(setting: Setting, result: Result) -> str:
    """Shares in percent."""
    shares = [f"{100 * result.tallies[kind].share:.1f}" for kind in KINDS]
    return joined([setting.network, setting.mechanism, setting.epsilon, f"{setting.rows:,}", f"{result.sets:,}", *shares])


def joined(cells: list[str]) -> str:
    """A line of a Markdown table."""
    return "| " + " | ".join(cells) + " |\n"
