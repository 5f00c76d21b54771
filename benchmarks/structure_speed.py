"""How long a graph takes to be learned, in processor time: against counting all pairs, and in beats."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

import discreet as dc
from discreet.counts.families import table_counts
from discreet.model.tables import TableSet

__all__ = ["speed_lines", "speed_runs"]

_TALL, _WIDE = (1_000_000, 16), (100_000, 100)
_TIMES = 2


def speed_runs() -> Iterator[dict[str, object]]:
    """Of a tall and of a wide table of two levels each; one core drawing 1e8 standard normal numbers is a beat."""
    generator = np.random.default_rng(0)
    yield {"what": "beat", "seconds": _seconds(lambda: [generator.standard_normal(1_000_000) for _ in range(100)], 1)}
    for (rows, columns), forms in ((_TALL, ("tree", "dag")), (_WIDE, ("dag",))):
        frame = _records(rows, columns, generator)
        size = f"{rows:,} x {columns}"
        if columns == _TALL[1]:
            for name, count in _counters(frame).items():
                yield {"what": f"all pairs, {name}", "size": size, "seconds": _seconds(count, _TIMES)}
        for form in forms:
            learn = _learner(frame, form)
            yield {"what": f"learn, {form}", "size": size, "seconds": _seconds(learn, _TIMES if rows == _TALL[0] else 1)}


def speed_lines(rows: list[dict[str, Any]]) -> list[str]:
    """The table of the page."""
    if not rows:
        return []
    beat = rows[0]["seconds"]
    fastest = min(row["seconds"] for row in rows if row["what"].startswith("all pairs"))
    lines = ["| | table | seconds | beats | times the fastest count |", "|---|---|---|---|---|"]
    for row in rows[1:]:
        times = f"{row['seconds'] / fastest:.1f}" if row["size"].endswith(f" x {_TALL[1]}") else "-"
        lines.append(f"| {row['what']} | {row['size']} | {row['seconds']:.2f} | {row['seconds'] / beat:.2f} | {times} |")
    return lines


def _records(rows: int, columns: int, generator: np.random.Generator) -> pl.DataFrame:
    hidden = generator.integers(0, 2, rows)
    near = (generator.random(rows) < 0.6 for _ in range(columns))
    return pl.DataFrame(
        {f"c{place}": np.where(each, hidden, generator.integers(0, 2, rows)) for place, each in enumerate(near)}
    )


def _variables(frame: pl.DataFrame) -> list[dc.Variable]:
    return [dc.Variable(name, ["0", "1"]) for name in frame.columns]


def _learner(frame: pl.DataFrame, form: str) -> Callable[[], object]:
    return lambda: dc.learn(frame, _variables(frame), epsilon="1", ledger=dc.Ledger.unlimited(), form=form)


def _counters(frame: pl.DataFrame) -> dict[str, Callable[[], object]]:
    pairs = list(combinations(frame.columns, 2))
    wanted = TableSet.of(_variables(frame), pairs)
    found: dict[str, Callable[[], object]] = {
        "discreet": lambda: table_counts(frame, wanted),
        "Polars": lambda: pl.collect_all([frame.lazy().group_by(pair).len() for pair in pairs]),
    }
    try:
        import duckdb
    except ImportError:
        return found
    engine = duckdb.connect().execute("SET threads = 1")
    engine.register("records", frame.to_arrow())
    sets = ", ".join(f"({one}, {two})" for one, two in pairs)
    found["DuckDB"] = lambda: engine.execute(f"SELECT count(*) FROM records GROUP BY GROUPING SETS ({sets})").fetchall()
    return found


def _seconds(act: Callable[[], object], times: int) -> float:
    """The least processor time of so many runs after a first one; of a single run, its own."""
    found = []
    for _ in range(times if times == 1 else times + 1):
        start = time.process_time()
        act()
        found.append(time.process_time() - start)
    return min(found)
