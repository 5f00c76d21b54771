"""Table 1 written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.experiments.pages import markdown_table, write_csv, write_page
from discreet.experiments.table1 import COLUMNS, Entry

__all__ = ["lines", "write_table1"]

_READING = (
    "What every mechanism costs and how wrong it is. Printed: the paper's formula. Corrected: what is true. Measured: a 95 %"
    " quantile of simulations, or for privacy the largest log ratio of probabilities that was found for some pair of"
    " neighbours. A printed epsilon below the measured one is a broken promise; a printed bound below the measured error is"
    " wrong, and far above it is of little use."
)


def lines(entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    """The entries as words, in the order of ``COLUMNS``."""
    return [
        (each.mechanism, each.kind, each.quantity, *map(_number, (each.printed, each.corrected, each.measured)), each.remark)
        for each in entries
    ]


def write_table1(entries: Sequence[Entry], folder: Path, settings: Mapping[str, Any], seconds: float) -> tuple[Path, ...]:
    """Write the table as CSV and as a page."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "table1.csv", folder / "table1.md"
    write_csv(paths[0], COLUMNS, [list(each.to_dict().values()) for each in entries])
    write_page(paths[1], "Table 1: privacy and utility", _READING, markdown_table(COLUMNS, lines(entries)), settings, seconds)
    return paths


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
