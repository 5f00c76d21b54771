"""What a run of the benchmarks leaves behind: rows of times and memory, goals, and the file that holds them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path

__all__ = ["OURS", "Goal", "Kind", "Results", "Row", "read_results", "renewed", "write_results"]

OURS = "discreet"
"""The contender that all others in a case are compared with."""


class Kind(StrEnum):
    """What a goal asks of discreet."""

    SLOWER = "at most this many times as long as"
    FASTER = "at least this many times faster than"
    MEGABYTES = "below this many megabytes"
    AT_MOST = "at most this value"


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound on the ratio between discreet and the contender of the row, or on the memory or the value of the row."""

    kind: Kind
    value: float

    def met(self, row: Row, ours: Row | None) -> bool | None:
        """Whether the goal is met; None where it was not measured."""
        if self.kind is Kind.MEGABYTES:
            return None if row.megabytes is None else row.megabytes < self.value
        if self.kind is Kind.AT_MOST:
            return None if row.value is None else row.value <= self.value
        ratio = row.ratio(ours)
        if ratio is None:
            return None
        return ratio <= (self.value if self.kind is Kind.SLOWER else 1 / self.value)


@dataclass(frozen=True, slots=True)
class Row:
    """One contender in one case: median and fastest turn, processor, peak memory. ``reason``: why nothing was measured."""

    benchmark: str
    case: str
    contender: str
    milliseconds: float | None = None
    fastest: float | None = None
    megabytes: float | None = None
    goal: Goal | None = None
    reason: str = ""
    processor: float | None = None
    """Milliseconds of the processor, all threads together, in the turn that took fewest."""
    value: float | None = None
    """What is neither time nor memory, such as a number of scans; ``contender`` says what it is."""

    def ratio(self, ours: Row | None) -> float | None:
        """How many times as long as this contender discreet takes, by medians, by fastest turns or by the time of the
        processor, whichever is worse for us.

        Threads that get in each other's way can hold up a contender many times over in most of its turns. By medians alone
        that would look like a slow contender.
        """
        if ours is None or not (ours.milliseconds and self.milliseconds and ours.fastest and self.fastest):
            return None
        ratios = [ours.milliseconds / self.milliseconds, ours.fastest / self.fastest]
        if ours.processor and self.processor:
            ratios.append(ours.processor / self.processor)
        return max(ratios)

    @property
    def uneven(self) -> bool:
        """Whether the median turn took much longer than the fastest."""
        return bool(self.milliseconds and self.fastest and self.milliseconds > 1.5 * self.fastest)


@dataclass(frozen=True, slots=True)
class Results:
    """All rows of a run, with what they were measured on."""

    machine: str
    versions: dict[str, str]
    rows: tuple[Row, ...]
    apart: dict[str, str] = field(default_factory=dict)
    """Benchmarks that were measured again, apart from the others: when, with what, and what else the machine had to do."""

    def ours(self, row: Row) -> Row | None:
        """The row of discreet that a row is compared with."""
        same = (one for one in self.rows if (one.benchmark, one.case, one.contender) == (row.benchmark, row.case, OURS))
        return next(same, None)


def renewed(before: Results, again: Results, note: str) -> Results:
    """The results with the rows of some benchmarks replaced by newer ones, in the place of the old, and a note on each."""
    names = {row.benchmark for row in again.rows}
    order = list(dict.fromkeys(row.benchmark for row in (*before.rows, *again.rows)))
    rows = [*(row for row in before.rows if row.benchmark not in names), *again.rows]
    rows.sort(key=lambda row: order.index(row.benchmark))
    return Results(before.machine, before.versions, tuple(rows), before.apart | dict.fromkeys(sorted(names), note))


def write_results(results: Results, path: Path) -> None:
    """Write one row per line, with three figures: more would be noise."""
    rows = ",\n".join("    " + json.dumps(_row_to_json(row)) for row in results.rows)
    facts = {"machine": results.machine, "versions": results.versions, "apart": results.apart}
    head = "".join(f'  "{name}": {_indented(fact)},\n' for name, fact in facts.items() if fact != {})
    path.write_text(f'{{\n{head}  "rows": [\n{rows}\n  ]\n}}\n', encoding="utf-8")


def _indented(fact: object) -> str:
    return json.dumps(fact, indent=4).replace("\n}", "\n  }")


def read_results(path: Path) -> Results:
    """Read what ``write_results`` wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Results(content["machine"], content.get("versions", {}), rows_from_json(content["rows"]), content.get("apart", {}))


def rows_from_json(rows: list[dict]) -> tuple[Row, ...]:
    """Rows from their entries in the file."""
    goals = ({"goal": Goal(Kind[row["goal"]["kind"]], row["goal"]["value"])} if "goal" in row else {} for row in rows)
    return tuple(Row(**(row | goal)) for row, goal in zip(rows, goals, strict=True))


def _row_to_json(row: Row) -> dict:
    entries = {name: value for name, value in asdict(row).items() if value not in (None, "")}
    for name in {"milliseconds", "fastest", "processor", "megabytes"} & entries.keys():
        entries[name] = float(f"{entries[name]:.3g}")
    if row.value is not None:
        entries["value"] = float(f"{row.value:.4g}")
    if row.goal is not None:
        entries["goal"] = {"kind": row.goal.kind.name, "value": row.goal.value}
    return entries
