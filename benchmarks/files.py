"""Counting the families of ALARM from files, against the fastest way to decode the file and do nothing with it."""

from __future__ import annotations

import statistics
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import discreet as dc
from discreet.counts import family_counts

from .networks import drawn, numbered, point
from .results import OURS, Goal, Kind, Row
from .timing import REPEATS, measured, separately

BATCH_ROWS = 2**17
_DECODE_GOAL, _TEXTS_GOAL = Goal(Kind.SLOWER, 1.6), Goal(Kind.SLOWER, 2.5)
_MEMORY_GOAL = Goal(Kind.MEGABYTES, 400)


def run() -> list[Row]:
    """Integer codes and texts in Parquet, and CSV."""
    network = point("alarm").network
    numbers = numbered(network)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dc.write_network(network, folder / "texts.json")
        dc.write_network(numbers, folder / "numbers.json")
        for size in (1_000_000, 10_000_000):
            file = codes_file(size, folder)
            rows += _case(f"Parquet of integer codes, {size:,} rows", file, numbers, folder / "numbers.json")
            file.unlink()
        for case, file in (("Parquet of texts", texts_file(1_000_000, folder)), ("CSV", csv_file(1_000_000, folder))):
            goal = _TEXTS_GOAL if file.suffix == ".parquet" else _DECODE_GOAL
            rows += _case(f"{case}, 1,000,000 rows", file, network, folder / "texts.json", goal)
    return rows


def codes_file(rows: int, folder: Path) -> Path:
    """One byte per value, in Parquet; written piece by piece, so that memory stays small."""
    import polars as pl

    pieces = []
    for number, frame in enumerate(drawn("alarm", rows)):
        pieces.append(folder / f"piece_{number}.parquet")
        frame.select(pl.all().to_physical().cast(pl.UInt8)).write_parquet(pieces[-1])
    pl.scan_parquet(pieces).sink_parquet(folder / f"codes_{rows}.parquet")
    for piece in pieces:
        piece.unlink()
    return folder / f"codes_{rows}.parquet"


def texts_file(rows: int, folder: Path, name: str = "alarm") -> Path:
    """Names of levels, in Parquet. At most a million rows."""
    import polars as pl

    (frame,) = drawn(name, rows)
    frame.with_columns(pl.all().cast(pl.String)).write_parquet(folder / f"{name}_texts.parquet")
    return folder / f"{name}_texts.parquet"


def csv_file(rows: int, folder: Path) -> Path:
    """Names of levels, in CSV. At most a million rows."""
    (frame,) = drawn("alarm", rows)
    frame.write_csv(folder / "records.csv")
    return folder / "records.csv"


def _case(case: str, file: Path, network: dc.Network, network_file: Path, goal: Goal = _DECODE_GOAL) -> list[Row]:
    """The file again and again in one process, then once in each of some fresh ones, which have all of their memory to get."""
    works = {OURS: partial(family_counts, file, network)} | {name: partial(decode, file) for name, decode in DECODES.items()}
    again = measured("files", case, {name: lambda work=work: work for name, work in works.items()}, {})
    fresh = _fresh(f"{case}, fresh process", file, network_file)
    return _with_goals(again, goal) + _with_goals(fresh, _DECODE_GOAL)


def _fresh(case: str, file: Path, network_file: Path) -> list[Row]:
    taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in (OURS, *DECODES)}
    for _ in range(REPEATS):
        for name, values in taken.items():
            values.append(separately("count" if name == OURS else name, file, network_file))
    rows = []
    for name, values in taken.items():
        times, peaks, processor = zip(*values, strict=True)
        median, peak = statistics.median(times), statistics.median(peaks)
        goal = _MEMORY_GOAL if name == OURS else None
        rows.append(Row("files", case, name, median, min(times), peak, goal, processor=min(processor)))
    return rows


def _with_goals(rows: list[Row], goal: Goal) -> list[Row]:
    """The way to decode that discreet compares worst with carries the goal."""
    ours, *decodes = rows
    hardest = max(decodes, key=lambda row: row.ratio(ours) or 0)
    return [ours, *(replace(row, goal=goal if row is hardest else None) for row in decodes)]


def _decode_whole(file: Path) -> Any:
    import polars as pl

    return pl.read_csv(file, infer_schema=False) if file.suffix == ".csv" else pl.read_parquet(file)


def _decode_streaming(file: Path) -> Any:
    return _scan(file).collect(engine="streaming")


def _decode_batches(file: Path) -> int:
    return sum(batch.height for batch in _scan(file).collect_batches(chunk_size=BATCH_ROWS))


def _scan(file: Path) -> Any:
    import polars as pl

    return pl.scan_csv(file, infer_schema=False) if file.suffix == ".csv" else pl.scan_parquet(file)


DECODES = {
    "Polars, whole table": _decode_whole,
    "Polars, streaming": _decode_streaming,
    "Polars, batches let go": _decode_batches,
}
"""Ways to decode a file and do nothing with it."""
